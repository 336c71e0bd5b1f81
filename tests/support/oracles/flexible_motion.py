"""Motion of a robot by Gauss collocation: tenth order, symmetric, all stages of a step in one batched call."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
STAGES = 5


def collocation() -> tuple[Array, Array, Array]:
    """Nodes, stage matrix and weights on [0, 1], from the integrals of Lagrange polynomials."""
    nodes, weights = np.polynomial.legendre.leggauss(STAGES)
    nodes, weights = (nodes + 1) / 2, weights / 2
    powers = np.arange(STAGES)
    values = nodes[:, None] ** powers
    integrals = nodes[:, None] ** (powers + 1) / (powers + 1)
    return nodes, integrals @ np.linalg.inv(values), weights


def trajectory(
    rate: Callable[[Array, Array], Array], start: Array, end: float, steps: int, keep: int = 1
) -> tuple[Array, Array]:
    """Times (k,) and states (k, n) of y' = rate(t, y), every ``keep`` steps.

    ``rate`` takes times (5,) and states (5, n). Stages start from what the last step foretells and
    are iterated until rounding alone moves them.
    """
    nodes, stage, weights = collocation()
    powers = np.arange(STAGES)
    ahead = (nodes[:, None] + 1) ** powers @ np.linalg.inv(nodes[:, None] ** powers)
    h = end / steps
    state, slopes = start.copy(), np.tile(rate(np.zeros(1), start[None]), (STAGES, 1))
    lost = np.zeros_like(state)  # what summation lost so far
    times, states = [0.0], [state.copy()]
    for step in range(steps):
        moments = (step + nodes) * h
        moved, scale = np.inf, np.abs(state).max()
        slopes = ahead @ slopes
        for _ in range(60):
            before, previous = slopes, moved
            slopes = rate(moments, state + h * stage @ slopes)
            moved = h * np.abs(slopes - before).max()
            if moved == 0.0 or (moved >= previous and moved <= 1e-10 * scale):
                break
        else:
            raise RuntimeError(f"stages of step {step} do not settle: take shorter steps than {h:g} s")
        added = h * weights @ slopes - lost
        raised = state + added
        lost, state = (raised - state) - added, raised
        if (step + 1) % keep == 0:
            times.append((step + 1) * h)
            states.append(state.copy())
    return np.array(times), np.array(states)
