"""One function of one generated folder gives the same doubles everywhere.

Single calls, batches of any length, places in a batch, lanes of every width, two compilers and the evaluator are
compared bit by bit. There are two classes of results: fused multiply-adds are rounded once where the processor has
them, and twice elsewhere.
"""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.compilers import each_of
from support.lane_batches import Batches, build
from support.robots.limbed import limbed_robots
from support.robots.random_trees import robots
from support.robots.shipped_soft import TREES
from support.states import random_inputs

from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.compiler.tape.program import Program
from symdyn.description.robot import RobotDescription
from symdyn.generation import pipeline
from symdyn.interface.manifest import FILE_NAME, Manifest
from symdyn.robot.robot import Robot

STATES = 13
"""A block of lanes, and a rest that is longer than half of one."""

EVALUATED = (0, STATES - 1)
"""States for which the evaluator, which is slow, is asked."""

NATIVE = ("-O3", "-march=native", "-Wno-psabi")
BUILDS: dict[str, tuple[str, ...]] = {
    "native": NATIVE,
    "short vectors": (*NATIVE, "-DSYMDYN_VECTOR_BYTES=16"),
    "long vectors": (*NATIVE, "-DSYMDYN_VECTOR_BYTES=64"),  # with gcc for x86, as long as the registers
    "plain C": ("-O1", "-march=native", "-DSYMDYN_VECTOR_BYTES=0"),
    "any processor": ("-O2", "-Wno-psabi"),
    "told to round twice": (*NATIVE, "-DSYMDYN_FUSED=0"),
}

FAST_BUILDS = ("native", "short vectors", "any processor")

pytestmark = [
    pytest.mark.needs_cc,
    pytest.mark.optimised,
    pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning"),
]


@cache
def _fused(compiler: str, flags: tuple[str, ...]) -> bool:
    """Whether a build rounds fused multiply-adds once: by its flags, and by what this machine's processor has."""
    known = subprocess.run([compiler, *flags, "-dM", "-E", "-"], input="", capture_output=True, text=True, check=True)
    return "-DSYMDYN_FUSED=0" not in flags and ("__FMA__" in known.stdout or "__aarch64__" in known.stdout)


def _programs(robot: Robot, functions: list[str], layout: str, order: int) -> tuple[Program, ...]:
    return pipeline.programs(robot, functions, layout=layout, order=order)


def _written(robot: Robot, functions: list[str], layout: str, order: int, folder: Path) -> Manifest:
    folder.mkdir()
    files = pipeline.sources(robot, functions, layout=layout, order=order)
    for file in files:
        if file.path.endswith((".c", ".h")):
            (folder / file.path).write_text(file.text)
    return Manifest.from_json(next(file.text for file in files if file.path == FILE_NAME))


def _single(library: ctypes.CDLL, batches: Batches, inputs: dict[str, Any], state: int) -> dict[str, np.ndarray]:
    entry = batches.entry
    given = [np.ascontiguousarray(inputs[item.name][state], np.float64) for item in entry.signature.inputs]
    results = [np.full(item.size, np.nan) for item in entry.signature.outputs]
    work = np.full(entry.work_size + 1, np.nan)
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (*given, *results, work)]
    getattr(library, entry.c_name)(*pointers)
    return {item.name: array for item, array in zip(entry.signature.outputs, results, strict=True)}


def _same(found: np.ndarray, wanted: np.ndarray, where: object) -> None:
    """Equal bits; numbers that are none are all alike."""
    found, wanted = np.asarray(found, np.float64).ravel(), np.asarray(wanted, np.float64).ravel()
    differ = (found.view(np.int64) != wanted.view(np.int64)) & ~(np.isnan(found) & np.isnan(wanted))
    assert not differ.any(), (where, found[differ], wanted[differ])


def _check(
    robot: Robot, functions: list[str], layout: str, folder: Path, builds: Iterator[tuple[str, str]], order: int = 0
) -> None:
    rng = np.random.default_rng(len(functions) + robot.nv)
    programs = _programs(robot, functions, layout, order)
    manifest = _written(robot, functions, layout, order, folder)
    drawn = []
    for program in programs:
        rows = [random_inputs(robot, program.signature, rng) for _ in range(STATES)]
        drawn.append({name: np.array([row[name] for row in rows]) for name in rows[0]})
    wanted: dict[tuple[str, bool, int], dict[str, list[float]]] = {}
    for number, (compiler, name) in enumerate(builds):
        flags = BUILDS[name]
        fused = _fused(compiler, flags)
        library = build([folder], folder / f"{number}.so", compiler, flags)
        for program, inputs in zip(programs, drawn, strict=True):
            function = program.signature.function
            where = (robot.name, function, program.layout, compiler, name)
            batches = Batches(library, manifest, manifest.function(function))
            singles = [_single(library, batches, inputs, state) for state in range(STATES)]
            for state in EVALUATED:
                key = (function, fused, state)
                if key not in wanted:
                    values = {item: row[state].tolist() for item, row in inputs.items()}
                    wanted[key] = evaluate_program(program, FloatAlgebra(fused), values)
                for item, values in wanted[key].items():
                    _same(singles[state][item], np.asarray(values), (*where, "evaluator", item))
            for first, states in ((0, STATES), (0, 1), (STATES - 3, 3), (2, 9)):
                some = {item: rows[first : first + states] for item, rows in inputs.items()}
                for kind in (batches.contiguous, batches.in_blocks):
                    for item, rows in kind(some, states).items():
                        for row in range(states):
                            _same(rows[row], singles[first + row][item], (*where, kind.__name__, states, item))


