"""Inputs from a table of times and rows: constant from each time to the next, or linear between them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class TableInputs:
    """Inputs of a table, with their derivatives from the right, as a function of (t, q, v) that uses only t.

    Parameters
    ----------
    times
        (n,) growing [s].
    rows
        (n, k).
    linear
        Whether inputs change linearly to the next row; otherwise they are constant until the next time.

    Attributes
    ----------
    jumps, kinks
        Times at which inputs jump, and those at which only their slopes do.
    """

    def __init__(self, times: Array, rows: Array, linear: bool) -> None:
        self._times, self._rows, self._linear = times, rows, linear and len(times) > 1
        changes = np.diff(rows, axis=0)
        self.jumps: tuple[float, ...] = ()
        self.kinks: tuple[float, ...] = ()
        if self._linear:
            self._slopes = changes / np.diff(times)[:, None]
            self.kinks = tuple(times[1:-1][np.any(np.diff(self._slopes, axis=0) != 0.0, axis=1)].tolist())
        else:
            self.jumps = tuple(times[1:][np.any(changes != 0.0, axis=1)].tolist())

    def derivatives(self, t: float, order: int) -> Array:
        """The inputs at t and their time derivatives up to an order, (order + 1, k)."""
        found = np.zeros((order + 1, self._rows.shape[1]))
        row = max(0, int(np.searchsorted(self._times, t, side="right")) - 1)
        if not self._linear:
            found[0] = self._rows[row]
            return found
        row = min(row, len(self._times) - 2)
        share = (t - self._times[row]) / (self._times[row + 1] - self._times[row])
        found[0] = (1.0 - share) * self._rows[row] + share * self._rows[row + 1]
        found[1:2] = self._slopes[row]
        return found

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        """The inputs at t."""
        found: Array = self.derivatives(t, 0)[0]
        return found
