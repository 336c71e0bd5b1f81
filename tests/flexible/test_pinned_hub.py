"""A beam on a free hub: the joint's coordinate is the hub's angle, its row the motor's, its inertia the hub's."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.robots.flexible import even, floating_hub
from support.robots.small import Z, described, joint, loaded

from symdyn import api
from symdyn.description.flexible import Basis, Direction, Flexible, Modes
from symdyn.description.robot import Actuator, Elastic, JointKind, Link, Losses, RobotDescription
from symdyn.robot.robot import Robot
from symdyn.shapes.modes import beam_modes
from symdyn.verify.oracle.setting import Setting
from symdyn.verify.oracle.tree import public_tree
from symdyn.verify.oracle.truths import TRUTHS

Array = NDArray[np.float64]
LENGTH, DENSITY, STIFFNESS, HUB = 1.5, 0.8, 30.0, 0.4
ALL = HUB + DENSITY * LENGTH**3 / 3
TORQUE = 1e-3


def beam(count: int) -> Flexible:
    modes = Modes(Direction.BEND_Y, Basis.PINNED_HUB, count, even(LENGTH, STIFFNESS))
    return Flexible(LENGTH, even(LENGTH, DENSITY), (modes,), hub_inertia=(0.0, 0.0, HUB))


def described_hub(count: int, **drive: Any) -> RobotDescription:
    turn = joint("motor", JointKind.REVOLUTE, "stand", "arm", axis=Z, **drive)
    return described([Link("stand"), Link("arm", flexible=beam(count))], [turn])


def hub(count: int, **drive: Any) -> Robot:
    """A beam on a motor about z."""
    return loaded(described_hub(count, **drive), gravity=(0, 0, 0), joint_losses=True)


def called(robot: Robot, function: str, **inputs: Any) -> Array:
    flat = {key: np.asarray(value, dtype=float).ravel() for key, value in inputs.items()}
    return np.array(next(iter(api.float_recursion(robot, function)(flat).values())))


def lag(count: int) -> float:
    """How far the tip stays behind the hub where the motor speeds all up as one [m]."""
    robot = hub(count)
    still = np.zeros(1 + count)
    tau = TORQUE * np.eye(1 + count)[0]
    free = called(robot, "forward_dynamics", q=still, v=still, tau=tau)
    bent = [called(robot, "forward_dynamics", q=row, v=still, tau=tau)[1:] for row in TORQUE * np.eye(1 + count)[1:]]
    slopes, d = (np.transpose(bent) - free[1:, None]) / TORQUE, np.zeros(count)
    for _ in range(4):
        d -= np.linalg.solve(slopes, called(robot, "forward_dynamics", q=[0.0, *d], v=still, tau=tau)[1:])
    steady = called(robot, "forward_dynamics", q=[0.0, *d], v=still, tau=tau)
    assert steady[0] == pytest.approx(TORQUE / ALL, rel=1e-6)
    assert np.abs(steady[1:]).max() < 1e-9 * np.abs(free[1:]).max()
    tip = called(robot, "forward_kinematics", q=[0.0, *d]).reshape(-1, 4, 4)[robot.frame_names.index("arm.tip")]
    return float(tip[1, 3])


def test_the_joint_s_row_is_the_motor_s() -> None:
    # A cantilever under a load that grows from 0 at the root to p at the tip: 11 p L^4 / (120 E I).
    pull = DENSITY * LENGTH * TORQUE / ALL
    expected = -11 * pull * LENGTH**4 / (120 * STIFFNESS)
    misses = [abs(lag(count) / expected - 1.0) for count in (1, 2, 4)]
    assert all(later < earlier / 4 for earlier, later in pairwise(misses)), misses
    assert misses[-1] < 1e-3


def test_a_held_motor_holds_the_hub_and_a_free_one_keeps_the_frequencies() -> None:
    count = 3
    robot = hub(count)
    still = np.zeros(1 + count)
    M = called(robot, "mass_matrix", q=still).reshape(1 + count, -1)
    K = np.transpose([called(robot, "inverse_dynamics", q=row, v=still, a=still) for row in np.eye(1 + count)])
    (modes,) = beam_modes(beam(count))
    squares = np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real)
    assert abs(squares[0]) < 1e-9
    np.testing.assert_allclose(np.sqrt(squares[1:]), modes.frequencies, rtol=1e-11)
    held = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M[1:, 1:], K[1:, 1:])).real))
    clamped = (1.8751040687 / LENGTH) ** 2 * (STIFFNESS / DENSITY) ** 0.5
    assert held[0] == pytest.approx(clamped, rel=1e-3)
    assert M[0, 0] == pytest.approx(ALL, rel=1e-13)


def test_the_root_of_the_beam_stays_in_the_link() -> None:
    robot = hub(2)
    poses = called(robot, "forward_kinematics", q=[0.3, 0.2, -0.1]).reshape(-1, 4, 4)
    link = poses[robot.frame_names.index("arm")]
    np.testing.assert_allclose(link[:2, 0], (np.cos(0.3), np.sin(0.3)), rtol=1e-14)
    (modes,) = beam_modes(beam(2))
    for shape in modes.shapes:
        assert abs(float(shape(np.array(0.0), 1))) < 1e-14


def test_losses_rotor_and_spring_of_the_joint_act_on_the_hub() -> None:
    plain, driven = hub(2), hub(2, losses=Losses(0.7), actuator=Actuator(armature=0.25))
    rng = np.random.default_rng(5)
    q, v, a = rng.standard_normal((3, 3)) * 0.1
    more = called(driven, "inverse_dynamics", q=q, v=v, a=a) - called(plain, "inverse_dynamics", q=q, v=v, a=a)
    np.testing.assert_allclose(more, [0.7 * v[0] + 0.25 * a[0], 0.0, 0.0], atol=1e-14)
    elastic = hub(2, elastic=Elastic(40.0, 0.0, Actuator(armature=0.25)))
    still = np.zeros(4)
    row = elastic.velocity_names.index("motor")
    held = called(elastic, "inverse_dynamics", q=np.eye(4)[row] * 0.1, v=still, a=still)
    np.testing.assert_allclose(np.sort(held), [-4.0, 0.0, 0.0, 4.0], atol=1e-14)


@pytest.mark.parametrize("function", ["inverse_dynamics", "mass_matrix", "kinetic_energy", "centroidal_momentum"])
def test_a_floating_hub_against_points_in_fifty_digits(function: str) -> None:
    description = floating_hub()
    robot = loaded(description, gravity=(0.3, -0.4, -9.0))
    rng = np.random.default_rng(8)
    small = np.array([0.2 if "[" in name else 1.0 for name in robot.velocity_names])
    q = robot.integrate(robot.neutral(), rng.standard_normal(robot.nv) * small)
    v, a = rng.standard_normal((2, robot.nv)) * small
    inputs = {"q": q.tolist(), "v": v.tolist(), "a": a.tolist()}
    exact = TRUTHS[function](
        Setting(replace(description, gravity=(0.3, -0.4, -9.0)), public_tree(description), {}), inputs
    )
    expected = np.array([float(value) for value in exact.values])
    found = called(robot, function, **inputs)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())


def test_all_moments_of_a_hub_count_once_and_wholly() -> None:
    moments = (0.3, 0.5, 0.6)
    robots = [loaded(floating_hub(each), gravity=(0, 0, 0)) for each in (moments, (0.0, 0.0, 0.0))]
    rng = np.random.default_rng(9)
    d = 0.1 * rng.standard_normal(robots[0].nv)
    d[:6] = 0.0
    with_hub, without = (
        called(robot, "mass_matrix", q=robot.integrate(robot.neutral(), d)).reshape(robot.nv, -1) for robot in robots
    )
    # shapes of another hub are other shapes: of the base's own block at rest nothing else is left
    np.testing.assert_allclose(
        called(robots[0], "mass_matrix", q=robots[0].neutral()).reshape(robots[0].nv, -1)[3:6, 3:6]
        - called(robots[1], "mass_matrix", q=robots[1].neutral()).reshape(robots[1].nv, -1)[3:6, 3:6],
        np.diag(moments),
        atol=1e-13,
    )
    assert np.linalg.eigvalsh(with_hub).min() > 0 and np.linalg.eigvalsh(without).min() > 0
