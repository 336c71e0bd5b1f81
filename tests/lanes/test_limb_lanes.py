"""Limbs side by side: plan in lanes == plan, and compiled C == Program evaluator, in every length of vectors."""

from __future__ import annotations

import ctypes
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.compilers import each_of
from support.parts import OF_EVERY_ROBOT
from support.robots.kinds import CY, MOVING, PL, F, H, P, R, S, U
from support.robots.limbed import limbed_robots, with_limbs
from support.states import random_inputs, relative_error

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.compiler.tape.program import lane_loops
from symdyn.description.robot import JointKind, RobotDescription
from symdyn.functions.catalogue import CATALOGUE, requests
from symdyn.interface.manifest import FILE_NAME, Manifest
from symdyn.interface.options import RequestOptions
from symdyn.model.joints import ROTOR
from symdyn.plan.run import run_plan
from symdyn.robot.robot import Robot
from symdyn.tracing.lanes.limbs_in_lanes import limbs_in_lanes

# Both plans do the same operations on the same numbers; only what limbs add to their parent is added in another order.
REORDERED = 1e-13
# As in tests/equivalence: solutions with M lose its condition number on top of some thousand units of roundoff.
TOLERANCE = {"float64": 1e-9, "float32": 2e-3}
LAYOUTS = ("split-lanes", "rolled-lanes")
FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "jacobians")
RATES = ("inverse_dynamics_time_derivatives", "forward_dynamics_time_derivatives")
LENGTHS = {
    "native": ["-march=native"],
    "plain": [],
    "16": ["-DSYMDYN_VECTOR_BYTES=16"],
    "c": ["-DSYMDYN_VECTOR_BYTES=0"],
}

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
_slow_to_draw = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]


def of(description: RobotDescription, **options: object) -> Robot:
    """The robot; massless links that nothing holds are no test of dynamics."""
    return api.from_description(description, **options)  # type: ignore[arg-type]


def in_lanes(robot: Robot, function: str, rng: np.random.Generator, **asked: object) -> tuple[float, int]:
    """Error of the plan in lanes, and how many of its visits are in lanes."""
    ((entry, request),) = requests(robot.model, [function], **asked)  # type: ignore[arg-type]
    plan = entry.plan(robot.model, request)
    laned = limbs_in_lanes(plan)
    if laned is None:
        return 0.0, 0
    inputs = random_inputs(robot, entry.signature(robot.model, request), rng)
    expected, found = (run_plan(item, FloatAlgebra(), inputs) for item in (plan, laned))
    error = max(relative_error(found[name], expected[name]) for name in expected)
    return error, sum(visit.lanes > 1 for sweep in laned.sweeps for visit in sweep.visits)


HESSIANS = {f"{name}_dynamics_weighted_hessian" for name in ("inverse", "forward", "hybrid")}
WITHOUT_LANES = {"elastic_forces", "damping_forces", "statics_jacobian"} | HESSIANS
WITHOUT_LANES |= {"hybrid_dynamics_time_derivatives_partials"}
"""The first two are zero here; the others run on dual numbers, direction by direction.

Of the last other rows are prescribed in one limb than in the next.
"""


@pytest.mark.parametrize("function", sorted(OF_EVERY_ROBOT))
def test_every_function_in_lanes_means_the_same(function: str) -> None:
    robot = of(with_limbs([0, 1, 0], [R, P, R], 3, seed=4))
    options: RequestOptions = {"order": 2} if "order" in CATALOGUE[function].takes else {}
    if "external_wrenches" in CATALOGUE[function].takes:
        options["external_wrenches"] = "world"
    if "prescribed" in CATALOGUE[function].takes:
        options["prescribed"] = tuple(robot.velocity_names[6::2])
    error, laned = in_lanes(robot, function, np.random.default_rng(1), **options)
    assert error <= REORDERED
    assert laned > 0 or function in WITHOUT_LANES, function


@pytest.mark.parametrize("kinds", [[R, R], [P, H], [U, R], [S, R], [PL, P], [F, R], [CY, R]], ids=str)
def test_every_joint_kind_goes_into_lanes(kinds: list[JointKind]) -> None:
    robot = of(with_limbs([0, 1], kinds, 2, seed=9), joint_losses=True)
    for function in ("inverse_dynamics", "forward_dynamics", "mass_matrix"):
        error, laned = in_lanes(robot, function, np.random.default_rng(2))
        assert error <= REORDERED * (1e4 if function == "forward_dynamics" else 1.0) and laned > 0, function
    assert set(kinds) <= set(MOVING)


