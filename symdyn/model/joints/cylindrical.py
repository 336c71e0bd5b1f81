"""A slide along z and a turn about it, each by a coordinate of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.exponential import screw_exponential, translation_exponential
from symdyn.algebra.spatial.rotations import AboutZ, Matrix3, turn
from symdyn.algebra.spatial.transform import Pose
from symdyn.algebra.spatial.vectors import Vector, scale
from symdyn.model.joints.axial import AxialJoint
from symdyn.model.joints.parts import Coordinates, JointMotion, JointPose, Numbers


@dataclass(frozen=True, slots=True)
class Cylindrical(AxialJoint):
    """q = (displacement z [m], angle theta [rad])."""

    value = "cylindrical"
    coordinates = Coordinates((".z", ".theta"), ("m", "rad"), (".vz", ".omega"), ("m/s", "rad/s"))
    stored = 3
    constants = ()
    unit_axes = (2, 5)
    unfelt = ("Szz",)
    moved_axes = (True, True, False)

    def pose(self, algebra: Algebra, q: Sequence[Scalar], numbers: Numbers) -> list[Scalar]:
        """Sine, cosine and displacement."""
        return [*algebra.sin_cos(q[1]), q[0]]

    def placed(self, stored: Sequence[Scalar]) -> JointPose:
        """A rotation about z and a translation along it."""
        return JointPose(AboutZ(stored[0], stored[1]), [0.0, 0.0, stored[2]])

    def motion(self, pose: JointPose, v: Sequence[Scalar], a: Sequence[Scalar], numbers: Numbers) -> JointMotion:
        """Both along and about z."""
        return JointMotion([0.0, 0.0, v[0]], [0.0, 0.0, v[1]], [0.0, 0.0, a[0]], [0.0, 0.0, a[1]])

    def force(self, pose: JointPose, wrench: Vector, numbers: Numbers) -> list[Scalar]:
        """The force along z and the moment about it."""
        return [wrench[2], wrench[5]]

    def displacement(self, algebra: Algebra, screws: Sequence[Vector], home: Pose | None, q: Sequence[Scalar]) -> Pose:
        """The exponentials of its screws, which commute."""
        return translation_exponential(screws[0], q[0]).times(screw_exponential(algebra, screws[1], q[1]))

    def locked(self, axis: Vector, pitch: float, q: Sequence[float]) -> tuple[Matrix3, Sequence[float]]:
        """A displacement along the axis and a turn about it."""
        return turn(axis, q[1]), scale(q[0], axis)


CYLINDRICAL = Cylindrical()
