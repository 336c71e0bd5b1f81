"""Worst error of inverse dynamics against 50-digit arithmetic, in units of u, for every way of evaluating it.

usage: python benchmarks/accuracy.py [robot ...]
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path

from peers.robots import ROBOTS, BenchmarkRobot, symdyn_robot

import symdyn

STATES = 50
ALL = ROBOTS | {"aerial_tree": BenchmarkRobot("aerial_tree", floating=True, sizes={"bodies_per_branch": 20})}


def main(names: list[str]) -> int:
    """Measure and print; fails where an evaluator is beyond its limit."""
    passed = True
    print(f"{STATES} random states and the special ones; normwise per unit block, in units of 2^-53 or 2^-24")
    for name in names or list(ALL):
        robot = symdyn_robot(ALL[name])
        for dtype in ("float64", "float32"):
            for layout in ("unrolled", "rolled"):
                with tempfile.TemporaryDirectory() as made:
                    folder = symdyn.generate(
                        robot, ["inverse_dynamics"], out=Path(made) / "out", layout=layout, dtype=dtype
                    )
                    report = symdyn.api.verify(folder, STATES)
                found = "  ".join(f"{result.evaluator} {result.worst_error:.1f}" for result in report.results)
                print(f"{name:20}{dtype:9}{layout:10}limit {report.results[0].limit:.0f}  {found}", flush=True)
                passed = passed and report.passed
    return 0 if passed else 1


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    raise SystemExit(main(sys.argv[1:]))
