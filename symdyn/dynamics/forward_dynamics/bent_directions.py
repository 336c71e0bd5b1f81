"""The columns of a flexible link's joint, in the axes of the joint's frame at the tip's origin.

There a coordinate moves the tip by a constant vector t_k (or a combination, where amplitudes are products), and turns
it by A slope_k with one matrix A = 1 + c_2 [phi] + c_3 [phi]^2 for all coordinates (the transpose of the tangent in the
tip's axes). Products with A are written alike for every column, so that they are computed once. What the tip carries is
turned into these axes first, which also spares every column the turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.model.joints import Flexure, JointPose
from symdyn.model.joints.bending import slopes_of, weighted
from symdyn.model.joints.tip_motion import tip_moves
from symdyn.scalars.algebra import Scalar
from symdyn.spatial.articulated import ArticulatedInertia
from symdyn.spatial.rotations import IDENTITY, Identity
from symdyn.spatial.vectors import Matrix, Vector, add, dot, scale, times, transpose


@dataclass(frozen=True, slots=True)
class BentDirection:
    """One column: ``move`` t_k, ``slope``, and the columns of A."""

    move: Vector
    slope: Vector
    axes: Matrix

    def share(self, wrench: Vector) -> Scalar:
        """S^T F of a wrench (f; n)."""
        return dot(self.move, wrench[:3]) + dot(self.slope, times(self.axes, wrench[3:]))

    def wrench(self, inertia: ArticulatedInertia) -> list[Scalar]:
        """I S."""
        still = [0.0] * 3
        found = inertia.times([*self.move, *still])
        for axis, part in zip(self.axes, self.slope, strict=True):
            found = add(found, scale(part, inertia.times([*still, *axis])))
        return found


def bent_directions(kind: Flexure, pose: JointPose, constants: Mapping[str, Scalar]) -> list[BentDirection]:
    """The columns of S, one per row of v, in the joint's axes."""
    assert pose.bend is not None
    axes = IDENTITY if pose.bend.tangent is None else pose.bend.tangent
    moves = tip_moves(kind, pose.bend, constants)
    return [BentDirection(move, slope, axes) for move, slope in zip(moves, slopes_of(kind, constants), strict=True)]


def moved_by(columns: Sequence[BentDirection], rates: Sequence[Scalar]) -> list[Scalar]:
    """S times rates: (linear; angular), (6,)."""
    turned = weighted([column.slope for column in columns], rates)
    return [
        *weighted([column.move for column in columns], rates),
        *times(transpose(columns[0].axes), turned),
    ]


def unturned(pose: JointPose) -> JointPose:
    """The pose of what has been turned into the joint's axes already."""
    return JointPose(Identity(), pose.translation, pose.bend)


def turned_wrench(pose: JointPose, wrench: Vector) -> list[Scalar]:
    """A wrench (f; n) on the tip, in the joint's axes."""
    return [*pose.rotation.times(wrench[:3]), *pose.rotation.times(wrench[3:])]


def turned_back(pose: JointPose, motion: Vector) -> list[Scalar]:
    """A motion (a; alpha) of the tip in the joint's axes, in its own."""
    return [*pose.rotation.transpose_times(motion[:3]), *pose.rotation.transpose_times(motion[3:])]
