"""What a call from Python costs above the C that it reaches: one state, and a batch of 100000.

usage: python benchmarks/python_call.py [robot ...]
"""

from __future__ import annotations

import os
import statistics
import sys
import time
import timeit
import warnings
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pinocchio as pin
from peers.comparison import task_of
from peers.measure import HEADER, ROUNDS
from peers.robots import ROBOTS, pinocchio_model, random_states, symdyn_robot
from peers.timed_codes import prepare, time_in_turn

import symdyn
from symdyn.analysis.compare.contestants import symdyn_code

BATCH = 100_000
STATEMENTS = {
    "one call": ("f(q, v, a)", 20_000, 1),
    "with out=": ("f(q, v, a, out=tau)", 20_000, 1),
    "pin.rnea": ("rnea(model, data, pq, pv, pa)", 5_000, 1),
    "batch": ("f(Q, V, A, out=T)", 1, BATCH),
}
"""Column: statement, calls per batch, states per call."""


def main(names: list[str]) -> int:
    """Measure and print."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(f"{HEADER}, for the C column; ns of thread CPU time per state, one core, median of batches")
    print(f"{'robot':20}{'C':>9}" + "".join(f"{column:>11}" for column in STATEMENTS) + f"{'batch/C':>9}")
    for name in names or ["ur5", "panda7", "talos_reduced"]:
        robot, model = symdyn_robot(ROBOTS[name]), pinocchio_model(ROBOTS[name])
        states = random_states(robot, model)
        values: dict[str, Any] = {"model": model, "data": model.createData(), "rnea": pin.rnea}
        values["f"] = symdyn.compile(robot, ["inverse_dynamics"], layout="unrolled").inverse_dynamics
        values |= zip("qva", _split(states.symdyn[0], robot.nq, robot.nv), strict=True)
        values |= zip(("pq", "pv", "pa"), _split(states.pinocchio[0], model.nq, model.nv), strict=True)
        rows = states.symdyn[np.arange(BATCH) % len(states.symdyn)]
        values |= zip("QVA", _split(rows, robot.nq, robot.nv), strict=True)
        values |= {"tau": np.empty(robot.nv), "T": np.empty((BATCH, robot.nv))}
        times: dict[str, list[float]] = {column: [] for column in STATEMENTS}
        task = task_of(robot, states)
        subject = prepare("unrolled", partial(symdyn_code, task, "unrolled"), task.states)
        for _ in range(ROUNDS):  # turn by turn, so that a slow minute of the machine slows all alike
            time_in_turn([subject], rounds=1)
            for column, (statement, calls, count) in STATEMENTS.items():
                times[column].append(_nanoseconds(statement, values, calls) / count)
        medians = [statistics.median(column) for column in times.values()]
        row = "".join(f"{median:11.1f}" for median in medians)
        print(f"{name:20}{subject.nanoseconds:9.1f}{row}{medians[-1] / subject.nanoseconds:9.2f}", flush=True)
    return 0


def _nanoseconds(statement: str, values: Mapping[str, Any], calls: int, batches: int = 9) -> float:
    """Median over batches of one execution, without the cost of the loop around it."""
    timed, empty = (
        statistics.median(
            timeit.Timer(text, globals=dict(values), timer=time.thread_time).repeat(repeat=batches, number=calls)
        )
        for text in (statement, "pass")
    )
    return 1e9 * (timed - empty) / calls


def _split(rows: Any, nq: int, nv: int) -> list[Any]:
    return [np.ascontiguousarray(part) for part in (rows[..., :nq], rows[..., nq : nq + nv], rows[..., nq + nv :])]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    raise SystemExit(main(sys.argv[1:]))
