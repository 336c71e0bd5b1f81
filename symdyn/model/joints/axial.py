"""Joints along or about the z axis: motions that commute, and that are the same wherever on the axis frames stand."""

from __future__ import annotations

from symdyn.algebra.spatial.rotations import Matrix3, axis_to_z
from symdyn.algebra.spatial.vectors import Vector
from symdyn.model.joints.described_joint import DescribedJoint
from symdyn.model.joints.parts import Rest
from symdyn.model.joints.rate_joint import RateJoint


class AxialJoint(RateJoint, DescribedJoint):
    """What follows from motions along or about one axis."""

    __slots__ = ()

    rest = Rest.AXIS
    axial = True
    has_frame = True

    def aligned(self, axis: Vector) -> Matrix3:
        """A rotation that takes z to the axis, a signed permutation where the axis allows it."""
        return axis_to_z(axis)
