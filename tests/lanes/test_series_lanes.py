"""Whole time series in lanes: kernels on series mean what they say, and C of every length of vectors has their bits."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import numpy as np
import pytest
from support.compilers import needs
from support.robots.kinds import CY, H, P, R, S, U
from support.robots.random_trees import make_robot
from support.robots.table import with_velocity_scale
from support.states import random_inputs, relative_error

from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.scalars.taylor import Series
from symdyn.compiler.tape.evaluate import evaluate_program, evaluate_tape
from symdyn.compiler.tape.program import Program
from symdyn.compiler.tape.series import expanded
from symdyn.compiler.tape.tape import Op, OverSeries, Port, Tape
from symdyn.compiler.tape.verify import verify_tape
from symdyn.functions.catalogue import requests
from symdyn.interface.manifest import FILE_NAME, Manifest
from symdyn.plan.run import run_plan
from symdyn.robot.robot import Robot
from symdyn.tracing.split.series import runs_on_series

FUNCTION = "inverse_dynamics_time_derivatives"
REORDERED = 1e-13  # the same sums of products in another order, and angular accelerations by another formula

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")


def _program(robot: Robot, order: int, layout: str = "split-lanes", **asked: object) -> Program:
    (program,) = api.programs(robot, [FUNCTION], layout=layout, order=order, **asked)  # type: ignore[arg-type]
    return program


def _over(program: Program) -> list[OverSeries]:
    return [tape.over_series for tape in program.tapes if tape.over_series is not None]


_SERIES = (0, 1, 2)  # of the operands; 3 and 4 are numbers
_BY_HAND = [
    *((code, (x, y)) for code in ("add", "sub", "mul") for x, y in ((0, 1), (0, 3), (3, 0), (3, 4), (2, 2))),
    ("neg", (1,)),
    *(
        (code, args)
        for code in ("fma", "fms", "fnma")
        for args in ((0, 1, 2), (3, 1, 2), (0, 4, 2), (0, 1, 3), (3, 1, 4), (3, 4, 2), (3, 4, 3))
    ),
]
_MEANING = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "neg": lambda x: -x,
    "fma": lambda x, y, z: x * y + z,
    "fms": lambda x, y, z: x * y - z,
    "fnma": lambda x, y, z: z - x * y,
}


@pytest.mark.parametrize(("code", "args"), _BY_HAND)
def test_an_instruction_on_series_is_that_of_truncated_series(code: str, args: tuple[int, ...]) -> None:
    size = 5
    inputs = (Port("x", 3, places=(0, size, 2 * size)), Port("c", 2, varying=False))
    leaves = [Op("input", source=(0, k)) for k in range(3)] + [
        Op("input", source=(1, k), varying=False) for k in range(2)
    ]
    result = Op(code, args, varying=any(argument in _SERIES for argument in args))
    tape = Tape("tried", inputs, (Port("y", 1),), (*leaves, result), ((len(leaves),),))
    found = verify_tape(expanded(OverSeries(size, tape)))
    rng = np.random.default_rng(3)
    x, c = rng.uniform(-1, 1, 3 * size), rng.uniform(-1, 1, 2)
    operands = [Series(list(x[size * k : size * k + size])) for k in range(3)] + list(c)
    expected = _MEANING[code](*[operands[argument] for argument in args])
    coefficients = expected.coefficients if isinstance(expected, Series) else (expected, *(0.0,) * (size - 1))
    ((*made,),) = evaluate_tape(found, FloatAlgebra(), [list(x), list(c)])
    np.testing.assert_allclose(made, np.array(coefficients, float), rtol=0, atol=1e-15)


_CHAINS = {"arm": [R, R, P], "slide": [P, R, R], "cylindrical": [R, CY, H], "ball": [R, S, R], "floating": [R, U, R]}


def _chain(name: str) -> Robot:
    return api.from_description(
        make_robot([0, 1, 2], _CHAINS[name], 8, floating=name == "floating", mimics=False, drives=False)
    )


@pytest.mark.parametrize(
    ("name", "order"), [("arm", 2), ("arm", 5), ("slide", 3), ("cylindrical", 3), ("ball", 3), ("floating", 3)]
)
def test_the_program_is_the_plan(name: str, order: int) -> None:
    robot = _chain(name)
    program = _program(robot, order)
    assert [over.size for over in _over(program)] == [order + 1]
    ((entry, request),) = requests(robot.model, [FUNCTION], order=order)
    plan = entry.plan(robot.model, request)
    assert not _over(_program(robot, order, "split"))
    inputs = {
        name: list(values)
        for name, values in random_inputs(robot, program.signature, np.random.default_rng(order)).items()
    }
    made = evaluate_program(program, FloatAlgebra(), inputs)["tau"]
    assert relative_error(made, run_plan(plan, FloatAlgebra(), inputs)["tau"]) < REORDERED


def test_what_does_more_than_add_and_multiply_takes_no_series() -> None:
    arm = _chain("arm")
    rubbing = api.from_description(with_velocity_scale(arm.description, 0.1), joint_losses=True)
    cases = [
        (arm, FUNCTION, 1),  # series of two
        (arm, "forward_dynamics_time_derivatives", 3),  # order by order
        (rubbing, FUNCTION, 3),  # tanh
    ]
    for robot, function, order in cases:
        ((entry, request),) = requests(robot.model, [function], order=order)
        assert not runs_on_series(entry.plan(robot.model, request)), (robot.name, function)


def test_auto_takes_series_where_they_are_estimated_to_be_faster() -> None:
    robot = api.load_example("seven_dof_arm")
    assert _over(_program(robot, 3, "auto", cpu="x86-64-v3"))
    assert not _over(_program(robot, 1, "auto", cpu="x86-64-v3"))
    assert not _over(_program(robot, 3, "auto", cpu="cortex-m7"))
    assert not _over(_program(robot, 3, "auto", target="python"))


_BUILDS = [
    ("gcc", 3, "float64", ["-march=native"]),
    ("gcc", 5, "float64", ["-mavx2", "-mfma", "-DSYMDYN_VECTOR_BYTES=32"]),
    ("gcc", 4, "float32", ["-mavx2", "-mfma", "-DSYMDYN_VECTOR_BYTES=16"]),
    ("gcc", 4, "float64", ["-DSYMDYN_VECTOR_BYTES=0"]),
    ("clang", 3, "float64", ["-DSYMDYN_VECTOR_BYTES=16"]),
    ("clang", 8, "float32", ["-march=native"]),
]


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("compiler", "order", "dtype", "flags"),
    [pytest.param(*build, marks=needs(build[0]), id=f"{build[0]}-{build[1]}-{build[3][-1]}") for build in _BUILDS],
)
def test_compiled_series(tmp_path: Path, compiler: str, order: int, dtype: str, flags: list[str]) -> None:
    robot = _chain("cylindrical")
    api.generate(robot, [FUNCTION], layout="split-lanes", order=order, dtype=dtype, out=tmp_path)
    entry = Manifest.from_json((tmp_path / FILE_NAME).read_text()).function(FUNCTION)
    command = [compiler, "-O2", "-std=c99", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-fPIC", *flags]
    sources = [f"{entry.c_name}.c"]
    subprocess.run([*command, "-shared", *sources, "-o", "made.so", "-lm"], cwd=tmp_path, check=True, timeout=200)
    program = _program(robot, order, dtype=dtype)
    inputs = {
        name: np.array(values, dtype)
        for name, values in random_inputs(robot, program.signature, np.random.default_rng(2)).items()
    }
    found, work = np.full((order + 1) * robot.nv, np.nan, dtype), np.full(entry.work_size, np.nan, dtype)
    arrays = [*(inputs[argument.name] for argument in program.signature.inputs), found, work]
    library = ctypes.CDLL(str(tmp_path / "made.so"))
    getattr(library, entry.c_name)(*(ctypes.c_void_p(array.ctypes.data) for array in arrays))
    expected = evaluate_program(program, FloatAlgebra(), {name: list(map(float, x)) for name, x in inputs.items()})
    fused = dtype == "float64" and flags[0].startswith("-m")
    assert relative_error(found, expected["tau"]) < (1e-5 if dtype == "float32" else 1e-13)
    if fused:
        np.testing.assert_array_equal(found, expected["tau"])
