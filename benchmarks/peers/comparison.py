"""One function of one robot: symdyn's layouts and every peer that is there, checked and timed in one run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from peers.functions import BenchmarkFunction, largest_error
from peers.measure import BATCHES, ROUNDS, Subject
from peers.missing import PeerMissingError
from peers.mujoco_code import in_pinocchio_axes, mujoco_subject
from peers.pinocchio_code import cppadcg_subject, pinocchio_subject
from peers.robots import RobotStates
from peers.timed_codes import Contender, prepare, time_with_programs

import symdyn
from symdyn.analysis.compare.contestants import CONTESTANTS, symdyn_code
from symdyn.analysis.compare.measurement import Code
from symdyn.analysis.compare.task import DYNAMICS, Kind, Task
from symdyn.analysis.compare.task import Subject as Compared
from symdyn.errors import InternalError
from symdyn.functions.catalogue import CATALOGUE

LAYOUTS = ("unrolled", "split", "rolled", "split-lanes", "rolled-lanes")
PEERS = ("CasADi C", "CppADCodeGen", "Pinocchio C++", "MuJoCo C")
COMPILE_LIMIT_S = 300
"""Straight lines that take gcc longer than this are left out."""
LARGEST = 60_000
"""Operations beyond which gcc -O3 takes many minutes for one straight line."""
_CASADI = ("casadi-plain-cse", "casadi-solved", "casadi-matrix", "casadi-jacobian")
"""CasADi's strongest rivals of symdyn compare, of which the shortest is taken."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Subjects with their times, and why others were left out."""

    function: BenchmarkFunction
    subjects: dict[str, Subject | Contender]
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
    limit, task = COMPILE_LIMIT_S, task_of(robot, states, function.name)
    makers: dict[str, Callable[[], Subject | Contender]] = {
        f"symdyn {layout}": lambda layout=layout: _coded(f"symdyn {layout}", task, lambda: symdyn_code(task, layout))  # type: ignore[misc]
        for layout in layouts
    }
    makers |= {
        "CasADi C": lambda: _coded("CasADi C", task, lambda: _casadi(task)),
        "CppADCodeGen": lambda: cppadcg_subject(model, states, folder, function, limit),
        "Pinocchio C++": lambda: pinocchio_subject(model, states, folder, function),
        "MuJoCo C": lambda: mujoco_subject(model, states, folder, function),
    }
    subjects: dict[str, Subject | Contender] = {}
    left_out = {}
    for name, make in makers.items():
        if name in PEERS and name not in peers:
            continue
        try:
            subjects[name] = make()
        except PeerMissingError as missing:
            left_out[name] = str(missing)
    coded = [each for each in subjects.values() if isinstance(each, Contender)]
    time_with_programs(coded, [each for each in subjects.values() if isinstance(each, Subject)], rounds, BATCHES)
    expected = function.expected(model, states)
    ours = function.reordered(expected, states.tau_rows)
    for name, subject in subjects.items():
        results = subject.timed.outputs() if isinstance(subject, Contender) else subject.results
        assert results is not None
        if name == "MuJoCo C":
            results = in_pinocchio_axes(model, states, function, results)
        wanted = ours if isinstance(subject, Contender) else expected
        error = largest_error(function.split(model, states, results), wanted)
        if not error < function.tolerance:
            raise SystemExit(f"{function.name}: {name} differs by {error:.1e} of the largest element")
    return Comparison(function, subjects, left_out)


def task_of(robot: symdyn.Robot, states: RobotStates, name: str = DYNAMICS[0]) -> Task:
    """A function of the catalogue at the states, whose rows of q, v, u it may need in part."""
    known = {dynamics + kind.value: Compared(dynamics, kind) for dynamics in DYNAMICS for kind in Kind}
    task = Task(robot, known.get(name, Compared(name, Kind.VALUES)), 0, states.symdyn)
    if name not in CATALOGUE:
        return task
    return Task(robot, task.subject, 0, states.symdyn[:, : robot.nq + task.rows * robot.nv].copy())


def _coded(name: str, task: Task, make: Callable[[], Code]) -> Contender:
    if task.subject.function not in CATALOGUE:
        raise PeerMissingError("the catalogue has no such function")
    try:
        return prepare(name, make, task.states, COMPILE_LIMIT_S)
    except InternalError as slow:
        raise PeerMissingError(f"gcc fails or takes over {COMPILE_LIMIT_S} s") from slow


def _casadi(task: Task) -> Code:
    """The shortest C of CasADi's rivals."""
    entries = [CONTESTANTS[name] for name in _CASADI if CONTESTANTS[name].fits(task.subject)]
    codes = [entry.code(task) for entry in entries if entry.code is not None]
    if not codes:
        raise PeerMissingError("no plain recursion of this function")
    shortest = min(codes, key=lambda code: code.operations)
    if shortest.operations > LARGEST:
        raise PeerMissingError(f"{shortest.operations} operations, not compiled")
    return shortest
