"""Joints that robot files can ask for."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from symdyn.model.joints.base import JointModel
from symdyn.spatial.rotations import Matrix3
from symdyn.spatial.vectors import Vector


class DescribedJoint(JointModel):
    """A joint that robot files can ask for."""

    __slots__ = ()

    @abstractmethod
    def aligned(self, axis: Vector) -> Matrix3:
        """The rotation that takes the joint's z axis to the axis that a file names."""

    @abstractmethod
    def locked(self, axis: Vector, pitch: float, q: Sequence[float]) -> tuple[Matrix3, Sequence[float]]:
        """Rotation and translation of the child in a file's joint frame at numbers q, for the axis in the file."""
