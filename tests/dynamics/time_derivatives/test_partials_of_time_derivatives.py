"""Partials of the time derivatives of joint forces against differences with forty digits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pytest
from mpmath import mp
from support.robots.of_cases import robot_of_case
from support.robots.small import loaded, massive, single
from support.robots.soft_trees import soft_arm

import symdyn
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.scalars.mpmath_real import MpmathAlgebra
from symdyn.api import float_recursion
from symdyn.description.robot import JointKind
from symdyn.functions.catalogue import CATALOGUE, requests
from symdyn.functions.request import Request
from symdyn.plan.run import run_plan
from symdyn.robot.robot import Robot

INVERSE = "inverse_dynamics"
STEP = mp.mpf(10) ** -14
LIMIT = 1e-14
"""Differences leave some twenty of forty digits; numbers made of a robot's are doubles, which limits what agrees."""

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")

Numbers = list[Any]


def drawn(robot: Robot, sizes: Mapping[str, int], seed: int) -> dict[str, Numbers]:
    """Inputs; q with quaternions of length 1 to forty digits."""
    rng = np.random.default_rng(seed)
    q = [mp.mpf(float(x)) for x in robot.random_state(rng)[0]]
    for joint in robot.model.independent_joints:
        if joint.kind.quaternion:
            rows = slice(joint.q_rows.stop - 4, joint.q_rows.stop)
            length = mp.sqrt(mp.fsum(x * x for x in q[rows]))
            q[rows] = [x / length for x in q[rows]]
    found = {name: [mp.mpf(float(x)) for x in rng.standard_normal(size)] for name, size in sizes.items()}
    return {**found, "q": q} | ({"p": [mp.mpf(x) for x in robot.runtime_defaults]} if "p" in sizes else {})


def moved(robot: Robot, q: Numbers, row: int, step: Any) -> Numbers:
    """A step along a row of v."""
    found = list(q)
    for joint in robot.model.independent_joints:
        if joint.v_rows.start <= row < joint.v_rows.stop:
            own = found[joint.q_rows]
            rates = joint.kind.rates(MpmathAlgebra(), own)
            found[joint.q_rows] = [x + step * r[row - joint.v_rows.start] for x, r in zip(own, rates, strict=True)]
    return found


def check(robot: Robot, function: str, rows: Iterable[int], limit: float = LIMIT, **options: Any) -> None:
    """The columns of some rows of v, or inputs, in the derivatives of time derivatives of a function."""
    ((made, request),) = requests(robot.model, [f"{function}_time_derivatives_partials"], **options)
    ((value, asked),) = requests(robot.model, [f"{function}_time_derivatives"], **options)
    signature = made.signature(robot.model, request)
    outputs = {own.name: own for own in value.signature(robot.model, asked).outputs}
    plan = value.plan(robot.model, asked)
    with mp.workdps(40):
        state = drawn(robot, {own.name: own.size for own in signature.inputs}, seed=request.order + 1)
        found = run_plan(made.plan(robot.model, request), MpmathAlgebra(), state)

        def differences(at: Callable[[int], Numbers], name: str) -> dict[str, Numbers]:
            ahead, behind = (run_plan(plan, MpmathAlgebra(), {**state, name: at(sign)}) for sign in (1, -1))
            pairs = {of: zip(ahead[of], behind[of], strict=True) for of in outputs}
            return {of: [(x - y) / (2 * STEP) for x, y in own] for of, own in pairs.items()}

        for by in signature.outputs:
            of, name = by.name.removeprefix("d").split("_d")
            orders, size, columns = by.shape[0], *by.shape[-2:]
            for row in (row for row in rows if row < columns):
                for j in range(by.shape[1] if len(by.shape) == 4 else 1):
                    place, many = j * columns + row, by.shape[1] if len(by.shape) == 4 else 1
                    expected = differences(
                        lambda sign, name=name, row=row, place=place: (  # type: ignore[misc]
                            moved(robot, state["q"], row, sign * STEP)
                            if name == "q"
                            else [x + sign * STEP * (at == place) for at, x in enumerate(state[name])]
                        ),
                        name,
                    )[of]
                    for k in range(orders):
                        own = expected[k * size : (k + 1) * size]
                        largest = max([mp.mpf(1), *map(abs, own)])
                        for i in range(size):
                            at = ((k * many + j) * size + i) * columns + row
                            assert abs(found[by.name][at] - own[i]) <= limit * largest, (by.name, k, j, i, row)


@pytest.mark.parametrize("order", range(4))
@pytest.mark.parametrize("name", ["double_pendulum", "elastic_arm"])
def test_columns_of_arms(name: str, order: int) -> None:
    robot = symdyn.load_example(name)
    check(robot, INVERSE, range(robot.nv), order=order)


