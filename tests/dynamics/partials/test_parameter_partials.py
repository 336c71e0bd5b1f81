"""Derivatives of joint forces by run-time parameters, and the dual numbers behind them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.robots.random_trees import robots
from support.robots.small import X, Y, described, joint, loaded, massive
from support.states import random_inputs, relative_error

from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.quantities.expression import Expression
from symdyn.description.robot import JointKind, Link, Losses, Parameter, RobotDescription
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.request import Request
from symdyn.plan.plan import Access, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit
from symdyn.plan.run import run_plan
from symdyn.plan.transforms.tangent import tangent_sweeps
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")


def jacobian(robot: Robot, inputs: dict[str, list[float]], external: str | None = None) -> Array:
    found = api.float_recursion(robot, "inverse_dynamics_partials", external_wrenches=external)(inputs)
    return np.array(found["dtau_dp"]).reshape(robot.nv, -1)


def differences(
    robot: Robot, inputs: dict[str, list[float]], external: str | None = None, step: float = 0.25, order: int = 2
) -> Array:
    """Central differences: exact for functions of second degree, which tau is of every length, mass and moment."""
    recursion = api.float_recursion(robot, "inverse_dynamics", external_wrenches=external)
    p = np.array(inputs["p"])

    def tau(moved: Array) -> Array:
        return np.array(recursion(inputs | {"p": moved.tolist()})["tau"])

    columns = []
    for row in np.eye(len(p)):
        near = (tau(p + step * row) - tau(p - step * row)) / (2.0 * step)
        far = (tau(p + 2 * step * row) - tau(p - 2 * step * row)) / (4.0 * step)
        columns.append(near if order == 2 else (4.0 * near - far) / 3.0)
    return np.array(columns).T


def inputs_of(robot: Robot, seed: int, external: str = "") -> dict[str, list[float]]:
    signature = CATALOGUE["inverse_dynamics_partials"].signature(robot.model, Request(external=external))
    return random_inputs(robot, signature, np.random.default_rng(seed))


@settings(max_examples=25)
@given(robots(max_joints=5), st.sampled_from(("pinocchio", "spatial")), st.integers(0, 2**32 - 1))
def test_random_trees(description: RobotDescription, convention: str, seed: int) -> None:
    robot = loaded(description, runtime=leaves(description), convention=convention)
    inputs = inputs_of(robot, seed, "world")
    expected = differences(robot, inputs, "world")
    scale = max(1.0, float(np.abs(expected).max()))
    assert np.abs(jacobian(robot, inputs, "world") - expected).max() <= 1e-11 * scale


def leaves(description: RobotDescription) -> tuple[str, ...]:
    """Some quantities of first and last links and joints, and gravity."""
    massive_links = [link.name for link in description.links if link.inertial is not None]
    names = [f"{name}.mass" for name in massive_links[:2]]
    names += [f"{massive_links[-1]}.com.y", f"{massive_links[-1]}.inertia.xz"] if massive_links else []
    return (*names, f"{description.joints[-1].name}.translation.z", "gravity.x", "gravity.z")


def branched(**more: object) -> RobotDescription:
    """Two arms of two joints on one column: the second arm's sweeps reuse the places of the first's."""
    joints = [
        joint("column", JointKind.REVOLUTE, "base", "trunk"),
        joint("left", JointKind.REVOLUTE, "trunk", "left_arm", (0.2, 0.3, 0.0), X, losses=Losses(0.4, 0.3, 1.0)),
        joint("left_wrist", JointKind.REVOLUTE, "left_arm", "left_hand", (0.0, 0.3, 0.1), Y),
        joint("right", JointKind.REVOLUTE, "trunk", "right_arm", (0.2, -0.3, 0.0), Y),
        joint("right_wrist", JointKind.PRISMATIC, "right_arm", "right_hand", (0.1, -0.2, 0.0), X),
    ]
    names = ("trunk", "left_arm", "left_hand", "right_arm", "right_hand")
    return described([Link("base"), *(massive(name) for name in names)], joints, **more)


@pytest.mark.parametrize("layout", ["unrolled", "rolled", "split"])
def test_layouts_agree(layout: str) -> None:
    robot = loaded(branched(), runtime=["left_hand.com.y", "right.translation.x", "gravity.y"])
    inputs = inputs_of(robot, 5)
    (program,) = api.programs(robot, ["inverse_dynamics_partials"], layout=layout)
    value = evaluate_program(program, FloatAlgebra(), inputs)["dtau_dp"]
    assert relative_error(value, jacobian(robot, inputs).ravel().tolist()) <= 1e-12


@pytest.mark.parametrize("name", ["left_hand.mass", "right_hand.mass", "left.translation.x", "trunk.com.z"])
def test_one_branch_does_not_leak_into_the_other(name: str) -> None:
    robot = loaded(branched(), runtime=[name])
    inputs = inputs_of(robot, 6)
    expected, found = differences(robot, inputs), jacobian(robot, inputs)
    assert found == pytest.approx(expected, rel=1e-11, abs=1e-11)
    arm = {"left_hand.mass": ("right", "right_wrist"), "right_hand.mass": ("left", "left_wrist")}.get(name, ())
    rows = [robot.velocity_names.index(row) for row in arm]
    assert not found[rows].any()


def test_losses() -> None:
    """Damping and friction of one joint: tau_left = ... + d v + F tanh(v)."""
    robot = loaded(branched(), runtime=["left.damping", "left.friction"], joint_losses=True)
    inputs = inputs_of(robot, 7)
    row = robot.velocity_names.index("left")
    expected = np.zeros((robot.nv, 2))
    expected[row] = [inputs["v"][row], np.tanh(inputs["v"][row])]
    assert jacobian(robot, inputs) == pytest.approx(expected, rel=1e-14)


def test_declared_parameters_reach_through_expressions() -> None:
    """The chain rule through every operation of an expression."""
    mass = Expression("rho*l**2/(1 + sqrt(l)) - cos(l)*0.1 + sin(rho)*tan(l/4)")
    links = [Link("base"), massive("a", mass), massive("b", 1.5, (0.1, Expression("-l/3"), 0.2))]  # type: ignore[arg-type]
    joints = [
        joint("one", JointKind.REVOLUTE, "base", "a", axis=X),
        joint("two", JointKind.REVOLUTE, "a", "b", (0.0, 0.4, 0.0), Y),
    ]
    parameters = (Parameter("rho", 2.0, "kg"), Parameter("l", 0.8, "m"))
    robot = loaded(described(links, joints, parameters=parameters), runtime=["rho", "l"])
    inputs = inputs_of(robot, 9)
    expected = differences(robot, inputs, step=1e-3, order=4)
    assert jacobian(robot, inputs) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_a_place_that_loses_its_slope_is_cleared() -> None:
    """A scratch place first holds x, then a constant, then is added to: old slopes must not survive."""

    def copy(
        variant: float, algebra: object, constants: object, reads: dict[str, list[float]]
    ) -> dict[str, list[float]]:
        return {"out": [variant * reads["in"][0]]}

    def pair(variant: str, algebra: object, constants: object, reads: dict[str, list[float]]) -> dict[str, list[float]]:
        return {"out": [reads["in"][0] * reads["in"][1]]}

    write = Step("write", copy, (Port("in", Mode.READ), Port("out", Mode.WRITE)))  # type: ignore[arg-type]
    add = Step("add", copy, (Port("in", Mode.READ), Port("out", Mode.ADD)))  # type: ignore[arg-type]
    product = Step("product", pair, (Port("in", Mode.READ), Port("out", Mode.WRITE)))  # type: ignore[arg-type]

    def visit(factor: float, source: Access, target: Access) -> Visit:
        return Visit(0, factor, {}, {"in": source, "out": target})

    x, c = Access("x", 0, 1), Access("c", 0, 1)
    places = [Access("scratch", place, 1) for place in range(2)]
    plan = Plan(
        "example",
        (
            Field("x", FieldKind.INPUT, 1),
            Field("c", FieldKind.INPUT, 1),
            Field("scratch", FieldKind.STATE, 2),
            Field("y", FieldKind.OUTPUT, 3),
        ),
        (
            Sweep(write, (visit(3.0, x, places[0]), visit(1.0, places[0], Access("y", 0, 1)))),  # y0 = 3 x
            Sweep(write, (visit(5.0, c, places[0]),)),
            Sweep(add, (visit(2.0, x, places[0]), visit(1.0, places[0], Access("y", 1, 1)))),  # y1 = 5 c + 2 x
            Sweep(write, (visit(1.0, c, places[0]), visit(7.0, x, places[1]))),
            Sweep(product, (visit(1.0, Access("scratch", 0, 2), Access("y", 2, 1)),)),  # y2 = 7 c x
        ),
        ("body",),
        (-1,),
    )
    fields, sweeps = tangent_sweeps(plan, "x", {"y": "dy_dx"})
    inputs = plan.fields_of(FieldKind.INPUT)
    whole = Plan("slopes", (*inputs, *fields, Field("dy_dx", FieldKind.OUTPUT, 3)), tuple(sweeps), ("body",), (-1,))
    found = run_plan(whole, FloatAlgebra(), {"x": [1.5], "c": [4.0]})
    assert found["dy_dx"] == [3.0, 2.0, 28.0]
