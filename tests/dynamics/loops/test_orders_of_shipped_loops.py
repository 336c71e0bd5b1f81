"""Time derivatives of constrained dynamics of the shipped robots, along motions that keep loops closed."""

from __future__ import annotations

import numpy as np
import pytest
from support.dense_loops import derivatives
from support.robots.shipped_loops import LOOPED, Array, closed_state, found, shipped

from symdyn.robot.robot import Robot

FORWARD = "constrained_forward_dynamics_time_derivatives"
INVERSE = "constrained_inverse_dynamics_time_derivatives"
SLOW = pytest.mark.slow


def forces(robot: Robot, order: int) -> Array:
    """Of the motors, and their time derivatives."""
    rows = np.random.default_rng(3).standard_normal((order + 1, robot.nv))
    names = robot.description.actuation.actuators
    return np.where([own in names for own in robot.velocity_names], rows, 0.0)


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("slider_crank", 1),
        *(pytest.param(own, 4, marks=SLOW) for own in LOOPED if own not in ("stewart_platform", "quadruped")),
    ],
)
def test_orders_are_those_of_order_zero_along_the_motion(name: str, order: int) -> None:
    """The dense equations are solved with fifty digits at instants around, and interpolated.

    Of Bricard's multipliers, which no equation tells, none are compared.
    """
    robot, rng = shipped(name), np.random.default_rng(4)
    q, v = closed_state(name, rng)
    T = forces(robot, order)
    A, Lambda = found(robot, FORWARD, q=q, v=v, T=T, order=order)
    truth = derivatives(robot, q.tolist(), np.vstack([v, A]).tolist(), T.tolist())
    for k, (a, multipliers) in enumerate(truth):
        assert np.max(np.abs(A[k] - a)) < 1e-9 * np.max(np.abs(a))
        if name != "bricard":
            assert np.max(np.abs(Lambda[k] - multipliers)) < 1e-9 * np.max(np.abs(multipliers))


@pytest.mark.parametrize(
    "name", [own if own in ("four_bar", "five_bar") else pytest.param(own, marks=SLOW) for own in LOOPED]
)
def test_forces_that_inverse_dynamics_share_give_the_motion_back(name: str) -> None:
    robot, rng, order = shipped(name), np.random.default_rng(7), 3
    q, v = closed_state(name, rng)
    A, _ = found(robot, FORWARD, q=q, v=v, T=forces(robot, order), order=order)
    tau, shared = found(robot, INVERSE, q=q, V=np.vstack([v, A]), order=order)
    again, multipliers = found(robot, FORWARD, q=q, v=v, T=tau, order=order)
    for k in range(order + 1):
        assert np.max(np.abs(again[k] - A[k])) < 1e-9 * np.max(np.abs(A[k]))
        if name != "bricard":
            assert np.max(np.abs(multipliers[k] - shared[k])) < 1e-9 * np.max(np.abs(shared[k]))


@pytest.mark.slow
@pytest.mark.parametrize("name", LOOPED)
def test_order_eight_leaves_what_rounding_does(name: str) -> None:
    """The forces of one motor per way to move are found again from the trajectory, to rounding of the tree's forces."""
    robot, rng, order = shipped(name), np.random.default_rng(8), 8
    q, v = closed_state(name, rng)
    T = forces(robot, order)
    A, _ = found(robot, FORWARD, q=q, v=v, T=T, order=order)
    V = np.vstack([v, A])
    tau, _ = found(robot, INVERSE, q=q, V=V, order=order)
    (required,) = found(robot, "inverse_dynamics_time_derivatives", q=q, V=V, order=order)
    if name not in ("five_bar", "quadruped"):
        for k in range(order + 1):
            assert np.max(np.abs(tau[k] - T[k])) < 1e-11 * np.max(np.abs(required[k]))
    again, _ = found(robot, FORWARD, q=q, v=v, T=tau, order=order)
    for k in range(order + 1):
        assert np.max(np.abs(again[k] - A[k])) < 1e-9 * np.max(np.abs(A[k]))
