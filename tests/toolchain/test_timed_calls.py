"""The one rule by which calls are timed: batches long enough, their median, and contenders in turn on one core."""

from __future__ import annotations

import os

import numpy as np
import pytest

from symdyn.compiler.emit.source import SourceFile
from symdyn.compiler.emit.timing import call_harness
from symdyn.toolchain.timing import BatchTimer, TimedCode, in_turn, load_timed


class Clock:
    """Pretends that a call takes so long, and notes how it was asked."""

    def __init__(self, nanoseconds: float, log: list[str], name: str = "") -> None:
        self.nanoseconds, self.log, self.name = nanoseconds, log, name
        self.asked: list[tuple[int, int]] = []

    def __call__(self, calls: int, batches: int) -> list[float]:
        self.asked.append((calls, batches))
        self.log.append(self.name)
        return [self.nanoseconds * factor for factor in range(1, batches + 1)]


def test_batches_are_filled_and_their_median_is_taken() -> None:
    clock = Clock(100.0, [])
    timer = BatchTimer(clock, least_calls=8, seconds=1e-3)
    assert timer.median(5) == 300.0
    assert timer.median(3) == 200.0
    assert clock.asked == [(8, 1), (10_000, 5), (10_000, 3)]  # the size is found once


def test_a_batch_has_its_least_calls() -> None:
    clock = Clock(1e9, [])
    BatchTimer(clock, least_calls=8, seconds=1e-3).median(1)
    assert clock.asked == [(8, 1), (8, 1)]


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="processors cannot be chosen on this system")
def test_contenders_take_turns_on_one_core() -> None:
    log: list[str] = []
    cores: list[int] = []

    def first(calls: int, batches: int) -> list[float]:
        cores.append(len(os.sched_getaffinity(0)))
        log.append("a")
        return [5.0] * batches

    before = os.sched_getaffinity(0)
    runs = in_turn([BatchTimer(first, 1), BatchTimer(Clock(7.0, log, "b"), 1)], rounds=3, batches=1)
    assert runs == [[5.0] * 3, [7.0] * 3]
    assert "".join(log) == "aabbabab"  # each is sized before it is first timed
    assert set(cores) == {1} and os.sched_getaffinity(0) == before


SOURCE = """
void add(const float *x, float *out, float *work);
void add(const float *x, float *out, float *work) { work[0] += 1; out[0] = x[0] + x[1]; out[1] = work[0]; }
"""


@pytest.mark.needs_cc
def test_calls_of_floats_are_timed_and_give_their_results() -> None:
    harness = call_harness("void add(const float *, float *, float *);", "add(x, out, work);", 2, "float")
    states = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
    timed = load_timed([SourceFile("add.c", SOURCE)], harness, states, output_size=2, work_size=1)
    assert isinstance(timed, TimedCode) and isinstance(timed, BatchTimer)
    found = timed.outputs()
    assert found.dtype == np.float32 and found.tolist() == [[3.0, 1.0], [7.0, 2.0]]
    assert timed.median(3) > 0.0
    assert timed.outputs()[0, 1] > 3 * 2 + 2  # sized, warmed up and timed: at least two calls each
