"""The factor that loops are solved with, alone: regular, dependent and vanishing rows against 50 digits."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.dynamics.loops.proximal import CORRECTIONS, PROXIMAL, Factor, Guard, factor_size, solve_proximal

COUNTS = (1, 2, 3, 4, 6)
"""Up to three rows the factor is scaled."""


def lower(matrix: np.ndarray) -> list[list[float]]:
    return [matrix[row, : row + 1].tolist() for row in range(len(matrix))]


def solution(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    with mpmath.workdps(50):
        found = mpmath.lu_solve(mpmath.matrix(matrix.tolist()), mpmath.matrix(right.tolist()))
        return np.array([float(x) for x in found])


@pytest.mark.parametrize("count", COUNTS)
def test_regular_systems(count: int) -> None:
    """What is added to the diagonal, 1e-9 of it, is taken back: the cube of that times the condition is left."""
    rng = np.random.default_rng(count)
    for _ in range(10):
        half, units = rng.standard_normal((count, count + 2)), 10.0 ** rng.integers(-3, 4, count)
        plain, right = half @ half.T + np.eye(count), rng.standard_normal(count)
        own = Factor.of(lower(units[:, None] * plain * units))
        found = np.array(own.solved_proximal((units * right).tolist())) * units
        np.testing.assert_allclose(found, solution(plain, right), rtol=0.0, atol=1e-13)
        np.testing.assert_allclose(own.more, PROXIMAL * np.diag(plain) * units**2, rtol=1e-15)
        kept = Factor.loaded(own.scalars(), count)
        assert len(own.scalars()) == factor_size(count)
        assert (kept.lower, kept.inverse, kept.more) == (own.lower, own.inverse, own.more)
        near = plain + PROXIMAL * np.diag(np.diag(plain))
        solved = np.array(kept.solved((units * right).tolist())) * units
        np.testing.assert_allclose(solved, solution(near, right), rtol=0.0, atol=1e-13)


@pytest.mark.parametrize("count", COUNTS[1:])
def test_dependent_rows(count: int) -> None:
    """The iteration of the file's head with dense matrices; small integers, so that rows depend to the last digit."""
    rng = np.random.default_rng(10 + count)
    for _ in range(10):
        half = rng.integers(1, 5, (count, count - 1)) + 4.0 * np.eye(count, count - 1)
        matrix, right = half @ half.T, half @ rng.integers(-3, 4, count - 1)
        added = PROXIMAL * np.diag(np.diag(matrix))
        with mpmath.workdps(50):
            wanted = mpmath.matrix(count, 1)
            for _ in range(CORRECTIONS + 1):
                b = mpmath.matrix(right.tolist()) + mpmath.matrix(added.tolist()) * wanted
                wanted = mpmath.lu_solve(mpmath.matrix(matrix.tolist()) + mpmath.matrix(added.tolist()), b)
        exact = np.array([float(x) for x in wanted])
        found = np.array(Factor.of(lower(matrix)).solved_proximal(right.tolist()))
        np.testing.assert_allclose(matrix @ found, right, rtol=0.0, atol=1e-11)
        np.testing.assert_allclose(
            found, exact, rtol=0.0, atol=1e-5 * np.abs(exact).max()
        )  # 1e-16 of 1e-9, some tens of times


@pytest.mark.parametrize("count", COUNTS)
def test_rows_that_vanish(count: int) -> None:
    """Below their number unknowns are zero, and the others are those without them."""
    rng = np.random.default_rng(20 + count)
    for gone in range(count):
        half = rng.standard_normal((count, count + 2))
        half[gone] *= 1e-9
        matrix, right = half @ half.T, rng.standard_normal(count)
        guard = Guard(FloatAlgebra(), {f"least{row}": 1e-10 for row in range(count)})
        found = np.array(solve_proximal(lower(matrix), guard, right.tolist()))
        rest = [row for row in range(count) if row != gone]
        assert abs(found[gone]) < 1e-29
        if rest:
            wanted = solution(matrix[np.ix_(rest, rest)], right[rest])
            np.testing.assert_allclose(found[rest], wanted, rtol=0.0, atol=1e-11 * np.abs(wanted).max())
