"""Jacobians and their rates: against differences of poses, by hand, and in every layout."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.oracles.plain_kinematics import Array, along, frame_velocities, rate
from support.robots.random_trees import make_robot, robots
from support.robots.small import X, Y, described, joint, loaded, massive
from support.states import random_inputs, relative_error

from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.robot import Frame, JointKind, Link, Mimic, Placement, RobotDescription
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.request import Request
from symdyn.robot.robot import Robot

FUNCTIONS = {"jacobians": "J", "jacobians_time_derivative": "dJ_dt"}
CONVENTIONS = st.sampled_from(("pinocchio", "spatial", "mujoco"))


def jacobians(robot: Robot, q: Array) -> Array:
    flat = api.float_recursion(robot, "jacobians")({"q": q.tolist()})["J"]
    return np.array(flat).reshape(len(robot.frame_names), 6, robot.nv)


def jacobian_rates(robot: Robot, q: Array, v: Array) -> Array:
    flat = api.float_recursion(robot, "jacobians_time_derivative")({"q": q.tolist(), "v": v.tolist()})["dJ_dt"]
    return np.array(flat).reshape(len(robot.frame_names), 6, robot.nv)


def drawn(robot: Robot, seed: int) -> tuple[Array, Array]:
    """A state whose velocity has norm 1 at most, so that differences are exact enough."""
    q, v = robot.random_state(np.random.default_rng(seed))
    return q, v / max(1.0, float(np.linalg.norm(v)))


@settings(max_examples=40)
@given(robots(max_joints=6), CONVENTIONS, st.integers(0, 2**32 - 1))
def test_jacobians_give_the_velocities_of_the_frames(description: RobotDescription, convention: str, seed: int) -> None:
    robot = loaded(description, convention=convention)
    q, v = drawn(robot, seed)
    expected = frame_velocities(robot, q, v)
    for name, J in zip(robot.frame_names, jacobians(robot, q), strict=True):
        assert J @ v == pytest.approx(expected[name], rel=1e-8, abs=1e-9), name


@settings(max_examples=40)
@given(robots(max_joints=6), CONVENTIONS, st.integers(0, 2**32 - 1))
def test_rates_are_the_derivatives_of_the_entries(description: RobotDescription, convention: str, seed: int) -> None:
    robot = loaded(description, convention=convention)
    q, v = drawn(robot, seed)
    motion = along(robot, q, v)
    expected = rate(lambda time: jacobians(robot, motion(time)))
    assert np.allclose(jacobian_rates(robot, q, v), expected, rtol=1e-8, atol=1e-9)


@settings(max_examples=4)
@given(robots(max_joints=4), CONVENTIONS, st.integers(0, 2**32 - 1))
def test_every_layout_gives_the_recursion(description: RobotDescription, convention: str, seed: int) -> None:
    names = [f"{item.name}.translation.z" for item in description.joints[:2]]
    robot = loaded(description, convention=convention, runtime=names)
    for function, output in FUNCTIONS.items():
        signature = CATALOGUE[function].signature(robot.model, Request())
        inputs = random_inputs(robot, signature, np.random.default_rng(seed))
        expected = api.float_recursion(robot, function)(inputs)[output]
        for layout in ("unrolled", "split", "rolled"):
            (program,) = api.programs(robot, [function], layout=layout)
            value = evaluate_program(program, FloatAlgebra(), inputs)[output]
            assert relative_error(value, expected) <= 1e-13, (function, layout)


def rig() -> RobotDescription:
    """A shoulder about y; an elbow that follows it at three times its angle; a hand half a metre on; a marker."""
    joints = [
        joint("shoulder", JointKind.REVOLUTE, "base", "arm", axis=Y),
        joint("elbow", JointKind.REVOLUTE, "arm", "hand", at=(1.0, 0.0, 0.0), axis=Y, mimic=Mimic("shoulder", 3.0)),
        joint("rail", JointKind.PRISMATIC, "base", "cart", axis=X),
    ]
    links = [Link("base"), massive("arm"), massive("hand"), massive("cart")]
    frames = [Frame("tip", "hand", Placement((0.5, 0.0, 0.0))), Frame("mark", "base", Placement((1.0, 1.0, 1.0)))]
    return described(links, joints, frames)


def test_a_follower_adds_to_its_leaders_column() -> None:
    robot = loaded(rig())
    assert robot.velocity_names == ("rail", "shoulder")
    angle, speed = 0.4, -0.7
    found = dict(zip(robot.frame_names, jacobians(robot, np.array([0.2, angle])), strict=True))
    rates = jacobian_rates(robot, np.array([0.2, angle]), np.array([0.9, speed]))
    moved = dict(zip(robot.frame_names, rates, strict=True))
    # About y a turn by t takes (r, 0, 0) to (r cos t, 0, -r sin t); the hand has turned by four times the angle.
    s, c, s4, c4 = math.sin(angle), math.cos(angle), math.sin(4 * angle), math.cos(4 * angle)
    assert found["tip"][:, 1] == pytest.approx([-s - 2 * s4, 0, -c - 2 * c4, 0, 4, 0], abs=1e-15)
    assert moved["tip"][:, 1] == pytest.approx([(-c - 8 * c4) * speed, 0, (s + 8 * s4) * speed, 0, 0, 0], abs=1e-14)
    assert found["cart"].T.tolist() == [[1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0] * 6]
    for still in ("base", "mark"):
        assert not found[still].any() and not moved[still].any()


def test_columns_of_a_free_base() -> None:
    """In its own axes: translations move every frame alike, turns move it about the base's origin."""
    description = make_robot([0], [JointKind.FIXED], 3, floating=True)
    body, spatial = loaded(description), loaded(description, convention="spatial")
    q, _ = body.random_state(np.random.default_rng(5))
    p = q[:3]
    for J, J_spatial in zip(jacobians(body, q), jacobians(spatial, q), strict=True):
        R = J[:3, :3]
        assert np.allclose(R @ R.T, np.eye(3), rtol=0.0, atol=1e-14) and np.array_equal(J[3:, 3:], R)
        assert not J[3:, :3].any()
        # The right-invariant twist has world axes, and turns about the world's origin.
        assert J_spatial[:3, 3:].tolist() == np.eye(3).tolist() and J_spatial[3:, :3].tolist() == np.eye(3).tolist()
        moved = J[:3, 3:] @ R.T + np.array([[0, p[2], -p[1]], [-p[2], 0, p[0]], [p[1], -p[0], 0]])
        assert J_spatial[:3, :3] == pytest.approx(moved, abs=1e-14)


