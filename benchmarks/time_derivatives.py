"""Time derivatives beside their strongest rivals, and how time and code grow with a tree.

usage: python benchmarks/time_derivatives.py [--function NAME] [--orders N ...] [--layouts NAME ...]
                                             [--bodies N ...] [--tree-orders N ...] [--tree-layouts NAME ...]

Subjects take turns within one run: thread CPU time per call from inside C, one core, the same compiler flags.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from functools import partial

import numpy as np
from peers.plain_series import plain_series_code
from peers.targets import (
    PAPER,
    STRONGEST,
    TIME_DERIVATIVES,
    TREE_COMPILE_S,
    TREE_KILOBYTES,
    TREE_MICROSECONDS,
    TWO_ARMS,
    Target,
)
from peers.timed_codes import Contender, prepare, time_derivatives_task, time_in_turn

import symdyn
from symdyn.analysis.compare.casadi_rivals import differentiated_code, graph_code, plain_graph, recursion_graph
from symdyn.analysis.compare.contestants import symdyn_code
from symdyn.analysis.compare.measurement import Code
from symdyn.analysis.compare.task import DYNAMICS, Task
from symdyn.tracing.layout import IN_LANES, LAYOUTS

ROBOT = "aerial_manipulator"
BRANCHES = 5
TARGET_BODIES = 101


def main() -> int:
    """Measure and print; fails where results differ."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--function", choices=DYNAMICS, default=DYNAMICS[0])
    parser.add_argument("--orders", nargs="*", type=int, default=[0, 1, 2, 3, 4, 5], metavar="N")
    parser.add_argument("--layouts", nargs="+", choices=LAYOUTS, default=LAYOUTS[1:], metavar="NAME")
    parser.add_argument("--bodies", nargs="*", type=int, default=[11, 51, 101], metavar="N", help="of a tree")
    parser.add_argument("--tree-orders", nargs="+", type=int, default=[5], metavar="N")
    parser.add_argument("--tree-layouts", nargs="+", choices=LAYOUTS, default=["rolled", "auto"], metavar="NAME")
    asked = parser.parse_args()
    if asked.orders:
        beside_rivals(asked.function, asked.orders, asked.layouts)
    for order in asked.tree_orders if asked.bodies else ():
        over_bodies(asked.function, asked.bodies, order, asked.tree_layouts)
    return 0


def beside_rivals(dynamics: str, orders: Sequence[int], layouts: Sequence[str]) -> None:
    """Time of the rivals in terms of our fastest layout."""
    robot = symdyn.load_example(ROBOT)
    print(f"{dynamics}_time_derivatives of {ROBOT}: ns per call; ratios are to symdyn's fastest layout")
    print(f"{'r':>2}" + "".join(f"{layout:>13}" for layout in layouts) + f"{PAPER:>22}{STRONGEST:>18}  ratios")
    found: dict[str, list[float]] = {"symdyn": [], PAPER: [], STRONGEST: []}
    for order in orders:
        task = time_derivatives_task(robot, dynamics, order)
        ours = [prepare(layout, partial(symdyn_code, task, layout), task.states) for layout in layouts]
        makers = {PAPER: _recursion_of_all_orders, STRONGEST: _differentiated_recursion}
        rivals = [prepare(name, partial(make, task), task.states) for name, make in makers.items()]
        time_in_turn([*ours, *rivals])
        fastest = min(contender.nanoseconds for contender in ours)
        found["symdyn"].append(fastest)
        verdicts = []
        for rival in rivals:
            found[rival.name].append(rival.nanoseconds)
            target = TIME_DERIVATIVES.get((dynamics, rival.name), {}).get(order)
            verdicts.append(_verdict(target, rival.nanoseconds / fastest, "x "))
        times = "".join(f"{contender.nanoseconds:13.0f}" for contender in ours)
        print(f"{order:2}{times}{rivals[0].nanoseconds:22.0f}{rivals[1].nanoseconds:18.0f}  {', '.join(verdicts)}")
        scalar, laned = (
            [each.nanoseconds for each in ours if each.name.endswith(IN_LANES) is lanes] for lanes in (False, True)
        )
        if scalar and laned:
            target = TWO_ARMS if dynamics == DYNAMICS[0] else None
            print(f"{'':2}two arms in lanes: {_verdict(target, min(scalar) / min(laned), 'x ')} without")
        print(f"{'':2}" + "; ".join(_code(contender) for contender in (*ours, *rivals)), flush=True)
    if len(orders) > 2:
        for name, times in found.items():
            print(f"{name}: time grows like (r + 1)^{_slope([order + 1 for order in orders], times):.2f}")