@pytest.mark.parametrize("convention", ["pinocchio", "spatial"])
@pytest.mark.parametrize("order", [0, 1, 3])
def test_columns_of_a_free_base(convention: str, order: int) -> None:
    robot = symdyn.load_example("aerial_tree", bodies_per_branch=1, branches=1, convention=convention)
    check(robot, INVERSE, range(robot.nv), order=order)


@pytest.mark.parametrize("kind", [JointKind.SPHERICAL, JointKind.PLANAR])
def test_columns_of_joints_whose_velocities_are_no_rates_of_coordinates(kind: JointKind) -> None:
    check(loaded(single(kind, massive("body", 2.0, (0.1, 0.2, 0.3)))), INVERSE, range(3), order=3)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "order"), [("mixed_arm", 2), ("gaussian_tentacle", 1)])
def test_columns_of_robots_that_bend(name: str, order: int) -> None:
    robot = symdyn.load_example(name)
    check(robot, INVERSE, [0, robot.nv - 1], order=order)


@pytest.mark.slow
@pytest.mark.parametrize("order", [1, 2, 3])
def test_columns_of_a_soft_rod(order: int) -> None:
    robot = loaded(soft_arm())
    check(robot, INVERSE, range(robot.nv), order=order)


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


@pytest.mark.parametrize("order", [0, 2])
def test_columns_of_accelerations_of_an_arm(order: int) -> None:
    check(symdyn.load_example("double_pendulum"), "forward_dynamics", range(2), order=order)


@pytest.mark.parametrize("convention", ["pinocchio", "spatial"])
def test_columns_of_a_free_base_of_which_rows_are_prescribed(convention: str) -> None:
    robot = symdyn.load_example("aerial_tree", bodies_per_branch=1, branches=1, convention=convention)
    prescribed = [robot.velocity_names[row] for row in (1, 3, 6)]
    check(robot, "hybrid_dynamics", [0, 1, 4, 6], order=2, prescribed=prescribed, external_wrenches="world")


@pytest.mark.parametrize("kind", [JointKind.SPHERICAL, JointKind.PLANAR])
def test_columns_of_accelerations_that_are_no_rates_of_coordinates(kind: JointKind) -> None:
    robot = loaded(single(kind, massive("body", 2.0, (0.1, 0.2, 0.3))))
    check(robot, "forward_dynamics", range(3), order=2)


@pytest.mark.parametrize("name", ["varied", pytest.param("small", marks=pytest.mark.slow)])
def test_columns_by_inputs_of_actuators(name: str) -> None:
    """Gears, gains that depend on lengths and rates, tendons and chambers."""
    robot = robot_of_case(name)
    check(robot, "hybrid_dynamics", [0, 1], order=1, inputs="actuators", prescribed=[robot.velocity_names[1]])


@pytest.mark.parametrize(
    "name",
    [*(pytest.param(kind, marks=pytest.mark.slow) for kind in ("planar loop", "coupling loop", "disc")), "four_bar"],
)
def test_columns_of_robots_with_loops(name: str) -> None:
    """Multipliers too, with run-time parameters, and where errors are led to zero; slopes of loops are steep."""
    robot = robot_of_case(name)
    prescribed = [robot.velocity_names[-1]]
    check(robot, "constrained_hybrid_dynamics", [0, 2], 1e-11, order=1, prescribed=prescribed, stabilisation=0.2)


@pytest.mark.slow
def test_columns_of_solutions_of_soft_rods() -> None:
    check(robot_of_case("rod"), "forward_dynamics", [0, 1], 1e-12, order=1)
    robot = robot_of_case("bent rod")
    check(robot, "constrained_forward_dynamics", [0, 1], 1e-12, order=1)
    actuated = robot.velocity_names[:3]  # the others are passive
    check(robot, "constrained_inverse_dynamics", [0, 1], 1e-12, order=1, actuated=actuated)


@pytest.mark.parametrize("name", ["slider_crank", pytest.param("stewart_platform", marks=pytest.mark.slow)])
def test_order_zero_is_the_partials_of_constrained_dynamics(name: str) -> None:
    robot, asked = symdyn.load_example(name), {"stabilisation": 0.1}
    q, v = (own.tolist() for own in robot.random_state(np.random.default_rng(4)))
    given = [0.3 * row for row in range(robot.nv)]
    found = [
        float_recursion(robot, f"constrained_forward_dynamics{suffix}", **options, **asked)(
            {"q": q, "v": v, name: given}
        )
        for suffix, name, options in (("_partials", "tau", {}), ("_time_derivatives_partials", "T", {"order": 0}))
    ]
    for expected, own in zip(*(result.values() for result in found), strict=True):
        largest = max(map(abs, expected))
        assert own == pytest.approx(expected, rel=0.0, abs=1e-7 * largest)  # of 18 rows some nearly depend on others