@pytest.mark.parametrize("compiler", each_of("gcc", "clang"))
@pytest.mark.parametrize(
    ("name", "functions", "layout"),
    [
        ("seven_dof_arm", ["inverse_dynamics"], "rolled"),
        ("aerial_manipulator", ["forward_dynamics"], "auto"),
        ("elastic_arm", ["inverse_dynamics_partials"], "unrolled"),
        ("pendulum", ["inverse_dynamics"], "unrolled"),  # a sine without its cosine
    ],
)
def test_shipped_robots(tmp_path: Path, name: str, functions: list[str], layout: str, compiler: str) -> None:
    builds = iter([(compiler, build) for build in FAST_BUILDS])
    _check(api.load_example(name), functions, layout, tmp_path / "c", builds)


def test_threads_and_places_in_a_batch() -> None:
    robot = api.load_example("aerial_manipulator")
    module = api.compile(robot, ["forward_dynamics"])
    rng = np.random.default_rng(4)
    count = 40_000  # enough work for several threads
    q = np.array([robot.random_state(rng)[0] for _ in range(50)])[rng.integers(0, 50, count)]
    v, tau = rng.standard_normal((2, count, robot.nv))
    module.set_threads(1)
    alone = module.forward_dynamics(q, v, tau)
    for threads in (2, 3):
        module.set_threads(threads)
        _same(module.forward_dynamics(q, v, tau), alone, threads)
    for place in (0, 7, count - 1):
        _same(module.forward_dynamics(q[place], v[place], tau[place]), alone[place], place)


SLOW_FUNCTIONS = ["inverse_dynamics", "forward_dynamics", "mass_matrix_inverse", "coriolis_matrix"]
LAYOUTS = ("unrolled", "split", "rolled", "split-lanes", "rolled-lanes")


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
@settings(max_examples=3, suppress_health_check=list(HealthCheck), deadline=None)
@given(tree=st.one_of(robots(), limbed_robots()))
def test_random_robots(tmp_path_factory: pytest.TempPathFactory, layout: str, tree: RobotDescription) -> None:
    robot = api.from_description(tree)
    builds = iter([(compiler, build) for compiler in ("gcc", "clang") for build in BUILDS])
    _check(robot, SLOW_FUNCTIONS[:1], layout, tmp_path_factory.mktemp("bits") / "c", builds)


@pytest.mark.slow
@pytest.mark.longest
@pytest.mark.parametrize("layout", ["auto", "rolled-lanes"])
@pytest.mark.parametrize("name", ["canadarm", "aerial_tree", "aerial_manipulator", "mixed_arm"])
def test_all_builds(tmp_path: Path, name: str, layout: str) -> None:
    builds = iter([(compiler, build) for compiler in ("gcc", "clang") for build in BUILDS])
    functions = SLOW_FUNCTIONS[:2] if name == "aerial_tree" else SLOW_FUNCTIONS
    _check(api.load_example(name), functions, layout, tmp_path / layout, builds)


@pytest.mark.slow
@pytest.mark.longest
@pytest.mark.parametrize("layout", ["auto", "rolled-lanes"])
def test_time_derivatives(tmp_path: Path, layout: str) -> None:
    functions = ["inverse_dynamics_time_derivatives", "forward_dynamics_time_derivatives"]
    builds = iter([(compiler, build) for compiler in ("gcc", "clang") for build in BUILDS])
    _check(api.load_example("aerial_manipulator"), functions, layout, tmp_path / "c", builds, order=3)


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["rolled", "split"])
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.longest) if name == "canadarm" else name for name in TREES]
)
def test_gcc_adds_no_fused_instructions_of_its_own(tmp_path: Path, name: str, layout: str) -> None:
    """A sum beside a difference, of products that nothing fused: see tests/emit/test_rounded_products.py."""
    folder = tmp_path / "c"
    robot = api.load_example(name, **({"bodies_per_branch": 3, "branches": 5} if name == "aerial_tree" else {}))
    _written(robot, ["inverse_dynamics", "forward_dynamics", "inverse_dynamics_partials"], layout, 0, folder)
    flags = ["-O3", "-mavx2", "-mfma", "-std=c99", "-ffp-contract=off", "-Wno-psabi"]
    fused = False  # somewhere: a pendulum's acceleration has no product in a sum
    for source in sorted(folder.glob("*.c")):
        command = ["gcc", *flags, "-DSYMDYN_LANES", "-S", str(source), "-o", "-"]
        code = subprocess.run(command, capture_output=True, text=True, check=True, timeout=200).stdout
        fused = fused or "vfmadd" in code
        assert "vfmaddsub" not in code and "vfmsubadd" not in code, source.name
    assert fused
