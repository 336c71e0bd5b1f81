"""Time derivatives beside their strongest rivals: the ratios that symdyn promises, and how time grows.

usage: python benchmarks/time_derivatives.py [--function NAME] [--orders N ...] [--bodies N ...]

One run, one machine, the same compiler flags; thread CPU time per call from inside C.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence

import numpy as np

import symdyn
from symdyn.api import compare
from symdyn.compare.measurement import measure_code
from symdyn.compare.symdyn_code import symdyn_code
from symdyn.compare.task import DYNAMICS, Kind, Subject, Task

ROBOT = "aerial_manipulator"
BRANCHES = 5
BUDGET_S = 300.0
PAPER, STRONGEST = "casadi-recursion-cse", "casadi-plain-cse"
PROMISED = {
    (PAPER, 3): ("at least", 8.0),
    (PAPER, 5): ("at least", 12.0),
    (STRONGEST, 3): ("at least", 1 / 0.5),
    (STRONGEST, 5): ("at least", 1 / 0.45),
}
"""How many times as long rivals of inverse dynamics take."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--function", choices=DYNAMICS, default=DYNAMICS[0])
    parser.add_argument("--orders", nargs="+", type=int, default=[0, 1, 2, 3, 4, 5], metavar="N")
    parser.add_argument("--bodies", nargs="*", type=int, default=[11, 51, 101], metavar="N", help="of a tree")
    asked = parser.parse_args()
    beside_rivals(asked.function, asked.orders)
    if asked.bodies:
        over_bodies(asked.function, asked.bodies, max(asked.orders))


def beside_rivals(function: str, orders: Sequence[int]) -> None:
    """Time of the rivals in terms of ours."""
    found = compare(symdyn.load_example(ROBOT), function, orders, [PAPER, STRONGEST], BUDGET_S)
    print(f"{found.function} of {ROBOT}: ns per call, and how many times as long the rivals take")
    print(f"{'r':>2}{'symdyn':>10}" + "".join(f"{name:>36}" for name in (PAPER, STRONGEST)))
    for order in found.orders:
        ours = found.point("symdyn", order).figures
        assert ours is not None
        line = f"{order:2}{ours.nanoseconds:10.0f}"
        for name in (PAPER, STRONGEST):
            point = found.point(name, order)
            if point.figures is None:
                line += f"{point.missing:>36}"
                continue
            ratio = point.figures.nanoseconds / ours.nanoseconds
            line += f"{point.figures.nanoseconds:10.0f}{ratio:7.1f} x{_verdict(function, name, order, ratio):>17}"
        print(line)
    for name in ("symdyn", PAPER, STRONGEST):
        growth = found.growth(name)
        if growth is not None:
            print(f"{name}: time grows like (r + 1)^{growth:.2f}")


def _verdict(function: str, name: str, order: int, ratio: float) -> str:
    promise = PROMISED.get((name, order)) if function == DYNAMICS[0] else None
    if promise is None:
        return ""
    return f"{'kept' if ratio >= promise[1] else 'MISSED'} ({promise[1]:.1f} x)"


def over_bodies(function: str, bodies: Sequence[int], order: int) -> None:
    """Time over the number of bodies of a tree, rolled."""
    times = []
    for count in bodies:
        robot = symdyn.load_example("aerial_tree", bodies_per_branch=(count - 1) // BRANCHES, branches=BRANCHES)
        rng = np.random.default_rng(0)
        width = (order + 2) * robot.nv
        states = np.array([np.concatenate([robot.random_state(rng)[0], rng.uniform(-1, 1, width)]) for _ in range(16)])
        task = Task(robot, Subject(function, Kind.TIME), order, states)
        figures = measure_code(lambda task=task: symdyn_code(task, "rolled"), states)  # type: ignore[misc]
        times.append(figures.nanoseconds)
        print(
            f"{count:5} bodies, r = {order}, rolled: {figures.nanoseconds:9.0f} ns, {figures.c_bytes} bytes, "
            f"{figures.generation_s:.1f} s to generate, {figures.compile_s:.1f} s to compile"
        )
    if len(bodies) > 1:
        slope = np.polyfit([math.log(count) for count in bodies], [math.log(time) for time in times], 1)[0]
        print(f"time grows like N^{slope:.2f}")


if __name__ == "__main__":
    main()
