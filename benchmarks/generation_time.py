"""From a robot file to a callable function: a new process with an empty cache each time, wall-clock seconds.

usage: python benchmarks/generation_time.py [robot ...] [--function NAME ...]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from peers.robots import ROBOTS, data_file

REPEATS = 3
PROGRAM = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
start = time.perf_counter()
import symdyn
times = {"import": time.perf_counter() - start}
path, name, floating, locked, layout, functions = json.loads(sys.argv[1])
def lap(what, begin=[time.perf_counter()]):
    now = time.perf_counter()
    times[what], begin[0] = now - begin[0], now
robot = symdyn.load(path, floating_base=floating, locked_joints=locked) if path else symdyn.load_example(name)
lap("load")
symdyn.generate(robot, functions, out=sys.argv[2], layout=layout)
lap("generate")
symdyn.compile(robot, functions, layout=layout)
lap("first compile()")
symdyn.compile(robot, functions, layout=layout)
lap("again, cached")
times["all"] = time.perf_counter() - start
print(json.dumps(times))
"""


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("robots", nargs="*", metavar="robot", help=f"among {', '.join(ROBOTS)}; default all")
    parser.add_argument("--function", nargs="+", default=["inverse_dynamics"], metavar="NAME", help="one after another")
    asked = parser.parse_args()
    columns = ("import", "load", "generate", "first compile()", "again, cached", "all")
    print("wall-clock seconds in a new process with an empty cache, median of", REPEATS)
    heading = "".join(f"{column:>17}" for column in columns)
    print(f"{'robot':20}{'function':28}{'layout':10}{heading}")
    for name in asked.robots or list(ROBOTS):
        robot = ROBOTS[name]
        path = str(data_file(robot.source)) if robot.source else ""
        for function in asked.function:
            for layout in ("unrolled", "rolled"):
                wanted = json.dumps([path, name, robot.floating, dict(robot.locked), layout, [function]])
                runs = [_run(wanted) for _ in range(REPEATS)]
                medians = [statistics.median(run[column] for run in runs) for column in columns]
                row = "".join(f"{median:17.2f}" for median in medians)
                print(f"{name:20}{function:28}{layout:10}{row}", flush=True)
    return 0


def _run(wanted: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as made:
        environment = os.environ | {"SYMDYN_CACHE_DIR": str(Path(made) / "cache")}
        command = [sys.executable, "-c", PROGRAM, wanted, str(Path(made) / "out")]
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment, cwd=made)
    found: dict[str, float] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    raise SystemExit(main())
