"""Alike limbs of a robot side by side in the lanes of vectors, beside the same code one limb after the other.

usage: python benchmarks/limbs.py [robot ...] [--function NAME ...] [--csv FILE]

``--csv docs/figures/limbs.csv`` is what docs/figures/limbs.py draws. Needs the extra ``peers`` for the robots. All
layouts take turns within one run: thread CPU time per call from inside C, one core; the least of nine rounds, each the
median of its batches. Nothing is timed where results differ.
"""

from __future__ import annotations

import argparse
import csv
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from peers.robots import ROBOTS, symdyn_robot
from peers.timed_codes import STATES, Contender, prepare, time_in_turn

import symdyn
from symdyn.analysis.compare.measurement import Code, generated_code
from symdyn.functions.catalogue import requests
from symdyn.generation import pipeline
from symdyn.tracing.layout import IN_LANES, LAYOUTS

TREE = "aerial_tree"
SUBJECTS = ("aerial_manipulator", "solo12", "anymal", "allegro", "talos_reduced", TREE)
FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "inverse_dynamics_partials")
TOO_LONG = {(TREE, "inverse_dynamics_partials")}
"""Whose straight line takes minutes to make."""
COLUMNS = ("robot", "limbs", "function", "plain_layout", "plain_ns", "lanes_layout", "lanes_ns")


def main() -> int:
    """Measure and print; fails where layouts differ."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("robots", nargs="*", default=list(SUBJECTS), metavar="robot")
    parser.add_argument("--function", nargs="+", default=list(FUNCTIONS), metavar="NAME")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="also write the figures there")
    asked = parser.parse_args()
    rows = []
    print(f"{'robot':20}{'limbs':>6}  {'function':28}{'without lanes, ns':>26}{'in lanes, ns':>26}{'times':>7}")
    for name in asked.robots:
        robot = symdyn.load_example(TREE) if name == TREE else symdyn_robot(ROBOTS[name])
        for function in asked.function:
            if (name, function) in TOO_LONG:
                continue
            best = _fastest(robot, function)
            plain, laned = best[False], best[True]
            (told,) = symdyn.api.explain(robot, [function], layout=laned.name).functions
            texts = [f"{each.undisturbed:.0f} {each.name}" for each in (plain, laned)]
            print(
                f"{name:20}{told.limbs:6}  {function:28}{texts[0]:>26}{texts[1]:>26}"
                f"{plain.undisturbed / laned.undisturbed:7.2f}",
                flush=True,
            )
            times = (plain.name, f"{plain.undisturbed:.0f}", laned.name, f"{laned.undisturbed:.0f}")
            rows.append((name, told.limbs, function, *times))
    if asked.csv is not None:
        with asked.csv.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])
    return 0


def _fastest(robot: symdyn.Robot, function: str) -> dict[bool, Contender]:
    """The fastest layout without lanes, and with."""
    states = _states(robot, function)
    made = [prepare(layout, partial(_code, robot, function, layout), states) for layout in LAYOUTS if layout != "auto"]
    time_in_turn(made)
    return {
        lanes: min((each for each in made if each.name.endswith(IN_LANES) is lanes), key=lambda each: each.undisturbed)
        for lanes in (False, True)
    }


def _code(robot: symdyn.Robot, function: str, layout: str) -> Code:
    return generated_code(pipeline.sources(robot, [function], layout=layout), function)


def _states(robot: symdyn.Robot, function: str) -> NDArray[np.float64]:
    """Random states of a function's inputs."""
    ((entry, request),) = requests(robot.model, [function])
    rng = np.random.default_rng(0)
    q = np.array([robot.random_state(rng)[0] for _ in range(STATES)])
    sizes = {item.name: item.size for item in entry.signature(robot.model, request).inputs}
    return np.hstack([q if name == "q" else rng.uniform(-1.0, 1.0, (STATES, size)) for name, size in sizes.items()])


if __name__ == "__main__":
    raise SystemExit(main())
