"""Transmitted wrenches against the forces of a robot whose every joint is free, in every layout."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.robots.kinds import FIXED, H, P, R, S
from support.robots.random_trees import make_robot, robots
from support.robots.small import described, joint, loaded, massive, single
from support.states import random_inputs, relative_error

from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.robot import Actuator, Joint, JointKind, Link, RobotDescription
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.request import Request
from symdyn.model.joints import FREE_SPATIAL
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
SEEDS = st.integers(0, 2**32 - 1)
KINDS = (R, P, H, S, FIXED)


def wrenches(robot: Robot, external: str | None = None, **inputs: Array) -> Array:
    recursion = api.float_recursion(robot, "joint_wrenches", external_wrenches=external)
    flat = recursion({name: [float(value) for value in np.ravel(rows)] for name, rows in inputs.items()})["F"]
    return np.array(flat).reshape(-1, 6)


def freed(item: Joint, q: Array, v: Array, a: Array) -> tuple[list[float], list[float], list[float]]:
    """The same motion by the coordinates of a free joint: pose, twist (linear; angular) and its rates, child axes."""
    if item.kind is JointKind.SPHERICAL:
        return [0.0] * 3 + list(q), [0.0] * 3 + list(v), [0.0] * 3 + list(a)
    axis = np.array(item.axis)
    slides = {JointKind.PRISMATIC: 1.0, JointKind.HELICAL: item.pitch}.get(item.kind, 0.0)
    turns = 0.0 if item.kind is JointKind.PRISMATIC else 1.0
    along = [np.concatenate([slides * axis, turns * axis]) * rate[0] for rate in (v, a)]
    half = 0.5 * turns * q[0]
    return [*(slides * q[0] * axis), *(math.sin(half) * axis), math.cos(half)], [*along[0]], [*along[1]]


def all_free(robot: Robot, q: Array, v: Array, a: Array) -> tuple[Robot, list[float], list[float], list[float]]:
    """The robot with every moving joint free, in the same state."""
    description = robot.description
    joints = tuple(
        item
        if item.kind is JointKind.FIXED
        else replace(item, kind=JointKind.FLOATING, limits=None, axis=(0.0, 0.0, 1.0), pitch=0.0)
        for item in description.joints
    )
    free = loaded(replace(description, joints=joints), gravity=robot.model.gravity)
    by_name = {item.name: item for item in description.joints}
    state: tuple[list[float], list[float], list[float]] = ([], [], [])
    for indexed in robot.model.independent_joints:
        rows = indexed.coordinates
        nq, nv = len(rows.q), len(rows.v)
        own = [q[indexed.q_index :][:nq], v[indexed.v_index :][:nv], a[indexed.v_index :][:nv]]
        parts = freed(by_name[indexed.joint], *own) if indexed.joint in by_name else tuple(map(list, own))
        for whole, part in zip(state, parts, strict=True):
            whole.extend(part)
    return free, *state


@settings(max_examples=40)
@given(st.lists(st.sampled_from(KINDS), min_size=1, max_size=7), st.booleans(), SEEDS)
def test_a_wrench_is_the_force_of_a_free_joint(kinds: list[JointKind], floating: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    parents = [int(rng.integers(max(0, index - 2), index + 1)) for index in range(len(kinds))]
    robot = loaded(make_robot(parents, kinds, seed, floating, mimics=False, drives=False), gravity=(1.0, -2.0, -9.0))
    q, v = robot.random_state(rng)
    a = rng.standard_normal(robot.nv)
    free, *state = all_free(robot, q, v, a)
    expected = api.float_recursion(free, "inverse_dynamics")(dict(zip("qva", state, strict=True)))["tau"]
    found = wrenches(robot, q=q, v=v, a=a)
    assert found.shape == (len(robot.body_names), 6)
    assert relative_error(found.ravel().tolist(), expected) <= 1e-11


@settings(max_examples=6)
@given(robots(max_joints=5), st.sampled_from(("body", "world")), SEEDS)
def test_conventions_layouts_and_external_wrenches(description: RobotDescription, axes: str, seed: int) -> None:
    both = [loaded(description, convention=name, joint_losses=True) for name in ("pinocchio", "spatial", "mujoco")]
    still = [item.v_index for item in both[1].model.independent_joints if item.kind == FREE_SPATIAL]
    found = []
    for robot in both:
        signature = CATALOGUE["joint_wrenches"].signature(robot.model, Request(axes))
        rng = np.random.default_rng(seed)
        inputs = random_inputs(robot, signature, rng)
        for row in still:  # the only rows that mean different motions
            inputs["v"][row : row + 6] = inputs["a"][row : row + 6] = [0.0] * 6
        f_ext = np.reshape(inputs["f_ext"], (-1, 6))
        if robot.model.convention == "spatial":
            inputs["f_ext"] = np.roll(f_ext, 3, axis=1).ravel().tolist()
        reference = api.float_recursion(robot, "joint_wrenches", external_wrenches=axes)(inputs)["F"]
        found.append(np.reshape(reference, (-1, 6)))
        for layout in ("unrolled", "rolled"):
            (program,) = api.programs(robot, ["joint_wrenches"], layout=layout, external_wrenches=axes)
            value = evaluate_program(program, FloatAlgebra(), inputs)["F"]
            assert relative_error(value, reference) <= 1e-11, layout
    assert np.roll(found[1], 3, axis=1) == pytest.approx(found[0], rel=1e-11, abs=1e-11)


def test_an_external_wrench_unloads_the_joint_that_carries_it() -> None:
    joints = [
        joint("one", JointKind.REVOLUTE, "base", "a"),
        joint("two", JointKind.REVOLUTE, "a", "b", (0.3, 0.0, 0.0), axis=(0.0, 0.6, 0.8)),
    ]
    robot = loaded(described([Link("base"), massive("a"), massive("b")], joints))
    q, v, a = np.array([0.4, -1.1]), np.array([0.3, 0.9]), np.array([1.0, -2.0])
    push = np.array([[0.0] * 6, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]])
    change = wrenches(robot, q=q, v=v, a=a) - wrenches(robot, "body", q=q, v=v, a=a, f_ext=push)
    assert change[1] == pytest.approx(push[1], rel=1e-13)
    assert np.linalg.norm(change[0, :3]) == pytest.approx(math.sqrt(14.0), rel=1e-13)


def test_a_free_body_transmits_its_own_forces() -> None:
    robot = loaded(single(JointKind.FLOATING))
    rng = np.random.default_rng(3)
    q, v = robot.random_state(rng)
    a = rng.standard_normal(6)
    tau = api.float_recursion(robot, "inverse_dynamics")({"q": q.tolist(), "v": v.tolist(), "a": a.tolist()})["tau"]
    assert wrenches(robot, q=q, v=v, a=a)[0] == pytest.approx(tau, rel=1e-13)


def test_rotors_do_not_load_the_bearing() -> None:
    bare = single(JointKind.REVOLUTE, axis=(0.6, 0.0, 0.8))
    geared = replace(bare, joints=(replace(bare.joints[0], actuator=Actuator(1e-4, 100.0)),))
    state = {"q": np.array([0.3]), "v": np.array([0.7]), "a": np.array([5.0])}
    assert np.array_equal(wrenches(loaded(bare), **state), wrenches(loaded(geared), **state))


@pytest.mark.parametrize(("convention", "first"), [("pinocchio", "fx"), ("spatial", "mx")])
def test_the_arguments(convention: str, first: str) -> None:
    robot = loaded(single(JointKind.UNIVERSAL), convention=convention)
    found = CATALOGUE["joint_wrenches"].signature(robot.model, Request())
    (F,) = found.outputs
    assert F.name == "F" and F.shape == (1, 6) and F.element_names[0] == f"body,{first}"
    assert found.options["regrouping"] == "none"
