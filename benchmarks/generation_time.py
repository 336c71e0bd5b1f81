"""From a robot file to a callable function: a new process with an empty cache each time, wall-clock seconds.

usage: python benchmarks/generation_time.py [robot ...] [--function NAME ...]
       python benchmarks/generation_time.py --whole [robot ...]

``--whole``: everything in the catalogue (of the aerial manipulator, inverse and forward dynamics with five
derivatives), with and without the C of batches in lanes, once each, beside what was aimed at.
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
from typing import Any

from peers.robots import ROBOTS, BenchmarkRobot, data_file
from peers.targets import GENERATION_S

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

WHOLE = """
import json, resource, sys, time, warnings
warnings.simplefilter("ignore")
start = time.perf_counter()
import symdyn
from symdyn.api import build
from symdyn.functions.catalogue import CATALOGUE
path, name, floating, locked, lanes = json.loads(sys.argv[1])
robot = symdyn.load(path, floating_base=floating, locked_joints=locked) if path else symdyn.load_example(name)
if name == "aerial_manipulator":
    functions, asked = [f"{way}_dynamics_time_derivatives" for way in ("inverse", "forward")], {"order": 5}
else:
    functions = [name for name, entry in CATALOGUE.items() if entry.needs is None]
    asked = {"prescribed": robot.velocity_names[:1]}
built, module = build(robot, functions, lanes=lanes, **asked)
usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
processor = [each.ru_utime + each.ru_stime for each in usage]
print(json.dumps([len(functions), time.perf_counter() - start, built.seconds, *processor, built.text_bytes]))
"""


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("robots", nargs="*", metavar="robot", help=f"among {', '.join(ROBOTS)}; default all")
    parser.add_argument("--function", nargs="+", default=["inverse_dynamics"], metavar="NAME", help="one after another")
    parser.add_argument("--whole", action="store_true", help="everything in the catalogue at once")
    asked = parser.parse_args()
    if asked.whole:
        for name in asked.robots or list(GENERATION_S):
            _time_whole(ROBOTS[name])
        return 0
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
                runs = [_run(PROGRAM, wanted) for _ in range(REPEATS)]
                medians = [statistics.median(run[column] for run in runs) for column in columns]
                row = "".join(f"{median:17.2f}" for median in medians)
                print(f"{name:20}{function:28}{layout:10}{row}", flush=True)
    return 0


def _time_whole(robot: BenchmarkRobot) -> None:
    path = str(data_file(robot.source)) if robot.source else ""
    for lanes in (True, False):
        wanted = json.dumps([path, robot.name, robot.floating, dict(robot.locked), lanes])
        functions, seconds, compiling, generating_cpu, compiling_cpu, size = _run(WHOLE, wanted)
        target = GENERATION_S.get(robot.name)
        shown = f"{seconds:.1f}" if target is None else target.verdict(seconds)
        print(
            f"{robot.name}, {functions} functions, {'with' if lanes else 'without'} lanes: {shown} s, of which "
            f"compiling {compiling:.1f} s; processor time of Python {generating_cpu:.1f} s, of compilers "
            f"{compiling_cpu:.1f} s on {len(os.sched_getaffinity(0))} cores; {size} bytes",
            flush=True,
        )


def _run(program: str, wanted: str) -> Any:
    with tempfile.TemporaryDirectory() as made:
        environment = os.environ | {"SYMDYN_CACHE_DIR": str(Path(made) / "cache")}
        command = [sys.executable, "-c", program, wanted, str(Path(made) / "out")]
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment, cwd=made)
    return json.loads(done.stdout)


if __name__ == "__main__":
    raise SystemExit(main())
