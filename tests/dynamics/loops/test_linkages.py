"""Planar linkages: closed forms, virtual work, and what holds of them by hand."""

from __future__ import annotations

import numpy as np
import pytest
from support.robots.looped import COUPLER, CRANK, GROUND, ROCKER, five_bar, four_bar, four_bar_closed, standing
from support.soft_calls import call

from symdyn import api
from symdyn.errors import ModelError, RequestError
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")


def robot() -> Robot:
    return api.from_description(four_bar())


@pytest.mark.parametrize("crank", [0.3, 1.7, -2.0])
def test_a_four_bar_closes(crank: float) -> None:
    own = robot()
    assert own.model.loop_row_names == ("pin.x", "pin.y"), "rows out of the plane follow from the joints"
    (error,) = call(own, "constraint_error", q=four_bar_closed(crank))
    assert error == pytest.approx(np.zeros(2), abs=1e-15)


@pytest.mark.parametrize("crank", [0.3, 1.7, -2.0])
def test_a_four_bar_moves_as_one_coordinate(crank: float) -> None:
    """Lagrange's equation of the crank angle alone, from the closed form: m(x) x'' + m'(x) x'^2 / 2 + V'(x) = torque.

    Kinetic and potential energy are summed by hand over the bars, and differentiated by complex steps and differences.
    """
    own, speed, torque = robot(), 1.3, 0.7
    bars = ((CRANK, 1.0), (COUPLER, 1.5), (ROCKER, 0.8))

    def placed(x: float) -> list[tuple[np.ndarray, float]]:
        q = four_bar_closed(x)
        starts = [np.zeros(2), CRANK * np.array([np.cos(x), -np.sin(x)]), np.array([GROUND, 0.0])]
        angles = [q[0], q[0] + q[1], q[2]]
        return [
            (start + size / 2 * np.array([np.cos(angle), -np.sin(angle)]), angle)
            for start, angle, (size, _) in zip(starts, angles, bars, strict=True)
        ]

    h = 1e-4

    def slope(function: object, x: float) -> object:
        """Sixth-order central differences."""
        weights = {1: 45.0, 2: -9.0, 3: 1.0}
        return sum(w * (function(x + k * h) - function(x - k * h)) for k, w in weights.items()) / (60.0 * h)

    def inertia(x: float) -> float:
        rates = slope(lambda y: np.array([[*point, angle] for point, angle in placed(y)]), x)
        return sum(
            m * (row[0] ** 2 + row[1] ** 2) + m * size**2 / 12 * row[2] ** 2
            for row, (size, m) in zip(rates, bars, strict=True)
        )

    def height(x: float) -> float:
        return sum(9.81 * m * point[1] for (point, _), (_, m) in zip(placed(x), bars, strict=True))

    wanted = (torque - 0.5 * slope(inertia, crank) * speed**2 - slope(height, crank)) / inertia(crank)
    v = slope(four_bar_closed, crank) * speed
    a, _ = call(own, "constrained_forward_dynamics", q=four_bar_closed(crank), v=v, tau=np.array([torque, 0.0, 0.0]))
    assert a[0] == pytest.approx(wanted, rel=1e-7)  # of differences of differences
    tau, _ = call(own, "constrained_inverse_dynamics", q=four_bar_closed(crank), v=v, a=a, actuated=["input"])
    assert tau == pytest.approx(np.array([torque, 0.0, 0.0]), abs=1e-11)


def test_errors_die_out_as_asked() -> None:
    """With stabilisation, e'' + 2 e' / T + e / T^2 = 0."""
    own, T = robot(), 0.2
    q, v = own.random_state(np.random.default_rng(1))
    a, _ = call(own, "constrained_forward_dynamics", q=q, v=v, tau=np.zeros(3), stabilisation=T)
    A = call(own, "constraint_jacobian", q=q)[0].reshape(-1, 3)
    left = (
        A @ a + call(own, "constraint_bias", q=q, v=v)[0] + 2 / T * A @ v + call(own, "constraint_error", q=q)[0] / T**2
    )
    assert left == pytest.approx(np.zeros(2), abs=1e-11)


