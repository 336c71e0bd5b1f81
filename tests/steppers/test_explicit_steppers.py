"""The Runge-Kutta steppers in C: equal to the same arithmetic in NumPy, of their order, bounded, closed."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.integrate._ivp import dop853_coefficients as given
from support.oracles.steppers import dop853_step, normalised, rk4_step, slope_of

import symdyn
from symdyn.compiler.emit.steppers import dop853_table as table
from symdyn.errors import RequestError
from symdyn.model.coordinates import coordinate_rows
from symdyn.toolchain.steppers import StepCode

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]
BOTH = ["rk4", "dop853"]
TWINS = {"rk4": rk4_step, "dop853": dop853_step}


@cache
def _made(name: str, *functions: str) -> tuple[Any, Any]:
    robot = symdyn.load_example(name)
    return robot, symdyn.compile(robot, ["forward_dynamics", *functions], lanes=False, steppers=BOTH)


def _state(robot: Any, seed: int = 3) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    q, v = robot.random_state(rng)
    return q, 0.3 * v, 0.1 * rng.standard_normal(robot.nv)


@pytest.mark.parametrize("method", BOTH)
@pytest.mark.parametrize("name", ["pendulum", pytest.param("aerial_manipulator", marks=pytest.mark.slow)])
def test_c_equals_numpy(name: str, method: str) -> None:
    """One step; sums of at most a dozen terms in the same order, some rounded once instead of twice."""
    robot, module = _made(name)
    q, v, tau = _state(robot)
    rows = coordinate_rows(robot.model)
    slope = slope_of(robot, rows, module.forward_dynamics, tau)
    target = normalised(rows, TWINS[method](slope, np.concatenate([q, v]), 0.01))
    found = np.concatenate(getattr(module, f"step_{method}")(q, v, tau, h=0.01))
    np.testing.assert_allclose(found, target, rtol=0.0, atol=1e-13 * np.abs(target).max())


@pytest.mark.slow
@pytest.mark.parametrize(("method", "order", "h"), [("rk4", 4, 0.02), ("dop853", 8, 0.1)])
def test_orders(method: str, order: int, h: float) -> None:
    """Halved steps of a free base: errors against steps eight times shorter fall by 2^order, within a factor of 2."""
    robot, module = _made("aerial_manipulator")
    q, v, tau = _state(robot)
    step = getattr(module, f"step_{method}")

    def end(number: int) -> Any:
        state = (q, 3.0 * v)
        for _ in range(number):
            state = step(*state, tau, h=0.4 / number)
        return np.concatenate(state)

    first = round(0.4 / h)
    exact = end(8 * first)
    coarse, fine = (np.abs(end(number) - exact).max() for number in (first, 2 * first))
    assert 2.0 ** (order - 1) < coarse / fine < 2.0 ** (order + 1.5), (coarse, fine)


def test_table_equals_scipy() -> None:
    """Every number of the table is that of SciPy, whose authors took them from Hairer's code."""

    def dense(rows: Any, width: int) -> Any:
        return np.array([[row.get(stage, 0.0) for stage in range(width)] for row in rows])

    stages = given.N_STAGES
    assert stages == table.STAGES
    np.testing.assert_array_equal(dense(table.STAGE_ROWS, stages), given.A[1:stages, :stages])
    np.testing.assert_array_equal(dense([table.END_ROW], stages)[0], given.B)
    np.testing.assert_array_equal(dense([table.ERROR_5], stages + 1)[0], given.E5)
    np.testing.assert_array_equal(dense([table.ERROR_3], stages + 1)[0], given.E3)
    np.testing.assert_array_equal(dense(table.EXTRA_ROWS, 16), given.A[stages + 1 :])
    np.testing.assert_array_equal(dense(table.INTERPOLATION, 16), given.D)


