"""Tendons, chambers and actuators in files: what is read, written back, warned of and refused."""

from __future__ import annotations

import json
from dataclasses import replace

import jsonschema
import pytest
from ruamel.yaml import YAML
from support.robots.driven import DRIVEN, WITH_RESTS, driven

from symdyn.description.actuation import RestStrain, Strand
from symdyn.description.checks.check import check
from symdyn.description.yaml.json_schema import yaml_schema
from symdyn.description.yaml.read import parse_yaml
from symdyn.description.yaml.write import write_yaml
from symdyn.errors import DescriptionError


def test_what_is_read() -> None:
    robot = driven()
    found = robot.actuation
    assert [tendon.name for tendon in found.tendons] == ["rim", "long"] and robot.warnings == ()
    assert found.tendons[0].strands == (Strand("arm", "0.0", "0.03 - 0.02 * x", 0.0, 0.4),)
    assert [strand.link for strand in found.tendons[1].strands] == ["arm", "hand"]
    assert found.tendons[1].strands[1] == Strand("hand", "0.005", "0.002 * x", 0.1, 0.3)
    wall, free = found.chambers
    rings = "(0.03 - 0.02 * x) ** {0} - (0.03 - 0.02 * x - 0.004) ** {0}"
    assert wall.area == f"1.5707963267948966 * ({rings.format(2)})" and wall.moment_y == "0.0"
    assert wall.moment_z == f"0.6666666666666666 * ({rings.format(3)})" and (wall.start, wall.end) == (0.0, 0.5)
    assert (free.area, free.moment_y, free.moment_z, free.start) == ("1e-05", "1e-07 * x", "0.0", 0.05)
    assert found.actuators[:5] == ("rim", "turn", "wall", "long", "free")
    assert found.actuators[5:] == (RestStrain("arm.curvature_y"), RestStrain("hand.stretch[0]"))


