"""From a robot file to a callable function: a new process with an empty cache each time, wall-clock seconds.

usage: python benchmarks/generation_time.py [robot ...]
"""

from __future__ import annotations

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
path, name, floating, locked, layout = json.loads(sys.argv[1])
def lap(what, begin=[time.perf_counter()]):
    now = time.perf_counter()
    times[what], begin[0] = now - begin[0], now
robot = symdyn.load(path, floating_base=floating, locked_joints=locked) if path else symdyn.load_example(name)
lap("load")
symdyn.generate(robot, ["inverse_dynamics"], out=sys.argv[2], layout=layout)
lap("generate")
symdyn.compile(robot, ["inverse_dynamics"], layout=layout)
lap("first compile()")
symdyn.compile(robot, ["inverse_dynamics"], layout=layout)
lap("again, cached")
times["all"] = time.perf_counter() - start
print(json.dumps(times))
"""


def main(names: list[str]) -> int:
    """Measure and print."""
    columns = ("import", "load", "generate", "first compile()", "again, cached", "all")
    print("wall-clock seconds in a new process with an empty cache, median of", REPEATS)
    print(f"{'robot':20}{'layout':10}" + "".join(f"{column:>17}" for column in columns))
    for name in names or list(ROBOTS):
        robot = ROBOTS[name]
        path = str(data_file(robot.source)) if robot.source else ""
        for layout in ("unrolled", "rolled"):
            wanted = json.dumps([path, name, robot.floating, dict(robot.locked), layout])
            runs = [_run(wanted) for _ in range(REPEATS)]
            print(
                f"{name:20}{layout:10}"
                + "".join(f"{statistics.median(run[column] for run in runs):17.2f}" for column in columns),
                flush=True,
            )
    return 0


def _run(wanted: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as made:
        environment = os.environ | {"SYMDYN_CACHE_DIR": str(Path(made) / "cache")}
        command = [sys.executable, "-c", PROGRAM, wanted, str(Path(made) / "out")]
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment, cwd=made)
    found: dict[str, float] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
