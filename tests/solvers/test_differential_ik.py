"""Differential inverse kinematics: velocities of bounded least squares, by C and by NumPy, against SciPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdyn
from symdyn.errors import RequestError
from symdyn.robot.robot import Robot
from symdyn.toolchain.solvers import SolveCode

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]
H, DAMPING = 0.01, 1e-4
SAME = 1e-9
"""Of the fastest row. The matrix has a condition of 1e5, or 1e9 with loops, for which it is a hundred times as much."""


def posed(name: str) -> tuple[Robot, Any]:
    robot, rng = symdyn.load_example(name), np.random.default_rng(2)
    if robot.model.loops:
        return robot, robot.close(robot.neutral())
    return robot, (0.1 if robot.model.rods else 1.0) * robot.random_state(rng)[0]


def solved(robot: Robot, q: Any, twists: dict[str, Any], **asked: Any) -> Any:
    """By C, which NumPy follows."""
    found, own = (
        symdyn.differential_ik(robot, twists, q, H, damping=DAMPING, target=target, **asked)
        for target in ("c", "python")
    )
    assert found.code is own.code is SolveCode.DONE and found.limited == own.limited
    same = SAME * (100.0 if robot.model.loops else 1.0)
    assert np.abs(found.v - own.v).max() <= same * np.abs(own.v).max()
    return found


@pytest.mark.parametrize("name", ["seven_dof_arm", "cable_manipulator", "aerial_manipulator"])
def test_velocities_are_those_of_bounded_least_squares(name: str) -> None:
    optimize = pytest.importorskip("scipy.optimize")
    robot, q = posed(name)
    rng, frames = (
        np.random.default_rng(3),
        [robot.frame_names[-1], robot.frame_names[min(2, len(robot.frame_names) - 2)]],
    )
    module = symdyn.compile(robot, ["jacobians"], frames=frames, solvers=["differential_ik"])
    J, root = module.jacobians(q).reshape(12, robot.nv), np.sqrt(DAMPING)
    limited = 0
    for _ in range(20):
        twists, weights = rng.standard_normal((2, 6)), rng.uniform(0.1, 2.0, (2, 6))
        v_0, most = rng.standard_normal(robot.nv), rng.uniform(0.05, 1.0, robot.nv)
        asked = {"v_0": v_0, "weights": weights, "v_lower": -most, "v_upper": most, "damping": DAMPING}
        found = module.solve_differential_ik(q, twists, h=H, **asked)
        scaled = np.sqrt(weights.ravel())
        system = np.vstack([scaled[:, None] * J, root * np.eye(robot.nv)])
        right = np.append(scaled * twists.ravel(), root * v_0)
        exact = optimize.lsq_linear(system, right, (-most, most), method="bvls", tol=1e-15).x
        assert found.code is SolveCode.DONE and np.abs(found.v - exact).max() <= SAME
        assert np.all(np.abs(found.v) <= most)
        limited += int(np.sum(np.abs(found.v) == most))
    assert limited > 20


@pytest.mark.parametrize("apart", [0.0, 1e-4])
@pytest.mark.parametrize("name", ["five_bar", "quadruped"])
def test_loops_are_closed_at_the_least_squares_among_such_moves(name: str, apart: float) -> None:
    robot, q = posed(name)
    q = robot.integrate(q, apart * np.random.default_rng(5).standard_normal(robot.nv))
    frame = robot.frame_names[-1]
    V = np.array([0.1, 0.0, 0.05, 0.0, 0.02, 0.0])
    found = solved(robot, q, {frame: V})
    module = symdyn.compile(robot, ["jacobians", "constraint_jacobian", "constraint_error"], frames=[frame])
    J, A, e = module.jacobians(q)[0], module.constraint_jacobian(q), module.constraint_error(q)
    assert np.abs(A @ found.v + e / H).max() <= 1e-9
    _, sizes, rows = np.linalg.svd(A)
    ways = rows[int(np.sum(sizes > 1e-9 * sizes[0])) :].T
    start = -np.linalg.pinv(A) @ e / H
    matrix = ways.T @ (J.T @ J + DAMPING * np.eye(robot.nv)) @ ways
    exact = start + ways @ np.linalg.solve(matrix, ways.T @ (J.T @ (V - J @ start) - DAMPING * start))
    assert not found.limited and np.abs(found.v - exact).max() <= 100.0 * SAME * np.abs(exact).max()


def test_loops_that_bounds_hold_open_have_a_code() -> None:
    robot, q = posed("five_bar")
    module = symdyn.compile(robot, ["jacobians"], frames=robot.frame_names[-1:], solvers=["differential_ik"])
    still = np.zeros(robot.nv)
    still[0] = 1.0
    found = module.solve_differential_ik(q, np.zeros((1, 6)), h=H, v_lower=still, v_upper=still)
    assert found.code is SolveCode.LOOPS_OPEN


def test_positions_end_within_their_limits() -> None:
    robot = symdyn.load_example("seven_dof_arm")
    module = symdyn.compile(robot, ["jacobians"], frames=["tool"], solvers=["differential_ik"])
    limits, q = robot.limits, 0.999 * robot.limits.upper
    q[1] = limits.upper[1] + 0.1
    given = {"lower": limits.lower, "upper": limits.upper, "v_lower": -limits.velocity, "v_upper": limits.velocity}
    for twist in 5.0 * np.random.default_rng(4).standard_normal((10, 6)):
        found = module.solve_differential_ik(q, [twist], h=0.05, damping=DAMPING, **given)
        helped = symdyn.differential_ik(robot, {"tool": twist}, q, 0.05, damping=DAMPING)
        assert found.code is SolveCode.DONE and np.array_equal(found.v, helped.v)
        inside = np.delete(q + 0.05 * found.v - limits.upper, 1)
        assert inside.max() <= 1e-15 and found.v[1] == pytest.approx(-min(limits.velocity[1], 2.0))
        assert robot.velocity_names[1] in helped.limited


def test_units_weights_and_orders_do_not_matter() -> None:
    robot, q = posed("seven_dof_arm")
    twists = {"tool": np.array([0.9, -0.4, 1.1, 0.3, 0.2, -0.5]), "link_4:position": np.array([0.2, 0.1, -0.3])}
    free = {"limits": False}
    found = solved(robot, q, twists, **free)
    faster = solved(robot, q, {name: 3.0 * own for name, own in twists.items()}, **free)
    assert np.abs(faster.v - 3.0 * found.v).max() <= SAME
    turned = solved(robot, q, dict(reversed(twists.items())), **free)
    assert np.abs(turned.v - found.v).max() <= SAME
    heavier = symdyn.differential_ik(
        robot, twists, q, H, damping=7.0 * DAMPING, weights=dict.fromkeys(twists, 7.0), **free
    )
    assert np.abs(heavier.v - found.v).max() <= SAME
    assert set(found.errors) == set(twists) and found.errors["link_4:position"].shape == (3,)


def test_single_precision() -> None:
    robot, q = posed("seven_dof_arm")
    asked = {"frames": ["tool"], "solvers": ["differential_ik"]}
    twist, most = np.array([[0.9, -0.4, 1.1, 0.3, 0.2, -0.5]]), np.full(7, 0.8)
    bounds = {"h": H, "v_lower": -most, "v_upper": most, "damping": 1e-2}
    found = [
        symdyn.compile(robot, ["jacobians"], dtype=dtype, **asked).solve_differential_ik(q, twist, **bounds)
        for dtype in ("float32", "float64")
    ]
    assert found[0].code is SolveCode.DONE and found[0].v.dtype == np.float32
    assert np.abs(found[0].v - found[1].v).max() <= 1e-4


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"goals": {}}, "name no frame"),
        ({"goals": {"hook": np.zeros(6)}}, "hook"),
        ({"goals": {"tool": np.zeros(3)}}, r"goal 'tool': expected finite numbers of shape \(6,\), got shape \(3,\)"),
        ({"goals": {"tool": np.full(6, np.nan)}}, "finite"),
        ({"goals": {"tool": np.zeros(6), "tool:position": np.zeros(3)}}, "name a frame twice"),
        ({"h": 0.0}, "h: expected a positive number, got 0.0"),
        ({"h": "a"}, "h: expected a positive number, got 'a'"),
        ({"damping": None}, "damping: expected a positive number, got None"),
        ({"weights": {"hand": 1.0}}, "weights name goal 'hand'"),
        ({"weights": {"tool": -1.0}}, "weights are numbers from 0"),
        ({"weights": 1.0}, "weights: expected values by names"),
        ({"v_0": np.zeros(3)}, "v_0: expected finite numbers of shape"),
        ({"v_0": "still"}, "v_0: expected real numbers, got 'still'"),
    ],
)
def test_what_means_nothing_is_refused(changed: dict[str, Any], said: str) -> None:
    given: dict[str, Any] = {"goals": {"tool": np.zeros(6)}, "q": np.zeros(7), "h": H, **changed}
    with pytest.raises(RequestError, match=said):
        symdyn.differential_ik(
            symdyn.load_example("seven_dof_arm"), given.pop("goals"), given.pop("q"), given.pop("h"), **given
        )


@pytest.mark.parametrize("target", ["c", "python"])
def test_velocities_that_overflow_have_a_code(target: str) -> None:
    robot, q = posed("seven_dof_arm")
    found = symdyn.differential_ik(
        robot, {"tool": np.zeros(6)}, q, H, v_0=np.full(7, 1e308), limits=False, target=target
    )
    assert found.code is SolveCode.NOT_FINITE


def test_modules_refuse_bounds_that_cross() -> None:
    robot, q = posed("seven_dof_arm")
    module = symdyn.compile(robot, ["jacobians"], frames=["tool"], solvers=["differential_ik"])
    with pytest.raises(RequestError, match=r"v_lower of row 2 is 1.0, above v_upper, 0.0"):
        module.solve_differential_ik(q, np.zeros((1, 6)), h=H, v_lower=[0, 0, 1, 0, 0, 0, 0], v_upper=np.zeros(7))
    with pytest.raises(RequestError, match="expected q, V_d"):
        module.solve_differential_ik(q, h=H)
