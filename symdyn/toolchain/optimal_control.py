"""The solver of optimal-control problems of a compiled module, from Python."""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symdyn.errors import RequestError
from symdyn.interface.manifest import Manifest, SolverEntry
from symdyn.interface.optimal_control import COST_FUNCTIONS, MADE, RESIDUAL, STEP, USABLE, ControlCode, ControlReport
from symdyn.interface.signature import Argument
from symdyn.interface.target_rows import target_rows
from symdyn.toolchain.arrays import place_of, vector
from symdyn.toolchain.entry_points import POINTER, entry_point
from symdyn.warning import warn

Array = NDArray[Any]
Given = ArrayLike | Mapping[str, Any]
_TARGETS = "targets"
_SAMPLES: ContextVar[list[ControlCode] | None] = ContextVar("_SAMPLES", default=None)


class _Report(ctypes.Structure):
    """The record of the header."""

    _fields_ = (
        *((name, ctypes.c_int) for name in ("code", "iterations", "qp_iterations", "node")),
        *((name, ctypes.c_double) for name in ("cost", "gap", "decrease")),
    )

    def told(self) -> ControlReport:
        """The same in Python."""
        counts = (self.iterations, self.qp_iterations, self.node)
        return ControlReport(ControlCode(self.code), *counts, self.cost, self.gap, self.decrease)


