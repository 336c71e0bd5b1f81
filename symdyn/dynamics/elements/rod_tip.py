"""What the tip of a soft link shows: all of it was found by sums over stations (``dynamics.tree.rod_columns``)."""

from __future__ import annotations

from collections.abc import Mapping

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.spatial.rotations import IDENTITY
from symdyn.algebra.spatial.vectors import Vector
from symdyn.dynamics.elements.tip import TipColumn
from symdyn.model.joints import JointPose, RodTip
from symdyn.model.joints.rod_tip import LANES, chunks_of, masses_at, table_columns


class SoftTip:
    """The tip of a soft link, a :class:`symdyn.dynamics.elements.tip.DeformableTip`."""

    def __init__(self, kind: RodTip) -> None:
        self._count = len(kind.names)

    def columns(self, pose: JointPose, constants: Mapping[str, Scalar]) -> list[TipColumn]:
        """The columns of S, one per row of v, in the joint's axes."""
        return [TipColumn(column[:3], column[3:], IDENTITY) for column in pose.columns]

    def coupling(self, constants: Mapping[str, Scalar], reads: Mapping[str, Vector]) -> list[list[Scalar]]:
        """The first columns of the shape."""
        return table_columns(reads["shape"], self._count)

    def own_mass(self, constants: Mapping[str, Scalar], reads: Mapping[str, Vector]) -> list[list[Scalar]]:
        """The rest of the shape."""
        shape, rows, chunks = reads["shape"], range(self._count), chunks_of(self._count)

        def mass(row: int, column: int) -> Scalar:
            start = masses_at(chunks, row // LANES, column // LANES)
            return shape[start + column % LANES * LANES + row % LANES]

        return [[mass(max(i, j), min(i, j)) for j in rows] for i in rows]
