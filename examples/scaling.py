"""How do time derivatives scale with the number of bodies and the order? Rolled C against CasADi's differentiation.

The tree is the five-branch aerial manipulator of Ali et al. (2026), table 4, and the plot is their figure 4. By default
it is a small part, with --full the whole figure (a quarter of an hour). Needs the extra `plot` and a C compiler. --csv
writes the times too; docs/figures/scaling.py draws the documentation's figure from such a table.
"""

from __future__ import annotations

from needs import needs

needs(__file__, "matplotlib")

import argparse
import csv
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

import symdyn
from symdyn.analysis.compare.casadi_rivals import differentiated_code, plain_graph
from symdyn.analysis.compare.contestants import symdyn_code
from symdyn.analysis.compare.measurement import Figures, measure_code
from symdyn.analysis.compare.task import Task, find_subject

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import LogLocator

BRANCHES, STATES = 5, 4
FUNCTIONS = ("inverse_dynamics", "forward_dynamics")
SUBJECTS = ("symdyn", "CasADi")
COLUMNS = ("function", "subject", "bodies", "order", "us")
MARKERS = "os^DvP"
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


def draw(axes: np.ndarray, function: str, times: Times, rivals: Times, legends: bool) -> None:
    """Against the number of bodies on the left, against the order on the right."""
    left, right = axes
    sizes, orders = (sorted({place[row] for place in times}) for row in (0, 1))
    for order, colour in zip(orders, shades(len(orders)), strict=True):
        left.plot(sizes, [times[bodies, order] for bodies in sizes], "o-", ms=3, color=colour, label=f"r = {order}")
    steps = [order + 1 for order in orders]
    for bodies, colour, marker in zip(sizes, shades(len(sizes)), MARKERS, strict=False):
        own = {"color": colour, "marker": marker, "markersize": 4}
        right.plot(steps, [times[bodies, order] for order in orders], label=f"N = {bodies}", **own)
        found = [order for order in orders if (bodies, order) in rivals]
        if found:
            theirs = [rivals[bodies, order] for order in found]
            right.plot([order + 1 for order in found], theirs, "--", **own, mfc="none", label=f"CasADi, N = {bodies}")
    shown = [order for order in (0, 1, 2, 3, 5, 7, 10) if order in orders]
    left.set(xscale="log", xlabel="bodies N")
    right.set(xscale="log", xlabel="order r (the axis is logarithmic in r + 1)")
    right.set_xticks([order + 1 for order in shown], [str(order) for order in shown])
    left.set_xticks(sizes, [str(bodies) for bodies in sizes])
    for own in axes:
        own.set(yscale="log", title=function.replace("_", " "))
        own.minorticks_off()
        own.yaxis.set_major_locator(LogLocator(subs=(1.0,)))
        own.yaxis.set_major_formatter("{x:g}")
        own.grid(alpha=0.3)
        if legends:
            below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.2), "ncols": 4 if own is left else 2}
            own.legend(fontsize=8, frameon=False, columnspacing=1.0, labelspacing=0.2, **below)
    left.set_ylabel("time per call [us]")


def shades(count: int) -> np.ndarray:
    """So many colours from dark to light."""
    return plt.get_cmap("viridis")(np.linspace(0.0, 0.85, count))


def draw_all(tables: dict[str, tuple[Times, Times]]) -> Any:
    """The figure: a row per function, of its times and of its rivals'."""
    figure, axes = plt.subplots(len(tables), 2, figsize=(7.2, 6.6), layout="constrained", squeeze=False)
    for row, (function, (times, rivals)) in zip(axes, tables.items(), strict=True):
        draw(row, function, times, rivals, function == [*tables][-1])
    return figure


def write(path: Path, tables: dict[str, tuple[Times, Times]]) -> None:
    """All times as CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for function, both in tables.items():
            for subject, times in zip(SUBJECTS, both, strict=True):
                writer.writerows((function, subject, *place, f"{time:.4g}") for place, time in times.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="N up to 1001 and r up to 10")
    parser.add_argument("--short", action="store_true", help="N up to 51 and r up to 2")
    parser.add_argument("--csv", type=Path, help="a table of the times")
    parser.add_argument("--out", type=Path, default=Path("scaling.png"), help="the plot")
    chosen = parser.parse_args()
    sizes, orders = ([11, 51, 101, 501, 1001], range(11)) if chosen.full else ([11, 51, 101], range(4))
    if chosen.short:
        sizes, orders = [11, 31, 51], range(3)
    tables = {}
    for function in FUNCTIONS:
        print(f"{function}, us per call\nbodies " + "".join(f"{'r = ' + str(order):>10}" for order in orders))
        times = our_times(function, sizes, orders)
        rivals: Times = {}
        for bodies, budget in ((11, 60.0), (101, 60.0)) if chosen.full else ((11, 6.0),):
            rivals |= rival_times(function, bodies, orders, budget)
        large = sizes[1:]  # of the smallest tree half of the bodies are leaves, which cost less
        in_bodies = [exponent(large, [times[bodies, order] for bodies in large]) for order in orders]
        in_order = [exponent([k + 1 for k in orders], [times[bodies, k] for k in orders]) for bodies in sizes]
        print(f"time ~ N^p, N >= {large[0]}, p per order: " + " ".join(f"{p:.2f}" for p in in_bodies))
        print("time ~ (r + 1)^p, p per size:    " + " ".join(f"{p:.2f}" for p in in_order))
        tables[function] = times, rivals
    if chosen.csv is not None:
        write(chosen.csv, tables)
    draw_all(tables).savefig(chosen.out, dpi=150, format=None if chosen.out.suffix else "png")
    print(f"wrote {chosen.out}")


if __name__ == "__main__":
    main()