@pytest.mark.parametrize("function", ["mass_matrix", "mass_matrix_inverse", "forward_dynamics_partials"])
def test_motors_of_limbs_go_into_lanes(function: str) -> None:
    """Rotors have no pose that a step could keep."""
    robot = of(with_limbs([0, 1], [R, R], 2, seed=2))
    assert sum(body.joint.kind == ROTOR for body in robot.model.bodies) == 4
    error, laned = in_lanes(robot, function, np.random.default_rng(3))
    assert error <= 1e4 * REORDERED and laned > 0


@settings(max_examples=15, suppress_health_check=_slow_to_draw)
@given(tree=limbed_robots(), seed=st.integers(0, 2**32 - 1))
def test_random_limbs_in_both_layouts(tree: RobotDescription, seed: int) -> None:
    robot, rng = of(tree, joint_losses=True), np.random.default_rng(seed)
    ((entry, request),) = requests(robot.model, ["inverse_dynamics"], external_wrenches="body")
    inputs = random_inputs(robot, entry.signature(robot.model, request), rng)
    expected = api.float_recursion(robot, "inverse_dynamics", external_wrenches="body")(inputs)["tau"]
    for layout in LAYOUTS:
        (program,) = api.programs(robot, ["inverse_dynamics"], layout=layout, external_wrenches="body")
        found = evaluate_program(program, FloatAlgebra(), inputs)["tau"]
        assert relative_error(found, expected) <= 1e-12, layout
        assert program.layout == layout


def _check_compiled(robot: Robot, layout: str, dtype: str, flags: list[str], folder: Path, order: int | None) -> None:
    """Compiled C against the Program evaluator, with NaN in all memory that a call may not read."""
    asked: RequestOptions = {} if order is None else {"order": order}
    functions = FUNCTIONS if order is None else RATES
    files = api.sources(robot, functions, layout=layout, dtype=dtype, **asked)
    manifest = Manifest.from_json(next(file.text for file in files if file.path == FILE_NAME))
    folder.mkdir()
    for file in files:
        if file.path.endswith((".c", ".h")):
            (folder / file.path).write_text(file.text)
    command = ["gcc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wcast-qual", "-Werror", "-O1", *flags, "-fPIC"]
    subprocess.run(
        [*command, "-shared", *manifest.sources, "-o", "made.so", "-lm"], cwd=folder, check=True, timeout=300
    )
    library = ctypes.CDLL(str(folder / "made.so"))
    rng = np.random.default_rng(5)
    for program in api.programs(robot, functions, layout=layout, dtype=dtype, **asked):
        assert lane_loops(program.body), program.signature.function
        entry = manifest.function(program.signature.function)
        inputs = random_inputs(robot, program.signature, rng)
        given = {name: np.array(values, dtype) for name, values in inputs.items()}
        expected = evaluate_program(program, FloatAlgebra(), {name: list(map(float, x)) for name, x in given.items()})
        outputs = {argument.name: np.full(argument.size, np.nan, dtype) for argument in program.signature.outputs}
        work = np.full(entry.work_size + 2, np.nan, dtype)[1:]
        arrays = [*(given[argument.name] for argument in program.signature.inputs), *outputs.values(), work]
        getattr(library, entry.c_name)(*(ctypes.c_void_p(array.ctypes.data) for array in arrays))
        for name, values in outputs.items():
            assert relative_error(values, expected[name]) <= TOLERANCE[dtype], (entry.c_name, name)
        assert np.isnan(work[-1])


