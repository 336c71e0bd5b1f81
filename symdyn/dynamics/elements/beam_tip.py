"""What the tip of a flexible link shows; its columns are in the axes of the joint's frame at the tip's origin.

There a coordinate moves the tip by a constant vector t_k (or a combination, where amplitudes are products), and turns
it by A slope_k with one matrix A = 1 + c_2 [phi] + c_3 [phi]^2 for all coordinates (the transpose of the tangent in the
tip's axes). Products with A are written alike for every column, so that they are computed once. What the tip carries is
turned into these axes first, which also spares every column the turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.dynamics.tree.beam_shape import coupling, modal_mass
from symdyn.model.joints import Flexure, JointPose
from symdyn.model.joints.bending import slopes_of, tip_shapes
from symdyn.model.joints.tip_motion import tip_moves
from symdyn.scalars.algebra import Scalar
from symdyn.spatial.articulated import ArticulatedInertia
from symdyn.spatial.rotations import IDENTITY
from symdyn.spatial.vectors import Matrix, Vector, add, dot, scale, times


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


class BeamTip:
    """The tip of a flexible link, a :class:`symdyn.dynamics.elements.tip.DeformableTip`."""

    def __init__(self, kind: Flexure) -> None:
        self._kind = kind

    def columns(self, pose: JointPose, constants: Mapping[str, Scalar]) -> list[BentDirection]:
        """The columns of S, one per row of v, in the joint's axes."""
        assert pose.bend is not None
        axes = IDENTITY if pose.bend.tangent is None else pose.bend.tangent
        return self._directions(tip_moves(self._kind, pose.bend, constants), axes, constants)

    def straight_columns(self, numbers: Mapping[str, Scalar]) -> list[BentDirection]:
        """The same of a tip whose columns are constants."""
        return self._directions(tip_shapes(self._kind, numbers), IDENTITY, numbers)

    def coupling(self, constants: Mapping[str, Scalar], reads: Mapping[str, Vector]) -> list[list[Scalar]]:
        """See :func:`symdyn.dynamics.tree.beam_shape.coupling`."""
        return coupling(self._kind, constants, reads)

    def own_mass(self, constants: Mapping[str, Scalar], q: Vector) -> list[list[Scalar]]:
        """See :func:`symdyn.dynamics.tree.beam_shape.modal_mass`."""
        return modal_mass(self._kind, constants, q)

    def _directions(
        self, moves: Sequence[Vector], axes: Matrix, constants: Mapping[str, Scalar]
    ) -> list[BentDirection]:
        slopes = slopes_of(self._kind, constants)
        return [BentDirection(move, slope, axes) for move, slope in zip(moves, slopes, strict=True)]
