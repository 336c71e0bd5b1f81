"""Inverse dynamics: symdyn's C against CasADi's C of a plain recursion and Pinocchio's C++, in one run.

usage: python benchmarks/inverse_dynamics.py [robot ...]
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
from peers.measure import (
    FLAGS,
    Subject,
    build_pinocchio,
    casadi_subject,
    pinocchio_subject,
    symdyn_subject,
    time_subjects,
)
from peers.robots import ROBOTS, RobotStates, pinocchio_model, random_states, symdyn_robot


def main(names: list[str]) -> int:
    """Measure and print; fails where any two subjects differ in their results."""
    unknown = [name for name in names if name not in ROBOTS]
    if unknown:
        print(f"unknown robot {unknown[0]}; choose among {', '.join(ROBOTS)}", file=sys.stderr)
        return 2
    print(f"gcc {' '.join(FLAGS)}; ns of thread CPU time per call, one core, median of batches")
    print(f"{'robot':20}{'nv':>4}  {'subject':16}{'ns':>9}{'ratio':>7}{'ops':>7}{'text B':>8}{'gen s':>7}{'cc s':>7}")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        pinocchio_program = build_pinocchio(folder)
        for name in names or list(ROBOTS):
            here = folder / name
            here.mkdir()
            robot, model = symdyn_robot(ROBOTS[name]), pinocchio_model(ROBOTS[name])
            states = random_states(robot, model)
            subjects = [symdyn_subject(robot, layout, states, here) for layout in ("unrolled", "rolled")]
            subjects.append(casadi_subject(model, states, here))
            subjects.append(pinocchio_subject(model, states, here, pinocchio_program))
            time_subjects(subjects, here)
            _agree(subjects, states)
            for subject in subjects:
                print(f"{name:20}{robot.nv:4}  {_row(subject, subjects[0].nanoseconds)}", flush=True)
    return 0


def _row(subject: Subject, reference: float) -> str:
    counts = ["" if value is None else str(value) for value in (subject.operations, subject.text_bytes)]
    seconds = ["" if value is None else f"{value:.2f}" for value in (subject.generation_s, subject.compile_s)]
    columns = zip((*counts, *seconds), (7, 8, 7, 7), strict=True)
    timed = f"{subject.name:16}{subject.nanoseconds:9.1f}{subject.nanoseconds / reference:7.2f}"
    return timed + "".join(f"{text:>{width}}" for text, width in columns)


def _agree(subjects: list[Subject], states: RobotStates) -> None:
    expected = subjects[0].tau
    assert expected is not None
    for subject in subjects[1:]:
        assert subject.tau is not None
        tau = subject.tau if subject.name.startswith("symdyn") else subject.tau[:, states.tau_rows]
        error = np.abs(tau - expected).max() / np.abs(expected).max()
        if not error < 1e-12:
            raise SystemExit(f"{subject.name} differs by {error:.1e} of the largest torque")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    raise SystemExit(main(sys.argv[1:]))
