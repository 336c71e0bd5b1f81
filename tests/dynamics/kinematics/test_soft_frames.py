"""Frames on robots with soft links: Jacobians, their rates and time derivatives of velocities belong together."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from support.robots.soft_trees import bent_rod, pieced_rod
from support.soft_calls import ROBOTS, Array, call, soft_robot

from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.robot import Joint, JointKind, Link, Placement, RobotDescription
from symdyn.functions.catalogue import requests
from symdyn.robot.robot import Robot


@pytest.fixture(params=ROBOTS, ids="-".join)
def robot(request: pytest.FixtureRequest) -> Robot:
    return soft_robot(*request.param)


def drawn(robot: Robot, order: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(3)
    return robot.random_state(rng)[0], rng.uniform(-1.0, 1.0, (order + 1, robot.nv))


def test_columns_are_slopes_of_poses(robot: Robot) -> None:
    q, _ = drawn(robot)
    (J,), (X,), step = call(robot, "jacobians", q=q), call(robot, "forward_kinematics", q=q), 1e-5
    assert {"arm", "arm.tip", "nail"} <= set(robot.frame_names)
    for row, unit in enumerate(np.eye(robot.nv)):
        ahead, behind = (call(robot, "forward_kinematics", q=robot.integrate(q, h * unit))[0] for h in (step, -step))
        slope = (ahead - behind) / (2.0 * step)
        turning = slope[:, :3, :3] @ np.transpose(X[:, :3, :3], (0, 2, 1))
        assert np.allclose(J[:, :3, row], slope[:, :3, 3], rtol=1e-8, atol=1e-8), row
        found = np.stack([turning[:, 2, 1], turning[:, 0, 2], turning[:, 1, 0]], axis=1)
        assert np.allclose(J[:, 3:, row], found, rtol=1e-8, atol=1e-8), row


def test_frames_move_as_their_jacobians_say(robot: Robot) -> None:
    q, V = drawn(robot, 1)
    (J,), (rates,) = call(robot, "jacobians", q=q), call(robot, "jacobians_time_derivative", q=q, v=V[0])
    X, twists = call(robot, "forward_kinematics_time_derivatives", q=q, V=V, order=1)
    assert np.allclose(X, call(robot, "forward_kinematics", q=q)[0], rtol=0.0, atol=1e-15)
    assert np.allclose(J @ V[0], twists[0], rtol=1e-13, atol=1e-13)
    assert np.allclose(J @ V[1] + rates @ V[0], twists[1], rtol=1e-12, atol=1e-12)


def test_rates_are_slopes_of_columns(robot: Robot) -> None:
    q, (v,) = drawn(robot)
    (rates,), step = call(robot, "jacobians_time_derivative", q=q, v=v), 1e-5
    ahead, behind = (call(robot, "jacobians", q=robot.integrate(q, h * v))[0] for h in (step, -step))
    assert np.allclose(rates, (ahead - behind) / (2.0 * step), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("which", ["arm", pytest.param("standing", marks=pytest.mark.slow)])
def test_positions_are_the_sums_of_their_time_derivatives(which: str) -> None:
    robot, order, step = soft_robot(which), 8, 0.02
    q, V = drawn(robot, order)
    X, twists = call(robot, "forward_kinematics_time_derivatives", q=q, V=V, order=order)
    for h in (step, -step):
        moved = q + sum(V[k] * h ** (k + 1) / math.factorial(k + 1) for k in range(order + 1))
        expected = X[:, :3, 3] + sum(twists[k, :, :3] * h ** (k + 1) / math.factorial(k + 1) for k in range(order + 1))
        assert np.allclose(call(robot, "forward_kinematics", q=moved)[0][:, :3, 3], expected, rtol=0.0, atol=1e-12)


def test_momentum_is_the_matrix_times_velocity(robot: Robot) -> None:
    q, (v,) = drawn(robot)
    (A,), (momentum,) = call(robot, "centroidal_momentum_matrix", q=q), call(robot, "centroidal_momentum", q=q, v=v)
    assert np.allclose(A @ v, momentum, rtol=1e-13, atol=1e-13)


def test_momentum_with_masses_of_run_time() -> None:
    robot = soft_robot("floating", runtime=("nail.mass", "base.mass"))
    q, (v,) = drawn(robot)
    p = 1.25 * robot.runtime_defaults
    (A,) = call(robot, "centroidal_momentum_matrix", q=q, p=p)
    assert np.allclose(A @ v, call(robot, "centroidal_momentum", q=q, v=v, p=p)[0], rtol=1e-13, atol=1e-13)


def test_columns_of_rods_with_unequal_numbers_of_coordinates_in_lanes() -> None:
    generator = random.Random(8)
    links = (Link("base"), Link("arm", soft=bent_rod(generator)), Link("finger", soft=pieced_rod(generator)))
    placed = Placement((0.5, 0.0, 0.0))
    joints = [Joint(own, JointKind.REVOLUTE, base, own, placed) for base, own in (("base", "arm"), ("arm", "finger"))]
    robot = api.from_description(RobotDescription("rods", links, tuple(joints)))
    assert [rod.count for rod in robot.model.rods] == [4, 3]
    q, _ = drawn(robot)
    (program,) = api.programs(robot, ["jacobians"], layout="rolled")
    found = evaluate_program(program, FloatAlgebra(), {"q": q.tolist()})["J"]
    assert np.allclose(found, np.ravel(call(robot, "jacobians", q=q)[0]), rtol=1e-13, atol=1e-14)


def test_units_of_coordinates_without_unit() -> None:
    robot = soft_robot("arm")
    assert robot.velocity_names == ("turn", "arm.curvature_z[0]", "arm.stretch[0]", "roll")
    expected = {
        "jacobians": (("m/rad", "m/rad", "m", "m/rad"), ("1", "1", "rad", "1")),
        "jacobians_time_derivative": (
            ("m/(rad s)", "m/(rad s)", "m/s", "m/(rad s)"),
            ("1/s", "1/s", "rad/s", "1/s"),
        ),
        "centroidal_momentum_matrix": (
            ("kg m/rad", "kg m/rad", "kg m", "kg m/rad"),
            ("kg m^2/rad", "kg m^2/rad", "kg m^2", "kg m^2/rad"),
        ),
    }
    for function, (linear, angular) in expected.items():
        ((entry, request),) = requests(robot.model, [function])
        (output,) = entry.signature(robot.model, request).outputs
        assert output.element_units[: 6 * robot.nv] == linear * 3 + angular * 3
