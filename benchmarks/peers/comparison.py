"""One function of one robot: symdyn's layouts and every peer that is there, checked and timed in one run."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from peers.casadi_code import casadi_subject
from peers.functions import BenchmarkFunction, largest_error
from peers.generated_code import symdyn_subject
from peers.measure import ROUNDS, Subject, time_subjects
from peers.missing import PeerMissingError
from peers.mujoco_code import in_pinocchio_axes, mujoco_subject
from peers.pinocchio_code import cppadcg_subject, pinocchio_subject
from peers.robots import RobotStates

import symdyn
from symdyn.functions.catalogue import CATALOGUE

LAYOUTS = ("unrolled", "split", "rolled", "split-lanes", "rolled-lanes")
PEERS = ("CasADi C", "CppADCodeGen", "Pinocchio C++", "MuJoCo C")
COMPILE_LIMIT_S = 150
"""Straight lines that take gcc more processor time than this are left out."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Subjects with their times, and why others were left out."""

    function: BenchmarkFunction
    subjects: dict[str, Subject]
    left_out: dict[str, str]


def compare(
    robot: symdyn.Robot,
    model: Any,
    states: RobotStates,
    function: BenchmarkFunction,
    folder: Path,
    layouts: Sequence[str] = LAYOUTS,
    peers: Sequence[str] = PEERS,
    rounds: int = ROUNDS,
) -> Comparison:
    """Make, time and check all subjects of a function.

    Raises
    ------
    SystemExit
        A subject's results differ from Pinocchio's.
    """
    limit = COMPILE_LIMIT_S
    makers: dict[str, Callable[[], Subject]] = {
        f"symdyn {layout}": lambda layout=layout: _ours(robot, layout, states, folder, function)  # type: ignore[misc]
        for layout in layouts
    }
    makers |= {
        "CasADi C": lambda: casadi_subject(robot, model, states, folder, function, limit),
        "CppADCodeGen": lambda: cppadcg_subject(model, states, folder, function, limit),
        "Pinocchio C++": lambda: pinocchio_subject(model, states, folder, function),
        "MuJoCo C": lambda: mujoco_subject(model, states, folder, function),
    }
    subjects, left_out = {}, {}
    for name, make in makers.items():
        if name in PEERS and name not in peers:
            continue
        try:
            subjects[name] = make()
        except PeerMissingError as missing:
            left_out[name] = str(missing)
    time_subjects(list(subjects.values()), folder, rounds)
    expected = function.expected(model, states)
    ours = function.reordered(expected, states.tau_rows)
    for name, subject in subjects.items():
        assert subject.results is not None
        results = subject.results
        if name == "MuJoCo C":
            results = in_pinocchio_axes(model, states, function, results)
        wanted = ours if name.startswith("symdyn") or name == "CasADi C" else expected
        error = largest_error(function.split(model, states, results), wanted)
        if not error < function.tolerance:
            raise SystemExit(f"{function.name}: {name} differs by {error:.1e} of the largest element")
    return Comparison(function, subjects, left_out)


def _ours(robot: symdyn.Robot, layout: str, states: RobotStates, folder: Path, function: BenchmarkFunction) -> Subject:
    if function.name not in CATALOGUE:
        raise PeerMissingError("the catalogue has no such function")
    try:
        return symdyn_subject(robot, layout, states, folder, function.name, COMPILE_LIMIT_S)
    except subprocess.TimeoutExpired as slow:
        raise PeerMissingError(f"gcc takes over {COMPILE_LIMIT_S} s") from slow
