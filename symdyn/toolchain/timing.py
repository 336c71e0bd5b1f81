"""Time calls in batches; C functions from inside, built with the flags of a generated module."""

from __future__ import annotations

import ctypes
import os
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symdyn.compiler.emit.source import SourceFile
from symdyn.compiler.emit.timing import FILE_NAME, TIMING_FUNCTION
from symdyn.errors import InternalError, ToolchainError
from symdyn.toolchain import cache
from symdyn.toolchain.dialects import shared_suffix
from symdyn.toolchain.find_compiler import find_compiler
from symdyn.toolchain.flags import (
    EXPORTS,
    compile_command,
    exports_text,
    function_flags,
    link_command,
    object_name,
)
from symdyn.toolchain.object_size import text_bytes
from symdyn.toolchain.run_commands import Command, run_commands

BATCHES = 31
BATCH_SECONDS = 0.002
"""A batch lasts about this long, so that reading the clock costs nothing that shows."""

_TIMEOUT_S = 600.0

_PLACES = 3
"""Places in memory at which code is tried.

Where its pages meet in a cache, code of 50 kB may take twice its time: forward dynamics of a humanoid took 1440 ns in
each process that loaded one file, and 700 from each of four copies of that file.
"""


class BatchTimer:
    """The time of a call: the median over batches of as many calls as fill a batch.

    Parameters
    ----------
    run
        ``run(calls, batches)``: nanoseconds per call of every batch, once caches and clocks are warm.
    least_calls
        Of a batch, such as a call at every state.
    seconds
        Of a batch.
    """

    def __init__(
        self, run: Callable[[int, int], Sequence[float]], least_calls: int, seconds: float = BATCH_SECONDS
    ) -> None:
        self._run_batches, self._calls, self._seconds, self._sized = run, least_calls, seconds, False

    def median(self, batches: int = BATCHES) -> float:
        """Median nanoseconds per call."""
        if not self._sized:
            first = max(self._run_batches(self._calls, 1)[0], 1.0)
            self._calls, self._sized = max(self._calls, int(self._seconds * 1e9 / first)), True
        return statistics.median(self._run_batches(self._calls, batches))


def in_turn(timers: Sequence[BatchTimer], rounds: int, batches: int = BATCHES) -> list[list[float]]:
    """Medians by timer and round, on one core: each round times each once, so that a slow moment slows all alike."""
    runs: list[list[float]] = [[] for _ in timers]
    with _one_core():
        for _ in range(rounds):
            for timer, own in zip(timers, runs, strict=True):
                own.append(timer.median(batches))
    return runs


