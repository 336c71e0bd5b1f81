"""The generalised-alpha stepper in C: of order 2, closed loops at rounding, equal to the method in Python."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import symdyn
from symdyn.analysis.simulation.generalised_alpha import generalised_alpha
from symdyn.analysis.simulation.robot_system import RobotSystem
from symdyn.errors import RequestError
from symdyn.robot.robot import Robot
from symdyn.toolchain.steppers import StepCode

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]
CHECKS = ["implicit_residual", "constraint_error"]


@cache
def _made(name: str) -> tuple[Any, Any]:
    robot = symdyn.load_example(name)
    functions = CHECKS if robot.constraints else CHECKS[:1]
    return robot, symdyn.compile(robot, functions, lanes=False, steppers=["generalised-alpha", "dop853"])


def _start(robot: Any) -> tuple[Any, Any]:
    q, v = robot.random_state(np.random.default_rng(5))
    if robot.constraints:
        q = robot.close(robot.neutral())
        return robot.project(q, 0.3 * v)
    return q, 0.3 * v


@pytest.mark.slow
@pytest.mark.parametrize("name", ["double_pendulum", "aerial_manipulator", "four_bar"])
def test_order_two(name: str) -> None:
    """Halved steps against DOP853 at 1e-11: errors of q and v fall by 4, within a tenth."""
    robot, module = _made(name)
    q, v = _start(robot)
    times, still = [0.0, 0.2], np.zeros(robot.nv)
    exact = module.advance_dop853(q, v, still, times=times, rtol=1e-11, atol=1e-12)
    errors = []
    for h in (2e-3, 1e-3):
        found = module.advance_generalised_alpha(q, v, still, times=times, h=h)
        assert (found.code, found.steps) == (StepCode.DONE, round(0.2 / h))
        errors.append([np.abs(found.q[-1] - exact.q[-1]).max(), np.abs(found.v[-1] - exact.v[-1]).max()])
    ratio = np.divide(*errors)
    assert np.all((ratio > 3.6) & (ratio < 4.4)), ratio


@pytest.mark.parametrize(
    "name",
    [*(pytest.param(own, marks=pytest.mark.slow) for own in ("double_pendulum", "aerial_manipulator")), "four_bar"],
)
def test_equal_to_python(name: str) -> None:
    """The same steps as from Python, first step and changes of the step included, to rounding."""
    robot, module = _made(name)
    q, v = _start(robot)
    tau, times = 0.1 * np.ones(robot.nv), [0.0, 0.1, 0.125, 0.2]  # the second interval has shorter steps
    found = module.advance_generalised_alpha(q, v, tau, times=times, h=0.01)
    system = RobotSystem(robot, forces=lambda t, q, v: tau)
    target = generalised_alpha(system, times, q, v, step=0.01, newton=1e-11)
    assert (found.code, found.steps) == (StepCode.DONE, target.counters.steps)
    np.testing.assert_allclose(found.q, target.q, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(found.v, target.v, rtol=0.0, atol=2e-11)  # of some 10 rad/s
    single, _ = module.step_generalised_alpha(q, v, tau, h=0.01)
    np.testing.assert_allclose(single, module.advance_generalised_alpha(q, v, tau, times=[0, 0.01], h=0.01).q[1])


@pytest.mark.slow
def test_loops_are_closed_after_every_step() -> None:
    robot, module = _made("four_bar")
    q, v = robot.project(robot.close(robot.neutral()), np.array([1.0, 0.2, -0.3]))
    found = module.advance_generalised_alpha(q, v, np.zeros(3), times=np.linspace(0.0, 2.0, 201), h=1e-3)
    assert found.code is StepCode.DONE
    assert np.abs(found.q - q).max() > 0.1
    assert np.abs(module.constraint_error(found.q)).max() < 1e-12


@pytest.mark.slow
def test_steps_are_bounded_and_failures_told() -> None:
    robot, module = _made("double_pendulum")
    q, v = _start(robot)
    short = module.advance_generalised_alpha(q, v, np.zeros(2), times=[0.0, 0.01, 1.0], h=1e-3, max_steps=20)
    assert (short.code, len(short.q)) == (StepCode.TOO_MANY_STEPS, 2)
    wild = module.advance_generalised_alpha(q, v, np.full(2, 1e308), times=[0.0, 100.0], h=10.0)
    assert wild.code in (StepCode.NO_CONVERGENCE, StepCode.NOT_FINITE)


def test_accelerations_that_turn_within_a_step() -> None:
    """A pendulum that whips round changes its accelerations more within a step than their last change foretells."""
    robot, module = _made("double_pendulum")
    q, v, still, times = np.full(2, 2.5), np.zeros(2), np.zeros(2), np.linspace(0.0, 0.6, 31)
    found = module.advance_generalised_alpha(q, v, still, times=times, h=0.02)
    assert (found.code, found.steps) == (StepCode.DONE, 30)
    exact = module.advance_dop853(q, v, still, times=times, rtol=1e-10, atol=1e-10)
    assert np.abs(exact.v).max() > 15.0
    assert np.abs(found.q - exact.q).max() < 0.1
    system = RobotSystem(robot, forces=lambda t, q, v: still)
    target = generalised_alpha(system, times, q, v, step=0.02, newton=1e-11)
    np.testing.assert_allclose(found.q, target.q, rtol=0.0, atol=1e-9)


STIFF = """
format: 1
name: stiff_pair
links:
  ground:
  upper: {mass: 1.0, com: [0.1, 0, 0], inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}
  lower: {mass: 1.0, com: [0.1, 0, 0], inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}
