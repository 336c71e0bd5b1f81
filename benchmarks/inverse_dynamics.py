"""Inverse dynamics: symdyn's C against CasADi's C of a plain recursion and Pinocchio's C++, in one run.

usage: python benchmarks/inverse_dynamics.py [robot ...]

One row per subject, which docs/figures/call_times.py reads; benchmarks/dynamics.py compares more functions and peers.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path

from peers.comparison import compare
from peers.functions import FUNCTIONS
from peers.measure import HEADER, Subject
from peers.robots import ROBOTS, pinocchio_model, random_states, symdyn_robot
from peers.timed_codes import Contender


def main(names: list[str]) -> int:
    """Measure and print; fails where any subject's results are not Pinocchio's."""
    unknown = [name for name in names if name not in ROBOTS]
    if unknown:
        print(f"unknown robot {unknown[0]}; choose among {', '.join(ROBOTS)}", file=sys.stderr)
        return 2
    print(f"{HEADER}; ns of thread CPU time per call, one core, median of batches")
    print(f"{'robot':20}{'nv':>4}  {'subject':20}{'ns':>9}{'ratio':>7}{'ops':>7}{'text B':>8}{'gen s':>7}{'cc s':>7}")
    for name in names or list(ROBOTS):
        robot, model = symdyn_robot(ROBOTS[name]), pinocchio_model(ROBOTS[name])
        states = random_states(robot, model)
        with tempfile.TemporaryDirectory() as made:
            compared = compare(
                robot, model, states, FUNCTIONS["inverse_dynamics"], Path(made), peers=("CasADi C", "Pinocchio C++")
            )
        reference = compared.subjects["symdyn unrolled"].nanoseconds
        for subject in compared.subjects.values():
            print(f"{name:20}{robot.nv:4}  {_row(subject, reference)}", flush=True)
        for left, reason in compared.left_out.items():
            print(f"{name}: {left} is left out: {reason}")
    return 0


def _row(subject: Subject | Contender, reference: float) -> str:
    counts = ["" if value is None else str(value) for value in (subject.operations, subject.text_bytes)]
    seconds = ["" if value is None else f"{value:.2f}" for value in (subject.generation_s, subject.compile_s)]
    columns = zip((*counts, *seconds), (7, 8, 7, 7), strict=True)
    timed = f"{subject.name:20}{subject.nanoseconds:9.1f}{subject.nanoseconds / reference:7.2f}"
    return timed + "".join(f"{text:>{width}}" for text, width in columns)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    raise SystemExit(main(sys.argv[1:]))