class Mpc:
    """A plan of a compiled module's problem, and the solver that improves it.

    ``start`` comes first. ``solve`` iterates until the plan converges. In real time, ``prepare`` is called before a
    state is measured, and ``feedback`` with that state.

    Attributes
    ----------
    nodes, step
        How many steps a plan has, and their length [s].
    given
        What problems are given at run time, such as targets: arguments with names, shapes and units.
    """

    def __init__(self, library: ctypes.CDLL, entry: SolverEntry, manifest: Manifest) -> None:
        moving = STEP if any(own.signature.function == STEP for own in manifest.functions) else RESIDUAL
        signature = manifest.function(moving).signature
        self._library, self._entry, self._manifest = library, entry, manifest
        self._dtype, self._report = np.dtype(manifest.dtype), _Report()
        self.nodes, self.step, self.iterations = entry.nodes, entry.step, entry.iterations
        self.nq, self.nv = signature.input("q").size, signature.input("v").size
        self.driving = next(item for item in signature.inputs if item.name in ("tau", "u"))
        called = (manifest.function(name).signature for name in (moving, *COST_FUNCTIONS))
        found = {item.name: item for own in called for item in own.inputs}
        self.given = tuple(item for name, item in found.items() if name not in MADE)
        self._work = np.zeros(entry.work_size, self._dtype)
        self._started, count = False, len(self.given)
        self._start = self._function("start", 4, None)
        self._prepare = self._function("prepare", count + 1, ctypes.c_int)
        self._feedback = self._function("feedback", 6, ctypes.c_int)
        self._plan, self._gains = self._function("plan", 3, None), self._function("gains", 2, None)
        kinds = (*[POINTER] * (2 + count), ctypes.c_int, *[POINTER] * 3)
        self._solve = entry_point(library, f"{entry.c_name}_solve", *kinds)

    def _function(self, name: str, pointers: int, result: Any) -> Callable[..., Any]:
        found: Callable[..., Any] = entry_point(
            self._library, f"{self._entry.c_name}_{name}", *[POINTER] * pointers, result=result
        )
        return found

    def another(self) -> Mpc:
        """The solver with a plan of its own."""
        return Mpc(self._library, self._entry, self._manifest)

    def start(self, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None) -> None:
        """A plan that stays at a state with constant inputs, by default 0."""
        given = self._vector("u", np.zeros(self.driving.shape) if u is None else u, self.driving.shape)
        state = self._state(q, v)
        self._start(*map(place_of, (*state, given)), place_of(self._work))
        self._started = True

    def solve(
        self, q: ArrayLike, v: ArrayLike, *given: Given, iterations: int | None = None
    ) -> tuple[Array, ControlReport]:
        """Inputs of the first step, and how the call ended: at most so many iterations from the plan."""
        most = self.iterations if iterations is None else iterations
        if not 0 < most < 2**31:
            raise RequestError(f"mpc.solve: iterations is a whole number above 0, got {most!r}")
        arrays, u = (*self._measured(q, v), *self._values("solve", given)), np.empty(self.driving.shape, self._dtype)
        self._solve(*map(place_of, arrays), most, place_of(u), ctypes.addressof(self._report), place_of(self._work))
        return u, self._report.told()

    def prepare(self, *given: Given) -> ControlCode:
        """Shift the plan by a step and linearise about it."""
        arrays = self._values("prepare", given)
        return ControlCode(self._prepare(*map(place_of, arrays), place_of(self._work)))

    def feedback(self, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array, ControlReport]:
        """Inputs for a measured state, their gains (nu, 2 nv), and how the call ended."""
        u = np.empty(self.driving.shape, self._dtype)
        K = np.empty((self.driving.size, 2 * self.nv), self._dtype)
        arrays = (*self._measured(q, v), u, K)
        self._feedback(*map(place_of, arrays), ctypes.addressof(self._report), place_of(self._work))
        return u, K, self._report.told()

    def plan(self) -> tuple[Array, Array]:
        """States X (N + 1, nq + nv) and inputs U (N, nu)."""
        X = np.empty((self.nodes + 1, self.nq + self.nv), self._dtype)
        U = np.empty((self.nodes, self.driving.size), self._dtype)
        self._plan(place_of(self._work), place_of(X), place_of(U))
        return X, U

    def gains(self) -> Array:
        """Gains K (N, nu, 2 nv) of inputs on moves (dq, dv) of states from the plan."""
        K = np.empty((self.nodes, self.driving.size, 2 * self.nv), self._dtype)
        self._gains(place_of(self._work), place_of(K))
        return K

    def controller(
        self, *given: Given | Callable[[float], Given], u: ArrayLike | None = None, iterations: int = 100
    ) -> MpcController:
        """A function of (t, q, v) for ``symdyn.simulate(.., inputs=controller, sample_time=..)``.

        Parameters
        ----------
        given
            What the problem is given at run time, such as targets: arrays, or functions of t. Targets may also be
            values by the names of costs, and poses matrices (4, 4). A target holds for the whole horizon.
        u
            Inputs with which the first plan begins, 0 by default.
        iterations
            Of the first plan; later samples have one each.
        """
        return MpcController(self.another(), given, u, iterations)

    def _values(self, name: str, given: tuple[Given, ...]) -> list[Array]:
        if not self._started:
            raise RequestError(f"mpc.{name}: a plan begins with mpc.start(q, v, u); call that first")
        if len(given) != len(self.given):
            names = ", ".join(item.name for item in self.given) or "nothing"
            raise RequestError(f"mpc.{name}: expected {names} beside the state, got {len(given)} arrays")
        pairs = zip(self.given, given, strict=True)
        return [self._rows(f"mpc.{name}", item, value) for item, value in pairs]

    def _rows(self, name: str, item: Argument, value: Any) -> Array:
        """An argument; targets may be poses, and values by names."""
        if item.name == _TARGETS and (isinstance(value, Mapping) or np.shape(value) != item.shape):
            value = target_rows(name, item.rows[0], value)
        return vector(name, item.name, value, item.shape, self._dtype)

    def _state(self, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
        return self._vector("q", q, (self.nq,)), self._vector("v", v, (self.nv,))

    def _measured(self, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
        """A state that may be not finite: then there is a code."""
        if not self._started:
            raise RequestError("mpc: a plan begins with mpc.start(q, v, u); call that first")
        found = []
        for name, value, size in (("q", q, self.nq), ("v", v, self.nv)):
            own = np.ascontiguousarray(value, self._dtype)
            if own.shape != (size,):
                raise RequestError(f"mpc: argument '{name}' has shape {own.shape}, expected ({size},)")
            found.append(own)
        return found[0], found[1]

    def _vector(self, name: str, value: ArrayLike, shape: tuple[int, ...]) -> Array:
        return vector("mpc.start", name, value, shape, self._dtype)


class MpcController:
    """Inputs of (t, q, v), one call per sample in the order of time.

    Attributes
    ----------
    reports
        How samples ended, one by one.
    gains
        Of the last sample (nu, 2 nv).
    """

    def __init__(
        self,
        mpc: Mpc,
        given: tuple[Given | Callable[[float], Given], ...],
        u: ArrayLike | None,
        iterations: int,
    ) -> None:
        self.mpc, self.reports, self.gains = mpc, list[ControlReport](), np.zeros((0, 0))
        self._given, self._u, self._iterations = given, u, iterations

    def __call__(self, t: float, q: ArrayLike, v: ArrayLike) -> Array:
        """The inputs from t on."""
        given = tuple(own(t) if callable(own) else own for own in self._given)
        if not self.reports:
            self.mpc.start(q, v, self._u)
            u, report = self.mpc.solve(q, v, *given, iterations=self._iterations)
            self.gains = self.mpc.gains()[0]
        else:
            self.mpc.prepare(*given)
            u, self.gains, report = self.mpc.feedback(q, v)
        self.reports.append(report)
        if (samples := _SAMPLES.get()) is not None:
            samples.append(report.code)
        return u


@contextmanager
def sampled() -> Iterator[list[ControlCode]]:
    """How the samples of controllers end that are called meanwhile, by functions of the user's too."""
    codes: list[ControlCode] = []
    before = _SAMPLES.set(codes)
    try:
        yield codes
    finally:
        _SAMPLES.reset(before)


def warn_of_samples(codes: Sequence[ControlCode]) -> None:
    """Warn once of the samples of a motion that ended otherwise than ``DONE``, with their numbers."""
    failed = Counter(code for code in codes if code is not ControlCode.DONE)
    if failed:
        counts = ", ".join(f"{code.name} {count}" for code, count in sorted(failed.items()))
        old = "" if all(code in USABLE for code in failed) else ", and inputs are those of the last good plan there"
        warn(
            f"{failed.total()} of {len(codes)} samples of the controller were not solved ({counts}){old}; limits and "
            "targets may not be met together, or iterations are too few: .reports of the controller has each sample"
        )
