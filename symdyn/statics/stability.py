"""Whether a robot stays at rest: the stiffness along all moves that its loops allow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from symdyn.statics.problem import Load, Problem, State

Array = NDArray[np.float64]
ROUNDING = 1e-12
"""Of the largest eigenvalue, what counts as zero."""
_RANK = 1e-9


def stiffness_modes(problem: Problem, state: State, load: Load) -> tuple[Array, Array]:
    """Eigenvalues, ascending, and moves in rows of v, as columns, of the stiffness along what loops allow.

    That is the symmetric part of dr/dq between moves of free rows that keep the loops closed.
    """
    matrix, n, free = problem.jacobian(state, load), problem.count, problem.free
    stiffness, ways = matrix[np.ix_(free, free)], np.eye(n)[:, free]
    if problem.held:
        _, values, right = np.linalg.svd(matrix[n:, :n][:, free])
        rank = int(np.sum(values > _RANK * max(float(np.max(values, initial=0.0)), 1e-300)))
        allowed = right[rank:].T
        stiffness, ways = allowed.T @ stiffness @ allowed, ways @ allowed
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
