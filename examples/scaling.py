"""How do time derivatives scale with the number of bodies and the order? Rolled C against CasADi's differentiation.

The tree is the five-branch aerial manipulator of Ali et al. (2026), table 4, and the plot is their figure 4: small by
default, the whole of it with --full (a quarter of an hour). Needs the extra `plot` and a C compiler.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

import matplotlib
import numpy as np

import symdyn
from symdyn.compare.casadi_rivals import differentiated_code, plain_graph
from symdyn.compare.measurement import Figures, measure_code
from symdyn.compare.symdyn_code import symdyn_code
from symdyn.compare.task import Task, find_subject

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import LogLocator

BRANCHES, STATES = 5, 4
FUNCTIONS = ("inverse_dynamics", "forward_dynamics")
Times = dict[tuple[int, int], float]  # (bodies, order): us per call


def make_task(function: str, bodies: int, order: int) -> Task:
    """A point of the figure: slow random states."""
    robot = symdyn.load_example("aerial_tree", branches=BRANCHES, bodies_per_branch=(bodies - 1) // BRANCHES)
    rng = np.random.default_rng(bodies)
    q = [robot.random_state(rng)[0] for _ in range(STATES)]
    states = np.hstack([q, 0.1 * rng.standard_normal((STATES, (order + 2) * robot.nv))])
    return Task(robot, find_subject(function, with_orders=True), order, states)


def spent(figures: Figures) -> float:
    """Seconds until the code was ready."""
    return figures.generation_s + (figures.compile_s or 0.0)


def our_times(function: str, sizes: list[int], orders: range) -> Times:
    """One row per number of bodies."""
    times: Times = {}
    for bodies in sizes:
        for order in orders:
            task = make_task(function, bodies, order)
            times[bodies, order] = measure_code(partial(symdyn_code, task, "rolled"), task.states).nanoseconds / 1e3
        print(f"{bodies:6} " + "".join(f"{times[bodies, order]:10.2f}" for order in orders), flush=True)
    return times


def rival_times(function: str, bodies: int, orders: range, budget: float) -> Times:
    """CasADi's jtimes and cse of a plain recursion, order by order while code is ready within the budget [s]."""
    times: Times = {}
    for order in orders:
        task = make_task(function, bodies, order)
        figures = measure_code(lambda task=task: differentiated_code(task, plain_graph(task), True), task.states)
        times[bodies, order] = figures.nanoseconds / 1e3
        if 3 * spent(figures) > budget:  # the next order takes about three times as long
            break
    print(f"CasADi {bodies:4} bodies: " + "".join(f"{time:10.2f}" for time in times.values()), flush=True)
    return times


def exponent(places: list[int], times: list[float]) -> float:
    """The power p of the best fit times ~ places^p."""
    return float(np.polyfit(np.log(places), np.log(times), 1)[0])


def draw(axes: np.ndarray, function: str, times: Times, rivals: Times, sizes: list[int], orders: range) -> None:
    """Against the number of bodies on the left, against the order on the right."""
    left, right = axes
    colours = plt.get_cmap("viridis")(np.linspace(0.0, 0.9, max(len(sizes), len(orders))))
    for order, colour in zip(orders, colours, strict=False):
        left.plot(sizes, [times[bodies, order] for bodies in sizes], "o-", ms=3, color=colour, label=f"r = {order}")
    for bodies, colour in zip(sizes, colours, strict=False):
        right.plot(
            [k + 1 for k in orders], [times[bodies, k] for k in orders], "o-", ms=3, color=colour, label=f"N = {bodies}"
        )
        found = [order for order in orders if (bodies, order) in rivals]
        if found:
            label = f"CasADi, N = {bodies}"
            right.plot([k + 1 for k in found], [rivals[bodies, k] for k in found], "x--", color=colour, label=label)
    steps = [step for step in (1, 2, 3, 4, 6, 8, 11) if step <= len(orders)]
    for own, ticks, label in ((left, sizes, "bodies N"), (right, steps, "order r + 1")):
        own.set(xscale="log", yscale="log", xlabel=label, title=function.replace("_", " "))
        own.set_xticks(ticks, [str(tick) for tick in ticks])
        own.minorticks_off()
        own.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        own.yaxis.set_major_formatter("{x:g}")
        own.grid(alpha=0.3)
        own.legend(fontsize=7, frameon=False, ncols=2)
    left.set_ylabel("time per call [us]")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="N up to 1001 and r up to 10")
    parser.add_argument("--out", type=Path, default=Path("scaling.png"), help="the plot")
    chosen = parser.parse_args()
    sizes, orders = ([11, 51, 101, 501, 1001], range(11)) if chosen.full else ([11, 51, 101], range(4))
    figure, axes = plt.subplots(2, 2, figsize=(10, 8), layout="constrained")
    for row, function in zip(axes, FUNCTIONS, strict=True):
        print(f"{function}, us per call\nbodies " + "".join(f"{'r = ' + str(order):>10}" for order in orders))
        times = our_times(function, sizes, orders)
        rivals = {}
        for bodies, budget in ((11, 60.0), (101, 60.0)) if chosen.full else ((11, 6.0),):
            rivals |= rival_times(function, bodies, orders, budget)
        large = sizes[1:]  # of the smallest tree half of the bodies are leaves, which cost less
        in_bodies = [exponent(large, [times[bodies, order] for bodies in large]) for order in orders]
        in_order = [exponent([k + 1 for k in orders], [times[bodies, k] for k in orders]) for bodies in sizes]
        print(f"time ~ N^p, N >= {large[0]}, p per order: " + " ".join(f"{p:.2f}" for p in in_bodies))
        print("time ~ (r + 1)^p, p per size:    " + " ".join(f"{p:.2f}" for p in in_order))
        draw(row, function, times, rivals, sizes, orders)
    figure.savefig(chosen.out, dpi=110)
    print(f"wrote {chosen.out}")


if __name__ == "__main__":
    main()
