"""Identities of inverse dynamics that hold for every robot."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.robots.kinds import ONE_COORDINATE
from support.robots.random_trees import robots
from support.robots.small import X, described, joint, loaded, massive, single, torque

from symdyn import api
from symdyn.algebra.spatial.rotations import from_quaternion
from symdyn.description.robot import JointKind, Link, Losses, Mimic, RobotDescription
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]


def solver(robot: Robot) -> Callable[[Array, Array, Array], Array]:
    """(q, v, a) -> tau by the float recursion, whose plan is made once."""
    recursion = api.float_recursion(robot, "inverse_dynamics")
    return lambda q, v, a: np.array(recursion({"q": q.tolist(), "v": v.tolist(), "a": a.tolist()})["tau"])


def mass_matrix(tau: Callable[[Array, Array, Array], Array], q: Array, nv: int) -> Array:
    zero = np.zeros(nv)
    rest = tau(q, zero, zero)
    return np.array([tau(q, zero, row) - rest for row in np.eye(nv)]).T


@settings(max_examples=30)
@given(robots(max_joints=8), st.sampled_from(("pinocchio", "spatial", "mujoco")), st.integers(0, 2**32 - 1))
def test_mass_matrix_and_linearity(description: RobotDescription, convention: str, seed: int) -> None:
    robot = loaded(description, convention=convention, joint_losses=True)
    rng = np.random.default_rng(seed)
    q, v = robot.random_state(rng)
    a = rng.standard_normal(robot.nv)
    tau = solver(robot)
    M = mass_matrix(tau, q, robot.nv)
    scale = max(1.0, float(np.abs(M).max()))
    assert np.abs(M - M.T).max() <= 1e-12 * scale
    assert np.linalg.eigvalsh(0.5 * (M + M.T)).min() >= -1e-12 * scale
    bias = tau(q, v, np.zeros(robot.nv))
    assert tau(q, v, a) == pytest.approx(M @ a + bias, rel=1e-11, abs=1e-11 * scale)


@settings(max_examples=25)
@given(
    robots(max_joints=8, drives=False), st.sampled_from(("pinocchio", "spatial", "mujoco")), st.integers(0, 2**32 - 1)
)
def test_power_is_the_rate_of_kinetic_energy(description: RobotDescription, convention: str, seed: int) -> None:
    """Without gravity and losses v . tau(q, v, 0) is d/dt (v^T M v / 2) at constant v."""
    robot = loaded(description, convention=convention, gravity=(0.0, 0.0, 0.0))
    q, v = robot.random_state(np.random.default_rng(seed))
    v = v / max(1.0, float(np.linalg.norm(v)))
    tau = solver(robot)
    power = v @ tau(q, v, np.zeros(robot.nv))
    h, still = 1e-4, np.zeros(robot.nv)

    def energy(step: float) -> float:
        return float(0.5 * v @ tau(robot.integrate(q, step * v), still, v))  # tau(q, 0, v) is M v without gravity

    rate = (8 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12 * h)
    assert power == pytest.approx(rate, rel=1e-7, abs=1e-8 * max(1.0, energy(0.0)))


@settings(max_examples=25)
@given(robots(max_joints=12))
def test_everything_zero_is_finite(description: RobotDescription) -> None:
    robot = loaded(description, joint_losses=True)
    zero, tau = np.zeros(robot.nv), solver(robot)
    assert np.all(np.isfinite(tau(robot.neutral(), zero, zero)))
    assert np.all(np.isfinite(tau(np.zeros(robot.nq), zero, zero)))


@settings(max_examples=25)
@given(robots(max_joints=6), st.integers(0, 2**32 - 1))
def test_the_spatial_convention_is_the_adjoint_of_the_other(description: RobotDescription, seed: int) -> None:
    floating = replace(description, floating_base=True)
    body, spatial = loaded(floating, joint_losses=True), loaded(floating, convention="spatial", joint_losses=True)
    rng = np.random.default_rng(seed)
    q, v = body.random_state(rng)
    a = rng.standard_normal(body.nv)
    # (omega; v) about the world origin = Ad of (linear; angular) in body axes; derivatives likewise since ad(V) V = 0.
    R: Array = np.array(from_quaternion(*q[3:7]).entries)
    p = np.array([[0.0, -q[2], q[1]], [q[2], 0.0, -q[0]], [-q[1], q[0], 0.0]])
    adjoint = np.block([[np.zeros((3, 3)), R], [R, p @ R]])
    whole = np.eye(body.nv)
    whole[:6, :6] = adjoint
    expected = solver(body)(q, v, a)
    # Power is the same: tau_spatial . (Ad v) = tau . v for every v.
    assert whole.T @ solver(spatial)(q, whole @ v, whole @ a) == pytest.approx(expected, rel=1e-10, abs=1e-10)


@settings(max_examples=30)
@given(robots(max_joints=8), st.integers(0, 2**32 - 1))
def test_followers_are_the_projection_of_the_free_robot(description: RobotDescription, seed: int) -> None:
    """tau = G^T tau_full with v_full = G v, where the full robot has no mimic joints."""
    # Let every other one-coordinate joint follow the first.
    candidates = [item.name for item in description.joints if item.kind in ONE_COORDINATE and item.mimic is None]
    followers = set(candidates[2::2])
    free_joints = tuple(replace(item, mimic=None, limits=None) for item in description.joints)
    joints = tuple(
        replace(item, mimic=Mimic(candidates[0], -1.5, 0.2) if item.name in followers else None) for item in free_joints
    )
    free = loaded(replace(description, joints=free_joints), joint_losses=True)
    tied = loaded(replace(description, joints=joints), joint_losses=True)
    rng = np.random.default_rng(seed)
    q, v = tied.random_state(rng)
    a = rng.standard_normal(tied.nv)
    G = np.zeros((free.nv, tied.nv))
    q_full = np.empty(free.nq)
    for row, name in enumerate(free.velocity_names):
        leads = name not in followers
        G[row, tied.velocity_names.index(name if leads else candidates[0])] = 1.0 if leads else -1.5
    for row, name in enumerate(free.coordinate_names):
        leads = name not in followers
        value = q[tied.coordinate_names.index(name if leads else candidates[0])]
        q_full[row] = value if leads else -1.5 * value + 0.2
    expected = G.T @ solver(free)(q_full, G @ v, G @ a)
    assert solver(tied)(q, v, a) == pytest.approx(expected, rel=1e-11, abs=1e-10)


@pytest.mark.parametrize("rate", [0.0, 1e-4, 0.3, -2.0])
@pytest.mark.parametrize("scale", [0.05, 0.0])
def test_losses(rate: float, scale: float) -> None:
    description = single(JointKind.REVOLUTE, losses=Losses(0.7, 0.4, scale))
    without, lossy = loaded(description), loaded(description, joint_losses=True)
    friction = 0.4 * (math.tanh(rate / scale) if scale else np.sign(rate))
    expected = torque(without, [0.3], [rate], [1.0])[0] + 0.7 * rate + friction
    assert torque(lossy, [0.3], [rate], [1.0]) == pytest.approx([expected], rel=1e-14)


def test_losses_of_a_follower_act_at_its_own_speed() -> None:
    joints = [
        joint("lead", JointKind.REVOLUTE, "base", "a"),
        joint("follow", JointKind.PRISMATIC, "base", "b", axis=X, mimic=Mimic("lead", -3.0), losses=Losses(0.5, 0.2)),
    ]
    description = described([Link("base"), massive("a"), massive("b")], joints)
    extra = torque(loaded(description, joint_losses=True), [0.1], [0.4], [0.0])[0]
    extra -= torque(loaded(description), [0.1], [0.4], [0.0])[0]
    assert extra == pytest.approx(-3.0 * (0.5 * -1.2 + 0.2 * math.tanh(-1.2 / 0.01)), rel=1e-13)


def test_losses_act_on_every_row_of_a_joint() -> None:
    description = single(JointKind.PLANAR, losses=Losses(0.5))
    q, v, a = [0.1, 0.2, 0.3], [0.4, -0.5, 0.6], [0.0, 0.0, 0.0]
    extra = np.array(torque(loaded(description, joint_losses=True), q, v, a)) - torque(loaded(description), q, v, a)
    assert extra == pytest.approx([0.2, -0.25, 0.3], rel=1e-12)