joints:
  shoulder: {type: revolute, parent: ground, child: upper, axis: [0, 1, 0]}
  elbow:
    {type: revolute, parent: upper, child: lower, translation: [0.3, 0, 0], axis: [0, 1, 0],
     spring: {stiffness: 1.0e5}, losses: {damping: 1.0e3}}
"""


@pytest.fixture(scope="module")
def stiff_pair(tmp_path_factory: pytest.TempPathFactory) -> Robot:
    """A pendulum with a joint that a spring and a damper all but lock."""
    path = tmp_path_factory.mktemp("pair") / "pair.yaml"
    path.write_text(STIFF)
    return symdyn.load(path, joint_losses=True)


def test_stiff_start_is_passed_over(stiff_pair: Robot) -> None:
    """A strained elbow comes back at once, and the shoulder falls as the locked pair does; the same as in Python."""
    module = symdyn.compile(stiff_pair, CHECKS[:1], lanes=False, steppers=["generalised-alpha"])
    q, still, times = np.array([0.4, 0.01]), np.zeros(2), [0.0, 0.01, 0.1, 0.2]
    found = module.advance_generalised_alpha(q, still, still, times=times, h=0.01)
    assert found.code is StepCode.DONE
    target = generalised_alpha(RobotSystem(stiff_pair), times, q, still, step=0.01, newton=1e-11)
    np.testing.assert_allclose(found.q, target.q, rtol=0.0, atol=1e-10)
    np.testing.assert_allclose(found.v, target.v, rtol=0.0, atol=1e-9)
    straight = module.advance_generalised_alpha([0.4, 0.0], still, still, times=times, h=0.01)
    assert found.q[-1][0] == pytest.approx(straight.q[-1][0], abs=5e-3)  # strain of 0.01 rad turns the pair by that


def quintic(t: float) -> list[float]:
    """Position, velocity and acceleration of a motion that steps interpolate exactly."""
    return [0.5 + t + t**2 - t**5, 1.0 + 2.0 * t - 5.0 * t**4, 2.0 - 20.0 * t**3]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["double_pendulum", "four_bar"])
def test_prescribed_joints(name: str) -> None:
    """The first joint goes as told, between the given times too, and the others as in Python."""
    robot = symdyn.load_example(name)
    driven, first = robot.velocity_names[0], robot.neutral()
    module = symdyn.compile(robot, CHECKS[:1], lanes=False, steppers=["generalised-alpha"], prescribed=[driven])
    q = robot.close([0.5, -1.0, -1.0], hold=[driven]) if robot.constraints else np.array([0.5, 0.3])
    system = RobotSystem(robot, prescribed={driven: quintic})
    times, v = np.array([0.0, 0.05, 0.06, 0.2]), np.zeros_like(first)
    told = np.array([[[own] for own in quintic(t)] for t in times])
    found = module.advance_generalised_alpha(q, v, v, told, times=times, h=0.01)
    target = generalised_alpha(system, times, q, v, step=0.01, newton=1e-11)
    assert (found.code, found.steps) == (StepCode.DONE, target.counters.steps)
    np.testing.assert_array_equal(found.q[:, 0], told[:, 0, 0])
    np.testing.assert_array_equal(found.v[:, 0], told[:, 1, 0])
    np.testing.assert_allclose(found.q, target.q, rtol=0.0, atol=1e-11)
    np.testing.assert_allclose(found.v, target.v, rtol=0.0, atol=1e-10)
    single, _ = module.step_generalised_alpha(q, v, v, told[[0, 1]], h=0.05)
    coarse = module.advance_generalised_alpha(q, v, v, told[:2], times=times[:2], h=0.05)
    np.testing.assert_array_equal(single, coarse.q[1])


@pytest.mark.slow
def test_what_prescribes_nothing_is_refused() -> None:
    robot = symdyn.load_example("aerial_manipulator")
    with pytest.raises(RequestError, match="'rk4' takes no prescribed"):
        symdyn.compile(robot, CHECKS[:1], steppers=["rk4"], prescribed=robot.velocity_names[-1:])
    with pytest.raises(RequestError, match="rate of a coordinate"):
        symdyn.compile(robot, CHECKS[:1], steppers=["generalised-alpha"], prescribed=robot.velocity_names[:1])
    with pytest.raises(RequestError, match="takes prescribed; leave it out"):
        symdyn.compile(robot, CHECKS[:1], prescribed=robot.velocity_names[-1:])
