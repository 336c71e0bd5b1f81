"""Impulses of rows in sets: against the law in its plain words, in Python and in C, on easy, hard and odd problems."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.contact_rows import CONE, FREE, INTERVAL, LIMIT, Problem, Solve, compiled, law_broken, random_problem

from symdyn.analysis.contacts.solve import Impulses, solve_rows
from symdyn.errors import RequestError
from symdyn.interface.contact_solving import ContactCode

pytestmark = pytest.mark.needs_cc
MIXED = [CONE, CONE, LIMIT, INTERVAL, CONE, FREE, FREE, INTERVAL]


@pytest.fixture(scope="module")
def in_c(tmp_path_factory: pytest.TempPathFactory) -> Solve:
    """The solver's C in doubles."""
    return compiled(tmp_path_factory.mktemp("rows"))


def _solved(problem: Problem, **options: object) -> Impulses:
    settings = {"tolerance": problem.tolerance, **options}
    return solve_rows(problem.matrix, problem.free, problem.kinds, problem.bounds, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("kinds", [[CONE] * 4, MIXED], ids=["cones", "mixed"])
def test_impulses_obey_the_law(in_c: Solve, kinds: list[int]) -> None:
    """60 problems with fewer rows than velocities: both solve all of them, with the same number of iterations."""
    rng = np.random.default_rng(1)
    for _ in range(60):
        problem = random_problem(rng, 24, kinds, 10.0)
        result = _solved(problem)
        x, report, counts, states = in_c(problem)
        assert result.code is ContactCode.SOLVED and report[0] < problem.tolerance
        # a condition of the law is the natural map up to a factor that depends on friction alone
        assert law_broken(problem, result.x) < 10.0 * problem.tolerance
        assert law_broken(problem, x) < 10.0 * problem.tolerance
        assert counts[0] == result.newton and list(states) == list(result.states)
        np.testing.assert_allclose(x, result.x, rtol=0.0, atol=1e-9 * np.abs(x).max())
        assert report[1] == pytest.approx(result.margin, rel=1e-6, abs=1e-9 * float(np.abs(x).max()))


def test_a_good_guess_needs_no_iteration(in_c: Solve) -> None:
    problem = random_problem(np.random.default_rng(2), 18, [CONE] * 4)
    x = _solved(problem).x
    assert _solved(problem, guess=x).newton == 0
    assert in_c(problem, x)[2][0] == 0


@pytest.mark.parametrize(
    ("nv", "contacts", "least"), [(18, 4, 100), (18, 8, 99), (36, 16, 100), (18, 16, 95), (6, 4, 98), (6, 12, 95)]
)
def test_hard_problems_are_solved(in_c: Solve, nv: int, contacts: int, least: int) -> None:
    """Mass ratios to 1000, normals everywhere, cold starts; what is not solved lies in its sets.

    The bounds are below what was measured on 200 problems each: 100, 100, 100, 98, 100 and 100 %.
    """
    rng, solved = np.random.default_rng(0), 0
    for _ in range(100):
        problem = random_problem(rng, nv, [CONE] * contacts)
        x, report, _, _ = in_c(problem)
        assert np.isfinite(x).all()
        solved += bool(report[0] < problem.tolerance)
        pull = np.hypot(x[0::3], x[1::3])
        assert (x[2::3] >= -problem.tolerance).all()
        assert (pull <= problem.bounds * x[2::3] + 3.0 * problem.tolerance).all()
    assert solved >= least


def test_python_goes_the_same_way_where_newton_fails(in_c: Solve) -> None:
    """Of hard problems, those that Newton's method alone leaves; the others are in the tests above."""
    rng, both = np.random.default_rng(3), 0
    for _ in range(12):
        problem = random_problem(rng, 6, [CONE] * 4)
        if _solved(problem, effort="newton").code is ContactCode.SOLVED:
            continue
        result, (x, report, _, _) = _solved(problem), in_c(problem)
        solved = result.code is ContactCode.SOLVED and report[0] < problem.tolerance
        both += solved
        if solved:  # impulses of redundant rows are not unique; velocities are those of the law
            assert law_broken(problem, result.x, 0.0) < 1e-7 * np.abs(x).max()
            assert law_broken(problem, x, 0.0) < 1e-7 * np.abs(x).max()
    assert both >= 2


@pytest.mark.parametrize(
    ("ratio", "friction", "least"), [(10.0, 0.0, 40), (10.0, 10.0, 40), (1e6, 0.0, 40), (1e6, 1.0, 40), (1e6, 10.0, 38)]
)
def test_extremes_of_friction_and_mass(in_c: Solve, ratio: float, friction: float, least: int) -> None:
    """Friction of 10 at mass ratios of 1e6 leaves 3 of 200 cold starts."""
    rng, solved = np.random.default_rng(4), 0
    for _ in range(40):
        problem = random_problem(rng, 18, [CONE] * 4, ratio, friction)
        allowed = 1e-10 * float(np.abs(in_c(problem)[0]).max()) or problem.tolerance
        x, report, _, _ = in_c(problem, tolerance=allowed)
        if report[0] < allowed:
            assert law_broken(problem, x) < 10.0 * allowed * max(1.0, friction)
            solved += 1
    assert solved >= least


def test_redundant_rows_share_what_they_bear(in_c: Solve) -> None:
    """A block of 2 kg on four corners: twelve rows of rank 6. Each corner bears a quarter, and nothing moves."""
    corners = [(x, y) for x in (0.1, -0.1) for y in (0.08, -0.08)]
    rows = np.array([row for x, y in corners for row in _corner_rows(x, y, -0.05)])
    inverse = np.diag([0.5, 0.5, 0.5, 1 / 0.006, 1 / 0.008, 1 / 0.011])
    fall = np.array([0.0, 0.0, -9.81e-3, 0.0, 0.0, 0.0])
    problem = Problem(rows @ inverse @ rows.T, rows @ fall, (CONE,) * 4, np.full(4, 0.5))
    for x in (_solved(problem).x, in_c(problem)[0]):
        # the proximal term of 1e-9 decides on shares, so that rounding of 1e-16 is 1e-7 of them; and it leaves
        # velocities of 1e-9 of those that are stopped
        np.testing.assert_allclose(x[2::3], 2.0 * 9.81e-3 / 4, rtol=3e-7)
        np.testing.assert_allclose(fall + inverse @ rows.T @ x, 0.0, atol=1e-10)


def test_rows_that_nothing_moves_bear_nothing(in_c: Solve) -> None:
    problem = random_problem(np.random.default_rng(5), 12, [CONE, LIMIT, CONE])
    matrix, free = np.zeros((8, 8)), np.concatenate([problem.free, [-1.0]])
    matrix[:7, :7] = problem.matrix
    still = Problem(matrix, free, (*problem.kinds, LIMIT), np.append(problem.bounds, 0.0))
    for x in (_solved(still).x, in_c(still)[0]):
        assert x[7] == 0.0
        np.testing.assert_allclose(x[:7], _solved(problem).x, rtol=1e-9, atol=1e-12)


def test_numbers_that_are_not_finite(in_c: Solve) -> None:
    good = random_problem(np.random.default_rng(6), 12, [CONE, LIMIT])
    for bad in (
        replace(good, free=np.array([0.0, np.nan, 0.0, 0.0])),
        replace(good, matrix=np.where(np.eye(4) > 0, np.inf, good.matrix)),
        replace(good, bounds=np.array([np.nan, 0.0])),
    ):
        result, (x, report, _, states) = _solved(bad, tolerance=1e-9), in_c(bad, tolerance=1e-9)
        assert result.code is ContactCode.NOT_FINITE and report[0] == np.inf
        assert not result.x.any() and not x.any() and not states.any()


def test_nothing_is_solved_without_rows() -> None:
    assert solve_rows(np.zeros((0, 0)), [], [], []).code is ContactCode.SOLVED


def test_newton_alone_leaves_hard_problems(tmp_path: Path, in_c: Solve) -> None:
    """``effort="newton"`` for firmware: at most 12 iterations, and what is not solved lies in its sets."""
    alone, rng, left = compiled(tmp_path, effort="newton"), np.random.default_rng(7), 0
    for _ in range(40):
        problem = random_problem(rng, 6, [CONE] * 4)
        x, report, counts, _ = alone(problem)
        assert counts[0] <= 12 and np.isfinite(x).all()
        left += bool(report[0] >= problem.tolerance)
        assert (np.hypot(x[0::3], x[1::3]) <= problem.bounds * x[2::3] + problem.tolerance).all()
    assert left > 0


def test_floats(tmp_path: Path) -> None:
    """In float32 the tolerance is 1e-5 of an impulse."""
    single, rng, solved = compiled(tmp_path, "float"), np.random.default_rng(8), 0
    for _ in range(50):
        problem = random_problem(rng, 24, MIXED, 10.0)
        size = float(np.abs(_solved(problem).x).max())
        x, report, _, _ = single(problem, tolerance=1e-5 * size)
        solved += bool(report[0] < 1e-5 * size)
        assert law_broken(problem, x.astype(float), 1e-5) < 1e-4 * size
    assert solved == 50


def test_wrong_arguments() -> None:
    problem = random_problem(np.random.default_rng(9), 12, [CONE, LIMIT])
    with pytest.raises(RequestError, match=r"free: expected shape \(4,\) for sets of 4 rows, got \(3,\)"):
        solve_rows(problem.matrix, problem.free[:3], problem.kinds, problem.bounds)
    with pytest.raises(RequestError, match="effort is one of full, newton, got 'much'"):
        _solved(problem, effort="much")


def test_sanitizers_find_nothing(tmp_path: Path) -> None:
    """Hard, redundant and broken problems of all kinds of sets under the address and undefined-behaviour sanitizers."""
    from support.contact_rows import source_of

    (tmp_path / "rows.c").write_text(source_of() + _MAIN)
    flags = ["-std=c99", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    subprocess.run(["gcc", *flags, "rows.c", "-o", "rows", "-lm"], cwd=tmp_path, check=True, timeout=120)
    done = subprocess.run(["./rows"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


def _corner_rows(x: float, y: float, z: float) -> list[list[float]]:
    """Velocity of a point of a body: t1 = x, t2 = y, n = z."""
    return [[1, 0, 0, 0, z, -y], [0, 1, 0, -z, 0, x], [0, 0, 1, y, -x, 0]]


_MAIN = """
#include <stdlib.h>

#define SETS 7

int main(void)
{
  static const int kinds[SETS] = {
    ROWS_CONE, ROWS_NOT_NEGATIVE, ROWS_CONE, ROWS_INTERVAL, ROWS_FREE, ROWS_CONE, ROWS_FREE
  };
  const size_t rows = 13;
  unsigned seed = 1;
  for (int trial = 0; trial < 60; ++trial) {
    const size_t rank = trial % 3 == 0 ? 4 : 16;
    double *const part = malloc(rows * rank * sizeof *part), *const matrix = calloc(rows * rows, sizeof *matrix);
    double *const free_rows = malloc(rows * sizeof *free_rows), *const x = calloc(rows, sizeof *x);
    double *const work = malloc((12 * rows + rows * rows) * sizeof *work);
    double bounds[SETS], report[2];
    int counts[2], states[SETS];
    for (size_t i = 0; i < rows * rank; ++i) {
      seed = seed * 1664525u + 1013904223u;
      part[i] = (double)(seed >> 8) / 8388608.0 - 1.0;
    }
    for (size_t i = 0; i < rows; ++i) {
      for (size_t j = 0; j < rows; ++j) {
        for (size_t k = 0; k < rank; ++k) {
          matrix[rows * i + j] += part[rank * i + k] * part[rank * j + k];
        }
      }
      free_rows[i] = part[i] * 3.0;
    }
    for (size_t k = 0; k < SETS; ++k) {
      bounds[k] = 0.3;
    }
    if (trial % 10 == 9) {
      free_rows[trial % 13] = trial % 20 == 9 ? NAN : 1e308;
    }
    solve(rows, SETS, kinds, bounds, free_rows, matrix, x, 1e-10, work, report, counts, states);
    for (size_t i = 0; i < rows; ++i) {
      if (!(x[i] - x[i] == 0.0)) {
        return __LINE__;
      }
    }
    free(part);
    free(matrix);
    free(free_rows);
    free(x);
    free(work);
  }
  return 0;
}
"""


def test_a_foot_that_pulls_itself_down(in_c: Solve) -> None:
    """A contact of a quadruped on its side that hardly closes but would slide fast: it sticks, found in one step more.

    From no impulses Newton's step slides, and no part of it helps; from others it begins again by one sweep.
    """
    G = np.array([[8.0, -1.16, 0.765], [-1.16, 1.83, -0.539], [0.765, -0.539, 0.542]])
    problem = Problem(G, np.array([4.049, -0.232, -0.006]), (CONE,), np.array([0.8]))
    for guess in (np.zeros(3), np.array([0.1, -0.1, 0.3])):
        result = _solved(problem, guess=guess)
        assert (result.code, result.sweeps) == (ContactCode.SOLVED, int(guess.any())) and result.newton <= 4
        assert result.states[0] == 1 and law_broken(problem, result.x) < 10.0 * problem.tolerance
    x, _, counts, states = in_c(problem)
    assert np.abs(x - result.x).max() < 1e-9 and counts[1] == 0 and states[0] == 1
