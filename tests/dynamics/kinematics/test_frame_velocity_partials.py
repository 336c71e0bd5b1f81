"""Derivatives of velocities of frames: against differences, in all conventions, of rigid and of soft robots."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.oracles.plain_kinematics import Array
from support.robots.of_cases import robot_of_case
from support.robots.random_trees import robots
from support.robots.small import loaded

from symdyn import api
from symdyn.description.robot import RobotDescription
from symdyn.robot.robot import Robot

STEP = 1e-5


def twists(robot: Robot, q: Array, v: Array) -> Array:
    flat = api.float_recursion(robot, "jacobians")({"q": q.tolist()})["J"]
    return np.array(flat).reshape(-1, robot.nv) @ v


def agrees(robot: Robot, q: Array, v: Array) -> None:
    """Differences of order 4: errors of 1e-20 of the fifth derivatives, and of rounding over the step."""
    found = api.float_recursion(robot, "frame_velocity_partials")({"q": q.tolist(), "v": v.tolist()})
    by_q, by_v = (np.array(found[name]).reshape(-1, robot.nv) for name in ("dV_dq", "dV_dv"))
    moves = np.eye(robot.nv) * 100 * STEP
    at = {k: [twists(robot, robot.integrate(q, k * move), v) for move in moves] for k in (-2, -1, 1, 2)}
    slope = 8 * (np.array(at[1]) - at[-1]) - (np.array(at[2]) - at[-2])
    assert by_q == pytest.approx(slope.T / (1200 * STEP), abs=1e-9 * (1 + abs(by_q).max()))
    assert by_v @ v == pytest.approx(twists(robot, q, v), abs=1e-13)


@settings(max_examples=8)
@given(robots(max_joints=6), st.sampled_from(("pinocchio", "spatial", "mujoco")), st.integers(0, 2**32 - 1))
def test_rigid_trees(description: RobotDescription, convention: str, seed: int) -> None:
    robot = loaded(description, convention=convention)
    q, v = robot.random_state(np.random.default_rng(seed))
    agrees(robot, q, v / max(1.0, float(np.linalg.norm(v))))


@pytest.mark.parametrize("name", ["elastic_arm", pytest.param("pulled thin", marks=pytest.mark.slow)])
def test_links_that_bend(name: str) -> None:
    robot = robot_of_case(name)
    q, v = robot.random_state(np.random.default_rng(5))
    agrees(robot, q, v)


def test_chosen_frames_are_those_of_all() -> None:
    robot = api.load_example("double_pendulum")
    q, v = robot.random_state(np.random.default_rng(6))
    state, last = {"q": q.tolist(), "v": v.tolist()}, robot.frame_names[-1]
    whole = api.float_recursion(robot, "frame_velocity_partials")(state)
    found = api.float_recursion(robot, "frame_velocity_partials", frames=(last,))(state)
    for name, entries in found.items():
        assert entries == whole[name][-6 * robot.nv :], name
