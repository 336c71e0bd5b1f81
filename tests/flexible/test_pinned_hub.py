"""A motor at a hub that turns with the root of its beam, against statics of the beam that is clamped to that hub."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from flexible_robots import even
from numpy.typing import NDArray
from small_robots import loaded

from symdyn import api
from symdyn.description.flexible import Basis, Direction, Flexible, Modes
from symdyn.description.robot import Joint, JointKind, Link, RobotDescription
from symdyn.robot import Robot
from symdyn.shapes.modes import beam_modes

Array = NDArray[np.float64]
LENGTH, DENSITY, STIFFNESS, HUB = 1.5, 0.8, 30.0, 0.4
TORQUE = 1e-3


def hub(count: int) -> tuple[Robot, Array]:
    """A beam on a motor about z, and the slopes of its shapes at the root."""
    modes = Modes(Direction.BEND_Y, Basis.PINNED_HUB, count, even(LENGTH, STIFFNESS))
    beam = Flexible(LENGTH, even(LENGTH, DENSITY), (modes,), hub_inertia=HUB)
    joint = Joint("motor", JointKind.REVOLUTE, "stand", "arm", axis=(0.0, 0.0, 1.0))
    robot = loaded(RobotDescription("hub", (Link("stand"), Link("arm", flexible=beam)), (joint,)), gravity=(0, 0, 0))
    (shapes,) = beam_modes(beam)
    return robot, np.array([float(shape(0.0, 1)) for shape in shapes.shapes])


def called(robot: Robot, function: str, **inputs: Any) -> Array:
    flat = {key: np.asarray(value, dtype=float).ravel() for key, value in inputs.items()}
    return np.array(next(iter(api.float_recursion(robot, function)(flat).values())))


def lag(count: int) -> float:
    """How far the tip stays behind the hub's tangent where the motor speeds all up as one [m]."""
    robot, slopes = hub(count)
    still = np.zeros(1 + count)
    tau = TORQUE * np.array([1.0, *slopes])
    free = called(robot, "forward_dynamics", q=still, v=still, tau=tau)
    bent = [called(robot, "forward_dynamics", q=row, v=still, tau=still)[1:] for row in TORQUE * np.eye(1 + count)[1:]]
    d = -TORQUE * np.linalg.solve(np.transpose(bent), free[1:])
    steady = called(robot, "forward_dynamics", q=[0.0, *d], v=still, tau=tau)
    assert steady[0] == pytest.approx(TORQUE / (HUB + DENSITY * LENGTH**3 / 3), rel=1e-6)
    assert np.abs(steady[1:]).max() < 1e-6 * np.abs(free[1:]).max()
    tip = called(robot, "forward_kinematics", q=[0.0, *d]).reshape(-1, 4, 4)[robot.frame_names.index("arm.tip")]
    return float(tip[1, 3] - LENGTH * (slopes @ d))


def test_slopes_at_the_root_carry_the_torque_to_the_shapes() -> None:
    # A cantilever under a load that grows from 0 at the root to p at the tip: 11 p L^4 / (120 E I).
    pull = DENSITY * LENGTH * TORQUE / (HUB + DENSITY * LENGTH**3 / 3)
    expected = -11 * pull * LENGTH**4 / (120 * STIFFNESS)
    misses = [abs(lag(count) / expected - 1.0) for count in (1, 2, 4, 8)]
    assert all(later < earlier / 4 for earlier, later in pairwise(misses)), misses
    assert misses[-1] < 1e-4


def test_without_them_the_motor_bends_nothing() -> None:
    robot, _ = hub(3)
    found = called(robot, "forward_dynamics", q=np.zeros(4), v=np.zeros(4), tau=[TORQUE, 0, 0, 0])
    assert found[0] == pytest.approx(TORQUE / (HUB + DENSITY * LENGTH**3 / 3), rel=1e-12)
    np.testing.assert_allclose(found[1:], 0.0, atol=1e-12 * TORQUE)
