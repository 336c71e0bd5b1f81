"""Derivatives of costs that are found by a walk back: exact Hessians of several quantities, and by parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from control.test_step_methods import called
from numpy.typing import NDArray
from support.looped_checks import layouts_agree
from support.robots.of_cases import robot_of_case

import symdyn
from symdyn import CenterOfMass, Energy, FramePosition, FrameVelocity, Horizon, InputCost, Momentum
from symdyn.analysis.control.rollouts import RobotRollout
from symdyn.description.control.costs import Cost
from symdyn.errors import RequestError
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
FORK = """
name: fork
links:
  ground: {}
  left: {mass: 1.0, com: [0, 0.1, -0.5], inertia: {xx: 0.1, yy: 0.12, zz: 0.05}}
  right: {mass: 2.0, com: [0.1, 0, -0.3], inertia: {xx: 0.2, yy: 0.2, zz: 0.05}}
joints:
  left: {type: revolute, parent: ground, child: left, axis: [0, 1, 0], limits: {lower: -3, upper: 3}}
  right: {type: revolute, parent: ground, child: right, axis: [1, 0, 0], limits: {lower: -3, upper: 3}}
"""
"""Two branches, so that bodies could share their places."""
_TERMS = (
    Energy(1.0, weight=0.5, end=0.25, huber=2.0),
    Momentum(0.5, weight=0.75, end=0.5),
    CenterOfMass((0.1, -0.2, 0.3), weight=2.0, end=1.0),
)


@cache
def _robot(name: str, hessian: str) -> Robot:
    own = symdyn.loads(FORK, "yaml", runtime=["left.mass"]) if name == "fork" else robot_of_case(name)
    frame = own.frame_names[-1]
    terms: tuple[Cost, ...] = (*_TERMS, FrameVelocity(frame, end=0.25), FramePosition(frame, (0.1, 0.2, 0.3), end=1.0))
    terms = (*(replace(each, hessian=hessian) for each in terms), InputCost(weight=0.1))
    return own.with_control(symdyn.OptimalControlProblem(terms, horizon=Horizon(5, 0.02)))


def _slope(function: Callable[[float], float], e: float) -> float:
    near, far = ((function(own) - function(-own)) / (2.0 * own) for own in (e, 2.0 * e))
    return (4.0 * near - far) / 3.0


def _at(robot: Robot, seed: int) -> dict[str, Array]:
    rng = np.random.default_rng(seed)
    q, v = robot.random_state(rng)
    return {"q": q, "v": v, "tau": rng.normal(size=robot.nv), "p": np.asarray(robot.runtime_defaults, float)}


@pytest.mark.parametrize("name", ["fork", pytest.param("rod", marks=pytest.mark.slow)])
def test_exact_hessians_of_several_quantities_are_differences_of_gradients(name: str) -> None:
    """Along one direction of q and v; differences of fourth order leave some 1e-9."""
    robot = _robot(name, "exact")
    nv, given = robot.nv, _at(robot, 3)
    derivatives = called(robot, "end_cost_derivatives")
    d = np.random.default_rng(4).normal(size=2 * nv)

    def along(e: float) -> float:
        found = derivatives({**given, "q": robot.integrate(given["q"], e * d[:nv]), "v": given["v"] + e * d[nv:]})
        return float(found["l_q"] @ d[:nv] + found["l_v"] @ d[nv:])

    own = derivatives(given)
    H = np.block([[own["l_qq"], own["l_qv"]], [own["l_qv"].T, own["l_vv"]]])
    assert d @ H @ d == pytest.approx(_slope(along, 1e-3), rel=1e-7)


def test_gradients_of_rollouts_count_parameters_in_costs() -> None:
    """Of a sum of energies and places, by a mass, against differences of whole rollouts."""
    robot = _robot("fork", "gauss_newton")
    given, u = _at(robot, 5), np.random.default_rng(6).normal(size=(5, robot.nv))

    def rolled(shift: float) -> RobotRollout:
        p = given["p"] + shift
        return symdyn.rollout(robot, given["q"], given["v"], u, h=0.02, p=p, target="python")

    run = rolled(0.0)
    cost = run.cost()
    gradient = run.gradient(cost)
    assert gradient.p[0] == pytest.approx(_slope(lambda e: rolled(e).cost().value, 1e-3), rel=1e-8)
    parts = run.gradient(cost.l_x, cost.l_u)
    assert abs(cost.l_p[0]) > 1.0 and gradient.p == pytest.approx(parts.p + cost.l_p)
    with pytest.raises(RequestError, match="leave them out"):
        run.gradient(cost, cost.l_u)


def test_gradients_by_parameters_are_the_same_in_all_layouts() -> None:
    layouts_agree(_robot("fork", "gauss_newton"), "stage_cost_derivatives", gradient="parameters")


def test_parameters_are_asked_for_where_there_are_any() -> None:
    robot = symdyn.load_example("double_pendulum").with_control(symdyn.OptimalControlProblem((Energy(1.0),)))
    with pytest.raises(RequestError, match="gradient='parameters' asks for derivatives by run-time parameters"):
        symdyn.compile(robot, ["stage_cost_derivatives"], gradient="parameters")
