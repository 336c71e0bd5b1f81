"""The regressor against inverse dynamics: Y phi = tau, phi being read off the description link by link."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.robots.random_trees import robots
from support.robots.small import Y, described, joint, loaded, massive
from support.robots.soft_trees import soft_tree
from support.states import random_inputs, relative_error

from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.robot import Inertial, Joint, JointKind, Link, Mimic, RobotDescription
from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.request import Request
from symdyn.model.model import without_springs
from symdyn.plan.run import run_plan
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
SEEDS = st.integers(0, 2**32 - 1)
FUNCTION = "inverse_dynamics_regressor"


def regressor(robot: Robot, **inputs: list[float]) -> Array:
    return np.array(api.float_recursion(robot, FUNCTION)(inputs)["Y"]).reshape(robot.nv, -1)


def about_origin(inertial: Inertial, rotation: Array, translation: Array) -> Array:
    """m, m c and the inertia tensor (Ixx, Ixy, Iyy, Ixz, Iyz, Izz) about the origin of a frame that sees the link at a
    rotation and a translation."""
    turned = rotation @ np.array(inertial.placement.rotation)
    xx, xy, xz, yy, yz, zz = inertial.moments
    tensor = turned @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=float) @ turned.T
    mass = float(str(inertial.mass))
    center = translation + rotation @ np.array(inertial.placement.translation, dtype=float)
    tensor = tensor + mass * ((center @ center) * np.eye(3) - np.outer(center, center))
    return np.array([mass, *(mass * center), *tensor[np.tril_indices(3)]])


def standard_parameters(robot: Robot) -> Array:
    """phi, ten numbers per public body; links fixed to each other are one body. Soft links have their density each."""
    description = robot.description
    soft = {link.name: link.soft for link in description.links if link.soft is not None}
    by_child: dict[str, Joint] = {item.child: item for item in description.joints}
    phi = {name: np.zeros(10) for name in robot.body_names}
    for link in description.links:
        end, rotation, translation = link.name, np.eye(3), np.zeros(3)
        name = end
        while name in by_child and by_child[name].kind is JointKind.FIXED:
            placement = by_child[name].placement
            turn = np.array(placement.rotation)
            rotation, translation = turn @ rotation, turn @ translation + np.array(placement.translation, dtype=float)
            end = name = by_child[name].parent
            if name in soft:  # a straight one
                root = soft[name].placement
                end = f"{name}.tip"
                translation = (
                    translation - np.array(root.translation) - soft[name].length * np.array(root.rotation)[:, 0]
                )
                break
        if end in phi and link.inertial is not None:
            phi[end] += about_origin(link.inertial, rotation, translation)
    densities = [soft[rod.link].material.density for rod in robot.model.rods]
    return np.concatenate([*(phi[name] for name in robot.body_names), densities])


@settings(max_examples=40)
@given(robots(max_joints=8, drives=False), st.sampled_from(("pinocchio", "spatial", "mujoco")), SEEDS)
def test_tau_is_linear_in_the_parameters(description: RobotDescription, convention: str, seed: int) -> None:
    robot = loaded(description, convention=convention, gravity=(1.0, -2.0, -9.0))
    rng = np.random.default_rng(seed)
    q, v = (rows.tolist() for rows in robot.random_state(rng))
    a = rng.standard_normal(robot.nv).tolist()
    tau = api.float_recursion(robot, "inverse_dynamics")({"q": q, "v": v, "a": a})["tau"]
    found = regressor(robot, q=q, v=v, a=a)
    assert found.shape == (robot.nv, 10 * len(robot.body_names))
    assert relative_error(list(found @ standard_parameters(robot)), tau) <= 1e-11


def test_soft_links_have_a_column_for_their_density() -> None:
    """Rods on rods and on a follower; what strain, losses and springs add to tau is left out."""
    robot = loaded(soft_tree(elastic=False, flexible=False))
    rng = np.random.default_rng(5)
    q, v = (rows.tolist() for rows in robot.random_state(rng))
    inputs = {"q": q, "v": v, "a": rng.standard_normal(robot.nv).tolist()}
    bare = replace(without_springs(robot.model), joint_losses=False)
    tau = run_plan(inverse_dynamics_plan(bare), FloatAlgebra(), inputs)["tau"]
    found = regressor(robot, **inputs)
    names = CATALOGUE[FUNCTION].signature(robot.model, Request()).outputs[0].rows[1]
    assert names[-3:] == ("arm.density", "thumb.density", "finger.density")
    assert found.shape == (robot.nv, len(names))
    assert relative_error(list(found @ standard_parameters(robot)), tau) <= 1e-12


@settings(max_examples=6)
@given(robots(max_joints=4), SEEDS)
def test_layouts_and_runtime_parameters(description: RobotDescription, seed: int) -> None:
    links = [link.name for link in description.links if link.inertial is not None]
    geometry = f"{description.joints[0].name}.translation.y"
    runtime = ["gravity.z", geometry, *(f"{name}.mass" for name in links[-1:])]
    robot = loaded(description, joint_losses=True, runtime=runtime)
    inputs = random_inputs(robot, CATALOGUE[FUNCTION].signature(robot.model, Request()), np.random.default_rng(seed))
    reference = api.float_recursion(robot, FUNCTION)(inputs)["Y"]
    for layout in ("unrolled", "rolled"):
        (program,) = api.programs(robot, [FUNCTION], layout=layout)
        assert relative_error(evaluate_program(program, FloatAlgebra(), inputs)["Y"], reference) <= 1e-11, layout
    defaults = inputs | {"p": robot.runtime_defaults.tolist()}
    baked = regressor(loaded(description), **{name: inputs[name] for name in "qva"})
    assert relative_error(api.float_recursion(robot, FUNCTION)(defaults)["Y"], baked.ravel().tolist()) <= 1e-11


def test_the_robots_own_inertia_plays_no_part() -> None:
    joints = [
        joint("one", JointKind.REVOLUTE, "base", "a", axis=Y),
        joint("two", JointKind.PRISMATIC, "a", "b", (0.3, 0.0, 0.1), mimic=Mimic("one", -2.0, 0.1)),
    ]
    light, heavy = (
        loaded(described([Link("base"), massive("a", mass), massive("b", mass)], joints)) for mass in (1.0, 7.0)
    )
    state = {"q": [0.4], "v": [1.3], "a": [-0.7]}
    assert np.array_equal(regressor(light, **state), regressor(heavy, **state))
    for robot in (light, heavy):
        tau = api.float_recursion(robot, "inverse_dynamics")(state)["tau"]
        assert regressor(robot, **state) @ standard_parameters(robot) == pytest.approx(tau, rel=1e-12)


def test_the_arguments() -> None:
    joints = [
        joint("turn", JointKind.REVOLUTE, "base", "a"),
        joint("slide", JointKind.PRISMATIC, "a", "b"),
    ]
    robot = loaded(described([Link("base"), massive("a"), massive("b")], joints))
    found = CATALOGUE[FUNCTION].signature(robot.model, Request())
    (matrix,) = found.outputs
    assert [argument.name for argument in found.inputs] == ["q", "v", "a"]
    assert matrix.name == "Y" and matrix.shape == (2, 20)
    parameters = ("m", "hx", "hy", "hz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
    assert matrix.rows == (("turn", "slide"), tuple(f"{body}.{name}" for body in "ab" for name in parameters))
    assert matrix.element_units[:5] == ("m^2/s^2", "m/s^2", "m/s^2", "m/s^2", "1/s^2")
    assert matrix.element_units[20:25] == ("m/s^2", "1/s^2", "1/s^2", "1/s^2", "1/(m s^2)")
