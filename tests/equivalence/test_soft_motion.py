"""Frames, momentum and time derivatives of a soft arm: truth == recursion == Program == compiled C == Python."""

from __future__ import annotations

import numpy as np
import pytest
from support.agreement import asked, flat, inputs_of, modules_agree, truth_agrees
from support.robots.sprung import OF_ELASTIC_JOINTS, sprung
from support.soft_calls import MADE, soft_robot
from support.states import relative_error

from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.robot.robot import Robot

TOLERANCE = 1e-9  # solutions with M lose its condition number
ORDERS = {
    "jacobians": 0,
    "jacobians_time_derivative": 0,
    "centroidal_momentum_matrix": 0,
    "forward_kinematics_time_derivatives": 2,
    "inverse_dynamics_time_derivatives": 2,
    "inverse_dynamics_rate_terms": 0,
    "forward_dynamics_time_derivatives": 2,
    "hybrid_dynamics_time_derivatives": 1,
    OF_ELASTIC_JOINTS: 1,
}
"""The order in which each function is asked for, where it has orders."""
LONG = {name for name in ORDERS if name.endswith("dynamics_time_derivatives") or "rate_terms" in name}
CASES = [
    pytest.param(name, layout, marks=pytest.mark.slow if name in LONG or layout == "unrolled" else ())
    for name in ORDERS
    for layout in ("unrolled", "split", "rolled")
    if (name, layout) != ("forward_dynamics_time_derivatives", "rolled")
]
CASES.append(pytest.param("forward_dynamics_time_derivatives", "rolled"))

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")


def robot_for(function: str) -> Robot:
    return api.from_description(sprung(MADE["arm"]())) if function == OF_ELASTIC_JOINTS else soft_robot("arm")


@pytest.mark.parametrize(
    "function", [pytest.param(name, marks=pytest.mark.slow if name in LONG else ()) for name in ORDERS]
)
def test_the_recursion_is_right(function: str) -> None:
    robot = robot_for(function)
    options = asked(robot, function, ORDERS[function])
    assert truth_agrees(robot, function, **options)


@pytest.mark.parametrize(("function", "layout"), CASES)
def test_every_layout_agrees_with_the_recursion(function: str, layout: str) -> None:
    robot = robot_for(function)
    options = asked(robot, function, ORDERS[function])
    inputs = inputs_of(robot, function, seed=7, **options)
    reference = flat(api.float_recursion(robot, function, **options)(inputs))
    assert np.all(np.isfinite(reference))
    (program,) = api.programs(robot, [function], layout=layout, **options)
    assert relative_error(flat(evaluate_program(program, FloatAlgebra(), inputs)), reference) <= TOLERANCE


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("order", "layout"),
    [
        (0, "rolled"),
        *(pytest.param(*own, marks=pytest.mark.slow) for own in ((0, "split"), (2, "rolled"), (2, "split"))),
    ],
)
def test_compiled_and_python_targets_agree(order: int, layout: str) -> None:
    functions = [name for name in ORDERS if ORDERS[name] == order and (order or name not in LONG)]
    options = {"order": order} if order else {}
    modules_agree(soft_robot("arm"), functions, layout, tolerance=TOLERANCE, **options)
