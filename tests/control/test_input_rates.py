"""Limits and costs of changes of inputs: against a dense solver and the twin, and kept from call to call."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from control.test_mpc import CHAIN, swing

import symdyn
from symdyn import FramePosition, Horizon, InputCost, InputRate, Limits, OptimalControlProblem, StateCost
from symdyn.analysis.control.robot_nodes import NODE_FUNCTIONS, RobotNodes
from symdyn.analysis.control.solve import twin_of
from symdyn.dynamics.control.settings import control_settings
from symdyn.errors import RequestError
from symdyn.interface.optimal_control import ControlCode

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]
_TARGET, _H = np.array([-0.9, 0.0, -0.4]), 0.03
_SOFT = {"from": 40.0, "kind": "soft", "weight": 1e-2}
BALL = """
name: ball
links: {ground: {}, a: {mass: 1.0, com: [0, 0, -0.5], inertia: {xx: 0.1, yy: 0.12, zz: 0.05}}}
joints:
  x: {type: spherical, parent: ground, child: a}
frames:
  tip: {link: a, translation: [0, 0.1, -1]}
"""


def _swing(rate: Any, cost: float, **settings: Any) -> OptimalControlProblem:
    own = swing(Limits(effort=6.0, velocity={"from": 4.0, "weight": 50.0}, input_rate=rate), **settings)
    return dataclasses.replace(own, costs=(*own.costs, InputRate(weight=cost))) if cost else own


@pytest.mark.parametrize("kind", ["hard", pytest.param("soft", marks=pytest.mark.slow)])
def test_one_iteration_of_a_linear_robot_is_a_dense_quadratic_program(kind: str) -> None:
    cvxpy = pytest.importorskip("cvxpy")
    costs = [
        StateCost(q=[0.5, -0.2, 0.1], v=0.0, weights={"q": 3.0, "v": 0.1}, end={"q": 30.0, "v": 5.0}),
        InputCost(reference=[0.1, 0.0, -0.2], weight=0.02),
        InputRate(weight=2e-4),
    ]
    rate = {"from": 4.0, "kind": kind, "weight": 0.05}
    limits = Limits(effort=[0.9, 2.0, 1.0], input_rate=rate)
    problem = OptimalControlProblem(costs=costs, limits=limits, horizon=Horizon(20, 0.05))
    robot = symdyn.loads(CHAIN, "yaml", joint_losses=True).with_control(problem)
    first = np.array([0.2, -0.1, 0.0])
    plan = symdyn.optimal_control(robot, u=first, iterations=1)
    zero = np.zeros(3)
    A, B = symdyn.compile(robot, ["step_matrices"], target="python").step_matrices(zero, zero, zero, np.float64(0.05))
    x, u = cvxpy.Variable((21, 6)), cvxpy.Variable((20, 3))
    goal, held, cost = np.array([0.5, -0.2, 0.1, 0, 0, 0]), [x[0] == np.zeros(6)], 0.0
    for k in range(20):
        change = (u[k] - (u[k - 1] if k else first)) / 0.05
        held += [x[k + 1] == A @ x[k] + B @ u[k], cvxpy.abs(u[k]) <= np.array([0.9, 2.0, 1.0])]
        cost += 0.025 * cvxpy.sum_squares(cvxpy.multiply(np.sqrt([3, 3, 3, 0.1, 0.1, 0.1]), x[k] - goal))
        cost += 0.025 * 0.02 * cvxpy.sum_squares(u[k] - np.array([0.1, 0.0, -0.2]))
        cost += 0.025 * 2e-4 * cvxpy.sum_squares(change)
        if kind == "hard":
            held.append(cvxpy.abs(change) <= 4.0)
        else:
            cost += 0.025 * cvxpy.sum_squares(cvxpy.pos(cvxpy.abs(change) - 4.0))
    cost += 0.5 * cvxpy.sum_squares(cvxpy.multiply(np.sqrt([30, 30, 30, 5, 5, 5]), x[20] - goal))
    known = cvxpy.Problem(cvxpy.Minimize(cost), held)
    known.solve(solver=cvxpy.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12)
    # The barrier of 1e-9 leaves its root in rows that press against limits.
    np.testing.assert_allclose(plan.X, x.value, atol=3e-5)
    np.testing.assert_allclose(plan.U, u.value, atol=2e-3)
    largest = np.abs(np.diff(np.vstack([first, plan.U]), axis=0)).max() / 0.05
    assert largest <= 4.0 + 1e-12 and largest > 3.99 if kind == "hard" else largest > 4.0


@pytest.mark.parametrize(
    ("rate", "cost", "settings"),
    [
        (60.0, 1e-5, {}),
        pytest.param(None, 1e-4, {}, marks=pytest.mark.slow),
        pytest.param(_SOFT, 0.0, {}, marks=pytest.mark.slow),
        pytest.param(60.0, 1e-5, {"hessian": "exact"}, marks=pytest.mark.slow),
    ],
)
def test_plans_are_those_of_the_twin(rate: Any, cost: float, settings: dict[str, Any]) -> None:
    robot = symdyn.load_example("double_pendulum").with_control(_swing(rate, cost, **settings))
    _same(robot, _TARGET, np.array([0.5, -0.2]), rate if isinstance(rate, float) else np.inf)


@pytest.mark.slow
def test_plans_of_a_ball_joint_are_those_of_the_twin() -> None:
    costs = [
        FramePosition("tip", weight=20.0, end=200.0),
        StateCost(v=0.0, weights={"v": 0.05}, end={"v": 1.0}),
        InputCost(weight=1e-2),
        InputRate(weight=1e-5),
    ]
    problem = OptimalControlProblem(costs=costs, limits=Limits(effort=6.0, input_rate=60.0), horizon=Horizon(15, _H))
    robot = symdyn.loads(BALL, "yaml").with_control(problem)
    _same(robot, np.array([0.6, 0.3, -0.7]), np.array([0.5, -0.2, 0.1]), 60.0)


def _same(robot: symdyn.Robot, target: np.ndarray, u: np.ndarray, rate: float) -> None:
    plan, twin = (symdyn.optimal_control(robot, targets=target, u=u, target=own) for own in ("c", "python"))
    assert plan.code is twin.code is ControlCode.DONE
    assert (plan.report.iterations, plan.report.qp_iterations) == (twin.report.iterations, twin.report.qp_iterations)
    for name, allowed in (("X", 1e-9), ("U", 6e-9), ("K", 1e-6)):
        np.testing.assert_allclose(getattr(plan, name), getattr(twin, name), atol=allowed)
    changes = np.abs(np.diff(np.vstack([u, plan.U]), axis=0)) / _H
    assert changes.max() <= rate * (1.0 + 1e-12) and (not np.isfinite(rate) or changes.max() > 0.99 * rate)


def test_inputs_change_no_faster_from_call_to_call_whatever_happens() -> None:
    """Of goals that jump, states that are not finite, and plans that fail; and the twin says the same."""
    robot = symdyn.load_example("double_pendulum").with_control(_swing(60.0, 1e-5, qp_iterations=25))
    settings = control_settings(robot.model)
    module = symdyn.compile(robot, [*NODE_FUNCTIONS, "gravity"], solvers=["mpc"], lanes=False)
    mpc, twin = module.mpc.another(), twin_of(RobotNodes(robot.model, module, settings.nodes, settings.step), settings)
    before, q, v, codes = np.array([1.0, -1.0]), np.zeros(2), np.zeros(2), set()
    mpc.start(q, v, before)
    twin.start(np.zeros(4), before)
    for k in range(60):
        goal = _TARGET * (1.0, -1.0)[k // 20 % 2]
        assert mpc.prepare(goal) is twin.prepare(goal)
        state = (np.full(2, np.nan), v) if k == 13 else (q, v)
        (u, K, report), (known, gains, told) = mpc.feedback(*state), twin.feedback(np.concatenate(state))
        codes.add(report.code)
        assert report.code is told.code and K.shape == gains.shape == (2, 4) and np.isfinite(K).all()
        if k < 8:
            np.testing.assert_allclose(u, known, atol=1e-8)
            np.testing.assert_allclose(K, gains, atol=1e-6 * max(1.0, np.abs(gains).max()))
        assert np.abs(u).max() <= 6.0 and np.abs(u - before).max() <= 60.0 * _H * (1.0 + 1e-12)
        before = u.copy()
        q, v = module.step(q, v, 0.95 * u, np.float64(_H))
    assert {ControlCode.DONE, ControlCode.NOT_FINITE} <= codes


def test_rates_are_not_exported() -> None:
    robot = symdyn.load_example("double_pendulum").with_control(_swing(60.0, 0.0))
    with pytest.raises(RequestError, match="input_rate"):
        symdyn.export_ocp(robot, to="casadi", out="unused", targets={"reach": _TARGET})
