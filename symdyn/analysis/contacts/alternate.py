"""The alternating direction method of multipliers on rows in sets, where Newton's method fails."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.contacts.rows import RowsProblem, largest_residual
from symdyn.interface.contact_solving import SetKind, SolverNumbers

Array = NDArray[np.float64]


def nearest_in_sets(problem: RowsProblem, x: Array) -> Array:
    """The nearest impulses of the sets, by Euclid's distance."""
    out = x.copy()
    for rows, kind, bound, r in problem.sets:
        z = out[rows]
        if r <= 0.0:
            z[:] = 0.0
        elif kind is SetKind.CONE:
            z[:] = _nearest_in_cone(z, bound)
        elif kind is SetKind.NOT_NEGATIVE:
            z[0] = max(z[0], 0.0)
        elif kind is SetKind.INTERVAL:
            z[0] = min(max(z[0], -bound), bound)
    return out


def burst(
    problem: RowsProblem, start: Array, rho: float, tolerance: float, numbers: SolverNumbers
) -> tuple[Array, float, int]:
    """A burst of iterations with de Saxce's term in the right-hand side.

    Returned are the last iterate, which lies in its sets, its residual, and the number of iterations.

    Carpentier, Le Lidec and Montaut, From Compliant to Rigid Contact Simulation (2024), with a weight per set.
    """
    weights, free = problem.weights, problem.free
    y, x = start, start
    z = problem.velocities(y)
    z += _de_saxce(problem, z)
    z += nearest_in_sets(problem, -z)  # onto the dual sets, by Moreau
    near = numbers.proximal * weights
    for iteration in range(numbers.burst):
        weight = rho * weights
        asked = near * x + weight * y + z - free - _de_saxce(problem, z)
        x = _solution(problem.matrix + np.diag(near + weight), asked)
        before, y = y, nearest_in_sets(problem, x - z / weight)
        z = z - weight * (x - y)
        if iteration % 4 == 3 and not largest_residual(problem, y) >= tolerance:
            break
        if iteration % 10 == 9:
            primal, dual = float(np.abs(x - y).max()), rho * float(np.abs(y - before).max())
            if primal > numbers.unequal * dual or dual > numbers.unequal * primal:
                rho *= numbers.change if primal > dual else 1.0 / numbers.change
    return y, largest_residual(problem, y), iteration + 1


def _de_saxce(problem: RowsProblem, c: Array) -> Array:
    """What the law adds to c before it lies in the dual sets: mu |c_t| on normals of cones."""
    out = np.zeros(len(c))
    for rows, kind, bound, _ in problem.sets:
        if kind is SetKind.CONE:
            out[rows.stop - 1] = bound * float(np.hypot(c[rows.start], c[rows.start + 1]))
    return out


def _nearest_in_cone(z: Array, friction: float) -> Array:
    length = float(np.hypot(z[0], z[1]))
    if length <= friction * z[2]:
        return z
    normal = (friction * length + z[2]) / (1.0 + friction * friction)
    if not normal > 0.0:
        return np.zeros(3)
    return np.array([*(z[:2] * (friction * normal / length)), normal])


def _solution(matrix: Array, right: Array) -> Array:
    return np.asarray(np.linalg.solve(matrix, right), np.float64)
