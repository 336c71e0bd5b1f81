"""Steps of a parallelogram from its dead centre, aligned and turned, against the motion of its one coordinate.

All its rows count an instant later. With cranks of 1 kg and 0.2 m and a coupler of 1 kg, the angle obeys
theta'' = g 0.4 cos(theta) / (2 0.04 / 3 + 0.04).
"""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from support.robots.parallelogram import PULL, parallelogram
from support.robots.turned import TURNS, turned

import symdyn
from symdyn import api
from symdyn.description.checks.rotation import rotation_from_rpy
from symdyn.errors import SymdynWarning

pytestmark = pytest.mark.needs_cc
METHODS = {"rk4": 1e-8, "dop853": 1e-8, "taylor": 3e-6, "generalised-alpha": 3e-4}
"""With the largest error of an angle after 0.1 s [rad]. The first series of taylor is that of a robot without the row
that vanishes. The last method is of order 2; its steps must get away from the dead centre, as positions near it are
told to rounding over the size of the row."""
ORDER = 5


@cache
def _module(turn: str) -> Any:
    described = parallelogram()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        robot = api.from_description(turned(described, TURNS[turn]) if turn else described)
    asked: Any = {"steppers": ["rk4", "generalised-alpha"]} if turn else {"steppers": [*METHODS], "order": ORDER}
    return symdyn.compile(robot, ["constraint_error"], lanes=False, **asked)


@pytest.mark.parametrize("speed", [0.0, 1.0])
@pytest.mark.parametrize(
    ("turn", "method"), [*(("", name) for name in METHODS), ("rpy123", "rk4"), ("rpy123", "generalised-alpha")]
)
def test_steps_from_a_dead_centre(turn: str, method: str, speed: float) -> None:
    still, way, times = np.zeros(3), np.array([1.0, -1.0, 1.0]), [0.0, 0.05, 0.1]
    exact = solve_ivp(
        lambda _, x: [x[1], PULL * np.cos(x[0])], (0.0, 0.1), [0.0, speed], t_eval=times, rtol=1e-12, atol=1e-13
    )
    steps = {"rk4": 2e-3, "generalised-alpha": 1e-2}
    chosen: dict[str, Any] = {"h": steps[method]} if method in steps else {"rtol": 1e-9, "atol": 1e-10}
    advance = getattr(_module(turn), f"advance_{method.replace('-', '_')}")
    forces = np.zeros((ORDER + 1, 3)) if method == "taylor" else still
    found = advance(still, speed * way, forces, times=times, **chosen)
    assert found.code == 0
    assert found.q == pytest.approx(exact.y[0][:, None] * way, abs=METHODS[method])
    assert found.v == pytest.approx(exact.y[1][:, None] * way, abs=1e3 * METHODS[method])


ROD = """
name: rod
links:
  ground:
  left: {mass: 1, com: [0.1, 0, 0], inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}
  right: {mass: 2, com: [0.1, 0, 0], inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}
joints:
  one: {type: revolute, parent: ground, child: left, axis: [0, 0, 1], rpy: [0.1, 0.2, 0.3]}
  two: {type: revolute, parent: ground, child: right, axis: [0, 0, 1], rpy: [0.1, 0.2, 0.3], translation: FOOT}
loops:
  rod: {between: [{link: left, point: [0.2, 0, 0]}, {link: right, point: [0.2, 0, 0]}], kind: distance, distance: 0.5}
"""


def test_a_single_row_that_is_rounding_changes_no_velocity() -> None:
    """Two cranks and a rod in one line, turned: A is 1e-17, and both turn alike from any speed that they share."""
    R, speed, span = np.array(rotation_from_rpy(0.1, 0.2, 0.3)), np.ones(2), 0.01
    robot = symdyn.loads(ROD.replace("FOOT", str((0.5 * R[:, 0]).tolist())), "yaml")
    weight = R.T @ [0.0, 0.0, -9.81]

    def moved(_: float, y: Any) -> list[float]:
        torque = 3.0 * 0.1 * (weight[1] * np.cos(y[0]) - weight[0] * np.sin(y[0]))
        return [y[1], torque / (2.0 * 0.01 + 3.0 * 0.1**2)]

    wanted = solve_ivp(moved, (0.0, span), [0.0, 1.0], rtol=1e-12, atol=1e-12).y[:, -1]
    own = symdyn.simulate(robot, np.zeros(2), speed, [0.0, span])
    assert np.array_equal(own.v[0], speed)
    module = symdyn.compile(robot, ["constraint_error"], lanes=False, steppers=["dop853", "rk4"])
    motions = [module.advance_rk4(np.zeros(2), speed, np.zeros(2), times=[0.0, span], h=1e-3)]
    motions.append(module.advance_dop853(np.zeros(2), speed, np.zeros(2), times=[0.0, span], rtol=1e-9, atol=1e-10))
    assert all(motion.code == 0 for motion in motions)
    for motion in (own, *motions):
        assert motion.q[-1] == pytest.approx(np.full(2, wanted[0]), abs=1e-6)
        assert motion.v[-1] == pytest.approx(np.full(2, wanted[1]), abs=1e-4)
