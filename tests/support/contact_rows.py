"""Problems of rows in sets, the law of contact in its plain words, and the solver's C alone, without a robot."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from symdyn.compiler.emit.render import render
from symdyn.compiler.emit.steppers.contact_rows import rows_context, rows_work
from symdyn.compiler.emit.steppers.spelling import spelling
from symdyn.interface.contact_solving import SetKind

Array = NDArray[np.float64]
CONE, LIMIT, INTERVAL, FREE = SetKind.CONE, SetKind.NOT_NEGATIVE, SetKind.INTERVAL, SetKind.FREE
_HEAD = """#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#define SYMDYN_FMA(a, b, c) ((a) * (b) + (c))
"""
_CALL = """
void solve(
    size_t rows, size_t sets, const int *kinds, const SCALAR *bounds, const SCALAR *b, SCALAR *matrix, SCALAR *x,
    SCALAR tolerance, SCALAR *work, SCALAR *report, int *counts, int *states);
void solve(
    size_t rows, size_t sets, const int *kinds, const SCALAR *bounds, const SCALAR *b, SCALAR *matrix, SCALAR *x,
    SCALAR tolerance, SCALAR *work, SCALAR *report, int *counts, int *states)
{
  const struct rows_ended ended = solve_contacts(rows, sets, kinds, bounds, b, matrix, x, states, tolerance, work);
  report[0] = ended.residual;
  counts[0] = ended.newton;
  counts[1] = ended.sweeps;
  report[1] = ended.margin;
}
"""


@dataclass(frozen=True, eq=False)
class Problem:
    """G (m, m), b (m,), kinds and bounds of sets."""

    matrix: Array
    free: Array
    kinds: tuple[SetKind, ...]
    bounds: Array

    @property
    def tolerance(self) -> float:
        """1e-10 of a typical impulse."""
        return float(1e-10 * np.abs(self.free).max() / np.diag(self.matrix).mean())


def random_problem(
    rng: np.random.Generator, nv: int, kinds: Sequence[SetKind], ratio: float = 1e3, friction: float | None = None
) -> Problem:
    """Rows in all directions on a robot with nv velocities whose masses differ by a ratio."""
    turn = np.linalg.qr(rng.normal(size=(nv, nv)))[0]
    inverse = turn @ np.diag(0.1 * ratio ** rng.uniform(0.0, 1.0, nv)) @ turn.T
    rows = rng.normal(size=(sum(kind.width for kind in kinds), nv))
    matrix, free = rows @ inverse @ rows.T, rows @ rng.normal(size=nv)
    frictions = rng.uniform(0.1, 1.2, len(kinds)) if friction is None else np.full(len(kinds), friction)
    typical = np.abs(free).max() / np.diag(matrix).mean()
    bounds = [
        mu if kind is CONE else mu * typical if kind is INTERVAL else 0.0
        for mu, kind in zip(frictions, kinds, strict=True)
    ]
    return Problem(0.5 * (matrix + matrix.T), free, tuple(kinds), np.array(bounds))


def law_broken(problem: Problem, x: Array, compliance: float = 1e-9) -> float:
    """By how much impulses x break the law, as impulses: each condition of Signorini and Coulomb in turn."""
    worst, row = 0.0, 0
    diagonal = np.diag(problem.matrix)
    for kind, bound in zip(problem.kinds, problem.bounds, strict=True):
        row_slice = slice(row, row + kind.width)
        row += kind.width
        large = diagonal[row_slice].max()
        c = (problem.matrix[row_slice] @ x + problem.free[row_slice] + compliance * large * x[row_slice]) / large
        press, speed = x[row_slice][-1], c[-1]
        if kind is FREE:
            worst = max(worst, abs(speed))
        elif kind is INTERVAL:
            at_bound = bound - abs(press)
            worst = max(worst, -at_bound, min(abs(speed), abs(at_bound)), min(abs(speed), speed * np.sign(press)))
        else:
            worst = max(worst, -press, -speed, min(abs(press), abs(speed)))
        if kind is CONE:
            pull, slip = x[row_slice][:2], c[:2]
            worst = max(worst, np.linalg.norm(pull) - bound * press)
            fast = np.linalg.norm(slip)
            opposite = np.linalg.norm(pull * fast + bound * press * slip) / max(fast, np.linalg.norm(pull), 1e-300)
            worst = max(worst, min(fast, opposite))
    return float(worst)


Solve = Callable[..., tuple[Array, Array, NDArray[np.int32], NDArray[np.int32]]]


def source_of(scalar: str = "double", effort: str = "full") -> str:
    """The solver's C with a function ``solve`` to call it by."""
    context = {**spelling(scalar), "scalar": scalar, "contact": rows_context(scalar, effort)}
    return _HEAD + render("c/contact_rows.c.jinja", context) + _CALL.replace("SCALAR", scalar)


def compiled(folder: Path, scalar: str = "double", effort: str = "full") -> Solve:
    """(x, [residual, margin], [newton, sweeps], states) of a problem, a guess and a tolerance, by the C."""
    source, library = folder / f"rows_{scalar}_{effort}.c", folder / f"rows_{scalar}_{effort}.so"
    source.write_text(source_of(scalar, effort))
    flags = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-shared", "-fPIC", "-ffp-contract=off"]
    subprocess.run(["gcc", *flags, str(source), "-o", str(library), "-lm"], check=True, timeout=120)
    function = ctypes.CDLL(str(library)).solve
    kind, number = (np.float64, ctypes.c_double) if scalar == "double" else (np.float32, ctypes.c_float)
    pointer, size = ctypes.c_void_p, ctypes.c_size_t
    function.argtypes = [size, size, *[pointer] * 5, number, *[pointer] * 4]
    function.restype = None

    def solve(
        problem: Problem, guess: Array | None = None, tolerance: float | None = None
    ) -> tuple[Array, Array, NDArray[np.int32], NDArray[np.int32]]:
        rows = len(problem.free)
        x = np.zeros(rows, kind) if guess is None else np.array(guess, kind)
        kinds, states = (
            np.array([int(kind) for kind in problem.kinds], np.int32),
            np.zeros(len(problem.kinds), np.int32),
        )
        bounds, free = problem.bounds.astype(kind), problem.free.astype(kind)
        matrix, work = problem.matrix.astype(kind), np.full(rows_work(rows), np.nan, kind)
        report, counts = np.empty(2, kind), np.empty(2, np.int32)
        allowed = problem.tolerance if tolerance is None else tolerance
        places = [array.ctypes.data for array in (kinds, bounds, free, matrix, x)]
        outputs = [array.ctypes.data for array in (work, report, counts, states)]
        function(rows, len(kinds), *places, allowed, *outputs)
        return x, report, counts, states

    return solve