def _recursion_of_all_orders(task: Task) -> Code:
    """The paper's spatial recursions (its Algorithm 3 for forward dynamics) as CasADi SX with cse."""
    return graph_code(task, recursion_graph(task), share=True)


def _differentiated_recursion(task: Task) -> Code:
    """Featherstone's recursion of order 0 in body frames, then CasADi's jtimes and cse once per order."""
    return differentiated_code(task, plain_graph(task), share=True)


def over_bodies(dynamics: str, bodies: Sequence[int], order: int, layouts: Sequence[str]) -> None:
    """Time and code over the number of bodies of a tree of five branches."""
    print(f"{dynamics}_time_derivatives, r = {order}, trees of {BRANCHES} branches: time per call, code and constants")
    times: dict[str, list[float]] = {layout: [] for layout in layouts}
    for count in bodies:
        robot = symdyn.load_example("aerial_tree", bodies_per_branch=(count - 1) // BRANCHES, branches=BRANCHES)
        task = time_derivatives_task(robot, dynamics, order)
        made = [prepare(layout, partial(symdyn_code, task, layout), task.states) for layout in layouts]
        yardstick = []
        if dynamics == DYNAMICS[0]:
            yardstick = [prepare("yardstick", partial(plain_series_code, task), task.states)]
        time_in_turn([*made, *yardstick])
        for contender in made:
            times[contender.name].append(contender.nanoseconds)
            print(_tree_row(contender, dynamics, count, order), flush=True)
            for other in yardstick:
                part = contender.nanoseconds / other.nanoseconds
                print(f"{'':14}{part:.3f} of peers/plain_series.c, {other.nanoseconds / 1e3:.3g} us", flush=True)
    for name, row in times.items():
        if len(bodies) > 1:
            print(f"{name}: time grows like N^{_slope(bodies, row):.2f}")


def _tree_row(contender: Contender, dynamics: str, bodies: int, order: int) -> str:
    aimed = bodies == TARGET_BODIES and dynamics == DYNAMICS[0]
    figures = (
        ("us", TREE_MICROSECONDS.get(order), contender.nanoseconds / 1e3),
        ("kB", TREE_KILOBYTES.get(order), contender.timed.text_bytes / 1e3),
        ("s of gcc", TREE_COMPILE_S, contender.compile_s),
    )
    cells = [_verdict(target if aimed else None, value, f"{unit} ") for unit, target, value in figures]
    return f"{bodies:5} bodies  {contender.name:13}{contender.operations:9} ops  " + "  ".join(cells)


def _verdict(target: Target | None, value: float, what: str) -> str:
    return f"{what}{value:.3g}" if target is None else target.verdict(value, what)


def _code(contender: Contender) -> str:
    return (
        f"{contender.name}: {contender.operations} ops, {contender.timed.text_bytes} bytes, "
        f"{contender.generation_s:.1f} + {contender.compile_s:.1f} s"
    )


def _slope(x: Sequence[float], y: Sequence[float]) -> float:
    return float(np.polyfit([math.log(value) for value in x], [math.log(value) for value in y], 1)[0])


if __name__ == "__main__":
    raise SystemExit(main())
