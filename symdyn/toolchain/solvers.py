"""Solvers of a compiled module from Python: one C call per search."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symdyn.errors import RequestError
from symdyn.interface.argument_arrays import given_numbers
from symdyn.interface.argument_words import given_positive, given_whole
from symdyn.interface.manifest import Manifest, SolverEntry
from symdyn.interface.optimal_control import MPC
from symdyn.interface.rollouts import ROLLOUT
from symdyn.interface.solving import (
    DAMPING,
    DIFFERENTIAL_IK,
    INVERSE_KINEMATICS,
    JACOBIAN_FUNCTION,
    LEVENBERG,
    MAX_ITERATIONS,
    SOFT_INVERSE_KINEMATICS,
    STATICS,
    STATICS_FUNCTIONS,
    TASK_FUNCTION,
    given_beside_position,
    given_to_soft,
    given_to_statics,
)
from symdyn.toolchain.arrays import place_of, vector
from symdyn.toolchain.entry_points import POINTER, SIZE, entry_point, opened_library
from symdyn.toolchain.optimal_control import Mpc
from symdyn.toolchain.rollouts import load_rollouts

Array = NDArray[Any]
_MAX_ITERATIONS = 1000
_MOST = 2**63 - 1


class SolveCode(IntEnum):
    """How a search ended; the values are those of the header."""

    DONE = 0
    TOO_MANY_ITERATIONS = 1
    NO_REST = 2
    LOOPS_OPEN = 3
    NOT_FINITE = 4
    NOT_REACHED = 5


@dataclass(frozen=True, slots=True)
class Solved:
    """A position at rest if ``code`` is ``DONE``; otherwise its numbers have no meaning.

    ``q`` (nq,), ``forces`` (nv,) that hold prescribed rows, 0 in others, and ``multipliers`` (m,) of the loops.
    ``iterations`` and ``jacobians`` are total numbers of Newton's method. ``load_steps`` is the number of shares of the
    load at which a rest was found; 1 if the whole load succeeded at once.
    """

    q: Array
    forces: Array
    multipliers: Array
    iterations: int
    jacobians: int
    load_steps: int
    code: SolveCode


@dataclass(frozen=True, slots=True)
class Reached:
    """A position at which frames meet their targets if ``code`` is ``DONE``, otherwise the nearest that was found.

    ``q`` (nq,), and ``error``, the root of the weighted sum of squares there. ``iterations`` and ``evaluations`` are
    totals of all ``starts``, the number of starts that were tried.
    """

    q: Array
    error: float
    iterations: int
    evaluations: int
    starts: int
    code: SolveCode


@dataclass(frozen=True, slots=True)
class Velocities:
    """Velocities with which frames move as desired, within bounds, if ``code`` is ``DONE``.

    ``v`` (nv,), and ``factors``, how many systems of linear equations were solved.
    """

    v: Array
    factors: int
    code: SolveCode


@dataclass(frozen=True, slots=True)
class Driven:
    """Inputs with which a robot rests so that frames meet their targets if ``code`` is ``DONE``.

    ``u`` (na,), the rest ``q`` (nq,), ``multipliers`` (m,) of loops, and ``error``, the root of the weighted sum of
    squares there. After ``NOT_REACHED`` they are the nearest that were found. ``iterations`` are steps of the method,
    and ``searches`` those for a rest.
    """

    u: Array
    q: Array
    multipliers: Array
    error: float
    iterations: int
    searches: int
    code: SolveCode


def load_solvers(path: str, manifest: Manifest) -> Mapping[str, Any]:
    """Callables such as ``solve_statics`` of a compiled module, by name, ``rollout``, and ``mpc``, which has a plan.

    Raises
    ------
    ToolchainError
        The library lacks a solver.
    """
    if not manifest.solvers:
        return {}
    with opened_library(path, f"holds no solvers of robot {manifest.robot!r}") as library:
        found: dict[str, Any] = {}
        for entry in manifest.solvers:
            if entry.solver == ROLLOUT:
                found |= load_rollouts(library, entry, manifest)
            else:
                found[entry.python_name] = _LOADERS[entry.solver](library, entry, manifest)
        return found


def _statics(library: ctypes.CDLL, entry: SolverEntry, manifest: Manifest) -> Callable[..., Solved]:
    residual = manifest.function(STATICS_FUNCTIONS[0]).signature
    dtype, name = np.dtype(manifest.dtype), entry.python_name
    inputs = (residual.input("q"), *given_to_statics(residual))
    names = ", ".join(item.name for item in inputs)
    nq, nv, *errors = (inputs[0].size, *(item.size for item in residual.outputs))
    loops, held = sum(errors), "prescribed" in residual.options
    outputs = 1 + held + bool(loops)
    function = entry_point(library, entry.c_name, *[POINTER] * len(inputs), SIZE, *[POINTER] * (outputs + 2))

    def solve(*given: ArrayLike, max_iterations: int = _MAX_ITERATIONS) -> Solved:
        if len(given) != len(inputs):
            raise RequestError(f"{name}: expected {names}, got {len(given)} arrays")
        max_iterations = min(given_whole(f"{name}: max_iterations", max_iterations, 1), _MOST)
        pairs = zip(inputs, given, strict=True)
        arrays = [vector(name, item.name, value, item.shape, dtype) for item, value in pairs]
        q, forces, multipliers = np.empty(nq, dtype), np.zeros(nv, dtype), np.empty(loops, dtype)
        found = [q, *([forces] if held else []), *([multipliers] if loops else [])]
        counts, work = (ctypes.c_size_t * 3)(), np.empty(entry.work_size, dtype)
        code = function(
            *map(place_of, arrays), max_iterations, *map(place_of, found), ctypes.addressof(counts), place_of(work)
        )
        return Solved(q, forces, multipliers, counts[0], counts[1], counts[2], SolveCode(code))

    solve.__name__ = name
    solve.__doc__ = f"A position at rest near q: ``{name}({names})``.\n\nReturns a ``Solved``: q, forces, .., code."
    return solve


def _inverse_kinematics(library: ctypes.CDLL, entry: SolverEntry, manifest: Manifest) -> Callable[..., Reached]:
    errors = manifest.function(TASK_FUNCTION).signature
    dtype, name = np.dtype(manifest.dtype), entry.python_name
    given, nq, rows = given_beside_position(errors), errors.input("q").size, errors.outputs[0].size
    names = ", ".join(("q", *(item.name for item in given)))
    pointers, scalar = [POINTER] * (len(given) + 3), ctypes.c_double if dtype == np.float64 else ctypes.c_float
    function = entry_point(library, entry.c_name, POINTER, SIZE, *pointers, scalar, SIZE, *[POINTER] * 4)
    usual = LEVENBERG[manifest.dtype].tolerance

    def solve(
        q: ArrayLike,
        *values: ArrayLike,
        weights: ArrayLike | None = None,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        tolerance: float = usual,
        max_iterations: int = MAX_ITERATIONS,
    ) -> Reached:
        if len(values) != len(given):
            raise RequestError(f"{name}: expected {names}, got {1 + len(values)} arrays")
        max_iterations = min(given_whole(f"{name}: max_iterations", max_iterations, 1), _MOST)
        tolerance = given_positive(f"{name}: tolerance", tolerance)
        starts = np.ascontiguousarray(np.atleast_2d(given_numbers(f"{name}: q", q)), dtype)
        if starts.ndim != 2 or starts.shape[1] != nq or not len(starts):
            raise RequestError(f"{name}: q has shape ({nq},) or (starts, {nq}), got {np.shape(q)}")
        pairs = zip(given, values, strict=True)
        arrays = [vector(name, item.name, value, item.shape, dtype) for item, value in pairs]
        arrays.append(vector(name, "weights", np.ones(rows) if weights is None else weights, (rows,), dtype))
        arrays += _bounds(name, "lower", lower, "upper", upper, nq, dtype)
        found, error = np.full(nq, np.nan, dtype), np.full(1, np.nan, dtype)
        counts, work = (ctypes.c_size_t * 3)(), np.empty(entry.work_size, dtype)
        places = (place_of(starts), len(starts), *map(place_of, arrays), tolerance, max_iterations)
        code = function(*places, place_of(found), place_of(error), ctypes.addressof(counts), place_of(work))
        return Reached(found, float(error[0]), counts[0], counts[1], counts[2], SolveCode(code))

    solve.__name__ = name
    solve.__doc__ = (
        f"A position at which frames meet their targets: ``{name}({names})``, q (nq,) or (starts, nq).\n\n"
        "Keywords weights (m,), lower and upper (nq,), tolerance, max_iterations of each start. Returns a ``Reached``."
    )
    return solve


def _soft_inverse_kinematics(library: ctypes.CDLL, entry: SolverEntry, manifest: Manifest) -> Callable[..., Driven]:
    residual, errors = (manifest.function(name).signature for name in (STATICS_FUNCTIONS[0], TASK_FUNCTION))
    dtype, name, inputs = np.dtype(manifest.dtype), entry.python_name, residual.input("u")
    given, rows, loops = (
        given_to_soft(residual, errors),
        errors.outputs[0].size,
        sum(o.size for o in residual.outputs[1:]),
    )
    taken = (errors.input("q"), inputs, *given)
    names = ", ".join(item.name for item in taken)
    scalar, outputs = ctypes.c_double if dtype == np.float64 else ctypes.c_float, 3 + bool(loops)
    pointers = [POINTER] * (len(taken) + 3)
    function = entry_point(library, entry.c_name, *pointers, scalar, SIZE, *[POINTER] * (outputs + 2))
    usual = LEVENBERG[manifest.dtype].tolerance

    def solve(
        *values: ArrayLike,
        weights: ArrayLike | None = None,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        tolerance: float = usual,
        max_iterations: int = MAX_ITERATIONS,
    ) -> Driven:
        if len(values) != len(taken):
            raise RequestError(f"{name}: expected {names}, got {len(values)} arrays")
        max_iterations = min(given_whole(f"{name}: max_iterations", max_iterations, 1), _MOST)
        tolerance = given_positive(f"{name}: tolerance", tolerance)
        pairs = zip(taken, values, strict=True)
        arrays = [vector(name, item.name, value, item.shape, dtype) for item, value in pairs]
        arrays.append(vector(name, "weights", np.ones(rows) if weights is None else weights, (rows,), dtype))
        arrays += _bounds(name, "lower", lower, "upper", upper, inputs.size, dtype)
        sizes = (inputs.size, taken[0].size, loops, 1)
        u, q, multipliers, error = (np.full(size, np.nan, dtype) for size in sizes)
        found = [u, q, *([multipliers] if loops else []), error]
        counts, work = (ctypes.c_size_t * 2)(), np.empty(entry.work_size, dtype)
        places = (*map(place_of, arrays), tolerance, max_iterations, *map(place_of, found))
        code = SolveCode(function(*places, ctypes.addressof(counts), place_of(work)))
        return Driven(u, q, multipliers, float(error[0]), counts[0], counts[1], code)

    solve.__name__ = name
    solve.__doc__ = (
        f"Inputs with which the robot rests so that frames meet their targets: ``{name}({names})``.\n\n"
        "q is where the first rest is looked for. Keywords weights (m,), lower and upper (na,), tolerance, "
        "max_iterations. Returns ``Driven``: u, q, multipliers, error, iterations, searches, code."
    )
    return solve


def _bounds(
    name: str, low: str, lower: ArrayLike | None, high: str, upper: ArrayLike | None, size: int, dtype: np.dtype[Any]
) -> list[Array]:
    """Lower and upper bounds as arrays, infinite where none are given.

    Raises
    ------
    RequestError
        Other shapes, NaN, a lower bound above the upper one.
    """
    found = []
    for own, value, missing in ((low, lower, -np.inf), (high, upper, np.inf)):
        bound = np.ascontiguousarray(
            np.full(size, missing) if value is None else given_numbers(f"{name}: {own}", value), dtype
        )
        if bound.shape != (size,) or np.isnan(bound).any():
            raise RequestError(f"{name}: {own} has shape ({size},) without NaN, got shape {bound.shape}")
        found.append(bound)
    if (found[0] > found[1]).any():
        row = int(np.argmax(found[0] > found[1]))
        raise RequestError(f"{name}: {low} of row {row} is {found[0][row]}, above {high}, {found[1][row]}")
    return found


def _differential_ik(library: ctypes.CDLL, entry: SolverEntry, manifest: Manifest) -> Callable[..., Velocities]:
    jacobians = manifest.function(JACOBIAN_FUNCTION).signature
    dtype, name = np.dtype(manifest.dtype), entry.python_name
    given, nq, (frames, _, nv) = given_beside_position(jacobians), jacobians.input("q").size, jacobians.outputs[0].shape
    names, twists = ", ".join(("q", *(item.name for item in given), "V_d")), (frames, 6)
    scalar = ctypes.c_double if dtype == np.float64 else ctypes.c_float
    function = entry_point(library, entry.c_name, *[POINTER] * (len(given) + 8), scalar, scalar, *[POINTER] * 3)

    def solve(
        *values: ArrayLike,
        h: float,
        v_0: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        v_lower: ArrayLike | None = None,
        v_upper: ArrayLike | None = None,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        damping: float = DAMPING,
    ) -> Velocities:
        if len(values) != len(given) + 2:
            raise RequestError(f"{name}: expected {names}, got {len(values)} arrays")
        h, damping = given_positive(f"{name}: h", h), given_positive(f"{name}: damping", damping)
        shapes = [("q", (nq,)), *((item.name, item.shape) for item in given), ("V_d", twists)]
        arrays = [vector(name, own, value, shape, dtype) for (own, shape), value in zip(shapes, values, strict=True)]
        arrays.append(vector(name, "v_0", np.zeros(nv) if v_0 is None else v_0, (nv,), dtype))
        arrays.append(vector(name, "weights", np.ones(twists) if weights is None else weights, twists, dtype))
        if (arrays[-1] < 0.0).any():
            raise RequestError(f"{name}: weights are numbers from 0, got {arrays[-1].min()}")
        arrays += _bounds(name, "v_lower", v_lower, "v_upper", v_upper, nv, dtype)
        arrays += _bounds(name, "lower", lower, "upper", upper, nq, dtype)
        v, factors, work = np.full(nv, np.nan, dtype), (ctypes.c_size_t * 1)(), np.empty(entry.work_size, dtype)
        places = (*map(place_of, arrays), damping, h, place_of(v), ctypes.addressof(factors), place_of(work))
        code = function(*places)
        return Velocities(v, factors[0], SolveCode(code))

    solve.__name__ = name
    solve.__doc__ = (
        f"Velocities with which frames move as desired: ``{name}({names}, h=..)``.\n\n"
        "Keywords h, v_0 (nv,), weights (nframes, 6), v_lower and v_upper (nv,), lower and upper (nq,), damping. "
        "Returns ``Velocities``."
    )
    return solve


_LOADERS: Mapping[str, Callable[[ctypes.CDLL, SolverEntry, Manifest], Any]] = {
    STATICS: _statics,
    INVERSE_KINEMATICS: _inverse_kinematics,
    SOFT_INVERSE_KINEMATICS: _soft_inverse_kinematics,
    DIFFERENTIAL_IK: _differential_ik,
    MPC: Mpc,
}
