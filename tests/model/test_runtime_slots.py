"""Run-time parameters: their names, order, defaults and refusals, and expressions that rest on them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from support.robots.small import X, described, joint, loaded, massive, torque

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.description.quantities.expression import Expression
from symdyn.description.robot import JointKind, Link, Losses, Parameter, RobotDescription
from symdyn.errors import ModelError
from symdyn.model.bind import baked_body, bind_body
from symdyn.model.parameter_slots import ParameterSlots, leaf_names
from symdyn.model.values import Values, known_values

STATE = ([0.4, 0.3], [1.1, -0.7], [0.2, 0.9])


def arm(parameters: tuple[Parameter, ...] = (), **upper: Any) -> RobotDescription:
    joints = [
        joint("turn", JointKind.REVOLUTE, "base", "lower", (0.0, 0.1, 0.2), losses=Losses(0.5, 0.25)),
        joint("slide", JointKind.PRISMATIC, "lower", "upper", (0.3, 0.0, 0.0), axis=X),
    ]
    return described([Link("base"), massive("lower"), massive("upper", **upper)], joints, parameters=parameters)


def test_leaves_and_their_units() -> None:
    leaves = leaf_names(arm((Parameter("rho", 2.0, "kg/m"),)))
    assert leaves["rho"] == "kg/m"
    assert (leaves["lower.mass"], leaves["lower.com.z"], leaves["upper.inertia.xy"]) == ("kg", "m", "kg m^2")
    assert (leaves["turn.damping"], leaves["turn.friction"]) == ("N m s/rad", "N m")
    assert (leaves["slide.damping"], leaves["slide.friction"]) == ("N s/m", "N")
    assert (leaves["slide.translation.y"], leaves["gravity.z"]) == ("m", "m/s^2")
    assert "base.mass" not in leaves  # it has no inertia
    assert (leaves["turn.armature"], leaves["slide.armature"]) == ("kg m^2", "kg")
    assert len(leaves) == 1 + 2 * 10 + 2 * 6 + 3


def test_slots_keep_the_order_and_know_the_defaults() -> None:
    asked = ["upper.mass", "gravity.z", "turn.damping", "turn.translation.y", "lower.com.y", "lower.inertia.zz"]
    robot = loaded(arm((Parameter("load", None, "kg", runtime=True),)), runtime=asked, joint_losses=True)
    assert robot.runtime_parameters == ("load", *asked)
    assert robot.model.slots.units == ("kg", "kg", "m/s^2", "N m s/rad", "m", "m", "kg m^2")
    assert robot.runtime_defaults[1:].tolist() == [2.0, -9.81, 0.5, 0.1, -0.2, 0.05]
    assert math.isnan(robot.runtime_defaults[0])
    assert (robot.model.slots.index("gravity.z"), robot.model.slots.index("gravity.x")) == (2, None)


@pytest.mark.parametrize(
    ("runtime", "message"),
    [
        (
            ["upper.weight"],
            r"run-time parameter 'upper.weight' is not a quantity of robot 'bench'; of that link or "
            r"joint: upper.mass, upper.com.x",
        ),
        (["hand.mass"], r"'hand.mass' is not a quantity of robot 'bench'; such as lower.mass, lower.com.x"),
        (["turn.damping"], r"'turn.damping' has no effect while joint losses are left out; add joint_losses=True"),
        (["slide.friction"], r"'slide.friction' has no effect while joint losses are left out"),
    ],
)
def test_names_that_do_not_fit(runtime: list[str], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        loaded(arm(), runtime=runtime)


def test_what_is_asked_for_twice_is_one_slot() -> None:
    robot = loaded(arm((Parameter("load", 1.0, "kg", runtime=True),)), runtime=["load", "upper.mass", "upper.mass"])
    assert robot.runtime_parameters == ("load", "upper.mass")


@pytest.mark.parametrize(
    ("name", "value", "changed"),
    [
        ("upper.mass", 3.5, {"mass": 3.5}),
        ("upper.com.y", 0.9, {"center": (0.1, 0.9, 0.3)}),
        ("upper.inertia.xz", 0.01, {"moments": (0.03, 0.002, 0.01, 0.04, 0.003, 0.05)}),
    ],
)
def test_a_runtime_value_equals_the_same_number_baked_in(name: str, value: float, changed: dict[str, Any]) -> None:
    expected = torque(loaded(arm(**changed)), *STATE)
    assert torque(loaded(arm(), runtime=[name]), *STATE, p=[value]) == pytest.approx(expected, rel=1e-14)


def test_runtime_gravity_and_losses() -> None:
    robot = loaded(arm(), runtime=["gravity.x", "turn.damping", "gravity.z"], joint_losses=True)
    baked = loaded(arm(), gravity=(3.0, 0.0, -1.0), joint_losses=True)
    expected = np.add(torque(baked, *STATE), [(2.0 - 0.5) * STATE[1][0], 0.0])
    assert torque(robot, *STATE, p=[3.0, 2.0, -1.0]) == pytest.approx(list(expected), rel=1e-14)


def weighted(value: float | None, runtime: bool) -> RobotDescription:
    """The mass of the upper link is rho * area, area itself an expression over the radius."""
    parameters = (
        Parameter("rho", 3.0, "kg/m^3"),
        Parameter("area", Expression("pi*r**2"), "m^2"),
        Parameter("r", value, "m", runtime=runtime),
    )
    return arm(parameters, mass=Expression("rho*area*sqrt(4)"), center=(0.0, Expression("sin(r)"), 0.0))


def test_expressions_over_runtime_parameters() -> None:
    robot = loaded(weighted(0.5, True))
    assert robot.runtime_parameters == ("r",)
    assert robot.runtime_defaults.tolist() == [0.5]
    for r in (0.5, 0.8):
        baked = loaded(arm(mass=3.0 * math.pi * r * r * 2.0, center=(0.0, math.sin(r), 0.0)))
        assert torque(robot, *STATE, p=[r]) == pytest.approx(torque(baked, *STATE), rel=1e-13)
    model = robot.model
    assert [baked_body(model, body) is None for body in model.bodies] == [False, True]
    assert bind_body(model, model.bodies[1], FloatAlgebra(), [1.0]).values["m"] == pytest.approx(6 * math.pi)


def test_constant_expressions_are_baked() -> None:
    model = loaded(weighted(0.5, False)).model
    baked = baked_body(model, model.bodies[1])
    assert baked is not None and baked.values["m"] == pytest.approx(1.5 * math.pi)


def test_a_leaf_asked_for_takes_the_place_of_its_expression() -> None:
    robot = loaded(weighted(0.5, False), runtime=["upper.mass"])
    assert robot.runtime_defaults == pytest.approx([1.5 * math.pi])
    baked = loaded(arm(mass=0.7, center=(0.0, math.sin(0.5), 0.0)))
    assert torque(robot, *STATE, p=[0.7]) == pytest.approx(torque(baked, *STATE), rel=1e-13)


def test_known_values_leave_out_what_rests_on_an_open_parameter() -> None:
    known = known_values(weighted(None, True), (0.0, 0.0, -9.81))
    assert "upper.mass" not in known and "r" not in known and "area" not in known
    assert (known["rho"], known["lower.mass"], known["gravity.z"]) == (3.0, 2.0, -9.81)
    assert (known["turn.translation.z"], known["turn.friction"]) == (0.2, 0.25)


def test_values_refuse_what_is_not_declared_or_has_no_value() -> None:
    values = Values((Parameter("open", None),), ParameterSlots(), FloatAlgebra(), ())
    with pytest.raises(ModelError, match="parameter 'gone' is not declared; add it under 'parameters'"):
        values.number(Expression("2*gone"))
    with pytest.raises(ModelError, match="parameter 'open' has no value; give one, or mark it as run-time"):
        values.parameter("open")
