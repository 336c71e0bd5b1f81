"""A joint that moves by the rows of others: a mimic joint and its leaders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.transform import Pose
from symdyn.algebra.spatial.vectors import Vector
from symdyn.errors import ModelError
from symdyn.model.joints.base import JointModel
from symdyn.model.joints.coordinate_map import LeadersMap
from symdyn.model.joints.parts import Coordinates, JointMotion, JointPose, Numbers
from symdyn.model.joints.rate_joint import RateJoint


def _as_it_moves(name: str) -> Any:
    """An attribute of the joint that moves."""
    return property(lambda joint: getattr(joint.moving, name))


@dataclass(frozen=True, slots=True)
class Following(RateJoint):
    """A joint of one coordinate, ``kind``, of which the coordinate is G q + g of the rows of so many ``leaders``."""

    kind: JointModel
    leaders: int

    value, stored, placed, has_frame = map(_as_it_moves, ("value", "stored", "placed", "has_frame"))
    rest, axial, unfelt, moved_axes = map(_as_it_moves, ("rest", "axial", "unfelt", "moved_axes"))
    unit_axes = None

    @property
    def moving(self) -> JointModel:
        """The joint of its own coordinate."""
        return self.kind

    @property
    def coordinate_map(self) -> LeadersMap:
        """The sum over the leaders."""
        return LeadersMap(self.leaders)

    @property
    def coordinates(self) -> Coordinates:
        """A row per leader, with the suffixes and units of the joint that moves."""
        own = self.moving.coordinates
        return Coordinates(*(part * self.leaders for part in (own.q, own.q_units, own.v, own.v_units)))

    @property
    def constants(self) -> tuple[str, ...]:
        """Those of the joint that moves, of G and of g."""
        return (*self.moving.constants, *self.coordinate_map.constants)

    @property
    def column_constants(self) -> tuple[str, ...]:
        """Those without g."""
        return (*self.moving.column_constants, *self.coordinate_map.multipliers)

    def pose(self, algebra: Algebra, q: Sequence[Scalar], numbers: Numbers) -> list[Scalar]:
        """That at G q + g."""
        return self.moving.pose(algebra, self.coordinate_map.coordinates(q, numbers), numbers)

    def motion(self, pose: JointPose, v: Sequence[Scalar], a: Sequence[Scalar], numbers: Numbers) -> JointMotion:
        """That at G v and G a."""
        own, rates = (self.coordinate_map.rates(given, numbers) for given in (v, a))
        return self.moving.motion(pose, own, rates, numbers)

    def force(self, pose: JointPose, wrench: Vector, numbers: Numbers) -> list[Scalar]:
        """G^T times the own coordinate's share."""
        return self.coordinate_map.forces(self.moving.force(pose, wrench, numbers), numbers)

    def columns(self, pose: JointPose, numbers: Numbers) -> list[list[Scalar]]:
        """The own column times each entry of G."""
        return self.coordinate_map.columns(self.moving.columns(pose, numbers), numbers)

    def displacement(self, algebra: Algebra, screws: Sequence[Vector], home: Pose | None, q: Sequence[Scalar]) -> Pose:
        """None by these rows: the joint that moves has one, by its own coordinate.

        Raises
        ------
        ModelError
            Always.
        """
        raise ModelError(f"a {self.value} joint that follows others is displaced by its own coordinate; ask 'moving'")