@contextmanager
def _one_core() -> Iterator[None]:
    """Hold the process and those that it starts on one core, where the system lets us choose."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    whole = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(whole)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, whole)


@dataclass(frozen=True, slots=True)
class CallTime:
    """Median nanoseconds of thread CPU time per call, seconds of compiling, and bytes of code and constants.

    ``outputs`` (states, scalars of all outputs) holds the results at every state.
    """

    nanoseconds: float
    compile_seconds: float
    text_bytes: int
    outputs: NDArray[np.float64]


def time_c_calls(
    sources: Sequence[SourceFile],
    harness: SourceFile,
    states: NDArray[np.float64],
    output_size: int,
    work_size: int,
    standard: bool = True,
) -> CallTime:
    """Compile C sources with a harness and time the function; parameters as of :func:`load_timed`.

    Raises
    ------
    InternalError
        The sources do not compile.
    """
    timed = load_timed(sources, harness, states, output_size, work_size, standard)
    return CallTime(timed.median(), timed.compile_seconds, timed.text_bytes, timed.outputs())


def load_timed(
    sources: Sequence[SourceFile],
    harness: SourceFile,
    states: NDArray[np.float64],
    output_size: int,
    work_size: int,
    standard: bool = True,
    timeout_s: float = _TIMEOUT_S,
) -> TimedCode:
    """Compile C sources with a harness, ready to be timed as often as wanted, in turn with others.

    Parameters
    ----------
    sources
        C files and headers; only ``.c`` files are compiled.
    harness
        From :mod:`symdyn.compiler.emit.timing`.
    states
        (states, scalars of all inputs), C-contiguous.
    output_size, work_size
        Scalars of the outputs and of the workspace.
    standard
        Whether the sources are C99 without extensions (ours are, CasADi's need not be).
    timeout_s
        Wall-clock seconds after which the compiler of one source is stopped.

    Raises
    ------
    InternalError
        The sources do not compile, or not in time.
    """
    with cache.build_folder() as folder:
        with cache.writing():
            for file in (*sources, harness):
                (folder / file.path).write_text(file.text, encoding="utf-8")
        seconds, size = _compile([file for file in sources if file.path.endswith(".c")], folder, standard, timeout_s)

        def code(library: ctypes.CDLL) -> TimedCode:
            return TimedCode(library, states, output_size, work_size, seconds, size)

        placed = [ctypes.CDLL(str(path)) for path in _copies(folder / _product("timed"))]
        return code(min(placed, key=lambda library: code(library).one_round()))


def _compile(sources: Sequence[SourceFile], folder: Path, standard: bool, timeout_s: float) -> tuple[float, int]:
    compiler = find_compiler()
    names = [file.path for file in sources]
    size = sum(len(file.text) for file in sources)
    flags = function_flags(compiler, text_bytes=size, exported=True, foreign=not standard)
    objects = [object_name(compiler, name) for name in names]
    commands = [
        Command(compile_command(compiler, flags, name, made), folder) for name, made in zip(names, objects, strict=True)
    ]
    begin = time.perf_counter()
    _run(commands, timeout_s)
    seconds = time.perf_counter() - begin
    code, timed = (_product(name) for name in ("code", "timed"))
    exports = compiler.system == "win32"
    with cache.writing():
        (folder / EXPORTS).write_text(exports_text([TIMING_FUNCTION]), encoding="utf-8")
    _run([Command(link_command(compiler, code, objects, extension=False), folder)])
    link = link_command(compiler, timed, [FILE_NAME, *objects], extension=False, flags=flags, exports=exports)
    _run([Command(link, folder)])
    for product in (code, timed):
        if not (folder / product).is_file():
            raise ToolchainError(
                f"{compiler.command[0]} made nothing, but said that all is well; install another compiler"
            )
    return seconds, text_bytes(folder / code)


def _copies(library: Path) -> list[Path]:
    """The library and copies of it, which lie in other pages of memory."""
    copies = [library.with_stem(f"{library.stem}_{number}") for number in range(1, _PLACES)]
    for copy in copies:
        shutil.copyfile(library, copy)
    return [library, *copies]


def _product(name: str) -> str:
    return f"{name}{shared_suffix(sys.platform, extension=False)}"


def _run(commands: Sequence[Command], timeout_s: float = _TIMEOUT_S) -> None:
    for outcome in run_commands(commands, timeout=timeout_s, workers=os.cpu_count() or 1):
        if outcome.code != 0:
            raise InternalError(f"{' '.join(outcome.command.arguments)} failed: {outcome.output[:500]}")


class TimedCode(BatchTimer):
    """A compiled function with its harness, loaded, and the memory that it works on.

    ``states`` are (states, scalars of all inputs), of the scalars of the function. ``compile_seconds`` is wall-clock
    time, ``text_bytes`` counts machine code and constants. Times are of the thread's processor.
    """

    def __init__(
        self,
        library: ctypes.CDLL,
        states: NDArray[Any],
        output_size: int,
        work_size: int,
        compile_seconds: float = 0.0,
        text_bytes: int = 0,
    ) -> None:
        super().__init__(self._batches, len(states))
        self.compile_seconds, self.text_bytes = compile_seconds, text_bytes
        self._call = getattr(library, TIMING_FUNCTION)
        self._call.restype = ctypes.c_double
        self._states = np.ascontiguousarray(states)
        self._output, self._work = np.zeros(output_size, states.dtype), np.zeros(max(work_size, 1), states.dtype)

    def one_round(self) -> float:
        """Nanoseconds per call of one round of the states, the least of two."""
        return min(self._run(len(self._states), self._states) for _ in range(2))

    def outputs(self) -> NDArray[Any]:
        """The results at each state, (states, outputs)."""
        found = np.empty((len(self._states), len(self._output)), self._output.dtype)
        for row in range(len(self._states)):
            self._run(1, self._states[row : row + 1])
            found[row] = self._output
        return found

    def _batches(self, calls: int, batches: int) -> list[float]:
        self._run(calls, self._states)
        return [self._run(calls, self._states) for _ in range(batches)]

    def _run(self, calls: int, states: NDArray[Any]) -> float:
        arrays = [ctypes.c_void_p(array.ctypes.data) for array in (states, self._output, self._work)]
        return float(self._call(ctypes.c_size_t(calls), ctypes.c_size_t(len(states)), *arrays))
