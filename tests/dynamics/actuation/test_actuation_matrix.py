"""Tendons and chambers: truth == recursion == Program == compiled C, and what is known of rods in closed form."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from support.robots.driven import driven
from support.robots.soft_trees import soft_arm
from support.states import relative_error

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.actuation import Actuation
from symdyn.description.robot import Actuator, Elastic
from symdyn.description.yaml.read import parse_yaml
from symdyn.errors import ModelError
from symdyn.functions.catalogue import CATALOGUE, requests
from symdyn.functions.request import Request
from symdyn.plan.plan import FieldKind
from symdyn.robot.robot import Robot
from symdyn.verify.harness.states import verification_states
from symdyn.verify.oracle.setting import make_setting
from symdyn.verify.oracle.truths import find_truth

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
FUNCTIONS = ["actuation_matrix", "chamber_volumes", "tendon_lengths"]


@cache
def robot() -> Robot:
    return api.from_description(driven())


def called(own: Robot, function: str, **inputs: Any) -> np.ndarray:
    given = {name: np.ravel(values).tolist() for name, values in inputs.items()}
    if own.model.slots.names:
        given["p"] = [0.01]
    (values,) = api.float_recursion(own, function)(given).values()
    return np.array(values)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_recursion_is_right(function: str) -> None:
    ((entry, request),) = requests(robot().model, [function])
    signature = entry.signature(robot().model, request)
    setting = make_setting(robot().description, signature, robot().load_options())
    state = verification_states(setting.tree, signature.inputs, {"load": 0.01}, 1)[-1].inputs
    exact = find_truth(function)(setting, state)
    (found,) = api.float_recursion(robot(), function)({name: list(values) for name, values in state.items()}).values()
    names = signature.outputs[0].rows[-1]
    for place, (value, expected, scale) in enumerate(zip(found, exact.values, exact.scales, strict=True)):
        of_stiffness = names[place % len(names)].endswith(".rest")  # whose integrals are good to 1e-14
        assert abs(value - expected) <= (1e-14 if of_stiffness else 4e-15) * scale


@pytest.mark.parametrize("function", FUNCTIONS)
def test_plan_and_signature_name_the_same_arrays(function: str) -> None:
    entry = CATALOGUE[function]
    plan, made = entry.plan(robot().model, Request()), entry.signature(robot().model, Request())
    for kind, arguments in ((FieldKind.INPUT, made.inputs), (FieldKind.OUTPUT, made.outputs)):
        sizes = {argument.name: argument.size for argument in arguments}
        assert {field.name: field.size for field in plan.fields_of(kind)} == sizes


@pytest.mark.parametrize("layout", ["split", "rolled"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_programs_agree_with_the_recursion(function: str, layout: str) -> None:
    q = np.random.default_rng(3).uniform(-0.3, 0.3, robot().model.nq)
    (program,) = api.programs(robot(), [function], layout=layout)
    (found,) = evaluate_program(program, FloatAlgebra(), {"q": q.tolist(), "p": [0.01]}).values()
    assert relative_error(found, called(robot(), function, q=q).tolist()) <= 1e-14


@pytest.mark.needs_cc
def test_compiled_code_agrees() -> None:
    q = np.random.default_rng(4).uniform(-0.3, 0.3, robot().model.nq)
    module = symdyn.compile(robot(), FUNCTIONS, layout="rolled")
    for function in FUNCTIONS:
        found = np.ravel(getattr(module, function)(q, [0.01]))
        assert relative_error(found.tolist(), called(robot(), function, q=q).tolist()) <= 1e-14


def test_power_of_tendons_and_chambers_is_that_of_their_forces() -> None:
    """Those of a joint is its torque times its speed; (dl/dt) u = -tau . v and (dV/dt) p = tau . v."""
    rng = np.random.default_rng(5)
    nv, h = robot().model.nv, 1e-5
    q, v = rng.uniform(-0.3, 0.3, nv), rng.uniform(-1, 1, nv)
    u = np.array([20.0, 1.5, 2e4, 5.0, -1e4, 0.0, 0.0, 0.0, 0.0])
    power = (called(robot(), "actuation_matrix", q=q).reshape(nv, -1).T @ v) * u

    def rate(function: str) -> np.ndarray:
        return (called(robot(), function, q=q + h * v) - called(robot(), function, q=q - h * v)) / (2 * h)

    l_rate, V_rate = rate("tendon_lengths"), rate("chamber_volumes")
    assert power == pytest.approx(u * [-l_rate[0], v[0], V_rate[0], -l_rate[1], V_rate[1], 0, 0, 0, 0], rel=1e-8)


def test_rods_without_load_rest_where_their_inputs_say() -> None:
    """K (q - rest) = 0; input after input, in the rows that the file names."""
    own = robot().model
    names = [item.name for item in own.actuator_inputs[5:]]
    assert names == [*(f"arm.curvature_y[{k}].rest" for k in range(3)), "hand.stretch[0].rest"]
    q, rest = np.zeros(own.nq), [0.1, -0.2, 0.3, 0.05]
    q[[own.velocity_names.index(name.removesuffix(".rest")) for name in names]] = rest
    B = called(robot(), "actuation_matrix", q=q).reshape(own.nv, -1)
    held = called(robot(), "elastic_forces", q=q)
    assert B[:, 5:] @ rest == pytest.approx(held, rel=1e-13, abs=1e-13 * abs(held).max())
    (argument,) = CATALOGUE["actuation_matrix"].signature(own, Request()).outputs
    units = np.reshape(argument.units, (own.nv, -1))
    rows = [own.velocity_names.index(name) for name in ("arm.curvature_y[0]", "hand.stretch[0]")]
    assert units[rows, [5, 8]].tolist() == ["N m/(rad)", "J"]


ROD = """
name: finger
gravity: [0, 0, 0]
links:
  arm:
    soft:
      length: 0.5
      section: {shape: circle, radius: 0.02}
      material: {youngs_modulus: 1e6, poisson_ratio: 0.5, density: 1000}
      strain: {curvature_z: 1, stretch: 0}
      stations: 3
