"""The Taylor method against closed forms, and against other methods."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import symdyn
from symdyn.analysis.simulation.smooth_inputs import PolynomialInputs, SmoothInputs
from symdyn.analysis.simulation.taylor import TaylorStepper, suited_order
from symdyn.errors import RequestError


def _pendulum() -> symdyn.Robot:
    return symdyn.load_example("pendulum")


def _angle(robot: symdyn.Robot, start: float, t: np.ndarray) -> np.ndarray:
    """The angle from hanging of a pendulum let go at rest: 2 asin(k cd(w t | k^2)), k = sin(start / 2)."""
    module = symdyn.compile(robot, ["mass_matrix", "gravity"], target="python")
    inertia, weight = module.mass_matrix([0.0])[0, 0], module.gravity([math.pi / 2])[0]
    k = math.sin(start / 2)
    sn, _, _, _ = ellipj(ellipk(k * k) - math.sqrt(abs(weight) / inertia) * t, k * k)
    return 2.0 * np.arcsin(k * sn)


@pytest.mark.needs_cc
def test_a_pendulum_swings_as_elliptic_functions_say() -> None:
    robot = _pendulum()
    t = np.linspace(0.0, 3.0, 7)
    motion = symdyn.simulate(robot, [1.2], [0.0], t, method="taylor", rtol=1e-15, atol=1e-15)
    # phases of some ten radians lose a digit to rounding, and SciPy's functions have some units in the last place
    assert np.max(np.abs(motion.q[:, 0] - _angle(robot, 1.2, t))) < 1e-13
    assert np.ptp(motion.energy) < 1e-13 * np.max(motion.kinetic_energy)


@pytest.mark.needs_cc
@pytest.mark.parametrize("order", [3, 6])
def test_errors_fall_with_the_order(order: int) -> None:
    robot = _pendulum()
    errors = []
    for step in (0.25, 0.125):
        stepper = TaylorStepper(
            robot, PolynomialInputs(np.zeros((1, 1))), "forces", 0.0, np.array([1.2, 0.0]), 1.0, 1.0, 1.0, step,
            np.zeros(0), order,
        )  # fmt: skip
        while stepper.t < 1.0:
            stepper.step()
        errors.append(abs(stepper.y[0] - _angle(robot, 1.2, np.array(1.0))))
    # v is known to t^(order + 1), so steps have errors of h^(order + 2), one order less in all
    assert math.log2(errors[0] / errors[1]) > order + 0.7


@pytest.mark.needs_cc
@pytest.mark.slow
def test_a_floating_robot_keeps_energy_and_agrees_with_dop853() -> None:
    robot = symdyn.load_example("aerial_manipulator")
    q, v = robot.random_state(3)
    t = np.linspace(0.0, 0.5, 6)
    inputs = PolynomialInputs(0.1 * np.ones((3, robot.nv)))
    motions = [
        symdyn.simulate(robot, q, 0.5 * v, t, inputs, method, rtol=1e-13, atol=1e-13) for method in ("taylor", "dop853")
    ]
    assert np.max(np.abs(robot.difference(motions[0].q, motions[1].q))) < 1e-10
    free = symdyn.simulate(robot, q, 0.5 * v, t, method="taylor", rtol=1e-13, atol=1e-13)
    assert np.ptp(free.energy) < 1e-11 * np.max(free.kinetic_energy)


@pytest.mark.needs_cc
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*follow from others:symdyn.SymdynWarning")
def test_loops_stay_closed() -> None:
    robot = symdyn.load_example("four_bar")
    v = robot.project(robot.close(robot.neutral()), np.ones(robot.nv))[1]
    t = np.linspace(0.0, 1.0, 5)
    taylor, dop853 = (
        symdyn.simulate(robot, v=v, t=t, method=method, rtol=1e-9, atol=1e-9) for method in ("taylor", "dop853")
    )
    assert np.max(np.abs(taylor.q - dop853.q)) < 1e-7


@pytest.mark.unit
def test_polynomials_tell_their_derivatives() -> None:
    inputs = PolynomialInputs([[1.0, 0.0], [2.0, 0.0], [3.0, -1.0]])
    assert isinstance(inputs, SmoothInputs)
    # 1 + 2 t + 3 t^2 and -t^2 at t = 2
    assert inputs.derivatives(2.0, 3).tolist() == [[17.0, -4.0], [14.0, -4.0], [6.0, -2.0], [0.0, 0.0]]
    with pytest.raises(RequestError, match="coefficients: expected finite numbers"):
        PolynomialInputs([1.0, 2.0])


@pytest.mark.unit
def test_orders_follow_tolerances() -> None:
    assert [suited_order(tolerance) for tolerance in (1e-1, 1e-6, 1e-12, 1e-40)] == [4, 8, 15, 40]


@pytest.mark.needs_cc
def test_what_has_no_derivatives_is_refused() -> None:
    robot = _pendulum()
    with pytest.raises(RequestError, match="needs the time derivatives of inputs"):
        symdyn.simulate(robot, inputs=lambda t, q, v: -v, method="taylor")
    with pytest.raises(RequestError, match="knows no prescribed joints"):
        symdyn.simulate(robot, prescribed={robot.velocity_names[0]: lambda t: (t, 1.0, 0.0)}, method="taylor")


@pytest.mark.needs_cc
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*follow from others:symdyn.SymdynWarning")
def test_generalised_alpha_is_a_method_too() -> None:
    robot = symdyn.load_example("four_bar")
    v = robot.project(robot.close(robot.neutral()), np.ones(robot.nv))[1]
    t = np.linspace(0.0, 1.0, 5)
    alpha, dop853 = (
        symdyn.simulate(robot, v=v, t=t, method=method, rtol=tolerance, atol=tolerance)
        for method, tolerance in (("generalised-alpha", 1e-8), ("dop853", 1e-12))
    )
    # a method of second order: a thousand steps, each within 1e-8, add up
    assert np.max(np.abs(alpha.q - dop853.q)) < 1e-4
    assert alpha.counters["steps"] > 50 and alpha.counters["jacobians"] > 0
