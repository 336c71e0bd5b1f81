"""The Taylor stepper in C: equal to series of joints in Python, of its order, with inputs that are polynomials."""

from __future__ import annotations

from functools import cache
from math import factorial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import symdyn
from symdyn.analysis.simulation.smooth_inputs import PolynomialInputs
from symdyn.analysis.simulation.taylor import TaylorStepper
from symdyn.errors import RequestError
from symdyn.toolchain.steppers import StepCode

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]

ORDER = 6
BODY = "{mass: 1.1, com: [0.1, 0.02, -0.03], inertia: {xx: 0.02, yy: 0.03, zz: 0.04, xy: 0.001, xz: -0.002, yz: 0.003}}"
ALL_KINDS = f"""
format: 1
name: all_kinds
gravity: [0.3, -0.2, -9.81]
floating_base: true
links:
  hull: {BODY}
  ball: {BODY}
  sled: {BODY}
  screw: {BODY}
joints:
  shoulder: {{type: spherical, parent: hull, child: ball, translation: [0.2, 0, 0.1]}}
  slide: {{type: planar, parent: ball, child: sled, axis: [0, 1, 1], translation: [0, 0.2, 0]}}
  turn: {{type: helical, pitch: 0.1, parent: sled, child: screw, axis: [1, 0, 0], translation: [0, 0, 0.3]}}
"""
RAIL = """
format: 1
name: rail
gravity: [0, 0, 0]
links: {ground: {}, cart: {mass: 1}}
joints: {x: {type: prismatic, parent: ground, child: cart, axis: [1, 0, 0]}}
"""
SHIPPED = ["pendulum", "four_bar", pytest.param("flexible_single_link", marks=pytest.mark.slow)]


@cache
def _made(robot: Any, dtype: str = "float64", *more: str) -> Any:
    steppers = ["taylor", *more]
    return symdyn.compile(robot, ["inverse_dynamics"], lanes=False, steppers=steppers, order=ORDER, dtype=dtype)


def _all_kinds(folder: Path, convention: str) -> Any:
    file = folder / "all_kinds.yaml"
    file.write_text(ALL_KINDS)
    return symdyn.load(file, convention=convention)


def _state(robot: Any) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(5)
    if robot.constraints:
        q, v = robot.project(robot.close(robot.neutral()), 0.3 * rng.standard_normal(robot.nv))
    else:
        q, v = robot.random_state(rng)
    return q, 0.4 * v, 0.2 * rng.standard_normal((ORDER + 1, robot.nv))


