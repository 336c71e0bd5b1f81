"""How large rows of loops are where nothing cancels, so that decisions about their rank do not depend on units.

A row that shifts has the size of the longest lever l of the robot's loops, a row that turns that of a unit turn. A
column of a joint that slides counts by l too, that of a link that bends by how far it usually moves. With these sizes r
and c the matrix A_ij c_j / r_i has no units, and its singular values are of size one where rows do not depend on each
other. What axes in files with six decimals leave of a row that depends on others is up to 3e-6 of that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symdyn.model.lengths import moved_lengths
from symdyn.model.model import Model

Array = NDArray[np.float64]

RANK = 1e-5
"""Singular value of the matrix above that counts: above 3e-6 (see there), and far above rounding, 1e-16."""

VANISHING = 1e-12
"""Largest entry of a row of the matrix above, below which the row is rounding of zeros, as at a dead centre."""


@dataclass(frozen=True, slots=True)
class LoopSizes:
    """Sizes of the rows of loops (m,), of columns (nv,), and the longest lever [m]."""

    rows: Array
    columns: Array
    lever: float

    @classmethod
    def of(cls, model: Model, slopes: Sequence[Array]) -> LoopSizes:
        """Those of a model, by its matrices A (m, nv) at some positions."""
        units = [unit for loop in model.loops for unit in loop.row_units]
        shifts = np.array([unit == "m" for unit in units], dtype=bool)
        turning = np.array([unit == "rad/s" for unit in model.velocity_units], dtype=bool)
        levers = [float(np.max(np.abs(own[shifts][:, turning]), initial=0.0)) for own in slopes]
        lever = max(levers, default=0.0)
        p = [1.0 if value is None else value for value in model.slots.defaults]
        length = max(np.where(turning, moved_lengths(model, p), 0.0), default=0.0)
        lever = (lever if lever > RANK * length else length) or 1.0
        columns = np.ones(model.nv)
        for joint in model.independent_joints:
            columns[joint.v_rows] = joint.kind.usual(dict(joint.numbers))
        slides = np.array([unit == "m/s" for unit in model.velocity_units], dtype=bool)
        columns[slides & (columns == 1.0)] = lever
        rows = np.where(shifts, lever, 1.0)
        for row, coupled in enumerate(
            bool(loop.terms or loop.velocity_rows) for loop in model.loops for _ in loop.rows
        ):
            if coupled:  # its entries are numbers of the file, which nothing cancels
                rows[row] = max((float(np.max(np.abs(own[row] * columns))) for own in slopes), default=0.0) or 1.0
        return cls(rows, columns, lever)

    def part(
        self, rows: NDArray[np.bool_] | Sequence[int] | slice, columns: Sequence[int] | slice = slice(None)
    ) -> LoopSizes:
        """Those of some rows and columns."""
        return LoopSizes(self.rows[rows], self.columns[columns], self.lever)

    def scaled(self, slopes: Array) -> Array:
        """The matrix without units."""
        found: Array = slopes * self.columns / self.rows[:, None]
        return found

    def without_vanishing(self, slopes: Array) -> Array:
        """The matrix with zeros in rows that are rounding, which beside themselves would count."""
        counts = np.max(np.abs(self.scaled(slopes)), axis=1, initial=0.0) > VANISHING
        return np.where(counts[:, None], slopes, 0.0)

    def largest(self, errors: Array) -> float:
        """The largest error relative to the sizes of rows."""
        return float(np.max(np.abs(errors) / self.rows, initial=0.0))

    def rank(self, slopes: Array) -> int:
        """How many rows do not depend on others."""
        return int(np.sum(np.linalg.svd(self.scaled(slopes), compute_uv=False) > RANK))

    def sums(self, slopes: Array) -> Array:
        """Sums of rows (rank, m) that do not depend on each other.

        Together they ask for what all rows ask for, in least squares of their sizes.
        """
        left, values, _ = np.linalg.svd(self.scaled(slopes), full_matrices=False)
        return np.asarray(left.T[values > RANK] / self.rows)

    def free_ways(self, slopes: Array) -> Array:
        """Columns at right angles to each other that span all v with A v = 0."""
        rows = self.sums(slopes) @ slopes
        return np.asarray(np.linalg.svd(rows, full_matrices=True)[2][len(rows) :].T)

    def least(self, slopes: Array, wanted: Array) -> Array:
        """The shortest move (nv,) that changes errors as wanted, in least squares where they cannot."""
        sums = self.sums(slopes)
        return np.asarray(np.linalg.lstsq(sums @ slopes, sums @ wanted, rcond=None)[0], dtype=np.float64)
