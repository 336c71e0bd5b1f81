"""Layout ``auto`` beside all layouts, for a processor: time per call, machine code, and how far it is from the fastest.

usage: python benchmarks/auto_layouts.py [robot ...] [--function NAME ...] [--order R] [--cpu NAME ...] [--csv FILE]

``--csv docs/figures/auto_layouts.csv`` keeps the rows of docs/benchmarks.md. The C is compiled with ``-march`` of each
processor, by default AVX2 and, where this machine has it, AVX-512 beside it; layouts of one row take turns. Times are
the least of seven rounds, each the median of its batches: what others on the machine disturbed least. Code of
the same text is measured once.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from peers.functions import FUNCTIONS
from peers.robots import ROBOTS, symdyn_robot

import symdyn
from symdyn.analysis.compare.measurement import generated_code
from symdyn.generation import pipeline
from symdyn.interface.cpus import CPUS, DEFAULT
from symdyn.interface.processor import cpu_features
from symdyn.interface.targets import LAYOUTS
from symdyn.toolchain import timing
from symdyn.toolchain.find_compiler import find_compiler

SHOWN = ("ur5", "panda7", "solo12", "talos_reduced")
COLUMNS = ("robot", "function", "cpu", "layout", "bytes", "ns", "chosen")
ROUNDS, BATCHES, STATES = 7, 9, 32
LONGEST_LINE = 6000
"""Operations above which one straight line is not compiled: auto takes none of these."""


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("robots", nargs="*", metavar="robot", help=f"among {', '.join(ROBOTS)} and shipped examples")
    parser.add_argument("--function", nargs="+", default=list(FUNCTIONS), metavar="NAME")
    parser.add_argument("--order", type=int, default=0, metavar="R", help="of *_time_derivatives")
    parser.add_argument("--cpu", nargs="+", choices=list(CPUS), default=executable(), metavar="NAME")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="also write the figures there")
    asked = parser.parse_args()
    rows = []
    print("| robot | function | cpu | auto | ns | fastest | ns | auto / fastest |\n|---|---|---|---|---|---|---|---|")
    for name in asked.robots or SHOWN:
        robot = symdyn_robot(ROBOTS[name]) if name in ROBOTS else symdyn.load_example(name)
        for function in asked.function:
            for cpu in asked.cpu:
                found = measured(robot, function, cpu, asked.order)
                rows += [(name, function, cpu, *row) for row in found]
                print(f"| {name} | `{function}` | {cpu} | {verdict(found)} |", flush=True)
    if asked.csv is not None:
        with asked.csv.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])
    return 0


def executable() -> list[str]:
    """AVX2, and AVX-512 if this processor executes it."""
    wide = ["x86-64-v4"] if "avx512f" in cpu_features().split() else []
    return [DEFAULT.name, *wide]


def measured(robot: symdyn.Robot, function: str, cpu: str, order: int = 0) -> list[tuple[str, int, float, str]]:
    """Layout, bytes, nanoseconds, and ``auto`` beside the one that it takes."""
    compiler = replace(find_compiler(), native=(f"-march={cpu}",))
    setattr(timing, "find_compiler", lambda: compiler)  # noqa: B010
    (auto,) = pipeline.programs(robot, [function], cpu=cpu, order=order)
    texts: dict[tuple[str, ...], str] = {}
    codes = {}
    for layout in (auto.layout, *(item for item in LAYOUTS[1:] if item != auto.layout)):
        (program,) = pipeline.programs(robot, [function], layout=layout, cpu=cpu, order=order)
        if layout == "unrolled" and sum(program.counts().values()) > LONGEST_LINE:
            continue
        code = generated_code(pipeline.sources(robot, [function], layout=layout, cpu=cpu, order=order), function)
        text = tuple(file.text.replace(layout, "") for file in code.sources)
        if texts.setdefault(text, layout) == layout:
            codes[layout] = code
    rng = np.random.default_rng(0)
    rest = sum(item.size for item in auto.signature.inputs) - robot.nq
    states = np.array(
        [np.concatenate([robot.random_state(rng)[0], rng.uniform(-1.0, 1.0, rest)]) for _ in range(STATES)]
    )
    timers = [
        timing.load_timed(code.sources, code.harness, states, code.output_size, code.work_size)
        for code in codes.values()
    ]
    runs = timing.in_turn(timers, ROUNDS, BATCHES)
    return [
        (layout, timer.text_bytes, round(min(own), 1), "auto" if layout == auto.layout else "")
        for layout, timer, own in zip(codes, timers, runs, strict=True)
    ]


def verdict(rows: Sequence[tuple[str, int, float, str]]) -> str:
    """Cells of a table: auto and the fastest."""
    (auto,) = (row for row in rows if row[3])
    best = min(rows, key=lambda row: row[2])
    return f"{auto[0]} | {auto[2]:.0f} | {best[0]} | {best[2]:.0f} | {auto[2] / best[2]:.2f}"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    raise SystemExit(main())
