"""Whether a robot stays at rest: the stiffness along all moves that its loops allow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.statics.problem import Load, Problem, State

Array = NDArray[np.float64]
ROUNDING = 1e-12
"""Of the largest eigenvalue, what counts as zero."""


def stiffness_modes(problem: Problem, state: State, load: Load, ways: Array | None = None) -> tuple[Array, Array]:
    """Eigenvalues, ascending, and moves in rows of v, as columns, of the stiffness along what loops allow.

    That is the symmetric part of dr/dq between moves of free rows that keep the loops closed, or between given ways.
    """
    matrix, n = problem.jacobian(state, load), problem.count
    ways = problem.free_ways(matrix) if ways is None else ways
    stiffness = ways.T @ matrix[:n, :n] @ ways
    values, turns = np.linalg.eigh(0.5 * (stiffness + stiffness.T))
    return np.asarray(values, dtype=np.float64), np.asarray(ways @ turns, dtype=np.float64)


def is_stable(eigenvalues: Array) -> bool:
    """Whether all are above rounding."""
    return bool(np.all(eigenvalues > _rounding(eigenvalues)))


def is_driven_away(eigenvalues: Array) -> bool:
    """Whether one is below zero by more than rounding."""
    return bool(np.any(eigenvalues < -_rounding(eigenvalues)))


def loose_rows(eigenvalues: Array, moves: Array, names: Sequence[str]) -> tuple[str, ...]:
    """The row that moves most in each direction in which nothing drives the robot back, and nothing away."""
    idle = np.abs(eigenvalues) <= _rounding(eigenvalues)
    return tuple(dict.fromkeys(names[int(np.argmax(np.abs(move)))] for move in moves.T[idle]))


def _rounding(eigenvalues: Array) -> float:
    return ROUNDING * float(np.max(np.abs(eigenvalues), initial=0.0))
