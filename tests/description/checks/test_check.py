"""Checks of descriptions made in Python, which no reader has seen."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from symdyn.description.checks.check import check
from symdyn.description.quantities.expression import Expression
from symdyn.description.robot import (
    Frame,
    Inertial,
    Joint,
    JointKind,
    Limits,
    Link,
    Losses,
    Mimic,
    Parameter,
    Placement,
    RobotDescription,
)
from symdyn.errors import DescriptionError

SOLID = Inertial(1.0, (0.1, 0.0, 0.0, 0.1, 0.0, 0.1))
JOINT = Joint("turn", JointKind.REVOLUTE, "base", "arm")
ROBOT = RobotDescription("r", (Link("base"), Link("arm", SOLID)), (JOINT,))


def with_joint(**changes: Any) -> RobotDescription:
    return replace(ROBOT, joints=(replace(JOINT, **changes),))


def with_inertial(**changes: Any) -> RobotDescription:
    return replace(ROBOT, links=(Link("base"), Link("arm", replace(SOLID, **changes))))


def test_a_sound_robot_is_returned_unchanged() -> None:
    assert check(ROBOT) == ROBOT


def test_checking_twice_changes_nothing() -> None:
    robot = with_inertial(moments=(0.0, 1e-30, 0.0, 0.0, 0.0, 0.0))
    robot = replace(
        robot, links=(*robot.links, Link("tip")), joints=(JOINT, Joint("t", JointKind.PLANAR, "arm", "tip"))
    )
    once = check(robot)
    assert len(once.warnings) == 2
    assert check(once) == once


@pytest.mark.parametrize(
    ("robot", "words"),
    [
        (with_joint(axis=(0.0, 0.0, 2.0)), "axis .* is not a unit vector"),
        (with_joint(axis=(0.0, math.nan, 0.0)), "axis .* is not a unit vector"),
        (with_joint(axis=(math.nan, 1.0, 0.0)), "axis .* is not a unit vector"),
        (with_joint(kind=JointKind.UNIVERSAL, second_axis=(0.0, math.nan, 0.0)), "second_axis .* is not a unit vector"),
        (with_joint(kind=JointKind.UNIVERSAL, second_axis=(0.0, 3.0, 0.0)), "second_axis .* is not a unit vector"),
        (with_joint(kind=JointKind.UNIVERSAL, second_axis=(1.0, 0.0, 0.0)), "not at right angles"),
        (with_joint(kind=JointKind.HELICAL, pitch=math.nan), "pitch is nan"),
        (with_joint(kind=JointKind.SPHERICAL, limits=Limits()), "limits are for joints with one coordinate"),
        (with_joint(losses=Losses(velocity_scale=math.inf)), "velocity_scale is inf"),
        (with_joint(losses=Losses(friction=-1.0)), "friction is -1"),
        (with_joint(placement=Placement((math.inf, 0.0, 0.0))), "placement is inf"),
        (with_joint(mimic=Mimic("turn")), "mimics itself"),
        (
            with_joint(mimic=Mimic("lead", others=(("lead", 2.0),))),
            "mimics 'lead' twice; give the sum",
        ),
        (with_inertial(mass=math.nan), "mass is nan"),
        (with_inertial(moments=(math.inf, 0.0, 0.0, 0.0, 0.0, 0.0)), "inertia is inf"),
        (with_inertial(moments=(-1.0, 0.0, 0.0, -1.0, 0.0, -1.0)), "eigenvalues are -1, -1, -1"),
        (replace(ROBOT, name=""), "robot '': the name is empty"),
        (replace(ROBOT, parameters=(Parameter("a b", 1.0),)), "parameter 'a b': .* cannot stand in an expression"),
        (replace(ROBOT, parameters=(Parameter("a", 1.0), Parameter("a", 2.0))), "parameter 'a' is declared twice"),
        (replace(ROBOT, frames=(Frame("f", "base"), Frame("f", "arm"))), "two frames are named 'f'; rename one"),
        (replace(ROBOT, frames=(Frame("f", "bass"),)), "link 'bass' does not exist; did you mean 'base'"),
        (replace(ROBOT, name="\ud800"), "control character U"),
    ],
)
def test_refused(robot: RobotDescription, words: str) -> None:
    with pytest.raises(DescriptionError, match=words):
        check(robot)


def test_run_time_values_are_checked_at_their_defaults_only() -> None:
    robot = replace(with_inertial(mass=Expression("2*m")), parameters=(Parameter("m", None, runtime=True),))
    assert check(robot).warnings == ()
    with pytest.raises(DescriptionError, match="mass is -2 kg"):
        check(replace(robot, parameters=(Parameter("m", -1.0, runtime=True),)))


def test_derived_parameters_are_followed() -> None:
    parameters = (Parameter("m", 1.0, runtime=True), Parameter("n", Expression("-m")))
    with pytest.raises(DescriptionError, match="mass is -1 kg"):
        check(replace(with_inertial(mass=Expression("n")), parameters=parameters))


def test_massless_floating_base_is_reported() -> None:
    robot = RobotDescription("r", (Link("base"),), (), floating_base=True)
    assert check(robot).warnings == (
        "floating base 'base' carries no mass: inverse dynamics works, forward dynamics will be singular",
    )
    assert check(replace(robot, links=(Link("base", SOLID),))).warnings == ()


def test_mimics_of_several_joints_compose() -> None:
    """c = 2 a - b + 1 and d = 3 c + a - 4 b + 5 give d = 7 a - 7 b + 8; circles are found through any leader."""
    names = ("a", "b", "c", "d")
    links = tuple(Link(name) for name in ("base", *names))
    mimics = {"c": Mimic("a", 2.0, 1.0, (("b", -1.0),)), "d": Mimic("c", 3.0, 5.0, (("a", 1.0), ("b", -4.0)))}
    joints = tuple(
        Joint(name, JointKind.REVOLUTE, parent.name, name, mimic=mimics.get(name))
        for name, parent in zip(names, links, strict=False)
    )
    robot = RobotDescription("r", links, joints)
    *_, last = check(robot).joints
    assert last.mimic == Mimic("a", 7.0, 8.0, (("b", -7.0),))
    tied = (joints[0], replace(joints[1], mimic=Mimic("a", 1.0, 0.0, (("d", 1.0),))), *joints[2:])
    with pytest.raises(DescriptionError, match="mimic each other in a circle, 'b' -> 'd' -> 'c' -> 'b'"):
        check(replace(robot, joints=tied))
