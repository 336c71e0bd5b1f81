"""Second derivatives of steps in the Hessians of optimal control: against differences, the twin, and Gauss-Newton."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from control.test_mpc import swing

import symdyn
from symdyn import Limits, SolverSettings
from symdyn.analysis.control.robot_nodes import NODE_FUNCTIONS, RobotNodes
from symdyn.errors import DescriptionError, RequestError
from symdyn.interface.optimal_control import STEP_CURVATURE, ControlCode

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]
_FAR = np.array([0.8, 0.0, 0.5])
"""Out of reach of its torques, so that the errors of the optimum are large, and Gauss-Newton steps are short."""


def _robot(hessian: str, limits: Limits | None = None, costs: str = "gauss_newton") -> symdyn.Robot:
    problem = dataclasses.replace(swing(limits), solver=SolverSettings(tolerance=1e-9, hessian=hessian))
    terms = (dataclasses.replace(own, hessian=costs) if own.key == "frame_position" else own for own in problem.costs)
    return symdyn.load_example("double_pendulum").with_control(dataclasses.replace(problem, costs=tuple(terms)))


def test_second_derivatives_of_steps_are_differences_of_their_matrices() -> None:
    robot = symdyn.load_example("double_pendulum").with_control(swing())
    module = symdyn.compile(robot, [*NODE_FUNCTIONS, STEP_CURVATURE], target="python")
    nodes, rng = RobotNodes(robot.model, module, 25, 0.03), np.random.default_rng(0)
    x, u, y, weights = rng.normal(size=4), rng.normal(size=2), np.zeros(3), rng.normal(size=4)

    def gradient(x: np.ndarray, u: np.ndarray) -> np.ndarray:
        _, A, B = nodes.slopes(x, u, y)
        return np.concatenate([A.T @ weights, B.T @ weights])

    delta = 1e-6
    known = np.stack([
        (gradient(x + own[:4], u + own[4:]) - gradient(x - own[:4], u - own[4:])) / (2.0 * delta)
        for own in delta * np.eye(6)
    ])  # fmt: skip
    lxx, lux, luu = nodes.curvature(x, u, y, weights)
    np.testing.assert_allclose(np.block([[lxx, lux.T], [lux, luu]]), known, atol=1e-8)


def test_exact_hessians_converge_as_newtons_method_where_errors_stay_large() -> None:
    rates = {}
    for hessian in ("gauss_newton", "exact"):
        robot = _robot(hessian, Limits(effort=12.0), hessian)
        module = symdyn.compile(robot, ["step", "gravity"], solvers=["mpc"], lanes=False)
        mpc, zero, decreases = module.mpc.another(), np.zeros(2), [np.inf]
        mpc.start(zero, zero, module.gravity(zero))
        for _ in range(80):
            _, report = mpc.solve(zero, zero, _FAR, iterations=1)
            decreases.append(abs(report.decrease))
            if report.code is ControlCode.DONE:
                break
        assert report.code is ControlCode.DONE
        rates[hessian] = decreases[-1] / decreases[-2]
    assert rates["exact"] < 1e-3 < 0.3 < rates["gauss_newton"]


def test_plans_with_exact_hessians_are_those_of_the_twin() -> None:
    plan, twin = (symdyn.optimal_control(_robot("exact"), targets=_FAR, target=own) for own in ("c", "python"))
    assert plan.code is twin.code is ControlCode.DONE
    assert (plan.report.iterations, plan.report.qp_iterations) == (twin.report.iterations, twin.report.qp_iterations)
    np.testing.assert_allclose(plan.X, twin.X, atol=1e-9)
    np.testing.assert_allclose(plan.U, twin.U, atol=1e-9 * 6.0)


def test_samples_with_exact_hessians_keep_limits_and_reach_the_target() -> None:
    robot = _robot("exact")
    q, v = np.zeros(2), np.zeros(2)
    module = symdyn.compile(robot, [*NODE_FUNCTIONS, STEP_CURVATURE, "gravity"], solvers=["mpc"], lanes=False)
    mpc, target = module.mpc.another(), np.array([-0.9, 0.0, -0.4])
    mpc.start(q, v)
    for k in range(60):
        goal = target if k < 45 else _FAR
        assert mpc.prepare(goal) is ControlCode.DONE
        u, K, report = mpc.feedback(q * 1.01, v * 0.99)
        assert report.usable and np.abs(u).max() <= 6.0 and np.isfinite(K).all()
        q, v = module.step(q, v, 0.95 * u, np.float64(0.03))
        if k == 44:
            kinematics = symdyn.compile(robot, ["forward_kinematics"], frames=["tip"], target="python")
            assert np.linalg.norm(kinematics.forward_kinematics(q)[0, :3, 3] - target) < 0.12


def test_exact_hessians_of_steps_without_them_are_refused() -> None:
    exact = dataclasses.replace(swing(Limits(effort=6.0)), solver=SolverSettings(hessian="exact"))
    robot = symdyn.load_example("double_pendulum")
    slow = dataclasses.replace(exact, horizon=dataclasses.replace(exact.horizon, method="implicit_euler"))
    with pytest.raises(RequestError, match="implicit_euler"):
        symdyn.optimal_control(robot, slow, targets=_FAR)
    with pytest.raises(DescriptionError, match="gauss_newton"):
        SolverSettings(hessian="newton")
