"""IDA against DOP853: trees, quaternions, loops with redundant rows, feedback, prescribed joints, soft links."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import symdyn
from symdyn.analysis.simulation.coordinate_speeds import CoordinateSpeeds
from symdyn.analysis.simulation.robot_system import RobotSystem
from symdyn.errors import RequestError
from symdyn.model.coordinates import integrate
from symdyn.model.model import Model

TIGHT: dict[str, Any] = {"rtol": 1e-11, "atol": 1e-11}
SLIDER = """
name: slider
links: {ground: , first: {mass: 1.0}, second: {mass: 1.0}}
joints:
  x: {type: prismatic, axis: [1, 0, 0], parent: ground, child: first}
  y: {type: prismatic, axis: [0, 1, 0], parent: ground, child: second}
"""
TIMES = np.linspace(0.0, 0.5, 6)


def _both(robot: symdyn.Robot, **asked: Any) -> tuple[symdyn.Trajectory, symdyn.Trajectory]:
    exact = symdyn.simulate(robot, t=TIMES, method="dop853", **TIGHT, **asked)
    return exact, symdyn.simulate(robot, t=TIMES, method="ida", rtol=1e-8, atol=1e-8, **asked)


def _close(exact: symdyn.Trajectory, found: symdyn.Trajectory, error: float) -> None:
    """Errors of steps of 1e-8 add up, over some 200 steps."""
    assert found.method == "ida" and found.counters["jacobians"] < found.counters["steps"]
    assert np.max(np.abs(found.q - exact.q)) < error
    assert np.max(np.abs(found.v - exact.v)) < 10.0 * error


@pytest.mark.needs_cc
def test_feedback_and_prescribed_joints() -> None:
    robot = symdyn.load_example("double_pendulum")
    _close(*_both(robot, q=[1.0, 0.5], inputs=lambda t, q, v: -200.0 * q - 20.0 * v), 1e-6)
    law = {robot.velocity_names[0]: lambda t: (math.sin(3.0 * t), 3.0 * math.cos(3.0 * t), -9.0 * math.sin(3.0 * t))}
    _close(*_both(robot, v=[3.0, 0.0], prescribed=law), 1e-6)


@pytest.mark.needs_cc
@pytest.mark.slow
def test_quaternions_stay_unit() -> None:
    robot = symdyn.load_example("aerial_manipulator")
    q, _ = robot.random_state(np.random.default_rng(1))
    exact, found = _both(robot, q=q, v=np.ones(robot.nv))
    _close(exact, found, 2e-6)
    assert np.max(np.abs(np.linalg.norm(found.q[:, 3:7], axis=1) - 1.0)) < 1e-14


@pytest.mark.needs_cc
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
@pytest.mark.parametrize("name", ["four_bar", "bricard"])  # the second with rows that repeat each other when closed
def test_loops_stay_closed(name: str) -> None:
    robot = symdyn.load_example(name)
    q, v = robot.project(robot.close(robot.neutral()), np.ones(robot.nv))
    exact, found = _both(robot, q=q, v=v)
    _close(exact, found, 2e-6)
    module = symdyn.compile(robot, ["constraint_error"])
    assert np.max(np.abs(module.constraint_error(found.q))) < 1e-12
    assert np.max(np.abs(found.multipliers - exact.multipliers)) < 1e-4 * np.max(np.abs(exact.multipliers))


@pytest.mark.needs_cc
@pytest.mark.slow
def test_actuators_that_follow_positions() -> None:
    """Their part of the matrix comes from differences of the residual, in which they are linear."""
    robot = symdyn.loads(SLIDER + "actuators: [y, x]\n", "yaml", gravity=(0.0, 0.0, 0.0))

    def pushes(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.array([-400.0 * q[1] - 50.0 * v[1], -100.0 * q[0] + 3.0 * np.sin(t)])

    exact, found = _both(robot, q=[0.1, 0.2], inputs=pushes, drive="actuators")
    _close(exact, found, 1e-6)
    assert found.counters["function_calls"] < 2.0 * found.counters["steps"]


def test_loops_on_velocities_are_refused() -> None:
    belt = "loops:\n  belt: {kind: pfaffian, rows: [{x: 1, y: -2}]}\n"
    with pytest.raises(RequestError, match=r"'belt' .*holds velocities alone; generalised-alpha and ida"):
        RobotSystem(symdyn.loads(SLIDER + belt, "yaml"))


def _moved(model: Model, q: np.ndarray, v: np.ndarray, h: float) -> np.ndarray:
    return (integrate(model, q, h * v) - integrate(model, q, -h * v)) / (2.0 * h)


@pytest.mark.parametrize("convention", ["pinocchio", "spatial"])
def test_speeds_of_coordinates(convention: str) -> None:
    """N v is how fast q moves along v; N, its slopes, its inverse on moves and brackets agree with it."""
    robot = symdyn.load_example("aerial_manipulator", convention=convention)
    rng = np.random.default_rng(2)
    (q, v), speeds = robot.random_state(rng), CoordinateSpeeds(robot.model)
    assert np.max(np.abs(speeds.of(q, v) - _moved(robot.model, q, v, 1e-5))) < 1e-8
    assert np.max(np.abs(speeds.matrix(q) @ v - speeds.of(q, v))) < 1e-14
    assert np.max(np.abs(speeds.moves(q) @ speeds.matrix(q) - np.eye(robot.nv))) < 1e-13
    shift = 1e-5 * rng.standard_normal(robot.nq)
    change = speeds.of(q + shift, v) - speeds.of(q - shift, v)
    assert np.max(np.abs(2.0 * speeds.slopes(q, v) @ shift - change)) < 1e-10
    x, matrix = rng.standard_normal(robot.nv), speeds.matrix(q)
    commutator = speeds.slopes(q, v) @ matrix @ x - speeds.slopes(q, x) @ matrix @ v
    assert np.max(np.abs(matrix @ speeds.brackets(v) @ x - commutator)) < 1e-8