def _check_a_step(robot: Any, h: float, *more: str) -> None:
    """Products in other orders, without fused ones: 1e-12 of the largest number, and what closing of loops leaves."""
    q, v, rates = _state(robot)
    coefficients = rates / np.array([float(factorial(k)) for k in range(ORDER + 1)])[:, None]
    inputs = PolynomialInputs(coefficients)
    twin = TaylorStepper(robot, inputs, "forces", 0.0, np.r_[q, v], h, 1e9, 1.0, h, np.empty(0), order=ORDER)
    twin.step()
    assert twin.t == h
    wanted = twin.y
    if robot.constraints:
        wanted = np.concatenate(robot.project(wanted[: robot.nq], wanted[robot.nq :]))
    found = np.concatenate(_made(robot, "float64", *more).step_taylor(q, v, rates, h=h))
    tolerance = 1e-10 if robot.constraints else 1e-12
    np.testing.assert_allclose(found, wanted, rtol=0.0, atol=tolerance * np.abs(wanted).max())


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_robots(name: str) -> None:
    _check_a_step(symdyn.load_example(name), 1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("convention", ["pinocchio", "spatial", "mujoco"])
def test_joints_of_all_kinds(tmp_path: Path, convention: str) -> None:
    """Free, spherical, planar and helical joints; and half a second beside DOP853, which knows no series."""
    robot = _all_kinds(tmp_path, convention)
    _check_a_step(robot, 0.01, "dop853")
    q, v, rates = _state(robot)
    rates[1:] = 0.0
    times = np.linspace(0.0, 0.5, 6)
    module = _made(robot, "float64", "dop853")
    found = module.advance_taylor(q, v, rates, times=times, rtol=1e-11, atol=1e-11)
    other = module.advance_dop853(q, v, rates[0], times=times, rtol=1e-12, atol=1e-12)
    assert (found.code, other.code) == (StepCode.DONE, StepCode.DONE)
    np.testing.assert_allclose(found.q, other.q, rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(found.v, other.v, rtol=0.0, atol=1e-8)


def test_its_order() -> None:
    """Halved steps against steps sixteen times shorter: errors fall by 2^(r + 1), within a factor of 2."""
    robot = symdyn.load_example("double_pendulum")
    q, v, rates = _state(robot)
    rates[1:] = 0.0
    step = _made(robot).step_taylor

    def end(number: int) -> Any:
        state = (q, v)
        for _ in range(number):
            state = step(*state, rates, h=0.1 / number)
        return np.concatenate(state)

    exact = end(64)
    coarse, fine = (np.abs(end(number) - exact).max() for number in (4, 8))
    assert 2.0**ORDER < coarse / fine < 2.0 ** (ORDER + 2), (coarse, fine)


def test_inputs_are_polynomials() -> None:
    """A torque that follows a polynomial over many steps, beside SciPy's DOP853 with the torque of each instant."""
    robot = symdyn.load_example("pendulum")
    rates = np.array([0.3, -2.0, 4.0, 6.0, -30.0, 50.0, 10.0])[:, None]
    module = symdyn.compile(robot, ["forward_dynamics"], lanes=False)
    weights = rates[:, 0] / np.array([float(factorial(k)) for k in range(ORDER + 1)])
    torque = np.polynomial.Polynomial(weights)

    def slope(t: float, y: Any) -> Any:
        return np.concatenate([y[1:], module.forward_dynamics(y[:1], y[1:], np.array([torque(t)]))])

    times = np.linspace(1.5, 3.5, 9)
    found = _made(robot).advance_taylor([0.4], [0.1], rates, times=times, rtol=1e-12, atol=1e-12)
    assert (found.code, found.refused) == (StepCode.DONE, 0)
    assert found.steps > 20
    exact = solve_ivp(slope, (0.0, 2.0), [0.4, 0.1], method="DOP853", t_eval=times - 1.5, rtol=1e-12, atol=1e-12).y.T
    np.testing.assert_allclose(np.hstack([found.q, found.v]), exact, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("scale", [1e-3, 1e9])
def test_the_length_of_a_step(scale: float) -> None:
    """On a rail v = t^(r-1) / S and q = t^r / (r S): coefficients of order r - 1 and r are those of v and of q alone.

    Jorba and Zou, section 3.2, take exp(-0.7) of the least (atol / |x_k|)^(1 / k): order r says it where S is large.
    """
    robot, r = symdyn.loads(RAIL, "yaml"), ORDER + 1
    rates = np.zeros((ORDER + 1, 1))
    rates[r - 2] = factorial(r - 1) / scale
    allowed = scale ** (1 / (r - 1)), (r * scale) ** (1 / r)
    assert (allowed[1] < 0.9 * allowed[0]) == (scale > 1.0)
    h = np.exp(-0.7) * min(allowed)
    times = [0.0, h * (1.0 - 1e-12), h * (1.0 + 1e-12)]
    found = _made(robot).advance_taylor([0.0], [0.0], rates, times=times, rtol=1e-9, atol=1.0, max_steps=1)
    assert (found.code, len(found.q)) == (StepCode.TOO_MANY_STEPS, 2)
    assert found.q[1, 0] == pytest.approx(h**r / (r * scale), rel=1e-10)


def test_single_precision() -> None:
    robot = symdyn.load_example("pendulum")
    q, v, rates = _state(robot)
    found = _made(robot, "float32").advance_taylor(q, v, rates, times=[0.0, 0.3], rtol=1e-5, atol=1e-5)
    exact = _made(robot).advance_taylor(q, v, rates, times=[0.0, 0.3], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.q, exact.q, rtol=0.0, atol=2e-5)


def test_failures_are_told() -> None:
    robot = symdyn.load_example("pendulum")
    module = _made(robot)
    q, v, rates = _state(robot)
    short = module.advance_taylor(q, v, rates, times=[0.0, 0.01, 100.0], rtol=1e-9, atol=1e-9, max_steps=5)
    assert (short.code, short.steps, len(short.q)) == (StepCode.TOO_MANY_STEPS, 5, 2)
    endless = module.advance_taylor(q, v, np.full_like(rates, 1e308), times=[0.0, 10.0])
    assert endless.code is StepCode.NOT_FINITE
    with pytest.raises(RequestError, match="has shape"):
        module.step_taylor(q, v, rates[0], h=0.01)
    with pytest.raises(RequestError, match="order of at least 1"):
        symdyn.compile(robot, ["forward_dynamics"], steppers=["taylor"])


@pytest.mark.slow
def test_loops_stay_closed() -> None:
    robot = symdyn.load_example("four_bar")
    module = _made(robot)
    q, v = robot.project(robot.close(robot.neutral()), np.array([1.0, 0.2, -0.3]))
    found = module.advance_taylor(q, v, np.zeros((ORDER + 1, 3)), times=np.linspace(0.0, 2.0, 21), rtol=1e-9, atol=1e-9)
    assert found.code is StepCode.DONE
    assert np.abs(found.q - q).max() > 0.1
    errors = symdyn.compile(robot, ["constraint_error"], lanes=False).constraint_error(found.q)
    assert np.abs(errors).max() < 1e-12