_CASES = [(limbs, layout, length) for limbs in (2, 3, 5) for layout in LAYOUTS for length in LENGTHS]
_SOME = {(3, "rolled-lanes", "c"), (2, "rolled-lanes", "plain"), (2, "split-lanes", "16")}


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("limbs", "layout", "length"),
    [case if case in _SOME else pytest.param(*case, marks=pytest.mark.slow) for case in _CASES],
)
def test_compiled_limbs(tmp_path: Path, layout: str, length: str, limbs: int) -> None:
    robot = of(replace(with_limbs([0, 1, 1], [R, P, U], limbs, seed=21, neck=limbs == 3), name=f"limbs{limbs}"))
    dtype = "float32" if limbs == 3 or (limbs, layout) == (2, "split-lanes") else "float64"
    _check_compiled(robot, layout, dtype, LENGTHS[length], tmp_path / "plain", None)
    if limbs == 2 and layout == "rolled-lanes":  # 8 bytes are no vector here
        _check_compiled(robot, layout, "float32", LENGTHS[length], tmp_path / "narrow", None)
    if length in ("native", "c"):
        _check_compiled(robot, layout, dtype, LENGTHS[length], tmp_path / "rates", 2)


@pytest.mark.needs_cc
def test_two_limbs_of_floats_are_shorter_than_any_vector(tmp_path: Path) -> None:
    robot = of(replace(with_limbs([0], [R], 2, seed=21), name="limbs2"))
    _check_compiled(robot, "split-lanes", "float32", LENGTHS["native"], tmp_path / "plain", None)


@pytest.mark.needs_cc
@pytest.mark.parametrize("layout", LAYOUTS)
@settings(max_examples=4, suppress_health_check=_slow_to_draw)
@given(tree=limbed_robots(max_joints=3), seed=st.integers(0, 2**32 - 1))
def test_compiled_random_limbs(
    tmp_path_factory: pytest.TempPathFactory, layout: str, tree: RobotDescription, seed: int
) -> None:
    robot = of(tree)
    module = symdyn.compile(robot, ["inverse_dynamics"], layout=layout, lanes=False)
    ((entry, request),) = requests(robot.model, ["inverse_dynamics"])
    inputs = random_inputs(robot, entry.signature(robot.model, request), np.random.default_rng(seed))
    expected = api.float_recursion(robot, "inverse_dynamics")(inputs)["tau"]
    found = module.inverse_dynamics(*(np.array(inputs[name]) for name in ("q", "v", "a")))
    assert relative_error(found, expected) <= 1e-12


def _checked(folder: Path, layout: str) -> Path:
    robot = of(replace(with_limbs([0, 1], [R, P], 5, seed=2), name="checked"))
    return symdyn.generate(robot, ["forward_dynamics"], out=folder, layout=layout)


@pytest.mark.needs_cc
@pytest.mark.parametrize("compiler", each_of("clang"))
@pytest.mark.parametrize("layout", LAYOUTS)
def test_clang_has_nothing_to_warn_of(tmp_path: Path, layout: str, compiler: str) -> None:
    warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Wcast-qual", "-Wshadow", "-Wconversion", "-Werror"]
    command = [compiler, *warnings, "-c", "checked_forward_dynamics.c", "-o", "none.o", "-std=c99", "-march=native"]
    subprocess.run(command, cwd=_checked(tmp_path / "c", layout), check=True, timeout=200)


@pytest.mark.needs_cc
@pytest.mark.parametrize("layout", LAYOUTS)
def test_sanitizers_find_nothing(tmp_path: Path, layout: str) -> None:
    (_checked(tmp_path / "c", layout) / "main.c").write_text(_MAIN)
    checks = ["-g", "-O1", "-std=c99", "-march=native", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    command = ["gcc", *checks, "checked_forward_dynamics.c", "main.c", "-o", "run", "-lm"]
    subprocess.run(command, cwd=tmp_path / "c", check=True, timeout=200)
    done = subprocess.run(["./run"], cwd=tmp_path / "c", capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


_MAIN = """
#include <stdlib.h>
#include "checked.h"

int main(void) /* arrays on the heap, no scalar larger than they must be */
{
  double *q = calloc(CHECKED_FORWARD_DYNAMICS_Q_SIZE, 8), *v = calloc(CHECKED_FORWARD_DYNAMICS_V_SIZE, 8);
  double *tau = calloc(CHECKED_FORWARD_DYNAMICS_TAU_SIZE, 8), *a = calloc(CHECKED_FORWARD_DYNAMICS_A_SIZE, 8);
  double *work = calloc(CHECKED_FORWARD_DYNAMICS_WORK, 8);
  q[6] = 1.0;
  checked_forward_dynamics(q, v, tau, a, work);
  free(q), free(v), free(tau), free(a), free(work);
  return 0;
}
"""
