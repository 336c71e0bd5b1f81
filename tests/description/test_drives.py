"""Rotors and elastic joints in robot files: what is read, written back, warned of and refused."""

from __future__ import annotations

from dataclasses import replace

import jsonschema
import pytest
from ruamel.yaml import YAML
from support.robots.small import joint, massive

from symdyn.description.checks.check import check
from symdyn.description.quantities.expression import Expression
from symdyn.description.robot import Actuator, Elastic, Joint, JointKind, Link, Mimic, RobotDescription, Spring
from symdyn.description.yaml.json_schema import yaml_schema
from symdyn.description.yaml.read import parse_yaml
from symdyn.description.yaml.write import write_yaml
from symdyn.errors import DescriptionError

HEAD = """
name: bench
parameters:
  stiff: 300
  B: {runtime: true, value: 0.2}
links:
  base:
  one: {mass: 2, com: [0.1, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  two: {mass: 1, com: [0.1, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
joints:
  first: {type: revolute, parent: base, child: one, axis: [0, 0, 1]}
"""


def text(drive: str, kind: str = "revolute", more: str = "axis: [0, 0, 1], ") -> str:
    return f"{HEAD}  j: {{type: {kind}, parent: one, child: two, {more}{drive}}}\n"


def second(drive: str, kind: str = "revolute") -> Joint:
    return parse_yaml(text(drive, kind).encode(), "bench.yaml").joints[1]


def test_numbers_arrive_and_expressions_are_folded() -> None:
    geared = second("actuator: {rotor_inertia: 1e-4*2, gear_ratio: 50}")
    assert (geared.actuator, geared.elastic) == (Actuator(2e-4, 50.0), None)
    assert second("actuator: {rotor_inertia: 0.3}", "prismatic").actuator == Actuator(0.3)
    assert second("actuator: {armature: B}").actuator == Actuator(armature=Expression("B"))
    soft = second("elastic: {stiffness: 2*stiff, damping: 0.5, rotor_inertia: B, gear_ratio: 10}")
    assert (soft.actuator, soft.elastic) == (None, Elastic(600.0, 0.5, Actuator(Expression("B"), 10.0)))
    assert second("elastic: {stiffness: stiff, armature: 0.1}").elastic == Elastic(300.0, 0.0, Actuator(armature=0.1))
    assert second("losses: {damping: 1}").actuator is None
    assert second("spring: {stiffness: 2*stiff}").loads == (Spring(600.0),)
    assert second("spring: {stiffness: B, rest: -pi/2}").loads == (Spring(Expression("B"), -1.5707963267948966),)
    both = second("spring: {stiffness: 1, rest: B}, elastic: {stiffness: 2}")
    assert (both.loads, both.elastic) == ((Spring(1.0, Expression("B")),), Elastic(2.0))
    assert second("losses: {damping: 1}").loads == ()


@pytest.mark.parametrize(
    "drive",
    [
        "actuator: {rotor_inertia: 1e-4, gear_ratio: 50}",
        "actuator: {armature: 2*B}",
        "elastic: {stiffness: stiff, armature: 0.1}",
        "elastic: {stiffness: B/7, damping: 0.1 + 0.2, rotor_inertia: 1e-5, gear_ratio: -80}",
        "spring: {stiffness: stiff}",
        "mimic: {joint: first}, spring: {stiffness: 2*B, rest: 0.1 + 0.2}",
        "elastic: {stiffness: stiff, armature: 0.1}, spring: {stiffness: 3, rest: B}",
    ],
)
def test_the_resolved_file_says_the_same(drive: str) -> None:
    robot = parse_yaml(text(drive).encode(), "bench.yaml")
    written = write_yaml(robot)
    again = parse_yaml(written.encode(), "bench.yaml")
    assert [(joint.actuator, joint.elastic, joint.loads) for joint in again.joints] == [
        (joint.actuator, joint.elastic, joint.loads) for joint in robot.joints
    ]
    assert write_yaml(again) == written
    jsonschema.validate(YAML(typ="safe", pure=True).load(written), yaml_schema())


