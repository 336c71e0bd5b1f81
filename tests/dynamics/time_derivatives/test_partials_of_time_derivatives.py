"""Partials of the time derivatives of joint forces against differences with forty digits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from mpmath import mp
from support.robots.small import loaded, massive, single
from support.robots.soft_trees import soft_arm

import symdyn
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.scalars.mpmath_real import MpmathAlgebra
from symdyn.description.robot import JointKind
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.request import Request
from symdyn.plan.run import run_plan
from symdyn.robot.robot import Robot

STEP = mp.mpf(10) ** -14
LIMIT = 1e-14
"""Differences leave some twenty of forty digits; numbers made of a robot's are doubles, which limits what agrees."""

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")

Numbers = list[Any]


def drawn(robot: Robot, order: int, seed: int) -> tuple[Numbers, Numbers]:
    """q with quaternions of length 1 to forty digits, and V."""
    rng = np.random.default_rng(seed)
    q = [mp.mpf(float(x)) for x in robot.random_state(rng)[0]]
    for joint in robot.model.independent_joints:
        if joint.kind.quaternion:
            rows = slice(joint.q_rows.stop - 4, joint.q_rows.stop)
            length = mp.sqrt(mp.fsum(x * x for x in q[rows]))
            q[rows] = [x / length for x in q[rows]]
    return q, [mp.mpf(float(x)) for x in rng.standard_normal((order + 2) * robot.nv)]


def moved(robot: Robot, q: Numbers, row: int, step: Any) -> Numbers:
    """A step along a row of v."""
    found = list(q)
    for joint in robot.model.independent_joints:
        if joint.v_rows.start <= row < joint.v_rows.stop:
            own = found[joint.q_rows]
            rates = joint.kind.rates(MpmathAlgebra(), own)
            found[joint.q_rows] = [x + step * r[row - joint.v_rows.start] for x, r in zip(own, rates, strict=True)]
    return found


def check(robot: Robot, order: int, rows: Sequence[int]) -> None:
    """The columns of some rows of v."""
    with mp.workdps(40):
        q, V = drawn(robot, order, seed=order + 1)
        given = {"p": [mp.mpf(x) for x in robot.runtime_defaults]} if robot.model.slots.names else {}
        request, nv = Request(order=order), robot.nv
        made = CATALOGUE["inverse_dynamics_time_derivatives_partials"].plan(robot.model, request)
        plain = CATALOGUE["inverse_dynamics_time_derivatives"].plan(robot.model, request)
        found = run_plan(made, MpmathAlgebra(), {"q": q, "V": V, **given})

        def forces(q: Numbers, V: Numbers) -> Numbers:
            return run_plan(plain, MpmathAlgebra(), {"q": q, "V": V, **given})["tau"]

        def rates(j: int, row: int) -> Numbers:
            if j < 0:
                ahead, behind = (forces(moved(robot, q, row, sign * STEP), V) for sign in (1, -1))
            else:
                ahead, behind = (
                    forces(q, [x + sign * STEP * (place == j * nv + row) for place, x in enumerate(V)])
                    for sign in (1, -1)
                )
            return [(x - y) / (2 * STEP) for x, y in zip(ahead, behind, strict=True)]

        for row in rows:
            for j in range(-1, order + 2):
                expected = rates(j, row)
                for k in range(order + 1):
                    own = expected[k * nv : (k + 1) * nv]
                    largest = max([mp.mpf(1), *map(abs, own)])
                    matrix = found["dtau_dq"] if j < 0 else found["dtau_dV"]
                    first = (k if j < 0 else k * (order + 2) + j) * nv * nv
                    for i in range(nv):
                        assert abs(matrix[first + i * nv + row] - own[i]) <= LIMIT * largest, (k, j, i, row)


@pytest.mark.parametrize("order", range(4))
@pytest.mark.parametrize("name", ["double_pendulum", "elastic_arm"])
def test_columns_of_arms(name: str, order: int) -> None:
    robot = symdyn.load_example(name)
    check(robot, order, range(robot.nv))


@pytest.mark.parametrize("convention", ["pinocchio", "spatial"])
@pytest.mark.parametrize("order", [0, 1, 3])
def test_columns_of_a_free_base(convention: str, order: int) -> None:
    robot = symdyn.load_example("aerial_tree", bodies_per_branch=1, branches=1, convention=convention)
    check(robot, order, range(robot.nv))


@pytest.mark.parametrize("kind", [JointKind.SPHERICAL, JointKind.PLANAR])
def test_columns_of_joints_whose_velocities_are_no_rates_of_coordinates(kind: JointKind) -> None:
    check(loaded(single(kind, massive("body", 2.0, (0.1, 0.2, 0.3)))), 3, range(3))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "order"), [("mixed_arm", 2), ("gaussian_tentacle", 1)])
def test_columns_of_robots_that_bend(name: str, order: int) -> None:
    robot = symdyn.load_example(name)
    check(robot, order, [0, robot.nv - 1])


@pytest.mark.slow
@pytest.mark.parametrize("order", [1, 2, 3])
def test_columns_of_a_soft_rod(order: int) -> None:
    robot = loaded(soft_arm())
    check(robot, order, range(robot.nv))


@pytest.mark.parametrize("name", ["seven_dof_arm", "canadarm", "cable_manipulator"])
def test_order_zero_is_the_partials_of_inverse_dynamics(name: str) -> None:
    robot = symdyn.load_example(name)
    rng = np.random.default_rng(4)
    q, V = robot.random_state(rng)[0].tolist(), rng.standard_normal(2 * robot.nv).tolist()
    v, a = V[: robot.nv], V[robot.nv :]
    plan = CATALOGUE["inverse_dynamics_partials"].plan(robot.model, Request())
    expected = run_plan(plan, FloatAlgebra(), {"q": q, "v": v, "a": a})
    plan = CATALOGUE["inverse_dynamics_time_derivatives_partials"].plan(robot.model, Request(order=0))
    found = run_plan(plan, FloatAlgebra(), {"q": q, "V": V})
    assert found["dtau_dq"] == pytest.approx(expected["dtau_dq"], rel=1e-13, abs=1e-10)
    assert found["dtau_dV"] == pytest.approx([*expected["dtau_dv"], *expected["dtau_da"]], rel=1e-13, abs=1e-10)