def test_no_digit_is_lost_far_from_the_origin() -> None:
    robot = loaded(make_robot([0, 1, 2], [JointKind.REVOLUTE, JointKind.SPHERICAL, JointKind.PRISMATIC], 8, True))
    q, v = robot.random_state(np.random.default_rng(2))
    q[:3] = 0.0
    far = q.copy()
    far[:3] = [1e6, -2e6, 3e6]
    assert jacobians(robot, far).tolist() == jacobians(robot, q).tolist()
    assert jacobian_rates(robot, far, v).tolist() == jacobian_rates(robot, q, v).tolist()


@pytest.mark.parametrize(
    ("function", "units"),
    [
        ("jacobians", ("m/rad", "1", "1", "rad/m")),
        ("jacobians_time_derivative", ("m/(rad s)", "1/s", "1/s", "rad/(m s)")),
    ],
)
def test_the_signatures_name_every_entry(function: str, units: tuple[str, ...]) -> None:
    signature = CATALOGUE[function].signature(loaded(rig()).model, Request())
    (J,) = signature.outputs
    assert J.shape == (6, 6, 2)
    found = dict(zip(J.element_names, J.element_units, strict=True))
    assert J.element_names[:3] == ("base,vx,rail", "base,vx,shoulder", "base,vy,rail")
    entries = ("tip,vz,shoulder", "tip,vz,rail", "tip,wx,shoulder", "tip,wx,rail")
    assert tuple(found[entry] for entry in entries) == units


def test_code_grows_with_the_entries_that_are_not_zero() -> None:
    """A comb of hands: a robot of many branches has mostly empty columns, which cost nothing."""
    fingers = 12
    joints, links = [], [Link("palm")]
    for finger in range(fingers):
        near, far = f"near{finger}", f"far{finger}"
        links += [massive(near), massive(far)]
        joints.append(joint(f"a{finger}", JointKind.REVOLUTE, "palm", near, at=(0.1, 0.02 * finger, 0.3), axis=Y))
        joints.append(joint(f"b{finger}", JointKind.REVOLUTE, near, far, at=(0.1, 0.0, 0.0), axis=Y))
    robot = loaded(described(links, joints))
    total = api.cost(robot, ["jacobians"], layout="unrolled")["jacobians"]["total"]
    alone = api.cost(loaded(described(links[:3], joints[:2])), ["jacobians"], layout="unrolled")["jacobians"]["total"]
    assert alone - 1 <= total / fingers <= alone + 1  # a sign more or less, where columns share a sum