tendons:
  side: {link: arm, y: radius(x)/2}
  across: {link: arm, y: 0.01, z: 0.02*x}
chambers:
  half: {link: arm, wall: radius(x), angles: [-pi/2, pi/2]}
actuators: [side, half, across]
"""
LENGTH, RADIUS, MODULUS = 0.5, 0.02, 1e6
AREA, SECOND = math.pi * RADIUS**2, math.pi * RADIUS**4 / 4


def test_a_parallel_tendon_bends_a_straight_rod_into_a_circle() -> None:
    """Its length is linear in q, so that K q = B u is solved at once: curvature y u / EI, and u / EA less stretch."""
    finger, u = api.from_description(parse_yaml(ROD.encode(), "r.yaml")), 40.0
    B = called(finger, "actuation_matrix", q=np.zeros(3)).reshape(3, -1)
    assert B[:, 0] == pytest.approx([RADIUS / 2, 0.0, -LENGTH], rel=1e-14, abs=1e-17)
    curvature, stretch = RADIUS / 2 * u / (MODULUS * SECOND), 1.0 - u / (MODULUS * AREA)
    q = [curvature * LENGTH, 0.0, stretch - 1.0]
    assert called(finger, "actuation_matrix", q=q).reshape(3, -1)[:, 0] == pytest.approx(B[:, 0], rel=1e-14, abs=1e-17)
    tau = called(finger, "inverse_dynamics", q=q, v=np.zeros(3), a=np.zeros(3))
    assert tau == pytest.approx(B[:, 0] * u, rel=1e-12, abs=1e-15)
    assert called(finger, "tendon_lengths", q=q)[0] == pytest.approx(LENGTH * (stretch - curvature * RADIUS / 2))
    tip = called(finger, "forward_kinematics", q=q).reshape(-1, 4, 4)[-1]
    arc, bend = stretch / curvature, curvature * LENGTH
    assert tip[:3, 3] == pytest.approx([arc * math.sin(bend), arc * (1 - math.cos(bend)), 0.0], rel=1e-9, abs=1e-15)
    assert tip[:2, 0] == pytest.approx([math.cos(bend), math.sin(bend)], rel=1e-9)


def test_a_slanted_tendon_and_a_half_filled_rod_in_closed_form() -> None:
    finger = api.from_description(parse_yaml(ROD.encode(), "r.yaml"))
    q, y, slope = [0.4, 0.0, -0.05], 0.01, 0.02
    along = 0.95 - 0.4 / LENGTH * y
    assert called(finger, "tendon_lengths", q=q)[1] == pytest.approx(LENGTH * math.hypot(along, slope), rel=1e-14)
    share = along / math.hypot(along, slope)
    B = called(finger, "actuation_matrix", q=q).reshape(3, -1)
    assert B[:, 2] == pytest.approx([y * share, 0.0, -LENGTH * share], rel=1e-13, abs=1e-17)
    moment = 2 * RADIUS**3 / 3
    volume = LENGTH * (0.95 * AREA / 2 - 0.4 / LENGTH * moment)
    assert called(finger, "chamber_volumes", q=q) == pytest.approx([volume], rel=1e-14)
    assert B[:, 1] == pytest.approx([-moment, 0.0, LENGTH * AREA / 2], rel=1e-13, abs=1e-19)


def test_inputs_of_joints() -> None:
    """A motor behind a spring has the row of the motor, and a locked joint is no actuator any more."""
    arm = soft_arm()
    spring = Elastic(40.0, 0.5, Actuator(armature=0.25))
    joints = (replace(arm.joints[0], elastic=spring), arm.joints[1])
    made = replace(arm, joints=joints, actuation=Actuation(actuators=("roll", "turn")))
    own = api.from_description(made)
    B = called(own, "actuation_matrix", q=np.zeros(own.model.nq)).reshape(own.model.nv, -1)
    assert np.argwhere(B).tolist() == [[1, 1], [own.velocity_names.index("roll"), 0]]
    (argument,) = CATALOGUE["actuation_matrix"].signature(own.model, Request()).outputs
    assert argument.rows[1] == ("roll", "turn.motor")
    held = api.from_description(made, locked_joints={"turn": 0.3})
    assert [item.name for item in held.model.actuator_inputs] == ["roll"]


@pytest.mark.parametrize(("function", "what"), list(zip(FUNCTIONS, ("actuators", "chambers", "tendons"), strict=True)))
def test_robots_without_are_refused(function: str, what: str) -> None:
    with pytest.raises(ModelError, match=f"needs {what}, and robot 'arm' has none; .* some under '{what}'"):
        api.float_recursion(api.from_description(soft_arm()), function)
