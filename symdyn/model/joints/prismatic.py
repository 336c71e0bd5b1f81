"""A slide along z."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.exponential import translation_exponential
from symdyn.algebra.spatial.rotations import IDENTITY, Identity, Matrix3
from symdyn.algebra.spatial.transform import Pose
from symdyn.algebra.spatial.vectors import Vector, scale
from symdyn.model.joints.axial import AxialJoint
from symdyn.model.joints.parts import Coordinates, JointMotion, JointPose, Numbers


@dataclass(frozen=True, slots=True)
class Prismatic(AxialJoint):
    """q = (displacement [m])."""

    value = "prismatic"
    coordinates = Coordinates(("",), ("m",), ("",), ("m/s",))
    stored = 1
    constants = ()
    unit_axes = (2,)
    unfelt = ("Sxx", "Sxy", "Sxz", "Syy", "Syz", "Szz")
    moved_axes = (False, False, False)

    def pose(self, algebra: Algebra, q: Sequence[Scalar], numbers: Numbers) -> list[Scalar]:
        """The displacement."""
        return [q[0]]

    def placed(self, stored: Sequence[Scalar]) -> JointPose:
        """A translation along z."""
        return JointPose(Identity(), [0.0, 0.0, stored[0]])

    def motion(self, pose: JointPose, v: Sequence[Scalar], a: Sequence[Scalar], numbers: Numbers) -> JointMotion:
        """Velocity along z."""
        return JointMotion([0.0, 0.0, v[0]], [0.0] * 3, [0.0, 0.0, a[0]], [0.0] * 3)

    def force(self, pose: JointPose, wrench: Vector, numbers: Numbers) -> list[Scalar]:
        """The force along z."""
        return [wrench[2]]

    def displacement(self, algebra: Algebra, screws: Sequence[Vector], home: Pose | None, q: Sequence[Scalar]) -> Pose:
        """The exponential of its screw."""
        return translation_exponential(screws[0], q[0])

    def locked(self, axis: Vector, pitch: float, q: Sequence[float]) -> tuple[Matrix3, Sequence[float]]:
        """A displacement along the axis."""
        return IDENTITY, scale(q[0], axis)


PRISMATIC = Prismatic()
