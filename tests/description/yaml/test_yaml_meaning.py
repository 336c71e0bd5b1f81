"""What symdyn's YAML says, and the resolved YAML that is written beside generated code."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML
from support.places import CHECKOUT, CORPUS
from support.robots.kinds import ONE_COORDINATE

from symdyn.description.checks.check import check
from symdyn.description.checks.rotation import rotation_from_rpy
from symdyn.description.quantities.expression import Expression
from symdyn.description.read import read_robot
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
from symdyn.description.yaml.document import MAX_BYTES
from symdyn.description.yaml.json_schema import yaml_schema
from symdyn.description.yaml.read import parse_yaml
from symdyn.description.yaml.write import write_yaml
from symdyn.errors import DescriptionError

REFUSED_BY_SHAPE = ("unknown_key.yaml", "axis_text.yaml", "gravity_two.yaml", "links_missing.yaml", "format_2.yaml")
NOT_YAML = ("alias.yaml", "bad_escape.yaml", "control_character.yaml", "key_twice.yaml", "link_twice.yaml", "tab.yaml")


def read(name: str) -> RobotDescription:
    return read_robot(CORPUS / f"{name}.yaml")


def bare(robot: RobotDescription) -> RobotDescription:
    """The robot without what belongs to the file that was read."""
    links = tuple(replace(link, line=None) for link in robot.links)
    joints = tuple(replace(joint, line=None) for joint in robot.joints)
    acting = tuple(replace(own, line=None) for own in robot.acting)
    tendons = tuple(replace(own, line=None) for own in robot.actuation.tendons)
    chambers = tuple(replace(own, line=None) for own in robot.actuation.chambers)
    driven = replace(robot.actuation, tendons=tendons, chambers=chambers)
    return replace(robot, source="", warnings=(), links=links, joints=joints, acting=acting, actuation=driven)


def test_every_value_arrives() -> None:
    robot = read("crane")
    ground, jib, hook = robot.links
    slew, swing = robot.joints
    assert (robot.name, robot.root, robot.gravity) == ("derrick", "ground", (0.0, 0.0, -9.81))
    assert ground.inertial is None
    mass = 2700 * 0.9 * 6e-4
    moment = mass * 0.9 * 0.9 / 12
    assert jib.inertial == Inertial(mass, (2e-3, 0.0, 0.0, moment, 0.0, moment), Placement((0.45, 0.0, 0.0)))
    assert hook.inertial == Inertial(Expression("0.5 + load"), (0.01, 0.0, 0.0, 0.01, 0.0, 0.01))
    assert slew.limits == Limits(-math.pi / 2, math.pi / 2)
    assert (swing.kind, swing.placement.translation, swing.line) == (JointKind.SPHERICAL, (0.9, 0.0, 0.0), 26)
    assert robot.frames == (Frame("eye", "hook", Placement((0.0, 0.0, -0.1))),)
    assert robot.parameters == (
        Parameter("L", 0.9),
        Parameter("rho", 2700.0, "kg/m^3"),
        Parameter("A", 6e-4),
        Parameter("m", mass),
        Parameter("load", 4.0, "kg", runtime=True),
    )


def test_joint_properties() -> None:
    joints = {joint.kind: joint for joint in read("every_joint").joints}
    assert set(joints) == set(JointKind)
    assert joints[JointKind.HELICAL].pitch == pytest.approx(0.01 / (2 * math.pi))
    assert joints[JointKind.UNIVERSAL].second_axis == (0.0, 0.0, -1.0)
    assert read("mimic").joints[1].mimic == Mimic("slew", 6e-4, -1.0)
    assert read("mimic_joints").joints[1].mimic == Mimic("slew", 6e-4, -1.0, (("tilt", -12e-4),))
    assert read("losses").joints[0].losses == Losses(Expression("0.1*load"), 0.2, 0.005)
    assert read("floating_base").floating_base


@pytest.mark.parametrize("name", ["tilt", "a: {b", "\u4e2d" * 200])
def test_mimics_of_several_joints_are_written_as_they_are_read(name: str) -> None:
    robot = read("mimic_joints")
    slew, reel, tilt, *others = robot.joints
    mimic = Mimic("slew", 0.1, -0.25, ((name, 1.0 / 3.0),))
    robot = check(replace(robot, joints=(slew, replace(reel, mimic=mimic), replace(tilt, name=name), *others)))
    assert bare(parse_yaml(write_yaml(robot).encode(), "r.yaml")) == bare(robot)


def test_rotations() -> None:
    assert read("rotation_rows").frames[0].placement.rotation == rotation_from_rpy(0.0, 0.0, math.pi / 2)
    (row, *_) = read("rotation_rounded").frames[0].placement.rotation
    assert row == pytest.approx((math.sqrt(3) / 2, -0.5, 0.0), abs=1e-7)
    assert math.hypot(*row) == pytest.approx(1.0, abs=1e-15)


def test_second_axis_is_made_exactly_perpendicular() -> None:
    text = "name: r\nlinks: {a: , b: {mass: 1, com: [1, 1, 1]}}\njoints: {ab: {type: universal, parent: a, child: b, "
    text += "axis: [0, 0, 1], second_axis: [1, 0, 1e-7]}}\n"
    assert parse_yaml(text.encode(), "r.yaml").joints[0].second_axis == (1.0, 0.0, 0.0)


def test_parameters_come_after_those_they_use() -> None:
    text = "name: r\nparameters: {m: a*b, b: 2*a, a: {runtime: true}, c: 3}\nlinks: {a: {mass: m}}\n"
    robot = parse_yaml(text.encode(), "r.yaml")
    assert [parameter.name for parameter in robot.parameters] == ["a", "b", "m", "c"]
    assert robot.parameters[2].value == Expression("a*b")
    assert robot.links[0].inertial is not None
    assert robot.links[0].inertial.mass == Expression("m")
    assert bare(parse_yaml(write_yaml(robot).encode(), "r.yaml")) == bare(robot)


def test_a_constant_can_be_kept_open() -> None:
    robot = read_robot(CORPUS / "crane.yaml", runtime=["m", "not a parameter"])
    assert robot.links[1].inertial is not None
    assert robot.links[1].inertial.mass == Expression("m")
    assert robot.links[1].inertial.moments[3] == Expression("m*L**2/12")
    assert robot.links[1].inertial.placement.translation == (0.45, 0.0, 0.0)
    assert robot.parameters[3] == Parameter("m", 2700 * 0.9 * 6e-4)


def test_long_chains_of_parameters() -> None:
    count = 3000
    entries = "".join(f"  p{index}: p{index + 1} + 1\n" for index in range(count))
    text = f"name: r\nparameters:\n{entries}  p{count}: 0\nlinks: {{a: {{mass: p0}}}}\n"
    robot = parse_yaml(text.encode(), "r.yaml")
    assert robot.links[0].inertial is not None
    assert robot.links[0].inertial.mass == count


@pytest.mark.parametrize("opening", ["[", "{a: ", "- "])
def test_deep_nesting_is_refused_at_once(opening: str) -> None:
    with pytest.raises(DescriptionError, match="nested deeper than 20 levels"):
        parse_yaml((opening * 100_000).encode(), "deep.yaml")


def test_large_documents_are_refused() -> None:
    with pytest.raises(DescriptionError, match="larger than 8 MiB"):
        parse_yaml(b"#" * (MAX_BYTES + 1), "large.yaml")


@pytest.mark.parametrize("path", sorted(CORPUS.iterdir()), ids=lambda path: path.name)
def test_round_trip_of_the_corpus(path: Path) -> None:
    try:
        robot = read_robot(path)
    except DescriptionError:
        return
    text = write_yaml(robot)
    again = parse_yaml(text.encode(), "again.yaml")
    assert bare(again) == bare(robot)
    assert write_yaml(again) == text
    assert text.isascii()


names = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1, max_size=20).filter(str.strip)
numbers = st.floats(-1e6, 1e6).filter(lambda x: x == 0.0 or abs(x) > 1e-300)
quantities = st.one_of(numbers, st.just(Expression("2*k + 1")))
placements = st.builds(
    Placement,
    st.tuples(quantities, quantities, quantities),
    st.builds(rotation_from_rpy, *[st.floats(-4, 4)] * 3),
)
limits = st.none() | st.builds(Limits, *[st.just(-math.inf) | numbers, st.just(math.inf) | numbers])


@given(names, names, names, names, placements, placements, st.floats(1e-3, 1e3), limits, st.sampled_from(JointKind))
def test_round_trip_is_exact(
    robot: str,
    base: str,
    tip: str,
    frame: str,
    center: Placement,
    placement: Placement,
    mass: float,
    bounds: Limits | None,
    kind: JointKind,
) -> None:
    tip, frame = f"tip {tip}", f"frame {frame}"
    inertial = Inertial(mass, (0.3, 0.01, Expression("k/9"), 0.2, 0.0, 0.25), center)
    single = kind in ONE_COORDINATE
    joint = Joint(
        "joint",
        kind,
        base,
        tip,
        placement,
        pitch=0.1 if kind is JointKind.HELICAL else 0.0,
        limits=bounds if single else None,
        losses=Losses() if kind is JointKind.FIXED else Losses(0.1, Expression("k"), 0.02),
    )
    description = RobotDescription(
        name=robot,
        links=(Link(base), Link(tip, inertial)),
        joints=(joint,),
        frames=(Frame(frame, tip, placement),),
        parameters=(Parameter("k", None, "kg", runtime=True), Parameter("c", mass)),
        floating_base=True,
        gravity=(0.1, -0.2, -9.81),
    )
    assert bare(parse_yaml(write_yaml(description).encode(), "again.yaml")) == description


@pytest.mark.parametrize("word", ["true", "null", "No", "1", "~", "- a", "a: b", "#", "", "{", "*a", " x"])
def test_names_that_other_readers_would_misread_are_quoted(word: str) -> None:
    robot = RobotDescription(name=f"{word}", links=(Link("a"),), joints=())
    assert YAML(typ="safe", pure=True).load(write_yaml(robot))["name"] == word


def _typed(name: str) -> object:
    # Plain data as an editor's YAML support sees it; JSON drops what JSON Schema does not know.
    return json.loads(json.dumps(YAML(typ="safe", pure=True).load((CORPUS / name).read_text("utf-8"))))


def test_schema_accepts_what_is_read_and_refuses_wrong_shapes() -> None:
    schema = yaml_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    mimics = ("mimic.yaml", "mimic_joints.yaml")
    for name in ("crane.yaml", "every_joint.yaml", *mimics, "losses.yaml", "rotation_rows.yaml"):
        assert list(validator.iter_errors(_typed(name))) == [], name
    resolved = YAML(typ="safe", pure=True).load(write_yaml(read("crane")))
    assert list(validator.iter_errors(resolved)) == []
    for name in REFUSED_BY_SHAPE:
        assert list(validator.iter_errors(_typed(name))), name


@pytest.mark.parametrize("change", [str.upper, lambda key: f"{key}s"])
def test_near_misses_of_keys_are_suggested(change: Callable[[str], str]) -> None:
    with pytest.raises(DescriptionError, match="did you mean 'gravity'"):
        parse_yaml(f"name: r\n{change('gravity')}: [0, 0, 0]\nlinks: {{a: }}\n".encode(), "r.yaml")


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("mass: {a: 1}", r"link 'a': mass: expected a number or an expression, got a mapping"),
        ("mass: , com: [0, 0, 0]", r"link 'a': mass is missing"),
        ("mass: 1, com: ", r"link 'a': com: expected a list of three numbers, got nothing"),
        ("mass: 1, inertia: [1]", r"link 'a': inertia: expected a mapping \(key: value\), got a list"),
        ("mass: 1, inertia: {}", r"link 'a': inertia.xx is missing \(and 2 more like it\)"),
    ],
)
def test_wrong_kinds_of_value(entry: str, words: str) -> None:
    with pytest.raises(DescriptionError, match=rf"^r.yaml:2: {words}"):
        parse_yaml(f"name: r\nlinks: {{a: {{{entry}}}}}\n".encode(), "r.yaml")


def test_parameter_that_is_a_list() -> None:
    with pytest.raises(DescriptionError, match=r"parameter 'k': expected a mapping .* got a list"):
        parse_yaml(b"name: r\nparameters: {k: [1]}\nlinks: {a: }\n", "r.yaml")


def test_the_example_of_the_documentation_is_read() -> None:
    page = CHECKOUT / "docs" / "yaml-format.md"
    example = page.read_text("utf-8").split("```yaml\n")[1].split("```")[0]
    robot = parse_yaml(example.encode(), "yaml-format.md")
    assert (robot.name, len(robot.joints), robot.warnings) == ("crane", 2, ())
