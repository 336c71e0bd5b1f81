"""Newton's method for a robot at rest, with steps that are halved until what is left gets less.

What is left is measured as the move that the Jacobian makes of it (Deuflhard 2004, section 3.1: natural monotonicity),
which does not depend on units.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.statics.problem import Load, Problem, State

Array = NDArray[np.float64]
ITERATIONS, HALVINGS = 60, 12
SMALL = 1e-9
"""A full step of q up to this, relative to the largest coordinate or 1, is the last: the next would be its square."""
LEFT = 1e-7
"""Of the largest force, what may be left where rows depend on each other."""


@dataclass(frozen=True, slots=True)
class Found:
    """Where the search ended, what is left there, and whether that is a rest."""

    state: State
    left: Array
    iterations: int
    rests: bool


def rest(problem: Problem, load: Load, state: State, offset: Array | float = 0.0) -> Found:
    """The rest near a state where what is left is ``offset`` (nv + m,), zero of a true one."""
    left = problem.residual(state, load) - offset
    start = left
    for iteration in range(1, ITERATIONS + 1):
        matrix = problem.jacobian(state, load)
        if not (np.all(np.isfinite(left)) and np.all(np.isfinite(matrix))):
            return Found(state, left, iteration, False)
        inverse = problem.inverse(matrix)
        move = -inverse @ left
        size, scale = _size(problem, move), max(1.0, float(np.max(np.abs(state.q), initial=0.0)))
        if size <= SMALL * scale:
            state = problem.moved(state, move)
            left = problem.residual(state, load) - offset
            return Found(state, left, iteration, _balanced(problem, left, start, matrix))
        for halving in range(HALVINGS):
            share = 0.5**halving
            tried = problem.moved(state, share * move)
            missed = problem.residual(tried, load) - offset
            if np.all(np.isfinite(missed)) and _size(problem, inverse @ missed) <= (1.0 - 0.25 * share) * size:
                break
        else:
            return Found(state, left, iteration, False)
        state, left = tried, missed
    return Found(state, left, ITERATIONS, False)


def _size(problem: Problem, move: Array) -> float:
    """The size of a move of q; of forces and multipliers, on which all depends linearly, nothing is asked."""
    return float(np.linalg.norm(move[problem.free]))


def _balanced(problem: Problem, left: Array, start: Array, matrix: Array) -> bool:
    """Whether what is left is rounding, as it may not be where rows depend on each other."""
    n = problem.count
    if not np.all(np.isfinite(left)) or float(np.max(np.abs(left[n:]), initial=0.0)) > problem.closed:
        return False
    forces = max(float(np.max(np.abs(start[:n]), initial=0.0)), float(np.max(np.abs(matrix[:n, :n]), initial=0.0)))
    return float(np.max(np.abs(left[:n]), initial=0.0)) <= LEFT * forces


def worst_row(problem: Problem, left: Array) -> str:
    """The name of the row that is farthest from balance: the first without a number, else a loop's, or the largest."""
    if not np.all(np.isfinite(left)):
        return problem.row_names[int(np.argmax(~np.isfinite(left)))]
    errors = np.abs(left[problem.count :])
    if len(errors) and float(np.max(errors)) > problem.closed:
        return problem.row_names[problem.count + int(np.argmax(errors))]
    return problem.row_names[int(np.argmax(np.abs(left[: problem.count])))]
