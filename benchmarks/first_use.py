"""Processor seconds until a function has been called for the first time, in new processes: Python and compilers.

usage: python benchmarks/first_use.py [case ...] [--runs N] [--against PYTHON] [--csv FILE]

cold: an empty cache. new: another robot was compiled before. warm: the same was compiled before. batch: its first
batch of 64 states, which compiles lanes, after it was compiled without one. ``--against`` is the Python of another
environment with another symdyn, such as an older one; both take turns, and ratios are to that one. Figures are minima.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import files
from pathlib import Path

TWELVE = (
    "inverse_dynamics", "forward_dynamics", "mass_matrix", "mass_matrix_inverse", "coriolis_matrix", "gravity", "bias",
    "forward_kinematics", "jacobians", "jacobians_time_derivative", "centroidal_momentum_matrix",
    "inverse_dynamics_partials",
)  # fmt: skip
"""What a controller of a humanoid may ask for."""

PROGRAM = """
import json, resource, sys, warnings
warnings.simplefilter("ignore")
import numpy, symdyn
source, floating, functions, states = json.loads(sys.argv[1])
robot = symdyn.load(source, floating_base=floating) if source.endswith("urdf") else symdyn.load_example(source)
module = symdyn.compile(robot, functions)
sizes = [argument.shape for argument in module.signature(functions[0]).inputs]
inputs = [numpy.full((*([states] if states else []), *size), 0.1) for size in sizes]
getattr(module, functions[0])(*inputs)
used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print(json.dumps([each.ru_utime + each.ru_stime for each in used]))
"""


@dataclass(frozen=True)
class Case:
    """A robot, its functions, and in which states of the cache they are compiled."""

    robot: str
    functions: Sequence[str]
    ways: Sequence[str]
    floating: bool | None = None


CASES = {
    "panda": Case("panda_description/urdf/panda.urdf", ("inverse_dynamics",), ("cold", "new", "warm", "batch")),
    "talos": Case("talos_data/robots/talos_reduced.urdf", TWELVE, ("cold", "warm"), True),
    **{
        name: Case(name, ("state_jacobian",), ("cold",))
        for name in ("soft_serial_robot", "cable_manipulator", "gaussian_tentacle", "parallel_robot")
    },
}
OTHER = Case("double_pendulum", ("gravity",), ())
"""What was compiled before a new robot."""


def main() -> int:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("cases", nargs="*", metavar="case", help=f"among {', '.join(CASES)}; default all")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--against", metavar="PYTHON", help="interpreter of an environment with another symdyn")
    parser.add_argument("--csv", type=Path)
    given = parser.parse_args()
    pythons = [*([given.against] if given.against else []), sys.executable]
    print(f"processor seconds, minima of {given.runs} new processes; ratio to {given.against or 'nothing'}")
    print(f"{'case':20}{'cache':7}{'all':>9}{'Python':>9}{'compilers':>11}{'ratio':>8}")
    rows = []
    for name in given.cases or CASES:
        for way in CASES[name].ways:
            found = measured(CASES[name], way, pythons, given.runs)
            for python, (own, children) in zip(pythons, found, strict=True):
                ratio = (own + children) / sum(found[0])
                label = name if python == sys.executable else f"{name} (other)"
                rows.append((label, way, own + children, own, children, ratio))
                print(f"{label:20}{way:7}{own + children:9.3f}{own:9.3f}{children:11.3f}{ratio:8.2f}", flush=True)
    if given.csv:
        with given.csv.open("w", newline="") as stream:
            csv.writer(stream).writerows([("case", "cache", "all", "python", "compilers", "ratio"), *rows])
    return 0


def measured(case: Case, way: str, pythons: Sequence[str], runs: int) -> list[tuple[float, float]]:
    """Processor seconds of Python and of compilers with each interpreter; of the run with the least sum."""
    found: list[list[tuple[float, float]]] = [[] for _ in pythons]
    for _ in range(runs):
        for python, own in zip(pythons, found, strict=True):
            with tempfile.TemporaryDirectory() as cache:
                if way == "new":
                    run(OTHER, python, cache)
                if way in ("warm", "batch"):
                    run(case, python, cache)
                own.append(run(case, python, cache, states=64 if way == "batch" else 0))
    return [min(own, key=sum) for own in found]


def run(case: Case, python: str, cache: str, states: int = 0) -> tuple[float, float]:
    """One new process; what it does not count itself, such as its end, is counted as Python's."""
    source = case.robot if not case.robot.endswith("urdf") else str(data_file(case.robot))
    wanted = json.dumps([source, case.floating, list(case.functions), states])
    # Python keeps what it compiles of its own sources, as it does for users.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["SYMDYN_CACHE_DIR"] = str(Path(cache) / "cache")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([python, "-c", PROGRAM, wanted], check=True, capture_output=True, env=environment, cwd=cache)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    children = json.loads(done.stdout)[1]
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime - children, children


def data_file(relative: str) -> Path:
    """A file below robots/ of the installed example-robot-data."""
    found = next(
        (file for file in files("example-robot-data") or [] if str(file).endswith(f"/robots/{relative}")), None
    )
    if found is None:
        raise FileNotFoundError(f"example-robot-data holds no robots/{relative}; install the extra 'peers'")
    return Path(str(found.locate()))


if __name__ == "__main__":
    raise SystemExit(main())
