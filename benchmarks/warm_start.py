"""What a new process waits for where all was made before: import, load, compile from the cache, open.

Usage: python benchmarks/warm_start.py [--processes N] [--example NAME]

Medians over new processes, wall clock and CPU time in milliseconds, NumPy's own import beside them. Each step counts
from the end of the one before; ``open`` is measured in processes of its own, in which nothing is loaded or compiled
before. The cache and the opened folder are made first. A symdyn without ``open`` leaves that row out.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

FUNCTIONS = ["inverse_dynamics", "forward_dynamics", "mass_matrix", "gravity", "inverse_dynamics_partials"]
_HEAD = """
import json, sys, time
times = {}
def step(name, last=[time.perf_counter(), time.process_time()]):
    now = [time.perf_counter(), time.process_time()]
    times[name] = [1e3 * (end - start) for start, end in zip(last, now)]
    last[:] = time.perf_counter(), time.process_time()
import numpy; step("import numpy")
import symdyn; step("import symdyn")
"""
_COMPILED = """
robot = symdyn.load_example(sys.argv[1]); step("load")
module = symdyn.compile(robot, sys.argv[3:]); step("compile, cached")
print(json.dumps(times))
"""
_OPENED = """
symdyn.open(sys.argv[2]); step("open")
print(json.dumps(times))
"""


def measure(code: str, arguments: Sequence[str], processes: int) -> dict[str, list[float]]:
    """Medians of wall clock and CPU time of each step [ms]; the first process warms up and is not counted."""
    command = [sys.executable, "-W", "ignore", "-c", _HEAD + code, *arguments]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    found = []
    for _ in range(processes + 1):
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        found.append(json.loads(done.stdout))
    return {name: [median(run[name][clock] for run in found[1:]) for clock in (0, 1)] for name in found[0]}


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--processes", type=int, default=9)
    parser.add_argument("--example", default="seven_dof_arm")
    given = parser.parse_args()
    import symdyn
    from symdyn.toolchain.compile_and_load import build_into

    with tempfile.TemporaryDirectory() as made:
        os.environ["SYMDYN_CACHE_DIR"] = str(Path(made) / "cache")
        folder = symdyn.generate(symdyn.load_example(given.example), FUNCTIONS, out=Path(made) / "folder")
        build_into(folder)
        arguments = [given.example, str(folder), *FUNCTIONS]
        rows = measure(_COMPILED, arguments, given.processes)
        if hasattr(symdyn, "open"):
            rows["open"] = measure(_OPENED, arguments, given.processes)["open"]
    print(f"{given.example}, {len(FUNCTIONS)} functions, medians of {given.processes} new processes [ms]")
    print(f"{'':18}{'wall':>8}{'CPU':>8}")
    for name, (wall, cpu) in rows.items():
        print(f"{name:18}{wall:8.1f}{cpu:8.1f}")


if __name__ == "__main__":
    main()