@pytest.mark.parametrize("actuated", [["a", "c"], ["a", "b", "c"], ["a", "b", "c", "d"]])
@pytest.mark.parametrize("weights", [None, [1.0, 2.0, 3.0, 0.5]])
def test_the_least_torques_are_those_of_the_null_space(actuated: list[str], weights: list[float] | None) -> None:
    """Kim 2012, eqs. 62 to 64, by singular values."""
    own = api.from_description(five_bar())
    q, v = own.random_state(np.random.default_rng(2))
    a = np.array([0.3, -0.2, 0.5, 0.1])
    (required,) = call(own, "inverse_dynamics", q=q, v=v, a=a)
    A = call(own, "constraint_jacobian", q=q)[0].reshape(-1, 4)
    active = [own.velocity_names.index(name) for name in actuated]
    passive = [row for row in range(4) if row not in active]
    root = np.sqrt(np.diag(np.ones(4) if weights is None else np.array(weights))[np.ix_(active, active)])
    least = np.linalg.pinv(A[:, passive].T) @ required[passive] if passive else np.zeros(2)
    null = np.linalg.svd(A[:, passive].T)[2][len(passive) :].T if passive else np.eye(2)
    rest = root @ (required[active] - A[:, active].T @ least)
    multipliers = least + null @ np.linalg.pinv(root @ A[:, active].T @ null) @ rest
    more = {} if weights is None else {"weights": weights}
    tau, found = call(own, "constrained_inverse_dynamics", q=q, v=v, a=a, actuated=actuated, **more)
    assert found == pytest.approx(multipliers, rel=1e-12, abs=1e-12)
    assert tau[active] == pytest.approx(required[active] - A[:, active].T @ multipliers, rel=1e-12, abs=1e-12)
    assert not tau[passive].any()
    if weights is None:
        _, found = call(own, "constrained_inverse_dynamics", q=q, v=v, a=a, actuated=actuated, objective="force")
        assert found == pytest.approx(least, rel=1e-12, abs=1e-12)


def test_too_few_actuators_are_refused() -> None:
    own = api.from_description(five_bar())
    with pytest.raises(
        RequestError, match="3 rows of v of robot 'five_bar' have no force, and its loops hold 2; actuate"
    ):
        api.programs(own, ["constrained_inverse_dynamics"], actuated=["a"])


def test_a_robot_without_loops_is_refused() -> None:
    with pytest.raises(
        ModelError, match="needs closed loops, and robot 'pendulum' has none; describe some under 'loops'"
    ):
        api.programs(api.load_example("pendulum"), ["constrained_forward_dynamics"])


def test_a_trunk_on_its_feet() -> None:
    """Hybrid dynamics with accelerations of joints given leads back to forward dynamics; forces of the feet agree."""
    own = api.from_description(standing())
    rng = np.random.default_rng(3)
    q, v = own.random_state(rng)
    tau = np.concatenate([np.zeros(6), rng.standard_normal(6)])
    a, multipliers = call(own, "constrained_forward_dynamics", q=q, v=v, tau=tau)
    held = own.velocity_names[9:]
    w, again = call(
        own, "constrained_hybrid_dynamics", q=q, v=v, u=np.concatenate([tau[:9], a[9:]]), prescribed=list(held)
    )
    assert w == pytest.approx(np.concatenate([a[:9], tau[9:]]), rel=1e-10, abs=1e-10 * abs(a).max())
    assert again == pytest.approx(multipliers, rel=1e-10, abs=1e-10 * abs(multipliers).max())
    required = call(own, "inverse_dynamics", q=q, v=v, a=a)[0]
    A = call(own, "constraint_jacobian", q=q)[0].reshape(-1, own.nv)
    assert required - A.T @ multipliers == pytest.approx(tau, abs=1e-12 * abs(required).max())
