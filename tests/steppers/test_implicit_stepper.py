"""The generalised-alpha stepper in C: of order 2, closed loops at rounding, equal to the scheme over NumPy."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from support.oracles.steppers import generalised_alpha_step, move_along

import symdyn
from symdyn.model.coordinates import coordinate_rows
from symdyn.toolchain.steppers import StepCode

pytestmark = [pytest.mark.needs_cc, pytest.mark.slow, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]
CHECKS = ["implicit_residual", "constraint_error"]


@cache
def _made(name: str) -> tuple[Any, Any]:
    robot = symdyn.load_example(name)
    functions = CHECKS if robot.constraints else CHECKS[:1]
    return robot, symdyn.compile(robot, functions, lanes=False, steppers=["generalised-alpha", "dop853"])


def _start(robot: Any) -> tuple[Any, Any]:
    q, v = robot.random_state(np.random.default_rng(5))
    if robot.constraints:
        q = robot.close(robot.neutral())
        return robot.project(q, 0.3 * v)
    return q, 0.3 * v


@pytest.mark.parametrize("name", ["double_pendulum", "aerial_manipulator", "four_bar"])
def test_order_two(name: str) -> None:
    """Halved steps against DOP853 at 1e-11: errors of q and v fall by 4, within a tenth."""
    robot, module = _made(name)
    q, v = _start(robot)
    times, still = [0.0, 0.2], np.zeros(robot.nv)
    exact = module.advance_dop853(q, v, still, times=times, rtol=1e-11, atol=1e-12)
    errors = []
    for h in (2e-3, 1e-3):
        found = module.advance_generalised_alpha(q, v, still, times=times, h=h)
        assert (found.code, found.steps) == (StepCode.DONE, round(0.2 / h))
        errors.append([np.abs(found.q[-1] - exact.q[-1]).max(), np.abs(found.v[-1] - exact.v[-1]).max()])
    ratio = np.divide(*errors)
    assert np.all((ratio > 3.6) & (ratio < 4.4)), ratio


def test_one_step_equals_numpy() -> None:
    """The scheme's equations solved by SciPy's root finder to 1e-12, from the same start."""
    pytest.importorskip("scipy.optimize")
    robot, module = _made("aerial_manipulator")
    q, v = _start(robot)
    tau, h, rows = 0.1 * np.ones(robot.nv), 0.01, coordinate_rows(robot.model)
    found = module.step_generalised_alpha(q, v, tau, h=h)
    accelerations = module.forward_dynamics(q, v, tau)
    target = generalised_alpha_step(rows, module.implicit_residual, q, v, accelerations, tau, h)
    for own, other in zip(found, target, strict=True):
        np.testing.assert_allclose(own, other, rtol=0.0, atol=1e-11 * np.abs(other).max())


def test_moves_are_exponentials() -> None:
    """Four stages at constant velocity differ from the exponential by terms of order 5 in the turn."""
    robot, _ = _made("aerial_manipulator")
    q, v = _start(robot)
    rows = coordinate_rows(robot.model)
    errors = [np.abs(move_along(rows, q, v, h) - robot.integrate(q, h * v)).max() for h in (0.2, 0.1)]
    assert errors[0] / errors[1] > 24.0, errors


def test_loops_are_closed_after_every_step() -> None:
    robot, module = _made("four_bar")
    q, v = robot.project(robot.close(robot.neutral()), np.array([1.0, 0.2, -0.3]))
    found = module.advance_generalised_alpha(q, v, np.zeros(3), times=np.linspace(0.0, 2.0, 201), h=1e-3)
    assert found.code is StepCode.DONE
    assert np.abs(found.q - q).max() > 0.1
    assert np.abs(module.constraint_error(found.q)).max() < 1e-12


def test_steps_are_bounded_and_failures_told() -> None:
    robot, module = _made("double_pendulum")
    q, v = _start(robot)
    short = module.advance_generalised_alpha(q, v, np.zeros(2), times=[0.0, 0.01, 1.0], h=1e-3, max_steps=20)
    assert (short.code, len(short.q)) == (StepCode.TOO_MANY_STEPS, 2)
    wild = module.advance_generalised_alpha(q, v, np.full(2, 1e9), times=[0.0, 100.0], h=10.0)
    assert wild.code in (StepCode.NO_CONVERGENCE, StepCode.NOT_FINITE)
