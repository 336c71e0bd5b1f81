"""A screw: a turn about z that slides along it by the pitch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.exponential import screw_exponential
from symdyn.algebra.spatial.rotations import AboutZ, Matrix3, turn
from symdyn.algebra.spatial.transform import Pose
from symdyn.algebra.spatial.vectors import Vector, scale
from symdyn.model.joints.axial import AxialJoint
from symdyn.model.joints.parts import Coordinates, JointMotion, JointPose, Numbers


@dataclass(frozen=True, slots=True)
class Helical(AxialJoint):
    """q = (angle [rad]); the constant ``pitch`` is in m/rad."""

    value = "helical"
    coordinates = Coordinates(("",), ("rad",), ("",), ("rad/s",))
    stored = 3
    constants = ("pitch",)
    unit_axes = None
    unfelt = ("Szz",)
    moved_axes = (True, True, False)

    def pose(self, algebra: Algebra, q: Sequence[Scalar], numbers: Numbers) -> list[Scalar]:
        """Sine, cosine and displacement."""
        return [*algebra.sin_cos(q[0]), numbers["pitch"] * q[0]]

    def placed(self, stored: Sequence[Scalar]) -> JointPose:
        """A rotation about z and a translation along it."""
        return JointPose(AboutZ(stored[0], stored[1]), [0.0, 0.0, stored[2]])

    def motion(self, pose: JointPose, v: Sequence[Scalar], a: Sequence[Scalar], numbers: Numbers) -> JointMotion:
        """Both along and about z."""
        pitch = numbers["pitch"]
        return JointMotion([0.0, 0.0, pitch * v[0]], [0.0, 0.0, v[0]], [0.0, 0.0, pitch * a[0]], [0.0, 0.0, a[0]])

    def force(self, pose: JointPose, wrench: Vector, numbers: Numbers) -> list[Scalar]:
        """The moment about z, and the force along it times the pitch."""
        return [wrench[5] + numbers["pitch"] * wrench[2]]

    def displacement(self, algebra: Algebra, screws: Sequence[Vector], home: Pose | None, q: Sequence[Scalar]) -> Pose:
        """The exponential of its screw."""
        return screw_exponential(algebra, screws[0], q[0])

    def locked(self, axis: Vector, pitch: float, q: Sequence[float]) -> tuple[Matrix3, Sequence[float]]:
        """A screw along the axis."""
        return turn(axis, q[0]), scale(pitch * q[0], axis)


HELICAL = Helical()
