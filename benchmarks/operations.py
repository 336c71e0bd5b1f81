"""Operations of inverse and forward dynamics with their time derivatives, 7 bodies, beside what was aimed at.

usage: python benchmarks/operations.py [--orders N ...] [--layouts NAME ...]

Counts are exact and need no quiet machine. They are those of docs/conventions.md: sums, products, quotients, roots and
negations 1, fused multiply-adds 2, a sine-cosine pair 2.
"""

from __future__ import annotations

import argparse

from peers.targets import OPERATIONS, at_most

import symdyn
from symdyn.api import cost

ROBOT = "aerial_manipulator"
LAYOUTS = ("unrolled", "split")


def main() -> int:
    """Count and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--orders", nargs="+", type=int, default=range(6), metavar="N")
    parser.add_argument("--layouts", nargs="+", default=LAYOUTS, metavar="NAME")
    asked = parser.parse_args()
    robot = symdyn.load_example(ROBOT)
    print(f"operations of {ROBOT}; the verdict is on the fewest")
    print(f"{'function':20}{'r':>2}" + "".join(f"{layout:>10}" for layout in asked.layouts))
    for dynamics, bounds in OPERATIONS.items():
        name = f"{dynamics}_time_derivatives"
        for order in asked.orders:
            counts = [cost(robot, [name], order=order, layout=layout)[name]["total"] for layout in asked.layouts]
            verdict = at_most(bounds[order]).verdict(min(counts)) if order < len(bounds) else ""
            print(f"{dynamics:20}{order:2}" + "".join(f"{count:10}" for count in counts) + f"   {verdict}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
