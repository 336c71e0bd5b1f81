"""C of any origin with the flags of a generated module, timed turn by turn on one core."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from peers.measure import LEAST_CALLS, children_seconds, run_subject
from peers.measure import Subject as Program

import symdyn
from symdyn.analysis.compare.measurement import Code
from symdyn.analysis.compare.task import Kind, Subject, Task
from symdyn.toolchain.timing import BatchTimer, TimedCode, in_turn, load_timed

ROUNDS = 9
BATCHES = 7
STATES = 32

Array = NDArray[np.float64]


@dataclass(slots=True)
class Contender:
    """Compiled code with what is known of it; seconds are of processor time, the compiler's with linking."""

    name: str
    operations: int
    generation_s: float
    compile_s: float
    timed: TimedCode
    runs: list[float] = field(default_factory=list)

    @property
    def nanoseconds(self) -> float:
        """Median over the rounds of the median batch, thread CPU time."""
        return statistics.median(self.runs)

    @property
    def text_bytes(self) -> int:
        """Machine code and constants."""
        return self.timed.text_bytes

    @property
    def undisturbed(self) -> float:
        """The least of the rounds' median batches: what others on the machine disturbed least."""
        return min(self.runs)


def prepare(name: str, make: Callable[[], Code], states: Array, limit_s: float | None = None) -> Contender:
    """Make and compile code for states (states, scalars of all inputs).

    Raises
    ------
    InternalError
        The compiler fails, or takes more than ``limit_s`` seconds of the wall clock for one source.
    """
    begin, before = time.process_time(), children_seconds()
    code = make()
    seconds = time.process_time() - begin
    limit = {} if limit_s is None else {"timeout_s": limit_s}
    timed = load_timed(
        code.sources, code.harness, states, code.output_size, code.work_size, standard=code.standard, **limit
    )
    return Contender(name, code.operations, seconds, children_seconds() - before, timed)


def time_in_turn(contenders: Sequence[Contender], rounds: int = ROUNDS) -> None:
    """Every round times each once, so that a slow moment of the machine slows all alike; fails where results differ."""
    for contender, runs in zip(contenders, in_turn([own.timed for own in contenders], rounds, BATCHES), strict=True):
        contender.runs += runs
    expected = contenders[0].timed.outputs()
    for contender in contenders[1:]:
        error = np.abs(contender.timed.outputs() - expected).max() / np.abs(expected).max()
        if not error < 1e-9:
            raise SystemExit(f"{contender.name} differs from {contenders[0].name} by {error:.1e} of the largest result")


def time_with_programs(
    contenders: Sequence[Contender], programs: Sequence[Program], rounds: int, batches: int = BATCHES
) -> None:
    """Every round times each code and each program of a peer once; programs leave their results too."""
    with tempfile.TemporaryDirectory() as made:
        timers = [BatchTimer(partial(run_subject, program, Path(made)), LEAST_CALLS) for program in programs]
        runs = in_turn([*(own.timed for own in contenders), *timers], rounds, batches)
    for own, found in zip((*contenders, *programs), runs, strict=True):
        own.runs += found


def time_derivatives_task(robot: symdyn.Robot, dynamics: str, order: int, seed: int = 0) -> Task:
    """Random states of a time derivative's inputs: q, then rows of nv."""
    rng = np.random.default_rng(seed)
    rest = rng.uniform(-1.0, 1.0, (STATES, (order + 2) * robot.nv))
    q = np.array([robot.random_state(rng)[0] for _ in range(STATES)])
    return Task(robot, Subject(dynamics, Kind.TIME), order, np.hstack([q, rest]))
