"""One line, pieces and loops over the size of a tree: time per call, machine code, and seconds to make it.

usage: python benchmarks/layouts.py [--bodies N ...] [--csv FILE]

``--csv docs/figures/layouts.csv`` is what docs/figures/layouts.py, compile_time.py and instruction_cache.py draw.
Layouts of one size take turns. A layout is not tried at larger sizes once gcc took more than ``PATIENCE_S`` for it.
Seconds are of processor time; nanoseconds the least of nine rounds, each the median of its batches.
"""

from __future__ import annotations

import argparse
import csv
from functools import partial
from pathlib import Path

from peers.timed_codes import prepare, time_derivatives_task, time_in_turn

import symdyn
from symdyn.analysis.compare.contestants import symdyn_code

BRANCHES = 5
SUBJECTS = (("inverse_dynamics", 0), ("inverse_dynamics", 3), ("forward_dynamics", 0))
LAYOUTS = ("unrolled", "split", "rolled")
PATIENCE_S = 10.0
COLUMNS = ("function", "order", "bodies", "layout", "operations", "bytes", "generate_s", "compile_s", "ns")


def main() -> int:
    """Measure and print; fails where layouts differ."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--bodies", nargs="+", type=int, default=[6, 11, 21, 31, 51, 101, 201], metavar="N")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="also write the figures there")
    asked = parser.parse_args()
    rows = []
    print(" ".join(f"{column:>18}" if column == "function" else f"{column:>10}" for column in COLUMNS))
    for dynamics, order in SUBJECTS:
        layouts = list(LAYOUTS)
        for bodies in asked.bodies:
            robot = symdyn.load_example("aerial_tree", bodies_per_branch=(bodies - 1) // BRANCHES, branches=BRANCHES)
            task = time_derivatives_task(robot, dynamics, order)
            made = [prepare(layout, partial(symdyn_code, task, layout), task.states) for layout in layouts]
            time_in_turn(made)
            for each in made:
                seconds = each.compile_s
                cells = (dynamics, order, len(robot.body_names), each.name, each.operations, each.timed.text_bytes)
                row = (*map(str, cells), f"{each.generation_s:.3f}", f"{seconds:.3f}", f"{each.undisturbed:.1f}")
                rows.append(row)
                print(" ".join(f"{cell:>10}" if place else f"{cell:>18}" for place, cell in enumerate(row)), flush=True)
                if seconds > PATIENCE_S:
                    layouts.remove(each.name)
    if asked.csv is not None:
        with asked.csv.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
