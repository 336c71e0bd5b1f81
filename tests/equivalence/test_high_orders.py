"""Time derivatives of orders up to 20, of every shipped robot, as two compilers make them for two kinds of processor.

Long argument lists and deep loops have brought out an error of a compiler before: each build must equal the evaluator
bit by bit, and inverse dynamics must give back what forward dynamics was given.
"""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.lane_batches import build
from support.robots.shipped_soft import TREES
from support.states import random_inputs

from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.emit.module import emit_module
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.compiler.tape.program import Program
from symdyn.errors import ModelError
from symdyn.functions.catalogue import requests
from symdyn.generation import pipeline
from symdyn.interface.manifest import FILE_NAME, FunctionEntry, Manifest
from symdyn.interface.version import VERSION
from symdyn.robot.robot import Robot

FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "hybrid_dynamics", "forward_kinematics")
NATIVE = ("-O2", "-march=native", "-Wno-psabi")
PLAIN = ("-O2", "-Wno-psabi", "-DSYMDYN_FUSED=0")  # told so, for processors whose compilers fuse by themselves
BUILDS = (("gcc", NATIVE), ("clang", PLAIN), ("gcc", PLAIN), ("clang", NATIVE))
LIMIT = 1e-11
"""What a round trip may lose of the forces that meet in it. Each order rests on all below it: the worst loses 1e-13 to
order 9, and 2e-12 at order 20 (the aerial manipulator)."""

pytestmark = [
    pytest.mark.optimised,
    pytest.mark.slow,
    pytest.mark.longest,
    pytest.mark.needs_cc,
    pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning"),
]


def _offered(robot: Robot, order: int) -> dict[str, dict[str, Any]]:
    """The functions that the robot has, with their options."""
    offered: dict[str, dict[str, Any]] = {}
    for name in FUNCTIONS[: 2 if order == 20 else None]:
        options: dict[str, Any] = {"order": order, "layout": "auto" if order < 4 else "rolled-lanes"}
        if name == "hybrid_dynamics":
            options["prescribed"] = robot.velocity_names[::2]
        asked = {key: value for key, value in options.items() if key != "layout"}
        ((entry, request),) = requests(robot.model, [f"{name}_time_derivatives"], **asked)
        try:
            pipeline.planned(robot, robot.model, entry, request)
        except ModelError:
            continue
        offered[f"{name}_time_derivatives"] = options
    return offered


def _generated(robot: Robot, name: str, options: dict[str, Any], folder: Path) -> tuple[Program, FunctionEntry]:
    folder.mkdir()
    (program,) = pipeline.programs(robot, [name], **options)
    files = emit_module((program,), robot=robot.name, version=VERSION, target="c", load_options={}, robot_yaml="")
    for file in files:
        if file.path.endswith((".c", ".h")) and not file.path.endswith("_lanes.c"):
            (folder / file.path).write_text(file.text)
    manifest = Manifest.from_json(next(file.text for file in files if file.path == FILE_NAME))
    return program, manifest.functions[0]


def _call(library: ctypes.CDLL, entry: FunctionEntry, inputs: dict[str, list[float]]) -> dict[str, np.ndarray]:
    given = [np.array(inputs[item.name], float) for item in entry.signature.inputs]
    results = [np.full(item.size, np.nan) for item in entry.signature.outputs]
    work = np.full(entry.work_size + 1, np.nan)
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (*given, *results, work)]
    getattr(library, entry.c_name)(*pointers)
    return {item.name: array for item, array in zip(entry.signature.outputs, results, strict=True)}


def _tame(robot: Robot, program: Program, order: int, rng: np.random.Generator) -> dict[str, list[float]]:
    """Inputs whose derivatives grow as those of motions that take about a second."""
    inputs = random_inputs(robot, program.signature, rng)
    for item in program.signature.inputs:
        if len(item.shape) == 2 and item.shape[0] > order:
            inputs[item.name] = (0.5 * np.array(inputs[item.name]).clip(-1.0, 1.0)).tolist()
    return inputs


FLEXIBLE = {"canadarm", "flexible_single_link", "mixed_arm"}
CASES = [
    (name, order)
    for name in TREES
    for order in ((1, 3) if name in FLEXIBLE else (1, 3, 9, 20))  # of links that bend, higher ones take minutes each
]


@pytest.mark.parametrize(("name", "order"), CASES)
def test_every_build_equals_the_evaluator(tmp_path: Path, name: str, order: int) -> None:
    small = {"bodies_per_branch": 2, "branches": 5} if name == "aerial_tree" else {}
    robot = api.load_example(name, **small)
    rng = np.random.default_rng(order)
    # Of high orders, which take compilers long, a robot sees each compiler and each kind of processor once.
    first = TREES.index(name) % 2
    builds = BUILDS if order < 9 else BUILDS[2 * first : 2 * first + 2]
    results: dict[str, dict[str, np.ndarray]] = {}
    given: dict[str, dict[str, list[float]]] = {}
    libraries: dict[str, tuple[ctypes.CDLL, FunctionEntry]] = {}
    for function, options in _offered(robot, order).items():
        program, entry = _generated(robot, function, options, tmp_path / function)
        inputs = given[function] = _tame(robot, program, order, rng)
        wanted: dict[bool, dict[str, list[float]]] = {}
        for number, (compiler, flags) in enumerate(builds):
            library = build([tmp_path / function], tmp_path / f"{function}{number}.so", compiler, flags, lanes=False)
            found = _call(library, entry, inputs)
            fused = flags is NATIVE
            if fused not in wanted:
                wanted[fused] = evaluate_program(program, FloatAlgebra(fused), inputs)
            for item, values in found.items():
                assert values.tobytes() == np.array(wanted[fused][item]).tobytes(), (function, compiler, flags, item)
            libraries.setdefault(function, (library, entry))
            results.setdefault(function, found)
    forward = "forward_dynamics_time_derivatives"
    if forward in results:
        accelerations = results[forward]["A"].reshape(order + 1, robot.nv)
        inputs = given[forward]
        rates = np.vstack([np.array(inputs["v"]), accelerations])
        motion = {**inputs, "V": rates.ravel().tolist()}
        forces = _call(*libraries["inverse_dynamics_time_derivatives"], motion)["tau"].reshape(order + 1, robot.nv)
        wanted_forces = np.array(inputs["T"]).reshape(order + 1, robot.nv)
        mass = np.reshape(api.float_recursion(robot, "mass_matrix")(inputs)["M"], (robot.nv, robot.nv))
        scale = np.abs(wanted_forces) + np.abs(accelerations) @ np.abs(mass)
        lost = np.abs(forces - wanted_forces).max(axis=1) / scale.max(axis=1)
        assert lost.max() <= LIMIT, lost
