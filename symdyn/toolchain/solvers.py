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
from symdyn.interface.manifest import Manifest, SolverEntry
from symdyn.interface.solving import STATICS_FUNCTIONS, given_to_statics
from symdyn.toolchain.arrays import place_of, vector
from symdyn.toolchain.entry_points import POINTER, SIZE, entry_point, opened_library

Array = NDArray[Any]
_MAX_ITERATIONS = 1000


class SolveCode(IntEnum):
    """How a search ended; the values are those of the header."""

    DONE = 0
    TOO_MANY_ITERATIONS = 1
    NO_REST = 2
    LOOPS_OPEN = 3
    NOT_FINITE = 4


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


def load_solvers(path: str, manifest: Manifest) -> Mapping[str, Callable[..., Solved]]:
    """Callables such as ``solve_statics`` of a compiled module, by name.

    Raises
    ------
    ToolchainError
        The library lacks a solver.
    """
    if not manifest.solvers:
        return {}
    with opened_library(path, f"holds no solvers of robot {manifest.robot!r}") as library:
        return {entry.python_name: _statics(library, entry, manifest) for entry in manifest.solvers}


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
        if not 0 < max_iterations < 2**63:
            raise RequestError(f"{name}: max_iterations is a number of iterations, got {max_iterations!r}")
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
