"""The solver of ``--solver inverse_kinematics`` in NumPy: the same steps, for targets without C and to check it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symdyn.interface.solving import LEVENBERG
from symdyn.interface.stepping import Rates
from symdyn.model import coordinates
from symdyn.model.model import Model
from symdyn.toolchain.solvers import Reached, SolveCode

Array = NDArray[np.float64]
_NUMBERS = LEVENBERG["float64"]


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked for: ``errors`` gives e and de/dq at q, ``weights`` those of all rows of e, loops included."""

    model: Model
    errors: Callable[[Array], tuple[Array, Array]]
    weights: Array
    lower: Array
    upper: Array

    def moving(self, q: Array, gradient: Array) -> NDArray[np.intp]:
        """Rows of v that may move: not those at a limit against which the gradient presses."""
        stays = np.zeros(self.model.nv, dtype=bool)
        for rows in coordinates.coordinate_rows(self.model):
            if rows.rates is Rates.EQUAL:
                own, v = slice(rows.q, rows.q + rows.count), slice(rows.v, rows.v + rows.count)
                low, high = q[own] <= self.lower[own], q[own] >= self.upper[own]
                stays[v] = (low & (gradient[v] > 0.0)) | (high & (gradient[v] < 0.0))
        return np.flatnonzero(~stays)

    def within(self, q: Array) -> Array:
        """The position with rows brought to their limits."""
        found = q.copy()
        for rows in coordinates.coordinate_rows(self.model):
            if rows.rates is Rates.EQUAL:
                own = slice(rows.q, rows.q + rows.count)
                found[own] = np.clip(q[own], self.lower[own], self.upper[own])
        return found

    def moved(self, q: Array, rows: NDArray[np.intp], damping: float, matrix: Array, gradient: Array) -> Array | None:
        """The position after a damped move; None where the matrix is not positive definite."""
        system = matrix[np.ix_(rows, rows)] + damping * np.eye(len(rows))
        try:
            factor = np.linalg.cholesky(system)
        except np.linalg.LinAlgError:
            return None
        move = np.zeros(self.model.nv)
        move[rows] = -np.linalg.solve(factor.T, np.linalg.solve(factor, gradient[rows]))
        return self.within(coordinates.integrate(self.model, q, move))


def search(task: Search, starts: Array, tolerance: float, max_iterations: int) -> Reached:
    """The first position that meets the targets, or the nearest of all."""
    met, best, nearest = tolerance**2, np.inf, np.full(task.model.nq, np.nan)
    iterations = evaluations = tried = 0
    for start in starts:
        if best <= met:
            break
        tried, evaluations = tried + 1, evaluations + 1
        q = task.within(start)
        e, slopes = task.errors(q)
        total = float(task.weights @ e**2)
        if not np.isfinite(total):
            continue
        damping, falls, iteration = _NUMBERS.damping, True, 0
        while iteration < max_iterations and falls and total > met:
            iteration += 1
            matrix, gradient = slopes.T @ (task.weights[:, None] * slopes), slopes.T @ (task.weights * e)
            rows = task.moving(q, gradient)
            for _ in range(_NUMBERS.tries):
                other, after = task.moved(q, rows, damping, matrix, gradient), np.inf
                if other is not None:
                    evaluations += 1
                    ahead = task.errors(other)
                    after = float(task.weights @ ahead[0] ** 2)
                falls = bool(after < total)
                damping = max(_NUMBERS.fall * damping, _NUMBERS.least) if falls else _NUMBERS.rise * damping
                if falls and other is not None:
                    q, (e, slopes), total = other, ahead, after
                    break
        iterations += iteration
        if total < best:
            best, nearest = total, q
    if not np.isfinite(best):
        return Reached(nearest, float("nan"), iterations, evaluations, tried, SolveCode.NOT_FINITE)
    code = SolveCode.DONE if best <= met else SolveCode.NOT_REACHED
    return Reached(nearest, float(best**0.5), iterations, evaluations, tried, code)
