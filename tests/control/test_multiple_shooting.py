"""Plans of a pendulum and of a linear robot, whose optima are known otherwise."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
import scipy.optimize

from symdyn.analysis.control.quadratic_program import Limits
from symdyn.analysis.control.sqp import Sqp
from symdyn.interface.optimal_control import NUMBERS, ControlCode, ControlSettings, RowLimit

_NUMBERS, _H = NUMBERS["float64"], 0.05


@dataclass(frozen=True)
class Pendulum:
    """Swings up to q = pi: v' = u - sin q - 0.1 v."""

    count: int = 30
    broken: float = np.inf
    """From this angle on its step has no result."""

    def step(self, x: np.ndarray, u: np.ndarray, y: np.ndarray) -> np.ndarray:
        v = x[1] + _H * (u[0] - np.sin(x[0]) - 0.1 * x[1])
        return np.array([x[0] + _H * v, v]) if x[0] < self.broken else np.full(2, np.nan)

    def slopes(self, x: np.ndarray, u: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        V, U = np.array([-_H * np.cos(x[0]), 1.0 - 0.1 * _H]), _H
        return self.step(x, u, y), np.array([[1.0, 0.0] + _H * V, V]), np.array([[_H * U], [U]])

    def cost(self, k: int, x: np.ndarray, u: np.ndarray, y: np.ndarray) -> float:
        return float(self.cost_slopes(k, x, u, y)[0])

    def cost_slopes(self, k: int, x: np.ndarray, u: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, ...]:
        w = np.array([50.0, 5.0]) if k == self.count else _H * np.array([1.0, 0.1])
        e, r = x - y, 0.0 if k == self.count else _H * 0.2
        cost = 0.5 * (w @ e**2 + r * u[0] ** 2)
        return cost, w * e, r * u, np.diag(w), np.zeros((1, 2)), np.array([[r]])

    def moved(self, x: np.ndarray, dx: np.ndarray) -> np.ndarray:
        return x + dx

    def difference(self, x: np.ndarray, other: np.ndarray) -> np.ndarray:
        return other - x


def _inputs(width: float) -> list[RowLimit]:
    return [RowLimit(0, 0, sign, -width * sign, 0.0, 2.0 * width) for sign in (1, -1)]


def _solver(nodes: Pendulum, limits: Limits, tolerance: float = 1e-9) -> Sqp:
    settings = ControlSettings(nodes.count, _H, None, (), (), 1, 8, tolerance, True)
    own = Sqp(nodes, limits, _NUMBERS, settings)
    own.start(np.zeros(2), np.zeros(1))
    return own


_TARGET = np.array([np.pi, 0.0])


def _rolled(nodes: Pendulum, u: np.ndarray) -> float:
    x, cost = np.zeros(2), 0.0
    for k in range(nodes.count):
        cost += nodes.cost(k, x, u[k : k + 1], _TARGET)
        x = nodes.step(x, u[k : k + 1], _TARGET)
    return cost + nodes.cost(nodes.count, x, u[:1], _TARGET)


def test_a_bounded_swing_has_the_cost_that_a_quasi_newton_method_finds() -> None:
    nodes = Pendulum()
    own = _solver(nodes, Limits(_inputs(2.0), []))
    found = own.solve(np.zeros(2), _TARGET, 60)
    assert found.code is ControlCode.DONE and found.gap < 1e-6
    assert np.abs(own.U).max() <= 2.0
    known = scipy.optimize.minimize(
        lambda u: _rolled(nodes, u), own.U[:, 0] * 0.9, bounds=[(-2.0, 2.0)] * 30, method="L-BFGS-B", tol=1e-14
    )
    assert _rolled(nodes, own.U[:, 0]) == pytest.approx(known.fun, rel=1e-6)


@pytest.mark.parametrize("soft", [0.0, 1e-4])
def test_programs_begun_near_multipliers_of_the_last_take_fewer_recursions_to_the_same_plan(soft: float) -> None:
    limits = Limits(_inputs(2.0), [RowLimit(1, 1, -1, 1.5, soft, 3.0)])
    own, cold = _solver(Pendulum(), limits), _solver(Pendulum(), limits)
    cold.numbers = replace(_NUMBERS, follow=np.inf)  # their barrier is larger than that of a cold start
    found, known = (plan.solve(np.zeros(2), _TARGET, 60) for plan in (own, cold))
    assert found.code is known.code is ControlCode.DONE
    assert found.cost == pytest.approx(known.cost, rel=1e-7)
    np.testing.assert_allclose(own.U, cold.U, atol=1e-5)
    assert found.iterations <= known.iterations + 2
    assert found.qp_iterations < 0.7 * known.qp_iterations


@pytest.mark.parametrize("soft", [0.0, 1e-4])
def test_limits_of_velocities_bind(soft: float) -> None:
    states = [RowLimit(1, 1, -1, 1.5, soft, 3.0)]
    own = _solver(Pendulum(), Limits(_inputs(4.0), states))
    free = _solver(Pendulum(), Limits(_inputs(4.0), []))
    assert free.solve(np.zeros(2), _TARGET, 60).code is ControlCode.DONE
    assert own.solve(np.zeros(2), _TARGET, 60).code is ControlCode.DONE
    assert free.X[:, 1].max() > 2.0
    assert own.X[:, 1].max() == pytest.approx(1.5, abs=1e-5 if not soft else 0.02)


def test_samples_from_a_converged_plan_lead_to_the_target_with_a_plant_that_differs() -> None:
    nodes = Pendulum()
    own = _solver(nodes, Limits(_inputs(2.5), []))
    assert own.solve(np.zeros(2), _TARGET, 60).code is ControlCode.DONE
    x, rng = np.zeros(2), np.random.default_rng(0)
    for _ in range(200):
        assert own.prepare(_TARGET) is ControlCode.DONE
        u, gains, found = own.feedback(x * (1.0 + 0.01 * rng.normal(size=2)))
        assert found.code in (ControlCode.DONE, ControlCode.QP_ITERATIONS) and np.abs(u).max() <= 2.5
        assert gains.shape == (1, 2)
        x = nodes.step(x, 0.95 * u, _TARGET)
    np.testing.assert_allclose(x, _TARGET, atol=0.15)


def test_what_is_not_finite_is_a_code_and_leaves_the_plan() -> None:
    own = _solver(Pendulum(), Limits(_inputs(2.0), []))
    kept = own.U.copy()
    assert own.solve(np.array([np.nan, 0.0]), _TARGET, 5).code is ControlCode.NOT_FINITE
    assert own.solve(np.zeros(2), np.array([np.inf, 0.0]), 5).code is ControlCode.NOT_FINITE
    assert own.prepare(np.array([np.nan, 0.0])) is ControlCode.NOT_FINITE
    assert own.feedback(np.zeros(2))[2].code is ControlCode.NOT_FINITE
    assert own.prepare(_TARGET) is ControlCode.DONE
    u, _, found = own.feedback(np.array([np.inf, 0.0]))
    assert found.code is ControlCode.NOT_FINITE and np.isfinite(u).all()
    np.testing.assert_array_equal(own.U, kept)


def test_a_step_without_a_result_is_a_code_with_its_node() -> None:
    own = _solver(Pendulum(broken=0.5), Limits(_inputs(4.0), []))
    own.X[7:] = 1.0
    found = own.solve(np.zeros(2), _TARGET, 5)
    assert found.code is ControlCode.STEP_FAILED and found.node == 7
