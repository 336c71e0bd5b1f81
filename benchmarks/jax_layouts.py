"""Layouts of the Python targets: seconds until the first result, one state, and states in batches.

usage: python benchmarks/jax_layouts.py [--target jax python] [--robot NAME ...] [--function NAME ...] [--csv FILE]

The rules of ``symdyn/tracing/layout.py`` for NumPy and JAX rest on these figures. Every row is measured in a process of
its own, which is given up after ``PATIENCE_S``. The first result of JAX includes tracing and XLA's compiler. One state
and batches are the least of several rounds, JAX with ``jit`` on the CPU and one thread. All times are processor time.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import resource
import signal
import subprocess
import sys
import timeit
import warnings
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

ROBOTS = ("double_pendulum", "seven_dof_arm", "canadarm", "quadruped", "tree_of_31")
FUNCTIONS = (
    "mass_matrix",
    "inverse_dynamics",
    "forward_dynamics",
    "inverse_dynamics_partials",
    "inverse_dynamics_time_derivatives",
)
LAYOUTS = ("unrolled", "split", "rolled")
ORDER, STATES, ROUNDS = 3, 1000, 5
PATIENCE_S = 90
COLUMNS = ("target", "robot", "function", "layout", "operations", "first_s", "single_us", "batch_us")
WIDTHS = (8, 18, 36, 10, 12, 10, 12, 10)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--target", nargs="+", default=["jax", "python"])
    parser.add_argument("--robot", nargs="+", default=list(ROBOTS))
    parser.add_argument("--function", nargs="+", default=list(FUNCTIONS))
    parser.add_argument("--csv", type=Path, metavar="FILE", help="also write the figures there")
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one is not None:
        print(json.dumps(measured(*asked.one)))
        return 0
    rows = []
    _show(COLUMNS)
    for target in asked.target:
        for robot in asked.robot:
            for function in asked.function:
                for layout in LAYOUTS:
                    rows.append((target, robot, function, layout, *_apart(target, robot, function, layout)))
                    _show(rows[-1])
    if asked.csv is not None:
        with asked.csv.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])
    return 0


def _show(cells: tuple[str, ...]) -> None:
    print("".join(f"{cell:>{width}}" for cell, width in zip(cells, WIDTHS, strict=True)), flush=True)


def _apart(*asked: str) -> tuple[str, ...]:
    """What a process of its own measures; dashes where it took too long."""
    flags = "--xla_cpu_multi_thread_eigen=false"
    environment = os.environ | {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": flags, "JAX_ENABLE_X64": "1"}
    command = [sys.executable, __file__, "--one", *asked]
    told = subprocess.run(command, capture_output=True, text=True, env=environment)
    if told.returncode == -signal.SIGXCPU:
        return ("-", f">{PATIENCE_S}", "-", "-")
    if told.returncode:
        raise RuntimeError(told.stderr)
    operations, first, single, batch = json.loads(told.stdout)
    return (str(operations), f"{first:.2f}", f"{single:.2f}", f"{batch:.3f}")


def measured(target: str, name: str, function: str, layout: str) -> tuple[int, float, float, float]:
    """Operations, seconds to the first result, microseconds of one state and of a state in a batch."""
    import symdyn
    from symdyn.compiler.tape.tape import operation_total

    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE_S, PATIENCE_S + 10))
    if name == "tree_of_31":
        robot = symdyn.load_example("aerial_tree", bodies_per_branch=6)
    else:
        robot = symdyn.load_example(name)
    order = ORDER if function.endswith("_time_derivatives") else 0
    (program,) = symdyn.api.programs(robot, [function], layout=layout, target=target, order=order)
    module = symdyn.compile(robot, [function], layout=layout, target=target, order=order)
    call: Any = getattr(module, function)
    rng = np.random.default_rng(1)
    batch = [_states(robot, argument.shape, argument.name, rng) for argument in program.signature.inputs]
    single = [values[0] for values in batch]
    ready: Any = list
    if target == "jax":
        import jax

        call, ready = jax.jit(call), jax.block_until_ready
        batch, single = jax.device_put(batch), jax.device_put(single)
    start = process_time()
    ready(call(*single))
    first = process_time() - start
    ready(call(*batch))
    return (
        operation_total(program.counts()),
        first,
        _microseconds(lambda: ready(call(*single))),
        _microseconds(lambda: ready(call(*batch))) / STATES,
    )


def _states(robot: Any, shape: tuple[int, ...], name: str, rng: np.random.Generator) -> np.ndarray[Any, Any]:
    if name == "q":
        return np.stack([robot.random_state(rng)[0] for _ in range(STATES)])
    return rng.standard_normal((STATES, *shape))


def _microseconds(call: Any) -> float:
    timer = timeit.Timer(call, timer=process_time)
    once = timer.timeit(1)
    number = max(1, int(0.1 / max(once, 1e-6)))
    return 1e6 * min(timer.repeat(ROUNDS, number)) / number


if __name__ == "__main__":
    raise SystemExit(main())
