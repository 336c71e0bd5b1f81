"""An implicit system whose laws of time are seen from within a part of a motion, between times at which they jump."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.simulation.free_rows import DrivenRows
from symdyn.analysis.simulation.implicit_system import ImplicitSystem
from symdyn.analysis.simulation.spans import CONTINUOUS, Span, before
from symdyn.errors import RequestError

Array = NDArray[np.float64]


class SystemWithin:
    """The system at times within the part; driven coordinates go on beyond it as parabolas, for differences.

    Other constraints that move with time are seen at every time: their errors are continuous.

    Raises
    ------
    RequestError
        Driven positions that jump at one of ``jumps``: the row of v, the time and both positions.
    """

    def __init__(self, system: ImplicitSystem, span: Span, jumps: Sequence[float]) -> None:
        self._system, self._span, self.advance = system, span, system.advance
        self.nv, self.m, self.row_names = system.nv, system.m, system.row_names
        self._rows: tuple[Sequence[int], Sequence[int]] = ([], [])
        if isinstance(system, DrivenRows):
            self._rows = system.driven_rows
        for t in jumps if self._rows[0] else ():
            self._check_jump(t)

    @property
    def driven_rows(self) -> tuple[Sequence[int], Sequence[int]]:
        """Their rows of q and of v."""
        return self._rows

    def driven(self, t: float) -> tuple[Array, Array, Array]:
        """Their positions, velocities and accelerations at a time."""
        assert isinstance(self._system, DrivenRows)
        inner = self._span.time(t)
        q, v, a = self._system.driven(inner)
        s = t - inner
        return (q, v, a) if s == 0.0 else (q + s * (v + 0.5 * s * a), v + s * a, a)

    def residual(self, t: float, q: Array, v: Array, a: Array, lam: Array) -> Array:
        """The residual R (nv,) of the equations of motion."""
        return self._system.residual(self._span.time(t), q, v, a, lam)

    def error(self, t: float, q: Array) -> Array:
        """The errors e (m,) of the constraints."""
        if not self._rows[0]:
            return self._system.error(t, q)
        found = np.array(self._system.error(self._span.time(t), q))
        found[self.m - len(self._rows[0]) :] = q[list(self._rows[0])] - self.driven(t)[0]
        return found

    def slopes(self, t: float, q: Array) -> Array:
        """The matrix A (m, nv) of the constraints."""
        return self._system.slopes(self._span.time(t), q)

    def tangent(
        self, t: float, q: Array, v: Array, a: Array, lam: Array, c_q: float, c_v: float, c_a: float
    ) -> tuple[Array, Array]:
        """The matrix of Newton's method (nv, nv), and A (m, nv)."""
        return self._system.tangent(self._span.time(t), q, v, a, lam, c_q, c_v, c_a)

    def _check_jump(self, t: float) -> None:
        """Refuse driven positions that jump, which no finite velocity gives."""
        assert isinstance(self._system, DrivenRows)
        sides = self._system.driven(before(t))[0], self._system.driven(t)[0]
        for row, left, right in zip(self._rows[1], *sides, strict=True):
            if not abs(right - left) <= CONTINUOUS * max(1.0, abs(left)):
                raise RequestError(
                    f"prescribed '{self.row_names[row]}' jumps at t = {t:.6g} s from {left:.9g} to {right:.9g}; "
                    "positions must be continuous, only velocities and accelerations may jump"
                )
