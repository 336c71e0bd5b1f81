"""Steppers and solvers of a compiled module called as C calls them: workspaces full of garbage, zones that must stay.

Every array that C writes lies between zones of a fixed number. A call that writes there fails the test, and so does one
that reads what nobody wrote: workspaces and outputs hold NaN before.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from symdyn.interface.stepping import ADAPTIVE
from symdyn.toolchain.solvers import SolveCode
from symdyn.toolchain.steppers import StepCode

Array = np.ndarray
ZONE, MARK = 64, -1.2345e67


class Guarded:
    """An array between two zones."""

    def __init__(self, *shape: int, fill: float = float("nan")) -> None:
        self._whole = np.full(2 * ZONE + int(np.prod(shape)), MARK)
        self.array = self._whole[ZONE:-ZONE].reshape(shape)
        self.array[...] = fill

    def check(self) -> Array:
        """The array, after its zones were found as they were."""
        assert np.all(self._whole[:ZONE] == MARK), "written before an array"
        assert np.all(self._whole[-ZONE:] == MARK), "written beyond an array"
        return self.array


class RawCalls:
    """The C functions of a module; workspaces are kept from call to call, as users keep theirs."""

    def __init__(self, robot: Any, module: Any) -> None:
        self.nq, self.nv, self.module = robot.nq, robot.nv, module
        self._work: dict[str, Guarded] = {}

    @cached_property
    def _library(self) -> ctypes.CDLL:
        return ctypes.CDLL(str(self.module.path))

    def work(self, method: str) -> Guarded:
        """The workspace of a method, full of NaN before its first call."""
        entries = [(own.method, own) for own in self.module.manifest.steppers]
        entry = dict([*entries, *((own.solver, own) for own in self.module.manifest.solvers)])[method]
        return self._work.setdefault(method, Guarded(entry.work_size))

    def forget(self) -> None:
        """Workspaces full of NaN again."""
        self._work.clear()

    def start(self, method: str, *given: Any) -> StepCode:
        return StepCode(self._call(method, "_start", [*self._inputs(given), self.work(method)]))

    def step(self, method: str, *given: Any, h: float) -> tuple[StepCode, Array, Array]:
        q, v = Guarded(self.nq), Guarded(self.nv)
        code = self._call(method, "", [*self._inputs(given), h, q, v, self.work(method)])
        return StepCode(code), q.check(), v.check()

    def advance(
        self, method: str, *given: Any, times: Sequence[float], settings: Sequence[float], most: int = 100_000
    ) -> tuple[StepCode, Array, Array, list[int]]:
        rows = len(times)
        q, v, counts = Guarded(rows, self.nq), Guarded(rows, self.nv), np.full(8, 77, np.uint64)
        assert len(settings) == (2 if method in ADAPTIVE else 1)
        before = [*self._inputs(given), np.array(times), rows, *map(float, settings), most]
        code = self._call(method, "_advance", [*before, q, v, counts, self.work(method)])
        return StepCode(code), q.check(), v.check(), _counted(counts)

    def solve(self, *given: Any, outputs: Sequence[int], most: int = 1000) -> tuple[SolveCode, list[Array], list[int]]:
        """The rest near q, and forces and multipliers of so many rows."""
        found, counts = [Guarded(size) for size in (self.nq, *outputs)], np.full(8, 77, np.uint64)
        code = self._call("statics", "", [*self._inputs(given), most, *found, counts, self.work("statics")])
        return SolveCode(code), [own.check() for own in found], _counted(counts)

    def _inputs(self, given: Sequence[Any]) -> list[Array]:
        return [np.ascontiguousarray(own, float) for own in given]

    def _call(self, method: str, end: str, arguments: Sequence[Any]) -> int:
        entries = [*self.module.manifest.steppers, *self.module.manifest.solvers]
        names = {getattr(own, "method", getattr(own, "solver", "")): own.c_name for own in entries}
        function = self._library[names[method] + end]
        function.restype = ctypes.c_int
        inputs = [(own, own.copy()) for own in arguments if isinstance(own, np.ndarray) and own.dtype == float]
        code = int(function(*map(_passed, arguments)))
        for now, before in inputs:
            assert np.array_equal(now, before, equal_nan=True), "an input was written"
        if method in self._work:
            self._work[method].check()
        return code


def _counted(counts: Array) -> list[int]:
    """The three counts; what lies beyond them stays."""
    assert np.all(counts[3:] == 77), "written beyond the counts"
    found: list[int] = counts[:3].tolist()
    return found


def _passed(own: Any) -> Any:
    if isinstance(own, Guarded):
        own = own.array
    if isinstance(own, np.ndarray):
        return ctypes.c_void_p(own.ctypes.data)
    return ctypes.c_double(own) if isinstance(own, float) else ctypes.c_size_t(own)
