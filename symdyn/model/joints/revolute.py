"""A turn about z."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.exponential import screw_exponential
from symdyn.algebra.spatial.rotations import AboutZ, Matrix3, turn
from symdyn.algebra.spatial.transform import Pose
from symdyn.algebra.spatial.vectors import Vector
from symdyn.model.joints.axial import AxialJoint
from symdyn.model.joints.parts import Coordinates, JointMotion, JointPose, Numbers


@dataclass(frozen=True, slots=True)
class Revolute(AxialJoint):
    """q = (angle [rad])."""

    value = "revolute"
    coordinates = Coordinates(("",), ("rad",), ("",), ("rad/s",))
    stored = 2
    constants = ()
    unit_axes = (5,)
    unfelt = ("m", "hz", "Szz")
    moved_axes = (True, True, False)

    def pose(self, algebra: Algebra, q: Sequence[Scalar], numbers: Numbers) -> list[Scalar]:
        """Sine and cosine."""
        return list(algebra.sin_cos(q[0]))

    def placed(self, stored: Sequence[Scalar]) -> JointPose:
        """A rotation about z."""
        return JointPose(AboutZ(stored[0], stored[1]), None)

    def motion(self, pose: JointPose, v: Sequence[Scalar], a: Sequence[Scalar], numbers: Numbers) -> JointMotion:
        """Angular velocity about z."""
        return JointMotion(None, [0.0, 0.0, v[0]], None, [0.0, 0.0, a[0]])

    def force(self, pose: JointPose, wrench: Vector, numbers: Numbers) -> list[Scalar]:
        """The moment about z."""
        return [wrench[5]]

    def displacement(self, algebra: Algebra, screws: Sequence[Vector], home: Pose | None, q: Sequence[Scalar]) -> Pose:
        """The exponential of its screw."""
        return screw_exponential(algebra, screws[0], q[0])

    def locked(self, axis: Vector, pitch: float, q: Sequence[float]) -> tuple[Matrix3, Sequence[float]]:
        """A turn about the axis."""
        return turn(axis, q[0]), (0.0, 0.0, 0.0)


REVOLUTE = Revolute()
