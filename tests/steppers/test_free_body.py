"""The implicit stepper moves a free base along screws: a tumbling body against Euler's equations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from support.oracles.steppers import normalised, rates
from support.raw_calls import RawCalls

import symdyn
from symdyn.model.coordinates import coordinate_rows
from symdyn.toolchain.steppers import StepCode

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]

BODY = """
format: 1
name: body
gravity: [0.4, -0.3, -9.0]
floating_base: true
links:
  hull: {mass: 2.0, com: [0, 0, 0], inertia: {xx: 0.02, yy: 0.05, zz: 0.04}}
joints: {}
"""


def test_a_tumbling_body() -> None:
    """Steps of 2 ms and 1 ms, extrapolated; the second start is at rest and weightless turns are small."""
    robot = symdyn.loads(BODY, format="yaml")
    own = RawCalls(robot, symdyn.compile(robot, ["implicit_residual"], lanes=False, steppers=["generalised-alpha"]))
    entries, inertia, gravity = coordinate_rows(robot.model), np.array([0.02, 0.05, 0.04]), np.array([0.4, -0.3, -9.0])
    wrench = np.array([3.0, -1.0, 2.0, 0.03, 0.02, -0.05])

    def slope(t: float, y: Any) -> Any:
        y = normalised(entries, y)
        u, w, linear, omega = y[3:6], y[6], y[7:10], y[10:]
        down = gravity + 2.0 * np.cross(-u, np.cross(-u, gravity) + w * gravity)
        push = wrench[:3] / 2.0 + down - np.cross(omega, linear)
        turn = (wrench[3:] - np.cross(omega, inertia * omega)) / inertia
        return np.concatenate([rates(entries, y[:7], y[7:]), push, turn])

    times = [0.0, 0.1, 0.3]
    for v in (np.array([1.0, 2.0, -1.0, 2.0, -3.0, 4.0]), np.zeros(6)):
        q = np.array([0.3, -0.2, 0.5, *np.array([1.0, -2.0, 3.0, 4.0]) / np.sqrt(30.0)])
        start = np.concatenate([q, v])
        exact = solve_ivp(slope, (0.0, 0.3), start, method="DOP853", t_eval=times, rtol=1e-11, atol=1e-12).y.T
        best = np.zeros_like(exact)
        for h, weight in ((2e-3, -1.0 / 3.0), (1e-3, 4.0 / 3.0)):
            code, q_at, v_at, _ = own.advance("generalised-alpha", q, v, wrench, times=times, settings=[h])
            assert code is StepCode.DONE
            best += weight * np.hstack([q_at, v_at])
        np.testing.assert_allclose(best, exact, rtol=0.0, atol=1e-6 * np.abs(exact).max())
