"""The solver of ``--solver differential_ik`` in NumPy: the same steps, for targets without C and to check it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symdyn.interface.solving import DIFFERENTIAL_NUMBERS, most_rounds
from symdyn.toolchain.solvers import SolveCode, Velocities

Array = NDArray[np.float64]
_NUMBERS = DIFFERENTIAL_NUMBERS["float64"]


@dataclass(frozen=True, slots=True)
class Program:
    """min v^T H v / 2 + f^T v with least <= v <= most and, where loops are closed, ``rows`` v + ``error`` = 0."""

    H: Array
    f: Array
    least: Array
    most: Array
    rows: Array
    error: Array


@dataclass(slots=True)
class _ActiveSet:
    """A primal active-set method (Nocedal & Wright 2006, section 16.5) for bounds; ``stays`` are rows at a bound."""

    H: Array
    least: Array
    most: Array
    v: Array
    stays: NDArray[np.bool_]
    factors: int = 0

    def minimise(self, f: Array, first: bool) -> SolveCode:
        """Move v to the minimum. At first all rows go to the free minimum and are cut."""
        gradient = self.H @ self.v + f
        for _ in range(most_rounds(len(f))):
            moving, move = np.flatnonzero(~self.stays), np.zeros(len(f))
            self.factors += 1
            try:
                factor = np.linalg.cholesky(self.H[np.ix_(moving, moving)])
            except np.linalg.LinAlgError:
                return SolveCode.NOT_FINITE
            move[moving] = -np.linalg.solve(factor.T, np.linalg.solve(factor, gradient[moving]))
            end = np.where(move < 0.0, self.least, self.most)
            cut = self._first(moving, move) if first else self._blocked(moving, move, end)
            first = False
            gradient = self.H @ self.v + f
            if cut:
                continue
            outward = np.where(self.v <= self.least, gradient, -gradient)
            sizes = np.abs(self.H) @ np.abs(self.v) + np.abs(f)
            held = self.stays & (self.least < self.most) & (outward < -_NUMBERS.rounding * sizes)
            if not held.any():
                return SolveCode.DONE if np.isfinite(gradient).all() else SolveCode.NOT_FINITE
            self.stays[int(np.argmax(np.where(held, np.abs(gradient), -1.0)))] = False
        return SolveCode.TOO_MANY_ITERATIONS

    def _first(self, moving: NDArray[np.intp], move: Array) -> bool:
        goal = (self.v + move)[moving]
        self.stays[moving] = ~((goal > self.least[moving]) & (goal < self.most[moving]))
        self.v[moving] = np.clip(goal, self.least[moving], self.most[moving])
        return bool(self.stays[moving].any())

    def _blocked(self, moving: NDArray[np.intp], move: Array, end: Array) -> bool:
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = ((end - self.v) / move)[moving]
        share = float(np.nanmin(shares, initial=1.0))
        meets = moving[(shares <= share) & (share < 1.0)]
        self.v[moving] = np.clip(self.v + share * move, self.least, self.most)[moving]
        self.v[meets], self.stays[meets] = end[meets], True
        return bool(len(meets))


@np.errstate(over="ignore", invalid="ignore")  # what overflows has a code
def minimum(task: Program, v_0: Array) -> Velocities:
    """The velocities, from v_0 on; loops by an augmented Lagrangian."""
    H, f, rows, error = task.H, task.f.copy(), task.rows, task.error
    normal = rows.T @ rows
    steepest = float(np.max(np.diag(normal), initial=0.0))
    weight = _NUMBERS.loops * float(np.max(np.diag(H))) / steepest if steepest > 0.0 else 0.0
    f += weight * (rows.T @ error)
    start = np.clip(v_0, task.least, task.most)
    found = _ActiveSet(H + weight * normal, task.least, task.most, start, ~(task.least < task.most))
    for step in range(_NUMBERS.steps):
        code = found.minimise(f, step == 0)
        if code is not SolveCode.DONE:
            return Velocities(found.v, found.factors, code)
        rate = rows @ found.v + error
        fastest = max(float(np.max(np.abs(own), initial=0.0)) for own in (error, found.v))
        if float(np.max(np.abs(rate), initial=0.0)) <= _NUMBERS.closed * fastest:
            return Velocities(found.v, found.factors, SolveCode.DONE)
        f += weight * (rows.T @ rate)
    return Velocities(found.v, found.factors, SolveCode.LOOPS_OPEN)
