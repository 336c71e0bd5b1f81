"""Neutral and random configurations, broadcasting, drift, and refusals of whole robots."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.robots.kinds import MOVING
from support.robots.random_trees import make_robot
from support.robots.small import described, joint, loaded, massive, single

from symdyn.description.robot import JointKind, Limits, Link, Mimic
from symdyn.errors import RequestError
from symdyn.robot.robot import Robot


@pytest.fixture(params=["pinocchio", "spatial"])
def robot(request: pytest.FixtureRequest) -> Robot:
    """Every joint kind in one floating robot, with followers where the seed has them."""
    kinds = [*MOVING, JointKind.FIXED, JointKind.REVOLUTE, JointKind.PRISMATIC]
    description = make_robot([index // 2 for index in range(len(kinds))], kinds, 5, floating=True)
    return loaded(description, convention=request.param)


def test_neutral_is_zero_with_identity_quaternions(robot: Robot) -> None:
    q = robot.neutral()
    ones = {name for name, value in zip(robot.coordinate_names, q, strict=True) if value == 1.0}
    assert ones == {name for name in robot.coordinate_names if name.endswith(".qw")}
    assert np.count_nonzero(q) == len(ones) == 3


def test_a_joint_may_be_named_like_a_quaternion_row() -> None:
    joints = [joint("arm.qw", JointKind.REVOLUTE, "base", "body")]
    assert loaded(described([Link("base"), massive("body")], joints)).neutral().tolist() == [0.0]


def test_difference_undoes_integrate_on_the_whole_robot(robot: Robot) -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        q, v = robot.random_state(rng)
        dv = 0.5 * v  # no rotation beyond half a turn
        assert robot.difference(q, robot.integrate(q, dv)) == pytest.approx(dv, rel=1e-12, abs=1e-13)


def test_integrate_undoes_difference_on_the_whole_robot(robot: Robot) -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        start, end = robot.random_state(rng)[0], robot.random_state(rng)[0]
        reached = robot.integrate(start, robot.difference(start, end))
        rows = [index for index, unit in enumerate(robot.coordinate_units) if unit == "1"]
        for first in rows[::4]:  # q and -q are one rotation
            if reached[first : first + 4] @ end[first : first + 4] < 0.0:
                reached[first : first + 4] *= -1.0
        assert reached == pytest.approx(end, rel=1e-11, abs=1e-11)


def test_leading_dimensions_broadcast(robot: Robot) -> None:
    rng = np.random.default_rng(3)
    q = np.array([[robot.random_state(rng)[0]] for _ in range(2)])
    dv = rng.standard_normal((3, robot.nv))
    moved = robot.integrate(q, dv)
    assert moved.shape == (2, 3, robot.nq)
    back = robot.difference(q, moved)
    assert back.shape == (2, 3, robot.nv)
    for i in range(2):
        for j in range(3):
            assert np.array_equal(moved[i, j], robot.integrate(q[i, 0], dv[j]))
            assert np.array_equal(back[i, j], robot.difference(q[i, 0], moved[i, j]))
    assert robot.integrate(q[:0], dv[:1]).shape == (0, 1, robot.nq)


def test_inputs_are_left_alone_and_lists_are_taken(robot: Robot) -> None:
    q, dv = robot.random_state(np.random.default_rng(4))
    before = q.copy(), dv.copy()
    assert np.array_equal(robot.integrate(q.tolist(), dv.tolist()), robot.integrate(q, dv))
    assert np.array_equal(q, before[0]) and np.array_equal(dv, before[1])


def test_quaternions_do_not_drift(robot: Robot) -> None:
    q, dv = robot.random_state(np.random.default_rng(5))
    for _ in range(500):
        q = robot.integrate(q, 0.1 * dv)
    rows = [index for index, unit in enumerate(robot.coordinate_units) if unit == "1"]
    for first in rows[::4]:
        assert np.linalg.norm(q[first : first + 4]) == pytest.approx(1.0, abs=4e-16)


@pytest.mark.parametrize(
    ("kind", "limits", "low", "high"),
    [
        (JointKind.REVOLUTE, Limits(-0.5, 0.25), -0.5, 0.25),
        (JointKind.REVOLUTE, None, -math.pi, math.pi),
        (JointKind.CONTINUOUS, Limits(velocity=3.0), -math.pi, math.pi),
        (JointKind.PRISMATIC, None, -1.0, 1.0),
        (JointKind.PRISMATIC, Limits(lower=2.0), 2.0, 3.0),
        (JointKind.PRISMATIC, Limits(upper=-4.0), -5.0, -4.0),
        (JointKind.PRISMATIC, Limits(lower=0.0), 0.0, 1.0),
        (JointKind.REVOLUTE, Limits(upper=1.0), -math.pi, 1.0),
        (JointKind.PRISMATIC, Limits(0.75, 0.75), 0.75, 0.75),
        (JointKind.PRISMATIC, Limits(0.5, -0.5), -1.0, 1.0),  # no value is within these: they are warned of
    ],
)
def test_random_states_stay_within_limits(kind: JointKind, limits: Limits | None, low: float, high: float) -> None:
    robot = loaded(single(kind, limits=limits))
    rng = np.random.default_rng(6)
    drawn = np.array([robot.random_state(rng)[0][0] for _ in range(200)])
    assert np.all(drawn >= low) and np.all(drawn <= high)
    assert np.ptp(drawn) >= 0.9 * (high - low)


def test_random_rotations_are_unit_and_states_are_reproducible(robot: Robot) -> None:
    q, v = robot.random_state(np.random.default_rng(7))
    again = robot.random_state(np.random.default_rng(7))
    assert np.array_equal(q, again[0]) and np.array_equal(v, again[1])
    rows = [index for index, unit in enumerate(robot.coordinate_units) if unit == "1"]
    assert len(rows) == 12
    for first in rows[::4]:
        assert np.linalg.norm(q[first : first + 4]) == pytest.approx(1.0)


def test_limits_are_per_row() -> None:
    joints = [
        joint("ball", JointKind.SPHERICAL, "base", "a"),
        joint("turn", JointKind.REVOLUTE, "a", "b", limits=Limits(-1.0, 2.0, 3.0, 4.0)),
        joint("zz", JointKind.REVOLUTE, "b", "c", limits=Limits(-9.0, 9.0, 9.0, 9.0), mimic=Mimic("turn")),
    ]
    robot = loaded(described([Link("base"), massive("a"), massive("b"), massive("c")], joints))
    limits = robot.limits
    assert limits.lower.tolist() == [-math.inf] * 4 + [-1.0]
    assert limits.upper.tolist() == [math.inf] * 4 + [2.0]
    assert limits.velocity.tolist() == [math.inf] * 3 + [3.0]
    assert limits.effort.tolist() == [math.inf] * 3 + [4.0]


@pytest.mark.parametrize("bad", [[0.0, 0.0], 0.0, [[0.0], [0.0]], []])
def test_rows_of_the_wrong_length_are_refused(bad: object) -> None:
    robot = loaded(single(JointKind.PLANAR))
    calls: dict[str, Callable[[Any], object]] = {
        "q": lambda rows: robot.integrate(rows, np.zeros(3)),
        "dv": lambda rows: robot.integrate(np.zeros(3), rows),
        "q0": lambda rows: robot.difference(rows, np.zeros(3)),
        "q1": lambda rows: robot.difference(np.zeros(3), rows),
    }
    for name, call in calls.items():
        with pytest.raises(RequestError, match=rf"^{name} of robot 'bench': expected shape \(\.\.\., 3\), got"):
            call(bad)
