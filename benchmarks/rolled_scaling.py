"""How generated inverse dynamics grows with the robot: the aerial tree of five chains, unrolled and rolled.

usage: python benchmarks/rolled_scaling.py [bodies per chain ...]
"""

from __future__ import annotations

import sys
import warnings
from functools import partial

from peers.comparison import task_of
from peers.measure import HEADER
from peers.robots import BenchmarkRobot, pinocchio_model, random_states, symdyn_robot
from peers.timed_codes import prepare, time_in_turn

from symdyn.analysis.compare.contestants import symdyn_code

UNROLLED_LIMIT = 200
"""Straight-line code of more bodies takes gcc minutes."""


def main(lengths: list[int]) -> int:
    """Measure and print one row per size and layout."""
    print(f"{HEADER}; ns of thread CPU time per call, one core, median of batches")
    titles = zip(("ops", "generate s", "compile s", "text B", "ns", "ns/body"), (8, 12, 11, 9, 10, 9), strict=True)
    print(f"{'bodies':>7}  {'layout':10}" + "".join(f"{title:>{width}}" for title, width in titles))
    for length in lengths or [1, 3, 10, 20, 40, 100, 200]:
        example = BenchmarkRobot("aerial_tree", floating=True, sizes={"bodies_per_branch": length})
        robot, model = symdyn_robot(example), pinocchio_model(example)
        task = task_of(robot, random_states(robot, model))
        bodies = len(robot.body_names)
        layouts = ["unrolled", "rolled"] if bodies <= UNROLLED_LIMIT else ["rolled"]
        subjects = [prepare(layout, partial(symdyn_code, task, layout), task.states) for layout in layouts]
        time_in_turn(subjects)
        for layout, subject in zip(layouts, subjects, strict=True):
            print(
                f"{bodies:7}  {layout:10}{subject.operations:8}{subject.generation_s:12.2f}{subject.compile_s:11.2f}"
                f"{subject.text_bytes:9}{subject.nanoseconds:10.0f}{subject.nanoseconds / bodies:9.1f}",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    raise SystemExit(main([int(argument) for argument in sys.argv[1:]]))