def test_dop853_takes_scipys_steps() -> None:
    """The same controller: SciPy's interpolated states to 1e-9 at tolerance 1e-6.

    For 0.8 s: rounding errors grow with the motion, to 4e-12 at this time and to 3e-8 after 2 s.
    """
    robot, module = _made("double_pendulum")
    q, v, tau = _state(robot)
    times = np.linspace(0.0, 0.8, 17)
    solution = solve_ivp(
        lambda t, y: np.concatenate([y[2:], module.forward_dynamics(y[:2], y[2:], tau)]),
        (0.0, 0.8),
        np.concatenate([q, v]),
        method="DOP853",
        t_eval=times,
        rtol=1e-6,
        atol=1e-6,
    )
    found = module.advance_dop853(q, v, tau, times=times, rtol=1e-6, atol=1e-6)
    assert found.code is StepCode.DONE
    np.testing.assert_allclose(np.hstack([found.q, found.v]), solution.y.T, rtol=0.0, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("method", BOTH)
def test_loops_stay_closed(method: str) -> None:
    robot, module = _made("four_bar", "constraint_error", "constraint_jacobian")
    q, v = robot.project(robot.close(robot.neutral()), np.array([1.0, 0.2, -0.3]))
    settings = {"h": 1e-3} if method == "rk4" else {"rtol": 1e-6, "atol": 1e-6}
    found = getattr(module, f"advance_{method}")(q, v, np.zeros(3), times=np.linspace(0.0, 2.0, 21), **settings)
    assert found.code is StepCode.DONE
    assert np.abs(found.q - q).max() > 0.1
    assert np.abs(module.constraint_error(found.q)).max() < 1e-12
    rates = np.einsum("kij,kj->ki", module.constraint_jacobian(found.q), found.v)
    assert np.abs(rates).max() < 1e-12


def test_steps_are_bounded() -> None:
    robot, module = _made("pendulum")
    q, v, tau = _state(robot)
    fixed = module.advance_rk4(q, v, tau, times=[0.0, 0.05, 1.0], h=0.01, max_steps=10)
    assert (fixed.code, len(fixed.q)) == (StepCode.TOO_MANY_STEPS, 2)
    assert fixed.steps <= 10
    chosen = module.advance_dop853(q, v, tau, times=[0.0, 100.0], rtol=1e-10, atol=1e-10, max_steps=7)
    assert (chosen.code, chosen.steps + chosen.refused, len(chosen.q)) == (StepCode.TOO_MANY_STEPS, 7, 1)


def test_failures_are_told() -> None:
    robot, module = _made("pendulum")
    q, v, _ = _state(robot)
    endless = module.advance_dop853(q, v, np.array([1e308]), times=[0.0, 10.0])
    assert endless.code in (StepCode.NOT_FINITE, StepCode.TOO_SMALL)
    with pytest.raises(RequestError, match="not finite"):
        module.step_rk4(q, v, np.array([np.nan]), h=0.01)
    with pytest.raises(RequestError, match="has shape"):
        module.step_rk4(q, v, np.zeros(2), h=0.01)
    with pytest.raises(RequestError, match="do not decrease"):
        module.advance_rk4(q, v, np.zeros(1), times=[0.0, -1.0], h=0.1)
    with pytest.raises(RequestError, match="above 0"):
        module.step_rk4(q, v, np.zeros(1), h=0.0)


SINKING = """
format: 1
name: sinking
links: {ground: , weight: {mass: 1, com: [0, 0, 0], inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}}
joints: {slide: {type: prismatic, parent: ground, child: weight, axis: [0, 0, 1]}}
fluid: {density: 0, bodies: {weight: {drag: [0, 0, 1.0e+6, 0, 0, 0]}}}
"""


def test_a_step_into_infinity_is_taken_again() -> None:
    """Drag grows with v^2: in a long step it throws the weight back and forth until numbers overflow."""
    module = symdyn.compile(
        symdyn.loads(SINKING, format="yaml"), ["forward_dynamics"], lanes=False, steppers=["dop853"]
    )
    found = module.advance_dop853([0.0], [0.0], [0.0], times=[0.0, 0.1], rtol=0.01, atol=0.01)
    assert found.code is StepCode.DONE and found.refused > 0
    terminal = np.sqrt(9.81 / 1e6)
    assert found.v[-1, 0] == pytest.approx(-terminal * np.tanh(9.81 * 0.1 / terminal), abs=1e-3)


def test_what_may_be_asked() -> None:
    robot = symdyn.load_example("pendulum")
    with pytest.raises(RequestError, match="euler"):
        symdyn.compile(robot, ["forward_dynamics"], steppers=["euler"])
    with pytest.raises(RequestError, match="target"):
        symdyn.compile(robot, ["forward_dynamics"], steppers=["rk4"], target="python")
    with pytest.raises(RequestError, match="twice"):
        symdyn.compile(robot, ["forward_dynamics"], steppers=["rk4", "rk4"])
