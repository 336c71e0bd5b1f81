"""Searches from several inputs: the plan of least cost, of a body that is turned over."""

from __future__ import annotations

import numpy as np
import pytest

import symdyn
from symdyn.errors import RequestError, SymdynWarning

BODY = """
format: 1
name: quadrotor
floating_base: true
links: {base: {mass: 1.0, inertia: {xx: 0.008, yy: 0.008, zz: 0.014}}}
"""
HOVER = np.array([0.0, 0.0, 9.81, 0.0, 0.0, 0.0])
LEAST, MOST = (
    np.array([side * 1e-3, side * 1e-3, z, side * 0.6, side * 0.6, side * 0.1]) for side, z in ((-1, 0), (1, 20))
)
Q, R = np.array([10.0] * 3 + [1.0] * 6 + [0.1] * 3), np.array([1.0, 1.0, 0.01, 1.0, 1.0, 1.0])
STEP = 0.02


@pytest.mark.slow
@pytest.mark.needs_cc
def test_of_several_starts_the_best_plan_is_taken() -> None:
    """From hover a body that is turned over by 2.5 rad falls before it turns; begun by a regulator it turns at once."""
    robot = symdyn.loads(BODY, format="yaml")
    matrices = symdyn.compile(robot, ["step_matrices"], lanes=False)
    A, B = matrices.step_matrices(robot.neutral(), np.zeros(6), HOVER, STEP)
    P = np.diag(STEP * Q)
    for _ in range(2000):  # Riccati's equation
        gains = np.linalg.solve(STEP * np.diag(R) + B.T @ P @ B, B.T @ P @ A)
        P = STEP * np.diag(Q) + A.T @ P @ (A - B @ gains)
    last = np.diag(P).tolist()
    problem = symdyn.OptimalControlProblem(
        costs=[
            symdyn.StateCost(
                q=robot.neutral().tolist(),
                v=0.0,
                weights={"q": Q[:6].tolist(), "v": Q[6:].tolist()},
                end={"q": last[:6], "v": last[6:]},
            ),
            symdyn.InputCost(reference=HOVER.tolist(), weights=R.tolist()),
        ],
        limits=symdyn.Limits(effort={"lower": LEAST.tolist(), "upper": MOST.tolist()}),
        horizon=symdyn.Horizon(25, STEP),
    )
    robot = robot.with_control(problem)
    q = robot.integrate(robot.neutral(), np.array([0.0, 0.0, 0.0, 2.5, 0.0, 0.0]))
    q[2] = 1.0
    x = np.concatenate([robot.difference(robot.neutral(), q), np.zeros(6)])
    regulated = np.clip(HOVER - gains @ x, LEAST, MOST)
    hover, turning = (symdyn.optimal_control(robot, q=q, u=own) for own in (HOVER, regulated))
    best = symdyn.optimal_control(robot, q=q, u=[HOVER, regulated])
    assert best.cost == min(hover.cost, turning.cost) < 0.99 * max(hover.cost, turning.cost)
    np.testing.assert_array_equal(best.U, min((hover, turning), key=lambda own: own.cost).U)
    with pytest.raises(RequestError, match="u of robot 'quadrotor'"):
        symdyn.optimal_control(robot, q=q, u=[HOVER, HOVER[:5]])


@pytest.fixture(scope="module")
def slider() -> symdyn.Robot:
    text = """
format: 1
name: slider
links: {base: {}, cart: {mass: 2.0}}
joints: {x: {type: prismatic, parent: base, child: cart, axis: [1, 0, 0], limits: {lower: -1, upper: 1}}}
control:
  horizon: {steps: 3, step: 0.1}
  costs: {rest: {state: {q: 0.5, v: 0}, end: 10}, effort: {input: {}, weight: 0.1}}
"""
    return symdyn.loads(text, format="yaml")


@pytest.mark.parametrize(
    "u",
    [np.array(1.0), 1.0, [], [[1.0], [2.0, 3.0]], [[1.0, [2.0]]], [["a"]], np.zeros((0, 1)), [[1.0], [np.nan]]],
    ids=["scalar array", "number", "none", "unlike lengths", "nested", "text", "no rows", "not finite"],
)
def test_inputs_that_are_neither_a_vector_nor_several_are_refused(slider: symdyn.Robot, u: object) -> None:
    with pytest.raises(RequestError, match="u of robot 'slider'"):
        symdyn.optimal_control(slider, u=u, target="python")


def test_a_start_beyond_limits_is_told_once_for_all_searches(slider: symdyn.Robot) -> None:
    with pytest.warns(SymdynWarning) as told:
        symdyn.optimal_control(slider, q=[1.5], u=[[1.0], [2.0]], target="python")
    assert len(told) == 1
