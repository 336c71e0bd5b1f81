"""Coordinates that move no frame and carry no mass by themselves."""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.rotations import Identity
from symdyn.algebra.spatial.transform import UNMOVED, Pose
from symdyn.algebra.spatial.vectors import Vector
from symdyn.model.joints.parts import JointMotion, JointPose, Numbers, Rest
from symdyn.model.joints.rate_joint import RateJoint


class FramelessJoint(RateJoint):
    """What follows from moving no frame."""

    __slots__ = ()

    stored = 0
    constants = ()
    rest = Rest.AXIS
    unit_axes = None
    axial = False
    unfelt = ()
    moved_axes = (True, True, True)
    has_frame = False

    def pose(self, algebra: Algebra, q: Sequence[Scalar], numbers: Numbers) -> list[Scalar]:
        """Nothing."""
        return []

    def placed(self, stored: Sequence[Scalar]) -> JointPose:
        """The frame of the body that it stands on."""
        return JointPose(Identity(), None)

    def motion(self, pose: JointPose, v: Sequence[Scalar], a: Sequence[Scalar], numbers: Numbers) -> JointMotion:
        """None."""
        return JointMotion(None, [0.0] * 3, None, [0.0] * 3)

    def force(self, pose: JointPose, wrench: Vector, numbers: Numbers) -> list[Scalar]:
        """No wrench reaches it."""
        return [0.0] * len(self.coordinates.v)

    def displacement(self, algebra: Algebra, screws: Sequence[Vector], home: Pose | None, q: Sequence[Scalar]) -> Pose:
        """None."""
        return UNMOVED
