"""Columns of arms side by side: plan in lanes == plan, and C of every length of vectors has the evaluator's bits."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import numpy as np
import pytest
from support.compilers import needs
from support.robots.kinds import CY, H, P, R, S, U
from support.robots.random_trees import make_robot
from support.states import random_inputs, relative_error

from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.compiler.tape.program import lane_loops
from symdyn.description.robot import JointKind
from symdyn.functions.catalogue import requests
from symdyn.interface.manifest import FILE_NAME, Manifest
from symdyn.plan.plan import Plan
from symdyn.plan.run import run_plan
from symdyn.robot.robot import Robot
from symdyn.tracing.lanes.columns_in_lanes import LANES, columns_in_lanes

FUNCTION = "inverse_dynamics_partials"

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")


def _chain(kinds: list[JointKind], parents: list[int] | None = None, **options: bool) -> Robot:
    """Bodies one behind the other, or a tree."""
    own = parents or list(range(len(kinds)))
    return api.from_description(make_robot(own, kinds, 8, mimics=False, drives=False, **options))


def _plan(robot: Robot, function: str) -> Plan:
    ((entry, request),) = requests(robot.model, [function])
    return entry.plan(robot.model, request)


def _laned(plan: Plan) -> dict[str, int]:
    """Visits with lanes, by step."""
    count: dict[str, int] = {}
    for sweep in plan.sweeps:
        found = sum(visit.lanes == LANES for visit in sweep.visits)
        count |= {sweep.step.name: count.get(sweep.step.name, 0) + found} if found else {}
    return count


@pytest.mark.parametrize("function", [FUNCTION, "coriolis_matrix", "forward_dynamics_partials"])
@pytest.mark.parametrize(
    ("kinds", "steps"),
    [
        ([R] * 7, 3),
        ([R] * 9, 6),  # two fours: one walks five bodies, the other one
        ([R, P, P, R, R, R], 2),
        ([R, H, CY, R, R, S], 2),  # a column of the ball, two revolute joints and one of the cylinder
        ([U, R, R, R, R], 2),
    ],
    ids=str,
)
def test_the_plan_in_lanes_is_the_plan(kinds: list[JointKind], steps: int, function: str) -> None:
    robot = _chain(kinds)
    plan = _plan(robot, function)
    laned = columns_in_lanes(plan)
    assert laned is not None
    found = _laned(laned)
    assert found["carry_column"] >= steps
    ((entry, request),) = requests(robot.model, [function])
    inputs = random_inputs(robot, entry.signature(robot.model, request), np.random.default_rng(4))
    expected, made = (run_plan(item, FloatAlgebra(), inputs) for item in (plan, laned))
    assert expected.keys() == made.keys()
    for name, values in expected.items():  # the same operations on the same numbers
        np.testing.assert_array_equal(made[name], values, err_msg=name)


def test_four_joints_that_end_at_the_base_stay_one_by_one() -> None:
    assert columns_in_lanes(_plan(_chain([R] * 4), FUNCTION)) is None


def test_only_walks_of_columns_go_side_by_side() -> None:
    arm = _chain([R] * 7)
    for function in ("inverse_dynamics", "forward_dynamics"):
        assert columns_in_lanes(_plan(arm, function)) is None


def test_columns_of_two_branches_do_not_share_a_vector() -> None:
    fork = _chain([R, R, R, R, R], [0, 1, 2, 1, 4])
    assert columns_in_lanes(_plan(fork, FUNCTION)) is None


def test_auto_leaves_them_because_batches_would_take_longer() -> None:
    arm = api.load_example("seven_dof_arm")
    (program,) = api.programs(arm, [FUNCTION])
    assert not lane_loops(program.body)
    (program,) = api.programs(arm, [FUNCTION], layout="split-lanes")
    assert {loop.lanes for loop in lane_loops(program.body)} == {LANES}


_BUILDS = [
    ("gcc", "float64", ["-march=native"]),
    ("gcc", "float64", ["-DSYMDYN_VECTOR_BYTES=0"]),
    ("gcc", "float32", ["-mavx2", "-mfma", "-DSYMDYN_VECTOR_BYTES=16"]),
    ("clang", "float64", ["-mavx2", "-mfma", "-DSYMDYN_VECTOR_BYTES=16"]),
]


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("compiler", "dtype", "flags"),
    [
        pytest.param(
            *build,
            marks=[needs(build[0]), *([pytest.mark.slow] if number else [])],
            id="-".join((*build[:2], build[2][-1])),
        )
        for number, build in enumerate(_BUILDS)
    ],
)
def test_compiled_columns(tmp_path: Path, compiler: str, dtype: str, flags: list[str]) -> None:
    robot = _chain([R, P, R, R, H, R])
    api.generate(robot, [FUNCTION], layout="split-lanes", dtype=dtype, out=tmp_path)
    entry = Manifest.from_json((tmp_path / FILE_NAME).read_text()).function(FUNCTION)
    command = [compiler, "-O2", "-std=c99", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-fPIC", *flags]
    subprocess.run(
        [*command, "-shared", f"{entry.c_name}.c", "-o", "made.so", "-lm"], cwd=tmp_path, check=True, timeout=200
    )
    (program,) = api.programs(robot, [FUNCTION], layout="split-lanes", dtype=dtype)
    inputs = {
        name: np.array(values, dtype)
        for name, values in random_inputs(robot, program.signature, np.random.default_rng(2)).items()
    }
    found = {argument.name: np.full(robot.nv**2, np.nan, dtype) for argument in program.signature.outputs}
    work = np.full(entry.work_size, np.nan, dtype)
    arrays = [*(inputs[argument.name] for argument in program.signature.inputs), *found.values(), work]
    library = ctypes.CDLL(str(tmp_path / "made.so"))
    getattr(library, entry.c_name)(*(ctypes.c_void_p(array.ctypes.data) for array in arrays))
    expected = evaluate_program(program, FloatAlgebra(), {name: list(map(float, x)) for name, x in inputs.items()})
    for name, values in found.items():
        assert relative_error(values, expected[name]) < (1e-5 if dtype == "float32" else 1e-13)
        if dtype == "float64" and flags[0].startswith("-m"):
            np.testing.assert_array_equal(values, expected[name])
