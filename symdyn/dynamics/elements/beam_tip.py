"""What the tip of a flexible link shows; its columns are in the axes of the joint's frame at the tip's origin.

There a coordinate moves the tip by a constant vector t_k (or a combination, where amplitudes are products), and turns
it by A slope_k with one matrix A = 1 + c_2 [phi] + c_3 [phi]^2 for all coordinates (the transpose of the tangent in the
tip's axes). Products with A are written alike for every column, so that they are computed once. What the tip carries is
turned into these axes first, which also spares every column the turn.
"""

from __future__ import annotations

from collections.abc import Mapping

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.spatial.rotations import IDENTITY
from symdyn.algebra.spatial.vectors import Vector
from symdyn.dynamics.elements.tip import TipColumn
from symdyn.dynamics.tree.beam_shape import coupling, modal_mass
from symdyn.model.joints import Flexure, JointPose
from symdyn.model.joints.bending import slopes_of
from symdyn.model.joints.tip_motion import Bend, tip_moves


class BeamTip:
    """The tip of a flexible link, a :class:`symdyn.dynamics.elements.tip.DeformableTip`."""

    def __init__(self, kind: Flexure) -> None:
        self._kind = kind

    def columns(self, pose: JointPose, constants: Mapping[str, Scalar]) -> list[TipColumn]:
        """The columns of S, one per row of v, in the joint's axes."""
        bend = pose.bend or Bend()
        axes = IDENTITY if bend.tangent is None else bend.tangent
        moves, slopes = tip_moves(self._kind, bend, constants), slopes_of(self._kind, constants)
        return [TipColumn(move, slope, axes) for move, slope in zip(moves, slopes, strict=True)]

    def coupling(self, constants: Mapping[str, Scalar], reads: Mapping[str, Vector]) -> list[list[Scalar]]:
        """See :func:`symdyn.dynamics.tree.beam_shape.coupling`."""
        return coupling(self._kind, constants, reads)

    def own_mass(self, constants: Mapping[str, Scalar], reads: Mapping[str, Vector]) -> list[list[Scalar]]:
        """See :func:`symdyn.dynamics.tree.beam_shape.modal_mass`."""
        return modal_mass(self._kind, constants, reads.get("q", ()))
