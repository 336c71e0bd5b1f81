"""What a call from Python costs above the C that it reaches: one state, and a batch of 100000.

usage: python benchmarks/python_call.py [robot ...]
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
from peers.measure import FLAGS, symdyn_subject, time_subjects
from peers.robots import ROBOTS, pinocchio_model, random_states, symdyn_robot

import symdyn

BATCH = 100_000


def nanoseconds(call: Callable[[], Any], calls: int, batches: int = 31) -> float:
    """Median over batches of the thread CPU time of one call, without the cost of the loop."""
    empty = _batches(lambda: None, calls, batches)
    return _batches(call, calls, batches) - empty


def _batches(call: Callable[[], Any], calls: int, batches: int) -> float:
    times = []
    for _ in range(batches):
        start = time.thread_time_ns()
        for _ in range(calls):
            call()
        times.append((time.thread_time_ns() - start) / calls)
    return statistics.median(times)


def main(names: list[str]) -> int:
    """Measure and print."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(f"gcc {' '.join(FLAGS)} for the C column; ns of thread CPU time per state, one core, median of batches")
    print(f"{'robot':20}{'C':>9}{'one call':>10}{'with out=':>11}{'pin.rnea':>10}{'batch':>9}{'batch/C':>9}")
    for name in names or ["ur5", "panda7", "talos_reduced"]:
        robot, model = symdyn_robot(ROBOTS[name]), pinocchio_model(ROBOTS[name])
        states = random_states(robot, model)
        with tempfile.TemporaryDirectory() as made:
            subject = symdyn_subject(robot, "unrolled", states, Path(made))
            time_subjects([subject], Path(made))
        function = symdyn.compile(robot, ["inverse_dynamics"], layout="unrolled").inverse_dynamics
        q, v, a = _split(states.symdyn[0], robot.nq, robot.nv)
        out = np.empty(robot.nv)
        single = nanoseconds(lambda f=function, x=(q, v, a): f(*x), 20_000)
        reused = nanoseconds(lambda f=function, x=(q, v, a), o=out: f(*x, out=o), 20_000)
        data, x = model.createData(), _split(states.pinocchio[0], model.nq, model.nv)
        peer = nanoseconds(lambda m=model, d=data, x=x: pin.rnea(m, d, *x), 5_000)
        rows = states.symdyn[np.arange(BATCH) % len(states.symdyn)]
        many, results = _split(rows, robot.nq, robot.nv), np.empty((BATCH, robot.nv))
        batch = nanoseconds(lambda f=function, x=many, o=results: f(*x, out=o), 1, 9) / BATCH
        print(
            f"{name:20}{subject.nanoseconds:9.1f}{single:10.1f}{reused:11.1f}{peer:10.1f}{batch:9.1f}"
            f"{batch / subject.nanoseconds:9.2f}",
            flush=True,
        )
    return 0


def _split(rows: Any, nq: int, nv: int) -> tuple[Any, Any, Any]:
    parts = rows[..., :nq], rows[..., nq : nq + nv], rows[..., nq + nv :]
    return tuple(np.ascontiguousarray(part) for part in parts)  # type: ignore[return-value]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    raise SystemExit(main(sys.argv[1:]))
