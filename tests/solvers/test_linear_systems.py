"""The linear algebra within the solver of statics: ill-scaled systems, dependent rows, and decisions about rank.

The functions of the emitted file are static, so a file that includes it is compiled. What is right comes from mpmath
with 50 digits, from pseudo-inverses, and from differences of what is left.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

import symdyn

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]
Array = NDArray[np.float64]
NV, ROWS = 4, 5
N = NV + ROWS
RIG = """
format: 1
name: rig
links:
  ground:
  one: {mass: 1.4, com: [0.2, 0.03, 0.1], inertia: {xx: 0.05, yy: 0.06, zz: 0.03}}
  two: {mass: 0.9, com: [0.1, 0.02, 0.01], inertia: {xx: 0.004, yy: 0.006, zz: 0.005}}
  three: {mass: 1.1, com: [0.24, -0.01, 0.03], inertia: {xx: 0.005, yy: 0.03, zz: 0.028}}
  four: {mass: 0.6, com: [0.1, 0.02, 0.03], inertia: {xx: 0.01, yy: 0.01, zz: 0.012}}
joints:
  first: {type: revolute, parent: ground, child: one, axis: [0, 1, 0]}
  second: {type: revolute, parent: one, child: two, axis: [0, 0, 1], translation: [0.4, 0, 0]}
  third: {type: revolute, parent: two, child: three, axis: [1, 0, 0], translation: [0.3, 0, 0.1]}
  fourth: {type: revolute, parent: three, child: four, axis: [0.6, 0.8, 0], translation: [0.25, 0.1, 0]}
loops:
  pin:
    between: [{link: four, point: [0.3, 0, 0]}, {link: ground, point: [0.6, 0.3, 0.2]}]
    kind: revolute
    axis: [0, 1, 0]
    close: true
"""
"""Three rows of its loop shift and two turn: more than what moves them, so one depends on others at least."""

WEIGHT = """
format: 1
name: weight
links: {ground: , arm: {mass: 2, com: [0.3, 0, 0], inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}}
joints: {hinge: {type: revolute, parent: ground, child: arm, axis: [0, 1, 0]}}
"""

SLOPES = """
double check_largest(const double *x)
{
  return largest_of(x, 3);
}

double check_slopes(const double *place, const double *tau, double *matrix, double *largest, double *rest)
{
  const struct held held = { tau };
  return slopes_at(&held, place, matrix, largest, rest);
}
"""
HARNESS = """
int check_move(double *matrix, const double *left, double *move, double *rank)
{
  double scales[5 * 9] = { 0 };
  double factors[9 * 9];
  for (int j = 0; j < 9; ++j) {
    for (int i = 0; i < 9; ++i) {
      scales[j] = fmax(scales[j], fabs(matrix[9 * j + i]));
    }
  }
  if (!scale(matrix, scales)) {
    return -1;
  }
  memcpy(factors, matrix, sizeof factors);
  const bool regular = factorise(factors, scales + 2 * 9);
  if (!regular) {
    memcpy(factors, matrix, sizeof factors);
    *rank = (double)reduce(factors, scales + 2 * 9);
  }
  solve(factors, scales, regular, (size_t)*rank, left, move);
  return regular;
}

void check_rows(const double *slopes, double *x, double *factor)
{
  solve_rows(x, factor, slopes);
}

void check_dependent(double *slopes, double *matrix, double *largest)
{
  clear_dependent(slopes, matrix, largest);
}

void check_left(
    const double *place, const double *tau, const double *share, const double *start, double *left, double *rest)
{
  const struct held held = { tau };
  residual(&held, place, *share, start, left, rest);
}
"""


def linked(folder: Path, text: str, harness: str) -> Callable[..., Any]:
    """A call of the harness's functions by name, with arrays of doubles, of the solver of a robot."""
    robot = symdyn.loads(text, format="yaml")
    place = Path(symdyn.generate(robot, ["gravity"], out=folder / robot.name, solvers=["statics"]))
    solver = f"{robot.name}_solve_statics.c"
    (place / "harness.c").write_text(f'#include "{solver}"\n{SLOPES}{harness}')
    names = [path.name for path in sorted(place.glob("*.c")) if "lanes" not in path.name and path.name != solver]
    compiler = shutil.which("cc") or shutil.which("gcc") or "clang"
    command = [compiler, "-std=c99", "-O1", "-ffp-contract=off", "-shared", "-fPIC", *names, "-o", "harness.so", "-lm"]
    subprocess.run(command, cwd=place, check=True, timeout=120)
    library = ctypes.CDLL(str(place / "harness.so"))
    for name in ("check_slopes", "check_largest"):
        getattr(library, name).restype = ctypes.c_double

    def call(name: str, *arrays: Array) -> Any:
        assert all(own.dtype == float and own.flags.c_contiguous for own in arrays)
        return getattr(library, name)(*(ctypes.c_void_p(own.ctypes.data) for own in arrays))

    return call


