"""Gravity and bias are inverse dynamics at rest and without acceleration, at the price of what is left of it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.robots.random_trees import robots
from support.robots.small import Y, described, joint, loaded, massive, point_mass
from support.states import random_inputs

from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.robot import Actuator, Elastic, JointKind, Link, Losses, RobotDescription
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.request import Request

CONVENTIONS = st.sampled_from(("pinocchio", "spatial", "mujoco"))
SEEDS = st.integers(0, 2**32 - 1)


@settings(max_examples=30)
@given(robots(max_joints=10), CONVENTIONS, SEEDS)
def test_bias_is_inverse_dynamics_without_acceleration(
    description: RobotDescription, convention: str, seed: int
) -> None:
    robot = loaded(description, convention=convention, joint_losses=True)
    q, v = (rows.tolist() for rows in robot.random_state(np.random.default_rng(seed)))
    expected = api.float_recursion(robot, "inverse_dynamics")({"q": q, "v": v, "a": [0.0] * robot.nv})["tau"]
    found = api.float_recursion(robot, "bias")({"q": q, "v": v})["tau"]
    assert found == pytest.approx(expected, rel=1e-14, abs=1e-14)


@settings(max_examples=30)
@given(robots(max_joints=10, drives=False), CONVENTIONS, SEEDS)
def test_gravity_is_inverse_dynamics_at_rest(description: RobotDescription, convention: str, seed: int) -> None:
    robot = loaded(description, convention=convention, joint_losses=True, gravity=(1.0, -2.0, -9.0))
    q = robot.random_state(np.random.default_rng(seed))[0].tolist()
    still = [0.0] * robot.nv
    expected = api.float_recursion(robot, "inverse_dynamics")({"q": q, "v": still, "a": still})["tau"]
    assert api.float_recursion(robot, "gravity")({"q": q})["tau"] == pytest.approx(expected, rel=1e-14, abs=1e-14)


@settings(max_examples=5)
@given(robots(max_joints=6), SEEDS)
def test_both_layouts_agree(description: RobotDescription, seed: int) -> None:
    links = [link.name for link in description.links if link.inertial is not None]
    robot = loaded(description, joint_losses=True, runtime=["gravity.z", *(f"{name}.mass" for name in links[-1:])])
    for function in ("gravity", "bias"):
        signature = CATALOGUE[function].signature(robot.model, Request())
        inputs = random_inputs(robot, signature, np.random.default_rng(seed))
        expected = api.float_recursion(robot, function)(inputs)["tau"]
        for layout in ("unrolled", "rolled"):
            (program,) = api.programs(robot, [function], layout=layout)
            found = evaluate_program(program, FloatAlgebra(), inputs)["tau"]
            assert found == pytest.approx(expected, rel=1e-11, abs=1e-11), (function, layout)


def test_gravity_leaves_springs_rotors_and_losses_out() -> None:
    drive = Elastic(30.0, 0.5, Actuator(1e-4, 50.0))
    swing = joint("swing", JointKind.REVOLUTE, "base", "bob", axis=Y, elastic=drive, losses=Losses(0.4, 0.2))
    links = [Link("base"), point_mass("bob", 1.5, (0.0, 0.0, -0.8))]
    robot = loaded(described(links, [swing]), joint_losses=True)
    q, v = [0.3, 0.1], [0.7, -0.2]
    weight = 1.5 * 9.81 * 0.8 * math.sin(0.3)
    spring = 30.0 * (0.3 - 0.1)
    damper = 0.5 * (0.7 + 0.2)
    loss = -0.4 * 0.2 - 0.2 * math.tanh(0.2 / 0.01)
    assert api.float_recursion(robot, "gravity")({"q": q})["tau"] == pytest.approx([weight, 0.0], rel=1e-14)
    assert api.float_recursion(robot, "bias")({"q": q, "v": v})["tau"] == pytest.approx(
        [weight + spring + damper, loss - spring - damper], rel=1e-14
    )


def test_what_is_zero_costs_nothing() -> None:
    arm = api.load_example("seven_dof_arm")
    counted = api.cost(arm, ["inverse_dynamics", "bias", "gravity"], layout="unrolled")
    full, bias, gravity = (counted[name]["total"] for name in ("inverse_dynamics", "bias", "gravity"))
    assert bias < full - arm.nv and gravity < 0.3 * full
    pendulum = described(
        [Link("base"), massive("bob", center=(0.0, 0.0, -0.5))], [joint("j", JointKind.REVOLUTE, "base", "bob", axis=Y)]
    )
    # Half of the plan's work is the sine: m g l sin(q) is one product more.
    assert api.cost(loaded(pendulum), ["gravity"], layout="unrolled")["gravity"]["total"] <= 4


def test_the_arguments() -> None:
    robot = loaded(
        described([Link("base"), massive("bob")], [joint("j", JointKind.REVOLUTE, "base", "bob", losses=Losses(0.1))]),
        joint_losses=True,
        runtime=["bob.mass"],
    )
    for function, inputs, losses in (("gravity", ["q", "p"], "left out"), ("bias", ["q", "v", "p"], "included")):
        found = CATALOGUE[function].signature(robot.model, Request())
        assert [argument.name for argument in found.inputs] == inputs
        assert [argument.name for argument in found.outputs] == ["tau"]
        assert found.options["joint_losses"] == losses and found.options["external_wrenches"] == "none"
