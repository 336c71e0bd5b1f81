"""Time derivatives of dynamics of robots with soft links: forward, hybrid and inverse dynamics undo each other."""

from __future__ import annotations

import math

import numpy as np
import pytest
from support.robots.sprung import OF_ELASTIC_JOINTS, sprung
from support.soft_calls import MADE, ROBOTS, Array, call, soft_robot

from symdyn import api
from symdyn.robot.robot import Robot

INVERSE = "inverse_dynamics_time_derivatives"


@pytest.fixture(params=ROBOTS, ids="-".join)
def robot(request: pytest.FixtureRequest) -> Robot:
    return soft_robot(*request.param)


def drawn(robot: Robot, order: int) -> tuple[Array, Array, Array]:
    """q, V and f_ext with derivatives."""
    rng = np.random.default_rng(3)
    q, V = robot.random_state(rng)[0], rng.uniform(-1.0, 1.0, (order + 2, robot.nv))
    return q, V, rng.uniform(-1.0, 1.0, (order + 1, len(robot.model.body_names), 6))


def agree(found: Array, expected: Array) -> None:
    """Row by row, of one order each."""
    for own, row in zip(found, expected, strict=True):
        assert np.max(np.abs(own - row)) <= 1e-12 * np.max(np.abs(row))


@pytest.mark.parametrize("order", [0, 3])
def test_forces_of_the_motion_found_are_those_given(robot: Robot, order: int) -> None:
    q, V, f_ext = drawn(robot, order)
    asked = {"q": q, "f_ext": f_ext, "order": order, "external_wrenches": "world"}
    (T,) = call(robot, INVERSE, V=V, **asked)
    (A,) = call(robot, "forward_dynamics_time_derivatives", v=V[0], T=T, **asked)
    agree(call(robot, INVERSE, V=np.vstack([V[:1], A]), **asked)[0], T)


# rows of a free base and of rods among those that are prescribed, and among those that are not
@pytest.mark.parametrize("prescribed", [slice(1, None, 3), slice(0, 6), slice(2, 9)], ids=["thirds", "base", "rods"])
def test_hybrid_dynamics_finds_what_is_missing(robot: Robot, prescribed: slice) -> None:
    q, V, f_ext = drawn(robot, 2)
    asked = {"q": q, "f_ext": f_ext, "order": 2, "external_wrenches": "body"}
    (T,), names = call(robot, INVERSE, V=V, **asked), robot.velocity_names[prescribed]
    U = T.copy()
    U[:, prescribed] = V[1:, prescribed]
    (W,) = call(robot, "hybrid_dynamics_time_derivatives", v=V[0], U=U, prescribed=names, **asked)
    motion, forces = W.copy(), T.copy()
    motion[:, prescribed] = V[1:, prescribed]
    forces[:, prescribed] = W[:, prescribed]
    agree(call(robot, INVERSE, V=np.vstack([V[:1], motion]), **asked)[0], forces)


def test_order_zero_is_the_function_itself(robot: Robot) -> None:
    q, V, _ = drawn(robot, 0)
    (tau,) = call(robot, "inverse_dynamics", q=q, v=V[0], a=V[1])
    plain = call(robot, "forward_dynamics", q=q, v=V[0], tau=tau)[0]
    (A,) = call(robot, "forward_dynamics_time_derivatives", q=q, v=V[0], T=tau, order=0)
    agree(A, plain[None, :])


@pytest.mark.parametrize("which", ["arm", pytest.param("standing", marks=pytest.mark.slow)])
def test_motors_follow_from_links_with_rods(which: str) -> None:
    robot, order, step = api.from_description(sprung(MADE[which]()), joint_losses=True), 1, 1e-4
    owners = robot.model.velocity_bodies
    motors = [row for row, body in enumerate(owners) if body in robot.model.rotors]
    links = [row for row in range(robot.nv) if row not in motors]
    rng = np.random.default_rng(3)
    q, V = robot.random_state(rng)[0][links], rng.uniform(-1.0, 1.0, (order + 4, len(links)))

    def ahead(h: float, first: int = 0) -> Array:
        return sum(V[k] * h ** (k - first) / math.factorial(k - first) for k in range(first, order + 4))

    def motor(h: float) -> Array:
        rates = np.array([ahead(h, first) for first in range(order + 4)])
        moved = q + sum(V[k] * h ** (k + 1) / math.factorial(k + 1) for k in range(order + 4))
        return call(robot, OF_ELASTIC_JOINTS, q=moved, V=rates, order=order)[1]

    _, theta, tau_motor = call(robot, OF_ELASTIC_JOINTS, q=q, V=V, order=order)
    state = np.empty((3, robot.nv))
    state[:, links] = q, V[0], V[1]
    state[:, motors] = theta[0], theta[1], (motor(step)[1] - motor(-step)[1]) / (2.0 * step)
    (tau,) = call(robot, "inverse_dynamics", q=state[0], v=state[1], a=state[2])
    assert motors
    assert np.allclose(tau[motors], tau_motor[0], rtol=1e-6, atol=1e-6)
    sprung_joints = {robot.model.bodies[index].joint.joint for index in robot.model.rotors}
    behind = [row for row in links if robot.model.bodies[owners[row]].joint.joint in sprung_joints]
    assert np.allclose(tau[behind], 0.0, atol=1e-9)  # the spring alone drives these
