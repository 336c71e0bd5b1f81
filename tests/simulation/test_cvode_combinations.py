"""CVODE with loops, and prescribed joints, changing parameters or rolling beside them, against DOP853."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from support.robots.rolling import SLEIGH

import symdyn

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]

TIMES = np.linspace(0.0, 0.5, 6)
BELT = """
name: belt
links: {ground: , first: {mass: 1.0}, second: {mass: 1.0}}
joints:
  x: {type: prismatic, axis: [1, 0, 0], parent: ground, child: first}
  y: {type: prismatic, axis: [0, 1, 0], parent: ground, child: second}
loops:
  belt: {kind: pfaffian, rows: [{x: 1, y: -2}]}
"""


def _compared(robot: symdyn.Robot, error: float, **asked: Any) -> symdyn.Trajectory:
    """The motion by CVODE, whose errors of steps of 1e-9 add up; accelerations that lead loops back are part of it."""
    exact = symdyn.simulate(robot, t=TIMES, method="dop853", rtol=1e-11, atol=1e-11, **asked)
    found = symdyn.simulate(robot, t=TIMES, method="cvode", rtol=1e-9, atol=1e-9, **asked)
    assert found.counters["jacobians"] > 0
    assert np.abs(exact.q - exact.q[0]).max() > 0.1
    assert np.max(np.abs(found.q - exact.q)) < error
    assert np.max(np.abs(found.v - exact.v)) < 10.0 * error
    return found


@pytest.mark.slow
def test_loops_and_a_prescribed_joint() -> None:
    robot = symdyn.load_example("five_bar")
    q = robot.close(robot.neutral())
    driven = robot.velocity_names[0]
    start = float(q[0])

    def swing(t: float) -> tuple[float, float, float]:
        return start + 0.3 * math.sin(2.0 * t) ** 2, 0.6 * math.sin(4.0 * t), 2.4 * math.cos(4.0 * t)

    found = _compared(robot, 1e-6, q=q, prescribed={driven: swing})
    assert found.q[:, 0] == pytest.approx([swing(t)[0] for t in TIMES], abs=1e-15)
    module = symdyn.compile(robot, ["constraint_error"])
    assert np.max(np.abs(module.constraint_error(found.q))) < 1e-12


@pytest.mark.slow
def test_loops_and_parameters_that_change() -> None:
    """A mass that grows: it is no part of the loops, so it may."""
    robot = symdyn.load_example("four_bar", runtime=["rocker_mass"])
    found = _compared(robot, 1e-6, q=robot.close([0.5, -1.0, -1.0]), p=lambda t: [0.8 + 0.6 * math.sin(4.0 * t)])
    still = symdyn.simulate(robot, q=found.q[0], t=TIMES, p=[0.8], method="cvode", rtol=1e-9, atol=1e-9)
    assert np.max(np.abs(found.q - still.q)) > 1e-3


@pytest.mark.parametrize("text", [BELT, SLEIGH], ids=["belt", "sleigh"])
def test_loops_on_velocities(text: str) -> None:
    robot = symdyn.loads(text, "yaml", gravity=(0.3, 0.0, -9.81))
    q, v = [0.1, 0.2, 0.4][: robot.nq], [1.0, 0.5, 0.7][: robot.nv]
    q, v = robot.project(q, v)
    found = _compared(robot, 1e-6, q=q, v=v, inputs=lambda t: 2.0 * np.sin(3.0 * t + np.arange(robot.nv)))
    rates = symdyn.compile(robot, ["constraint_jacobian"]).constraint_jacobian(found.q) @ found.v[..., None]
    assert np.max(np.abs(rates)) < 1e-12
