"""Run-time parameters that change with time: a load on a pendulum, beside the same as a torque, by all methods."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symdyn
from symdyn.errors import RequestError

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]

PENDULUM = """
format: 1
name: pushed
links:
  bar: {mass: 1.0, com: [0, 0, -0.5], inertia: {xx: 0.1, yy: 0.1, zz: 0.01}}
  ground: {}
joints:
  hinge: {type: continuous, parent: ground, child: bar, axis: [0, 1, 0]}
frames:
  foot: {link: bar, translation: [0, 0, -1]}
loads:
  push: {frame: foot, force: [0, 0, 0]}
"""


def _robot(folder: Path) -> Any:
    file = folder / "pushed.yaml"
    file.write_text(PENDULUM)
    return symdyn.load(file, runtime=["push.force.x"])


@pytest.mark.parametrize("method", ["dop853", "radau", "generalised-alpha"])
def test_a_load_equals_its_torque(tmp_path: Path, method: str) -> None:
    """A force along x of the bar at its foot, 1 m below the hinge, is a torque of -1 N m per newton about y."""
    robot = _robot(tmp_path)
    settings: dict[str, Any] = {"q": [0.3], "t": np.linspace(0.0, 2.0, 5), "rtol": 1e-8, "atol": 1e-8, "method": method}
    pushed = symdyn.simulate(robot, p=lambda t: [2.0 * math.sin(3.0 * t)], **settings)
    turned = symdyn.simulate(robot, inputs=lambda t, q, v: [-2.0 * math.sin(3.0 * t)], p=[0.0], **settings)
    assert np.abs(pushed.q - 0.3).max() > 0.1
    np.testing.assert_allclose(pushed.q, turned.q, rtol=0.0, atol=1e-7)


def test_what_is_refused(tmp_path: Path) -> None:
    robot = _robot(tmp_path)
    with pytest.raises(RequestError, match="1 finite numbers at t = 0 s"):
        symdyn.simulate(robot, p=lambda t: [1.0, 2.0])
    with pytest.raises(RequestError, match="taylor"):
        symdyn.simulate(robot, p=lambda t: [t], method="taylor")
    with pytest.raises(RequestError, match="no run-time parameters"):
        symdyn.simulate(symdyn.load_example("pendulum"), p=lambda t: [t])


def test_loops_take_parameters_that_stay() -> None:
    robot = symdyn.load_example("four_bar", runtime=["coupler_length", "rocker_mass"])
    length, mass = 0.5, 0.8
    assert robot.runtime_parameters == ("coupler_length", "rocker_mass")
    with pytest.raises(RequestError, match="parameters of loops must stay"):
        symdyn.simulate(robot, t=0.1, p=lambda t: [length + 0.01 * t, mass])
    found = symdyn.simulate(robot, t=0.1, p=lambda t: [length, mass])
    fixed = symdyn.simulate(symdyn.load_example("four_bar"), t=0.1)
    np.testing.assert_allclose(found.q[-1], fixed.q[-1], rtol=0.0, atol=1e-9)


def test_functions_of_time_alone_are_no_feedback() -> None:
    """The same motion, without differences of inputs by the state."""
    robot = symdyn.load_example("pendulum")
    asked: list[float] = []

    def torque(t: float) -> list[float]:
        asked.append(t)
        return [math.sin(t)]

    settings: dict[str, Any] = {"t": 1.0, "method": "radau", "rtol": 1e-8, "atol": 1e-8}
    alone = symdyn.simulate(robot, inputs=torque, **settings)
    calls = len(asked)
    beside = symdyn.simulate(robot, inputs=lambda t, q, v: torque(t), **settings)
    assert alone.counters["jacobians"] > 0
    assert len(asked) - calls >= calls + 4  # two rows, up and down, for each Jacobian
    np.testing.assert_allclose(alone.q[-1], beside.q[-1], rtol=0.0, atol=1e-12)