@pytest.mark.parametrize(
    ("drive", "message"),
    [
        ("actuator: {armature: 1, gear_ratio: 3}", r"bench.yaml:12: joint 'j': actuator: armature is gear_ratio\*\*2"),
        ("actuator: {gear_ratio: 3}", "gear_ratio means nothing without rotor_inertia"),
        ("actuator: {rotor_inertia: -1}", "joint 'j': rotor_inertia is -1; it is at least 0"),
        ("actuator: {rotor_inertia: 1, gear_ratio: 0}", "joint 'j': gear_ratio is 0; expected turns of the rotor"),
        ("actuator: {armature: -2}", "armature is -2"),
        ("actuator: {armature: 1e31}", "armature is 1e\\+31, beyond"),
        ("elastic: {damping: 1}", "joint 'j': elastic.stiffness is missing"),
        ("elastic: {stiffness: -1}", "stiffness is -1"),
        ("elastic: {stiffness: 1, damping: -1}", "damping is -1"),
        ("elastic: {stiffness: 1, armatur: 2}", "unknown key; did you mean 'armature'"),
        ("elastic: {stiffness: 1}, actuator: {armature: 1}", "both describe the motor"),
        ("elastic: {stiffness: 1}, mimic: {joint: first}", "joint 'j' mimics 'first'.*make 'first' elastic instead"),
        ("spring: {rest: 1}", "bench.yaml:12: joint 'j': spring.stiffness is missing"),
        ("spring: {stiffness: -1}", "bench.yaml:12: joint 'j': spring stiffness is -1; it is at least 0"),
        ("spring: {stiffness: 1e31}", "spring stiffness is 1e\\+31, beyond"),
        ("spring: {stiffness: 1, rest: 1e31}", "spring rest is 1e\\+31, beyond"),
        ("spring: {stiffness: 1/0}", "spring.stiffness.*division by zero"),
        ("spring: {stiffness: .inf}", "joint 'j': spring.stiffness"),
        ("damping: 1", "damping: unknown key; it is a key of losses and of elastic and of stops, so write it below"),
        ("spring: {stiffness: 1, damping: 1}", "joint 'j': spring.damping: unknown key"),
        ("spring: {stiffness: 1, springref: 1}", "unknown key"),
        ("spring: 3", "joint 'j': spring"),
        ("actuator: {rotor_inertia: 1, gear_ratio: [1, 2]}", "expected a number or an expression, got a list"),
    ],
)
def test_impossible_drives_are_refused(drive: str, message: str) -> None:
    with pytest.raises(DescriptionError, match=message):
        second(drive)


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("fixed", ""),
        ("spherical", ""),
        ("floating", ""),
        ("planar", "axis: [0, 0, 1], "),
        ("universal", "axis: [0, 0, 1], second_axis: [1, 0, 0], "),
    ],
)
def test_joints_with_several_coordinates_or_none_have_no_drive(kind: str, more: str) -> None:
    drives = ["elastic: {stiffness: 1}", "spring: {stiffness: 1}"]
    drives += [] if kind == "spherical" else ["actuator: {armature: 1}", "ball_spring: {stiffness: 1}"]
    for drive in drives:
        key = drive.split(":")[0]
        only = "is for type: spherical; leave it out of" if key == "ball_spring" else "means nothing on"
        with pytest.raises(DescriptionError, match=rf"joint 'j': {key} {only} a {kind} joint"):
            parse_yaml(text(drive, kind, more).encode(), "bench.yaml")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": JointKind.PLANAR, "actuator": Actuator(armature=1.0)}, "'j' is planar, and 'actuator' is for"),
        ({"kind": JointKind.SPHERICAL, "elastic": Elastic(1.0)}, "'j' is spherical, and 'elastic' is for"),
        ({"elastic": Elastic(1.0), "actuator": Actuator(1.0)}, "'j': actuator and elastic both describe the motor"),
        ({"actuator": Actuator(1.0, 2.0, 3.0)}, "'j': armature is gear_ratio"),
        ({"elastic": Elastic(1.0), "mimic": Mimic("first")}, "'j' mimics 'first'"),
        ({"kind": JointKind.PLANAR, "loads": (Spring(1.0),)}, "'j' is planar, and 'spring' is for joints with one"),
        ({"loads": (Spring(-2.0),)}, "'j': spring stiffness is -2; it is at least 0"),
        ({"loads": (Spring(float("nan")),)}, "'j': spring stiffness is nan, beyond"),
        ({"loads": (Spring(float("inf")),)}, "'j': spring stiffness is inf, beyond"),
        ({"loads": (Spring(1.0, float("inf")),)}, "'j': spring rest is inf, beyond"),
    ],
)
def test_descriptions_made_in_python_are_checked_too(changes: dict[str, object], message: str) -> None:
    kind = changes.pop("kind", JointKind.REVOLUTE)
    assert isinstance(kind, JointKind)
    joints = (joint("first", JointKind.REVOLUTE, "base", "one"), joint("j", kind, "one", "two", **changes))
    with pytest.raises(DescriptionError, match=message):
        check(RobotDescription("bench", (Link("base"), massive("one"), massive("two")), joints, source="bench"))


def test_a_link_has_no_spring() -> None:
    links = (Link("base"), replace(massive("one"), loads=(Spring(1.0),)))
    joints = (joint("first", JointKind.REVOLUTE, "base", "one"),)
    with pytest.raises(DescriptionError, match="link 'one': 'spring' is no load of a link; delete it"):
        check(RobotDescription("bench", links, joints))


def test_motors_without_inertia_are_warned_of() -> None:
    robot = parse_yaml(text("elastic: {stiffness: 5}").encode(), "bench.yaml")
    assert robot.warnings == (
        "line 12: joint 'j': the motor behind its spring has no inertia: inverse dynamics works, forward dynamics will "
        "be singular",
    )
    assert parse_yaml(text("elastic: {stiffness: 5, rotor_inertia: B}").encode(), "bench.yaml").warnings == ()


def test_an_armature_carries_a_massless_leaf() -> None:
    def warnings(first: Actuator | None, last: Actuator | None) -> tuple[str, ...]:
        joints = (
            joint("first", JointKind.REVOLUTE, "base", "one", actuator=first),
            joint("last", JointKind.REVOLUTE, "one", "two", actuator=last),
        )
        return check(RobotDescription("bench", (Link("base"), Link("one"), Link("two")), joints)).warnings

    rotor = Actuator(armature=0.1)
    assert warnings(rotor, rotor) == ()
    assert [text.split(":")[0] for text in warnings(None, None)] == ["link 'two' is a massless leaf"]
    assert [text.split(":")[0] for text in warnings(rotor, None)] == ["link 'two' is a massless leaf"]
    # The inner joint moves no mass, and the rotor of the outer one does not resist it.
    assert [text.split(":")[0] for text in warnings(None, rotor)] == ["link 'one' is a massless leaf"]