def test_round_trip_is_exact_and_the_schema_accepts_it() -> None:
    robot = driven()
    text = write_yaml(robot)
    again = parse_yaml(text.encode(), "again.yaml")
    assert write_yaml(again) == text
    strands = [tendon.strands for tendon in robot.actuation.tendons]
    assert [tendon.strands for tendon in again.actuation.tendons] == strands
    assert check(robot).actuation == robot.actuation
    validator = jsonschema.Draft202012Validator(yaml_schema())
    for each in (WITH_RESTS, text):
        typed = json.loads(json.dumps(YAML(typ="safe", pure=True).load(each)))
        assert list(validator.iter_errors(typed)) == []


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("{link: arm, z: radius(x)", "{link: leg, z: radius(x)", r"tendon 'rim': link: link 'leg' is unknown$"),
        ("{link: arm, z: radius(x)", "{link: arn, z: 0", r"tendon 'rim': link: link 'arn' is unknown; did you mean"),
        ("{link: arm, z: radius(x)", "{link: base, z: 0", r"tendon 'rim': link: link 'base' is not soft"),
        ("to: 0.4", "to: 0.6", r"tendon 'rim': to is 0.6 m; it is more than 0 and at most the rod's length, 0.5"),
        ("to: 0.4", "from: -0.1", r"tendon 'rim': from is -0.1 m, outside the rod"),
        ("to: 0.4", "from: 0.2, to: 0.2", r"tendon 'rim': to is 0.2 m; it is more than 0.2"),
        ("z: radius(x)", "z: radius(y)", r"tendon 'rim': z: .*radius"),
        ("z: radius(x)", "z: [1]", r"tendon 'rim': z: expected a number or an expression in x, got a list"),
        ("z: radius(x)", "z: log(x)", r"tendon 'rim': z has no finite value at x = 0"),
        ("z: radius(x)", "z: load", r"tendon 'rim': z: .*depends on the run-time parameter 'load'"),
        ("z: radius(x)", "z: r0", r"tendon 'rim': z: .*unknown name 'r0'"),
        ("y: 0.005,", "y: radius(x),", r"tendon 'long': along.1.y: a section of shape rectangle has no radius"),
        ("{link: arm, z: radius(x), to: 0.4}", "{z: 0}", "tendon 'rim': expected the soft link that it runs along"),
        ("{link: arm, z: radius(x), to: 0.4}", "{along: [], y: 0}", "tendon 'rim': along is an empty list"),
        ("long: {along", "long: {link: arm, along", "tendon 'long': expected the soft link"),
        ("long: {along", "long: {y: 0.01, along", "tendon 'long': along says it all"),
        ("rim: {link", "rim: {start: 0, link", "tendon 'rim': start: unknown key.*known keys are link, from, to"),
        ("angles: [0, pi]", "angles: [pi, 0]", "chamber 'wall': angles are 3.14159 and 0; the second is larger"),
        ("angles: [0, pi]", "angles: [-60, 60]", r"chamber 'wall': angles span 120 rad; .* angles are in rad"),
        ("wall: 0.004", "wall: 0.04", "chamber 'wall': wall reaches beyond the rod's axis"),
        ("angles: [0, pi]", "area: 1", "chamber 'wall': expected 'wall' with 'angles', or 'area'"),
        (", angles: [0, pi]", "", "chamber 'wall': wall and angles go together"),
        ("angles: [0, pi]", "angles: [0, pi], moment_y: 1", "chamber 'wall': the wall tells its moments"),
        ("wall: 0.004", "wall: -0.004", r"chamber 'wall': wall is -.* at x = 0; it is positive"),
        ("area: 1e-5", "area: 0.1 - x", r"chamber 'free': area is -?[0-9.e-]+ at x = .*; it is positive"),
        ("[rim, turn, wall, long, free]", "[rim, turm]", r"r.yaml: actuator 'turm' is no joint, tendon or chamber"),
        ("[rim, turn, wall, long, free]", "[rim, turn, rim]", r"r.yaml: actuator 'rim' is named twice"),
        ("[rim, turn, wall, long, free]", "[stuck]", r"r.yaml: actuator 'stuck' is a fixed joint"),
        ("[rim, turn, wall, long, free]", "[after]", r"r.yaml: actuator 'after' is a joint that follows others"),
        (
            "[rim, turn, wall, long, free]",
            "[[rim]]",
            r"actuators.0: expected a name, .* or {name: .*}, got a list",
        ),
        (
            "wall, long, free]",
            "{rest: base}]",
            r"r.yaml: actuator rest: 'base' is no soft link, strain of one",
        ),
        ("wall, long, free]", "{rest: arm.curvature_x}]", r"rest: 'arm.curvature_x' is no .*did you mean 'arm.curv"),
        ("wall, long, free]", "{rest: arm}, {rest: arm.twist}]", r"the rest strain of 'arm.twist.0.' is named twice"),
        ("wall, long, free]", "{rest: arm, of: 1}]", r"actuators.2.of: unknown key"),
        ("wall, long, free]", "{}]", r"actuators.2: 'rest' is missing|actuators.2.*rest"),
        ("rim: {", "turn: {", r"tendon 'turn' has the name of a joint"),
        ("wall: {", "long: {", r"chamber 'long' has the name of a tendon"),
        ("rim: {", '"": {', r"tendon '': the name is empty"),
    ],
)
def test_refused(old: str, new: str, words: str) -> None:
    assert DRIVEN.count(old) == 1, old
    with pytest.raises(DescriptionError, match=words):
        parse_yaml(DRIVEN.replace(old, new).encode(), "r.yaml")


@pytest.mark.parametrize(
    ("old", "new", "x"), [("z: radius(x)", "z: 0.03", "0.0125"), ("y: 0.005,", "y: -0.011,", "0.1")]
)
def test_tendons_outside_the_section_are_warned_of(old: str, new: str, x: str) -> None:
    (warning,) = parse_yaml(DRIVEN.replace(old, new).encode(), "r.yaml").warnings
    assert "leaves the section of" in warning and f"at x = {x} m" in warning


def test_what_is_made_in_python_is_checked_too() -> None:
    robot = driven()
    rim = robot.actuation.tendons[0]
    for strands, words in (
        ((), "tendon 'rim' runs along no soft link"),
        ((replace(rim.strands[0], link="toe"),), "link 'toe' is unknown"),
        ((replace(rim.strands[0], end=0.7),), "tendon 'rim': to is 0.7 m"),
        ((replace(rim.strands[0], y="1e40"),), "tendon 'rim': y is 1e"),
    ):
        changed = replace(robot.actuation, tendons=(replace(rim, strands=strands),), actuators=())
        with pytest.raises(DescriptionError, match=words):
            check(replace(robot, actuation=changed))
