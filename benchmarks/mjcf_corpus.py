"""Every MJCF file of the wheels dm-control, gymnasium and mjlab: refused in one line, or equal to MuJoCo.

Run with the packages of the extra `peers`: ``python benchmarks/mjcf_corpus.py [--lenient] [--convention NAME]``.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.mjcf_twins import Twin, corpus

import symdyn

BOUNDS = {"mass": 1e-12, "force": 1e-10, "frames": 1e-12, "loops": 1e-9}
DRIVEN = 1e-8
"""Of accelerations by inputs, which the condition of the mass matrix magnifies."""
STATES = 3


def main() -> int:
    """Print the table; 1 where an accepted model differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lenient", action="store_true", help="leave out what is not read, and show no figures")
    parser.add_argument("--convention", default="pinocchio")
    parser.add_argument("names", nargs="*", help="only files of which the path holds one of these")
    asked = parser.parse_args()
    os.chdir(tempfile.mkdtemp())  # MuJoCo writes a log where it runs
    failed = accepted = refused = 0
    print(f"{'model':58} {'nq':>4} {'nv':>4} {'M':>8} {'tau':>8} {'frames':>8} {'loops':>8} {'a':>8}")
    for file in corpus():
        name = "/".join(file.parts[-3:])
        if asked.names and not any(word in name for word in asked.names):
            continue
        try:
            twin = Twin(file, convention=asked.convention, strict=False if asked.lenient else None)
        except symdyn.SymdynError as failure:
            refused += 1
            print(f"{name:58} refused: {failure}")
            failed += "\n" in str(failure)
            continue
        accepted += 1
        found = [twin.compare(seed) for seed in range(STATES)]
        worst = {key: max(getattr(one, key) for one in found) for key in BOUNDS}
        driven = max(map(twin.driven, range(STATES))) if twin.drivable and not asked.lenient else None
        wrong = not asked.lenient and any(worst[key] > bound for key, bound in BOUNDS.items())
        wrong |= driven is not None and driven > DRIVEN
        failed += wrong
        figures = " ".join(f"{value:8.1e}" for value in worst.values())
        figures += "        -" if driven is None else f" {driven:8.1e}"
        print(f"{name:58} {found[0].nq:4} {found[0].nv:4} {figures}{'  DIFFERS' if wrong else ''}", flush=True)
    print(f"{accepted} accepted, {refused} refused, {failed} wrong")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
