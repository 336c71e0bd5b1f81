"""Impulses of rows in sets by semi-smooth Newton, warm started, with two bounded ways on where that fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symdyn.analysis.contacts.rows import (
    RowsProblem,
    into_sets,
    largest_residual,
    natural_map,
    newton_matrix,
    states_and_margin,
    stick_system,
    sweep,
)
from symdyn.errors import RequestError
from symdyn.interface.contact_solving import EFFORTS, NUMBERS, ContactCode, SetKind, SolverNumbers

Array = NDArray[np.float64]
_NUMBERS = NUMBERS["float64"]


@dataclass(frozen=True, eq=False)
class Impulses:
    """Impulses ``x`` (m,) [N s or N m s] with their residual max |F| [N s] and how they were solved.

    ``states`` (k,) of sets are 0 open, 1 stick, 2 slide or at a bound; ``margin`` is the least slack to another state
    [N s]. ``newton`` counts iterations of Newton's method, ``sweeps`` those of Gauss-Seidel and of ADMM.
    """

    x: Array
    residual: float
    newton: int
    sweeps: int
    states: NDArray[np.int32]
    margin: float
    code: ContactCode


def solve_rows(
    delassus: ArrayLike,
    free: ArrayLike,
    kinds: Sequence[SetKind],
    bounds: ArrayLike,
    guess: ArrayLike | None = None,
    tolerance: float = 1e-9,
    effort: str = "full",
) -> Impulses:
    """Impulses x with c = G x + b, each in its set, by the exact law of Signorini and Coulomb.

    delassus (m, m) is G, symmetric and positive semidefinite, with the compliance of rows on its diagonal; free (m,) is
    b [m/s or rad/s]; kinds (k,) and bounds (k,) tell the sets of rows one after another: friction of cones, half widths
    of intervals [N s]. guess (m,) is where Newton's method starts, zeros if left out. A proximal term of 1e-9 of the
    power of two at or below the largest diagonal entry of each set makes redundant impulses unique. tolerance is the
    residual that is allowed [N s], but not below rounding. Where the residual stays above it, the code is
    ``NOT_SOLVED``, and the best impulses are given, within their sets.

    Equation: x in K_mu perpendicular to c + (0, 0, mu |c_t|) in K_mu*, as F = x - P(x - r c) = 0. Sources: de Saxce and
    Feng 1998; Alart and Curnier 1991.

    Raises
    ------
    RequestError
        Arrays that do not fit each other, or an unknown effort.
    """
    matrix, b = np.asarray(delassus, float), np.asarray(free, float)
    limits, size = np.asarray(bounds, float), sum(SetKind(kind).width for kind in kinds)
    x = np.zeros(size) if guess is None else np.array(guess, float)
    shapes = {"delassus": (matrix, (size, size)), "free": (b, (size,)), "bounds": (limits, (len(kinds),))}
    for name, (array, shape) in {**shapes, "guess": (x, (size,))}.items():
        if array.shape != shape:
            raise RequestError(f"{name}: expected shape {shape} for sets of {size} rows, got {array.shape}")
    if effort not in EFFORTS:
        raise RequestError(f"effort is one of {', '.join(EFFORTS)}, got {effort!r}")
    kinds = tuple(map(SetKind, kinds))
    if not all(np.isfinite(array).all() for array in (matrix, b, limits, x)):
        return _not_finite(size, len(kinds))
    return _solved(RowsProblem.of(matrix, b, kinds, limits, _NUMBERS.singular), x, tolerance, effort)


@np.errstate(all="ignore")  # what is not finite is not solved
def _solved(problem: RowsProblem, guess: Array, tolerance: float, effort: str) -> Impulses:
    numbers = _NUMBERS
    rounding = numbers.rounding * np.abs(problem.free / problem.weights).max(initial=0.0)
    tolerance = max(tolerance, float(rounding))
    if not np.isfinite(tolerance):
        return _not_finite(len(guess), len(problem.kinds))
    problem.set_compliance(numbers.compliance)
    x, residual, newton, sweeps = _newton(problem, guess, numbers.iterations, 0, tolerance, numbers, effort == "full")
    if not residual < tolerance and effort == "full":
        trial = np.zeros(len(guess))
        for stage in numbers.stages:
            problem.set_compliance(stage)
            allowed = tolerance if stage == numbers.stages[-1] else numbers.thousand * tolerance
            trial, now, *counts = _newton(problem, trial, numbers.stage_iterations, numbers.leaps, allowed, numbers)
            newton, sweeps = newton + counts[0], sweeps + counts[1]
        if now < residual or not np.isfinite(residual):
            x, residual = trial, now
        y = x
        for rho, _ in zip(cycle(numbers.penalties), range(numbers.bursts), strict=False):
            if residual < tolerance:
                break
            problem.set_compliance(0.0)
            y, now, count = burst(problem, y, rho, tolerance, numbers)
            sweeps += count
            if now < residual:
                x, residual = y, now
            if not residual < tolerance:
                problem.set_compliance(numbers.compliance)
                trial, now, *counts = _newton(problem, y, numbers.burst_iterations, 0, tolerance, numbers)
                newton, sweeps = newton + counts[0], sweeps + counts[1]
                if now < residual:
                    x, residual = trial, now
    if not np.isfinite(residual):
        return _not_finite(len(guess), len(problem.kinds), newton, sweeps)
    solved = residual < tolerance
    if not solved:
        x = into_sets(problem, x)
        problem.set_compliance(0.0)
        residual = largest_residual(problem, x)
    states, margin = states_and_margin(problem, x)
    code = ContactCode.SOLVED if solved else ContactCode.NOT_SOLVED
    return Impulses(x, residual, newton, sweeps, states, margin, code)


def _newton(
    problem: RowsProblem,
    x: Array,
    iterations: int,
    leaps: int,
    tolerance: float,
    numbers: SolverNumbers,
    again: bool = False,
) -> tuple[Array, float, int, int]:
    """Newton's method, halved where |F|^2 does not fall: the best iterate.

    Where no halving helps it may begin ``again`` by a sweep without impulses, then go to where all contacts stick; then
    there are some leaps, whole steps that find out which of dependent rows reach their bounds, then Gauss-Seidel.
    """
    x = x.copy()
    f = natural_map(problem, x, problem.velocities(x))
    best, least, newton, sweeps, leapt = x, float(np.abs(f).max(initial=0.0)), 0, 0, 0
    to_zero, to_stick = again and bool(x.any()), again
    while not least < tolerance and newton < iterations:
        newton += 1
        move = _move(newton_matrix(problem, x, problem.velocities(x)), f)
        trials = numbers.first_trials if to_zero or to_stick else numbers.trials
        reached = None if move is None else _along(problem, x, f, move, trials, numbers.decrease)
        if reached is None and to_stick and not to_zero:
            move, to_stick = _move(*stick_system(problem, x, problem.velocities(x))), False
            reached = None if move is None else x - move
        if reached is not None:
            x = reached
        elif to_zero:
            x, to_zero, sweeps = np.zeros_like(x), False, sweeps + 1
            sweep(problem, x)
        elif move is not None and leapt < leaps:
            x, leapt = x - move, leapt + 1
        else:
            x, leapt = best.copy(), 0
            for _ in range(numbers.sweeps):
                sweep(problem, x)
            sweeps += numbers.sweeps
        f = natural_map(problem, x, problem.velocities(x))
        residual = float(np.abs(f).max())
        if not residual >= least:
            best, least = x, residual
        if not np.isfinite(residual):
            break
    return best, least, newton, sweeps


def _move(matrix: Array, f: Array) -> Array | None:
    """Newton's step; None where its matrix is singular."""
    try:
        return np.asarray(np.linalg.solve(matrix, f), np.float64)
    except np.linalg.LinAlgError:
        return None


def _along(problem: RowsProblem, x: Array, f: Array, move: Array, trials: int, decrease: float) -> Array | None:
    """The first part of Newton's step that lets |F|^2 fall; None where none does."""
    before, part = f @ f, 1.0
    for _ in range(trials):
        trial = x - part * move
        reached = natural_map(problem, trial, problem.velocities(trial))
        if reached @ reached < (1.0 - decrease * part) * before:
            return trial
        part *= 0.5
    return None


def _not_finite(rows: int, sets: int, newton: int = 0, sweeps: int = 0) -> Impulses:
    states = np.zeros(sets, np.int32)
    return Impulses(np.zeros(rows), np.inf, newton, sweeps, states, 0.0, ContactCode.NOT_FINITE)


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
