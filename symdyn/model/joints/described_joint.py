"""Joints that robot files can ask for."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from symdyn.algebra.spatial.rotations import Matrix3
from symdyn.algebra.spatial.vectors import Vector
from symdyn.model.joints.base import JointModel


class DescribedJoint(JointModel):
    """A joint that robot files can ask for."""

    __slots__ = ()

    @abstractmethod
    def aligned(self, axis: Vector) -> Matrix3:
        """The rotation that takes the joint's z axis to the axis that a file names."""

    @abstractmethod
    def locked(self, axis: Vector, pitch: float, q: Sequence[float]) -> tuple[Matrix3, Sequence[float]]:
        """Rotation and translation of the child in a file's joint frame at numbers q, for the axis in the file."""
