"""Optimal control of robots whose loops hold them, such as feet on the ground: by steps that hold the loops."""

from __future__ import annotations

import numpy as np
import pytest

import symdyn
from symdyn import FramePose, FramePosition, Horizon, InputCost, Limits, OptimalControlProblem, StateCost
from symdyn.interface.optimal_control import ControlCode

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]


def _same(plan: symdyn.ControlPlan, twin: symdyn.ControlPlan) -> None:
    assert plan.code is twin.code is ControlCode.DONE
    assert (plan.report.iterations, plan.report.qp_iterations) == (twin.report.iterations, twin.report.qp_iterations)
    np.testing.assert_allclose(plan.X, twin.X, atol=1e-9)
    np.testing.assert_allclose(plan.U, twin.U, atol=1e-9 * max(1.0, np.abs(twin.U).max()))


def test_a_five_bar_moves_its_hand_with_its_loop_closed() -> None:
    robot = symdyn.load_example("five_bar")
    start = robot.close(robot.neutral())
    frame = robot.frame_names[-1]
    where = symdyn.compile(robot, ["forward_kinematics"], frames=[frame], target="python")
    target = where.forward_kinematics(start)[0, :3, 3] + np.array([0.03, 0.0, -0.02])
    costs = [
        FramePosition(frame, weight=100.0, end=1000.0, name="reach"),
        StateCost(v=0.0, weights={"v": 0.01}, end={"v": 0.1}),
        InputCost(weight=1e-3),
    ]
    problem = OptimalControlProblem(
        costs=costs, limits=Limits(effort=5.0), horizon=Horizon(15, 0.02), start={"q": start.tolist()}
    )
    robot = robot.with_control(problem)
    plan, twin = (symdyn.optimal_control(robot, targets=target, target=own) for own in ("c", "python"))
    _same(plan, twin)
    assert np.abs(plan.U).max() <= 5.0
    # Steps hold accelerations of loops, so the loop opens by what steps of 20 ms leave.
    errors = symdyn.compile(robot, ["constraint_error"], target="python").constraint_error(plan.q[-1])
    assert np.abs(errors).max() < 2e-3


@pytest.mark.slow
def test_a_quadruped_in_stance_moves_its_trunk() -> None:
    robot = symdyn.load_example("quadruped")
    costs = [
        FramePose("trunk", weight=50.0, end=500.0, name="trunk"),
        StateCost(q="start", v=0.0, weights={"q": 0.01, "v": 0.05}, end={"q": 0.01, "v": 0.5}),
        InputCost(weight=1e-4),
    ]
    problem = OptimalControlProblem(
        costs=costs, limits=Limits(effort=18.0), horizon=Horizon(40, 0.02), inputs="actuators"
    )
    robot = robot.with_control(problem)
    pose = np.array([0.03, 0.01, -0.06, 0.0, np.sin(0.1), 0.0, np.cos(0.1)])
    plan = symdyn.optimal_control(robot, targets={"trunk": pose})
    assert plan.code is ControlCode.DONE and plan.U.shape == (40, 12)
    assert 17.9 < np.abs(plan.U).max() <= 18.0
    np.testing.assert_allclose(plan.q[-1][:3], pose[:3], atol=2e-3)
    feet = [f"{end}_{side}_foot" for end in ("front", "rear") for side in ("left", "right")]
    where = symdyn.compile(robot, ["forward_kinematics"], frames=feet, target="python")
    first, last = (where.forward_kinematics(q)[:, :3, 3] for q in (plan.q[0], plan.q[-1]))
    np.testing.assert_allclose(last, first, atol=2e-3)
