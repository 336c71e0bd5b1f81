"""Forces shared among more motors than a robot needs: the least, by SciPy's optimiser and by singular values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from support.robots.shipped_loops import Array, closed_state, found, shipped

from symdyn import api
from symdyn.robot.robot import Robot


def motion(name: str) -> dict[str, Array]:
    """A closed state, with accelerations that some forces of the motors cause."""
    robot, rng = shipped(name), np.random.default_rng(5)
    q, v = closed_state(name, rng)
    tau = np.where(driven(robot), rng.standard_normal(robot.nv), 0.0)
    a, _ = found(robot, "constrained_forward_dynamics", q=q, v=v, tau=tau)
    return {"q": q, "v": v, "a": a}


def driven(robot: Robot) -> Array:
    names = robot.description.actuation.actuators
    return np.array([own in names for own in robot.velocity_names])


CASES = ["five_bar", pytest.param("quadruped", marks=pytest.mark.slow)]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("asked", ["plain", "weights", "force"])
def test_no_smaller_ones_do(name: str, asked: str) -> None:
    """Over all multipliers that leave rows without a motor free of force: SLSQP, and Kim 2012, eqs. 59 and 62 to 64."""
    robot = shipped(name)
    state, active = motion(name), driven(robot)
    (required,) = found(robot, "inverse_dynamics", **state)
    (A,) = found(robot, "constraint_jacobian", q=state["q"])
    count = len(A)
    weights = np.where(active, 4.0 ** np.random.default_rng(6).uniform(-1.0, 1.0, robot.nv), 1.0)
    weights = weights if asked == "weights" else np.ones(robot.nv)
    options = {"plain": {}, "weights": {"weights": weights.tolist()}, "force": {"objective": "force"}}[asked]
    tau, multipliers = found(robot, "constrained_inverse_dynamics", **state, **options)

    root = np.sqrt(weights[active])
    if asked == "force":
        reach, aim = np.eye(count), np.zeros(count)
    else:
        reach, aim = root[:, None] * A[:, active].T, root * required[active]
    passive, rest = A[:, ~active].T, required[~active]

    def size(x: Array) -> float:
        return float(np.sum((aim - reach @ x) ** 2))

    def slope(x: Array) -> Array:
        return -2.0 * reach.T @ (aim - reach @ x)

    free = {"type": "eq", "fun": lambda x: passive @ x - rest, "jac": lambda x: passive}
    scale = float(np.max(np.abs(required)))
    # from the least of the equations without motors; its tolerance is that of the squares
    begin = np.linalg.lstsq(passive, rest, rcond=None)[0]
    best = minimize(size, begin, jac=slope, constraints=[free], method="SLSQP", options={"ftol": 1e-20, "maxiter": 200})
    assert np.max(np.abs(required[active] - A[:, active].T @ best.x - tau[active])) < 1e-8 * scale
    if asked == "force":
        assert np.max(np.abs(best.x - multipliers)) < 1e-8 * scale

    null = np.linalg.svd(passive)[2][np.linalg.matrix_rank(passive) :].T
    least = np.linalg.pinv(passive) @ rest
    by_values = least + null @ (np.linalg.pinv(reach @ null) @ (aim - reach @ least))
    forces = required[active] - A[:, active].T @ by_values
    assert np.max(np.abs(forces - tau[active])) < 1e-12 * scale
    assert np.max(np.abs(by_values - multipliers)) < 1e-12 * max(scale, float(np.max(np.abs(by_values))))
    assert np.max(np.abs(tau[~active]), initial=0.0) < 1e-12 * scale  # what multipliers leave there is rounding


def test_weights_shift_the_load() -> None:
    """A motor whose force counts a thousand times over rests, and the motion stays."""
    robot = shipped("five_bar")
    state = motion("five_bar")
    weights = [1000.0 if name == "left_elbow" else 1.0 for name in robot.velocity_names]
    elbow = robot.velocity_names.index("left_elbow")
    plain, _ = found(robot, "constrained_inverse_dynamics", **state)
    shifted, _ = found(robot, "constrained_inverse_dynamics", **state, weights=weights)
    assert abs(shifted[elbow]) < 0.01 * abs(plain[elbow])
    for tau in (plain, shifted):
        a, _ = found(robot, "constrained_forward_dynamics", q=state["q"], v=state["v"], tau=tau)
        assert a == pytest.approx(state["a"], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("unit", [1e-8, 1e8])
def test_a_unit_of_weights_does_not_matter(unit: float) -> None:
    """Weights are compared with each other: passive rows, which have none, are measured by what the weights are.

    Two rows of a loop and one motor: without the share of passive rows the matrix would be singular.
    """
    robot = shipped("four_bar")
    state = {name: own.tolist() for name, own in motion("four_bar").items()}
    weights = np.random.default_rng(7).uniform(1.0, 4.0, robot.nv)
    recursion = api.float_recursion(robot, "constrained_inverse_dynamics", weights="input", actuated=["input"])
    plain, scaled = (
        np.array(recursion({**state, "weights": own.tolist()})["tau"]) for own in (weights, unit * weights)
    )
    np.testing.assert_allclose(scaled, plain, rtol=0.0, atol=1e-11 * np.abs(plain).max())
