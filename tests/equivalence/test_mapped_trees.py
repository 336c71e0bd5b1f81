"""Robots with bodies given by their map: recursion == Program == compiled C == Python in every layout."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from support.agreement import asked, flat, programs_agree
from support.robots.mapped_bodies import membrane, mixed, on_a_joint
from support.states import random_inputs, relative_error

import symdyn
from symdyn import api
from symdyn.options import RequestOptions
from symdyn.robot import Robot

TOLERANCE = 1e-9  # solutions with M lose its condition number
LAYOUTS = ("unrolled", "split", "rolled")
LIGHT = ("inverse_dynamics", "forward_dynamics", "potential_energy")
FUNCTIONS = (
    *LIGHT,
    "hybrid_dynamics",
    "mass_matrix",
    "jacobians",
    "centroidal_momentum_matrix",
    "inverse_dynamics_regressor",
    "inverse_dynamics_partials",
    "forward_dynamics_partials",
    "coriolis_matrix",
    "inverse_dynamics_time_derivatives",
    "forward_dynamics_time_derivatives",
)

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")


@cache
def robot_of(name: str) -> Robot:
    made = mixed() if name == "mixed" else on_a_joint(membrane(quadrature=(3, 2, 1)))
    return api.from_description(made, joint_losses=True, gravity=(1.0, -2.0, -9.0))


@pytest.mark.parametrize(
    ("which", "function"),
    [
        pytest.param(which, function, marks=() if which == "skin" and function in LIGHT else pytest.mark.slow)
        for which in ("skin", "mixed")
        for function in FUNCTIONS
    ],
)
def test_layouts_agree(which: str, function: str) -> None:
    robot = robot_of(which)
    options = asked(robot, function)
    programs_agree(
        robot, function, (LAYOUTS if which == "skin" else ("rolled", "rolled-lanes")), tolerance=TOLERANCE, **options
    )


@pytest.mark.slow
@pytest.mark.needs_cc
@pytest.mark.parametrize("layout", ["split", "rolled"])
def test_compiled_and_in_python(layout: str) -> None:
    robot = robot_of("skin")
    options: RequestOptions = {"order": 1, "prescribed": tuple(robot.velocity_names[1::2])}
    modules = [
        symdyn.compile(robot, FUNCTIONS, layout=layout, target=target, lanes=layout == "rolled", **options)
        for target in ("c", "python")
    ]
    for function in FUNCTIONS:
        signature = next(x.signature for x in modules[0].manifest.functions if x.python_name == function)
        inputs = random_inputs(robot, signature, np.random.default_rng(5))
        reference = flat(api.float_recursion(robot, function, **asked(robot, function))(inputs))
        shaped = [np.reshape(inputs[argument.name], argument.shape) for argument in signature.inputs]
        for module in modules:
            found = getattr(module, function)(*shaped)
            outputs = found if isinstance(found, tuple) else (found,)
            value = np.concatenate([np.ravel(output) for output in outputs])
            assert relative_error(value, reference) <= TOLERANCE, (function, module)


def test_code_does_not_grow_with_points() -> None:
    sizes = []
    for count in (3, 5):
        robot = api.from_description(on_a_joint(membrane(quadrature=(count, 2, 1))))
        (program,) = api.programs(robot, ["inverse_dynamics"], layout="rolled")
        sizes.append(sum(len(tape.ops) for tape in program.tapes))
    assert sizes[0] == sizes[1]
