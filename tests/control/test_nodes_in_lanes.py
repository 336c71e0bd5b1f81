"""Nodes of an optimal-control problem side by side in vectors: the bits of those one after the other."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import symdyn
from symdyn import (
    FramePosition,
    Horizon,
    InputCost,
    InputRate,
    Limits,
    OptimalControlProblem,
    SolverSettings,
    StateCost,
)
from symdyn.dynamics.control.settings import control_settings
from symdyn.errors import RequestError

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]
TARGET = np.array([0.5, 0.0, -1.0])


def swing(method: str, lanes: bool) -> symdyn.Robot:
    """The tip of a double pendulum is to meet a target in 21 steps, which fill no whole number of vectors."""
    problem = OptimalControlProblem(
        costs=[
            FramePosition("tip", weight=20.0, end=200.0),
            StateCost(q=0.0, v=0.0, weights={"q": 0.01, "v": 0.05}),
            InputCost(weight=1e-2),
        ],
        limits=Limits(effort=6.0),
        horizon=Horizon(21, 0.03, method),
        solver=SolverSettings(lanes=lanes),
    )
    return symdyn.load_example("double_pendulum").with_control(problem)


@pytest.mark.parametrize("method", ["semi_implicit_euler", pytest.param("rk4", marks=pytest.mark.slow)])
def test_nodes_in_lanes_have_the_bits_of_single_ones(method: str) -> None:
    found: list[Any] = []
    for lanes in (False, True):
        mpc = symdyn.compile(swing(method, lanes), ["step"], solvers=["mpc"], lanes=lanes).mpc
        mpc.start(np.zeros(2), np.zeros(2))
        u, report = mpc.solve(np.zeros(2), np.zeros(2), TARGET, iterations=5)
        assert report.usable
        mpc.prepare(TARGET)
        sample, K, told = mpc.feedback(np.full(2, 0.01), np.full(2, -0.1))
        found.append((u, sample, K, *mpc.plan(), report.cost, told.cost, report.iterations, told.qp_iterations))
    for single, own in zip(*found, strict=True):
        np.testing.assert_array_equal(single, own)


def test_steps_that_have_no_lanes_are_refused() -> None:
    robot = swing("semi_implicit_euler", True)
    problem = robot.model.control
    assert problem is not None and control_settings(robot.model).lanes
    for other in (
        dataclasses.replace(problem, horizon=Horizon(21, 0.03, "implicit_euler")),
        dataclasses.replace(problem, costs=(*problem.costs, InputRate(weight=1e-3))),
    ):
        with pytest.raises(RequestError, match=r"solver\.lanes of robot 'double_pendulum' is of explicit steps"):
            control_settings(robot.with_control(other).model)
