"""Numbers that are not finite: nothing starts from them, and every solver ends when it meets them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import symdyn
from symdyn import statics
from symdyn.analysis.simulation.generalised_alpha import generalised_alpha
from symdyn.analysis.simulation.robot_system import RobotSystem
from symdyn.analysis.statics.records import NoEquilibriumError
from symdyn.errors import RequestError, SolverError

pytestmark = pytest.mark.needs_cc

METHODS = ["dop853", "radau", "bdf", "cvode", "ida", "generalised-alpha", "taylor"]


@pytest.fixture(scope="module")
def ball(tmp_path_factory: pytest.TempPathFactory) -> symdyn.Robot:
    """A ball on a string, whose mass is told at run time: without any, its acceleration is 0 / 0."""
    path = tmp_path_factory.mktemp("ball") / "ball.yaml"
    path.write_text(
        "name: ball\nlinks: {ground: {}, ball: {mass: 1.0, com: [0, 0, -0.5]}}\n"
        "joints: {swing: {type: revolute, parent: ground, child: ball, axis: [0, 1, 0]}}\n"
    )
    return symdyn.load(path, runtime=["ball.mass"])


@pytest.mark.parametrize("method", METHODS)
def test_nothing_starts_without_an_acceleration(ball: symdyn.Robot, method: str) -> None:
    """From a position that is not 0, SciPy chose a first step of NaN, and never left its loop."""
    with pytest.raises(SolverError, match=r"gave up at t = 0 s: the first acceleration is not finite") as caught:
        symdyn.simulate(ball, q=[1.0], p=[0.0], method=method)
    assert caught.value.partial.t.tolist() == [0.0]


@pytest.mark.parametrize("method", [method for method in METHODS if method != "taylor"])
@pytest.mark.parametrize("jumps", [None, [0.5]], ids=["met on the way", "met at a jump"])
def test_every_solver_ends_where_accelerations_do(ball: symdyn.Robot, method: str, jumps: Any) -> None:
    with pytest.raises(SolverError, match=r"gave up at t = 0\.[45]"):
        symdyn.simulate(
            ball, q=[1.0], v=[0.3], t=1.0, p=lambda t: [1.0 if t < 0.5 else 0.0], method=method, jumps=jumps
        )


def test_a_solver_with_a_lost_step_is_stopped(ball: symdyn.Robot) -> None:
    from symdyn.analysis.simulation.given import given_inputs, given_parameter_law
    from symdyn.analysis.simulation.system import System

    inputs, feedback = given_inputs(ball, None, "forces", "zero", 0.0, 1.0)
    system = System(ball, inputs, feedback, "forces", {}, given_parameter_law(ball, None))
    with pytest.raises(FloatingPointError):
        system.derivative(math.nan, np.zeros(2))


def test_events_are_finite(ball: symdyn.Robot) -> None:
    with pytest.raises(RequestError, match=r"event 'odd': expected a finite number, got nan at t = 0 s"):
        symdyn.simulate(ball, q=[1.0], events={"odd": lambda t, q, v: math.nan})


def test_generalised_alpha_starts_from_numbers(ball: symdyn.Robot) -> None:
    with pytest.raises(RequestError, match="q of generalised-alpha: expected finite numbers"):
        generalised_alpha(RobotSystem(ball), [0.0, 1.0], [math.nan], [0.0])
    with pytest.raises(RequestError, match="v of generalised-alpha: expected finite numbers"):
        generalised_alpha(RobotSystem(ball), [0.0, 1.0], [0.0], [math.inf])


def test_paths_of_rests_end(ball: symdyn.Robot) -> None:
    """The slope of the path overflows, so it has no direction."""
    with pytest.raises(NoEquilibriumError):
        statics.path(ball, [1e308])


def test_fits_refuse_what_overflows() -> None:
    """Products of velocities of 1e200 are infinite: LAPACK does not converge with them."""
    robot = symdyn.load_example("double_pendulum")
    q, v, a, tau = np.random.default_rng(0).normal(size=(4, 30, 2))
    v[7] *= 1e200
    with pytest.raises(RequestError, match="in row 7 of the measurements"):
        symdyn.identify(robot, q, v, a, tau)