@pytest.fixture(scope="module")
def emitted(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    return linked(tmp_path_factory.mktemp("linear"), RIG, HARNESS)


def moved(emitted: Callable[..., Any], matrix: Array, left: Array) -> tuple[int, int, Array, Array]:
    """Whether it is regular, the rank, the move, and the scaled matrix."""
    by_columns, move, rank = np.ascontiguousarray(matrix.T), np.full(N, np.nan), np.array([float(N)])
    regular = emitted("check_move", by_columns, left.copy(), move, rank)
    return regular, int(rank[0]), move, by_columns.T


def solution(matrix: Array, right: Array) -> Array:
    """Of A x = b with 50 digits; of A A^T x = b where A has fewer rows than columns."""
    with mpmath.workdps(50):
        exact = mpmath.matrix(matrix.tolist())
        square = exact if exact.rows == N else exact * exact.T
        return np.array([float(x) for x in mpmath.lu_solve(square, mpmath.matrix(right.tolist()))])


def scaled(matrix: Array) -> tuple[Array, Array, Array]:
    """Columns to a largest entry of 1, then rows to a sum of sizes of 1; zeros stay. The factors of both."""
    columns = np.abs(matrix).max(axis=0)
    columns = np.where(columns > 0.0, columns, 1.0)
    rows = np.abs(matrix / columns).sum(axis=1)
    rows = np.where(rows > 0.0, rows, 1.0)
    return matrix / columns / rows[:, None], columns, rows


def least_move(matrix: Array, left: Array, rank: int) -> Array:
    """The shortest of the scaled moves that leave least of the scaled rows, by singular values."""
    own, columns, rows = scaled(matrix)
    u, sizes, v = np.linalg.svd(own)
    move: Array = -(v[:rank].T @ ((u[:, :rank].T @ (left / rows)) / sizes[:rank])) / columns
    return move


@pytest.mark.parametrize("spread", [0, 10, 20])
def test_regular_systems(emitted: Callable[..., Any], spread: int) -> None:
    """Units of rows and columns, which are powers of two here and differ by up to 2^40, change nothing."""
    rng = np.random.default_rng(spread)
    for _ in range(20):
        plain, left = rng.standard_normal((N, N)), rng.standard_normal(N)
        rows, columns = (2.0 ** rng.integers(-spread, spread + 1, N) for _ in range(2))
        regular, _, move, own = moved(emitted, rows[:, None] * plain * columns, rows * left)
        wanted = solution(plain, -left)
        assert regular == 1
        bound = 3e-14 * np.linalg.cond(plain) * np.abs(wanted).max()
        np.testing.assert_allclose(move * columns, wanted, rtol=0.0, atol=bound)
        np.testing.assert_allclose(own, scaled(rows[:, None] * plain * columns)[0], rtol=1e-15, atol=0.0)


@pytest.mark.parametrize("shift", range(N))
def test_every_row_may_be_a_pivot(emitted: Callable[..., Any], shift: int) -> None:
    left = np.arange(1.0, N + 1.0)
    regular, _, move, _ = moved(emitted, np.roll(np.eye(N), shift, axis=0), left)
    assert regular == 1
    np.testing.assert_array_equal(move, -np.roll(left, -shift))


@pytest.mark.parametrize("rank", [0, 1, 2, 5, N - 2, N - 1])
def test_dependent_rows(emitted: Callable[..., Any], rank: int) -> None:
    """Products of small integers, which are exact, in units of many sizes; what is asked has no solution."""
    rng = np.random.default_rng(40 + rank)
    for _ in range(20):
        plain = rng.integers(-3, 4, (N, rank)) @ rng.integers(-3, 4, (rank, N)) + np.zeros((N, N))
        if np.linalg.matrix_rank(plain) < rank:
            continue
        rows, columns = (2.0 ** rng.integers(-9, 10, N) for _ in range(2))
        matrix, left = rows[:, None] * plain * columns, rows * rng.standard_normal(N)
        regular, found, move, own = moved(emitted, matrix, left)
        assert (regular, found) == (0, rank)
        wanted = least_move(matrix, left, rank)
        size = np.abs(wanted * columns).max(initial=1e-300)
        np.testing.assert_allclose(move * columns, wanted * columns, rtol=0.0, atol=2e-11 * size)
        np.testing.assert_allclose(own, scaled(matrix)[0], rtol=1e-15, atol=0.0)


@pytest.mark.parametrize(("apart", "regular"), [(1e-6, 1), (1e-11, 1), (1e-13, 0)])
def test_when_rows_depend(emitted: Callable[..., Any], apart: float, regular: int) -> None:
    """Two rows that differ by a part: a pivot is compared with 1e-12 of the largest one, in both factorisations."""
    matrix = 1.0 * np.eye(N)
    matrix[2:4, 2:4] = [[1.0, 1.0], [1.0, 1.0 + apart]]
    left = np.arange(1.0, N + 1.0)
    assert moved(emitted, matrix, left)[0] == regular
    matrix[6:8, 6:8] = 1.0
    for own in (matrix, 1e-6 * matrix, matrix[::-1].copy()):
        found, rank, move, _ = moved(emitted, own, left)
        assert (found, rank) == (0, N - 2 + regular)
        if apart != 1e-11:
            wanted = least_move(own, left, rank)
            np.testing.assert_allclose(move, wanted, rtol=0.0, atol=(1e-9 if regular else 1e-12) * np.abs(wanted).max())


def test_numbers_that_are_not_finite(emitted: Callable[..., Any]) -> None:
    for bad in (np.nan, np.inf):
        for place in ((0, 0), (N - 1, 3), (4, N - 1)):
            matrix = np.eye(N) + 0.1
            matrix[place] = bad
            assert moved(emitted, matrix, np.ones(N))[0] == -1


def kept_rows(slopes: Array) -> list[int]:
    """Rows of which enough is left beside those before them: of the longest that shifts, or of a unit turn."""
    longest = np.linalg.norm(slopes[:3], axis=1).max()
    kept: list[int] = []
    for i, row in enumerate(slopes):
        before = slopes[kept]
        left = row - (np.linalg.lstsq(before.T, row, rcond=None)[0] @ before if kept else 0.0)
        if np.linalg.norm(left) > 1e-5 * (longest if i < 3 else 1.0):
            kept.append(i)
    return kept


def slopes_of(kind: int, rng: np.random.Generator) -> Array:
    """Rows of a loop: any; some that follow from others; levers of a millimetre; and small rests at both sides."""
    own: Array = rng.integers(-4, 5, (ROWS, NV)) / 4.0
    if kind == 1:
        own[1], own[3] = -2.0 * own[0], 0.5 * own[2] - own[0]
    elif kind == 2:
        own[:3] *= 1e-3
        own[2] = own[0] + 1e-7 * own[2]
        own[4] = own[3] + 1e-4 * own[4]
    elif kind == 3:
        own[1] = own[0] + 3e-6 * own[1]
        own[2] = 1e-4 * own[2]
        own[4] = 1e-6 * own[4]
    elif kind == 4:
        own[0] = own[3] = 0.0
    return own


@pytest.mark.parametrize("kind", range(5))
def test_rows_of_loops_that_depend(emitted: Callable[..., Any], kind: int) -> None:
    """Multipliers of what is kept solve S x = b, others are zero; columns of others are cleared, and nothing else."""
    rng = np.random.default_rng(70 + kind)
    for _ in range(8):
        slopes, right = slopes_of(kind, rng), rng.standard_normal(ROWS)
        kept = kept_rows(slopes)
        wanted = np.zeros(ROWS)
        own = slopes[kept]
        wanted[kept] = solution(own, right[kept])
        x, factor = right.copy(), np.full((ROWS, ROWS), np.nan)
        emitted("check_rows", slopes, x, factor)
        assert np.all(x[np.setdiff1d(range(ROWS), kept)] == 0.0)
        bound = 1e-14 * np.linalg.cond(own @ own.T) * np.abs(wanted).max()
        np.testing.assert_allclose(x, wanted, rtol=0.0, atol=bound)
        matrix, largest = rng.uniform(1.0, 2.0, (N, N)), rng.uniform(1.0, 2.0, N)
        cleared, sizes, rest = matrix.copy(), largest.copy(), slopes.copy()
        emitted("check_dependent", rest, cleared, sizes)
        gone = [NV + i for i in range(ROWS) if i not in kept]
        sizes_wanted = largest.copy()
        sizes_wanted[gone] = 0.0
        for i in gone:
            matrix[i, :NV] = matrix[:NV, i] = 0.0
        np.testing.assert_array_equal(cleared, matrix)
        np.testing.assert_array_equal(sizes, sizes_wanted)


def test_slopes_and_largest_entries(emitted: Callable[..., Any]) -> None:
    """The matrix is that of differences of what is left, without rows that depend, beside its largest entries."""
    rng, d = np.random.default_rng(5), 1e-6
    for _ in range(6):
        place, tau = rng.uniform(-1.0, 1.0, N), rng.standard_normal(NV)
        matrix, largest, rest = np.full((N, N), np.nan), np.full(N, np.nan), np.full(4096, np.nan)
        stiff = emitted("check_slopes", place, tau, matrix, largest, rest)
        ends = []
        for move in d * np.vstack([np.eye(N), -np.eye(N)]):
            left = np.full(N, np.nan)
            emitted("check_left", place + move, tau, np.zeros(1), left, left, rest)
            ends.append(left)
        wanted = (np.array(ends[:N]) - np.array(ends[N:])) / (2.0 * d)  # by columns
        assert stiff == pytest.approx(np.abs(wanted[:NV, :NV]).max(), abs=1e-7)
        gone = [NV + i for i in range(ROWS) if i not in kept_rows(np.ascontiguousarray(wanted[:NV, NV:].T))]
        assert gone == [N - 1]
        wanted[gone] = 0.0
        sizes = np.abs(wanted).max(axis=1)
        wanted[:, gone] = 0.0
        np.testing.assert_allclose(matrix, wanted, rtol=0.0, atol=1e-7)
        assert not matrix[NV:, NV:].any(), "nothing depends on multipliers twice"
        np.testing.assert_allclose(largest, sizes, rtol=0.0, atol=1e-7)


def test_a_share_of_what_was_left_stays(emitted: Callable[..., Any]) -> None:
    rng = np.random.default_rng(6)
    place, tau, start, rest = rng.uniform(-1.0, 1.0, N), np.ones(NV), rng.standard_normal(N), np.full(4096, np.nan)
    whole, less = np.full(N, np.nan), np.full(N, np.nan)
    emitted("check_left", place, tau, np.zeros(1), start, whole, rest)
    emitted("check_left", place, tau, np.full(1, 0.25), start, less, rest)
    np.testing.assert_allclose(less, whole - 0.25 * start, rtol=0.0, atol=1e-15 * np.abs(whole).max())


def test_the_largest_entry(emitted: Callable[..., Any]) -> None:
    for place in range(3):
        x = np.array([0.5, -0.25, 0.125, 9.0])
        x[place] = -2.0
        assert emitted("check_largest", x) == 2.0


def test_the_largest_stiffness_without_loops(tmp_path: Path) -> None:
    """Of a weight m g r (cos q) on a hinge; what lies beyond the largest entries does not matter."""
    matrix, largest, q = np.full(1, np.nan), np.array([np.nan, 1e300]), np.array([0.4])
    stiff = linked(tmp_path, WEIGHT, "")("check_slopes", q, np.zeros(1), matrix, largest, np.full(64, np.nan))
    assert matrix[0] == pytest.approx(2.0 * 9.81 * 0.3 * np.sin(0.4), rel=1e-14)
    assert (stiff, largest[0], largest[1]) == (abs(matrix[0]), abs(matrix[0]), 1e300)
