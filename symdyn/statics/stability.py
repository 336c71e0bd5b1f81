"""Whether a robot stays at rest: the stiffness along all moves that its loops allow."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symdyn.statics.problem import Load, Problem, State

Array = NDArray[np.float64]
ROUNDING = 1e-12
"""Of the largest eigenvalue, what counts as zero."""
_RANK = 1e-9


def stiffness_eigenvalues(problem: Problem, state: State, load: Load) -> Array:
    """Eigenvalues, ascending, of the symmetric part of dr/dq between moves of free rows that keep the loops closed."""
    matrix, n, free = problem.jacobian(state, load), problem.count, problem.free
    stiffness = matrix[np.ix_(free, free)]
    if problem.held:
        _, values, right = np.linalg.svd(matrix[n:, :n][:, free])
        rank = int(np.sum(values > _RANK * max(float(np.max(values, initial=0.0)), 1e-300)))
        ways = right[rank:].T
        stiffness = ways.T @ stiffness @ ways
    if not len(stiffness):
        return np.zeros(0)
    return np.asarray(np.linalg.eigvalsh(0.5 * (stiffness + stiffness.T)), dtype=np.float64)


def is_stable(eigenvalues: Array) -> bool:
    """Whether all are above rounding."""
    largest = float(np.max(np.abs(eigenvalues), initial=0.0))
    return bool(np.all(eigenvalues > ROUNDING * largest))
