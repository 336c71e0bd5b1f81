"""Closed loops in files: what is read, written back and refused, and the file that stands beside a robot's."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from ruamel.yaml import YAML
from support.places import CHECKOUT, CORPUS
from support.robots.loop_files import FOUR_BAR, FOUR_BAR_LINKS, PIN

import symdyn
from symdyn.description.checks.check import check
from symdyn.description.external_loads import Acting, Site
from symdyn.description.loops import Coupling, Holding, Loop, LoopKind, Z
from symdyn.description.pfaffian import Pfaffian
from symdyn.description.quantities.expression import Expression
from symdyn.description.read import read_robot
from symdyn.description.robot import Attachment, RobotDescription
from symdyn.description.yaml.json_schema import yaml_schema
from symdyn.description.yaml.read import parse_yaml
from symdyn.description.yaml.write import write_yaml
from symdyn.errors import DescriptionError, ModelError

URDF = """<?xml version="1.0"?>
<robot name="fourbar">
  <link name="base"/><link name="crank"/>
  <link name="coupler">
    <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
  </link>
  <link name="rocker">
    <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
  </link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="crank"/><axis xyz="0 1 0"/></joint>
  <joint name="bend" type="continuous">
    <parent link="crank"/><child link="coupler"/><origin xyz="0.3 0 0"/><axis xyz="0 1 0"/>
  </joint>
  <joint name="swing" type="continuous">
    <parent link="base"/><child link="rocker"/><origin xyz="0.7 0 0"/><axis xyz="0 1 0"/>
  </joint>
</robot>
"""
BESIDE = f"""\
loops:
  {PIN}
frames:
  end: {{link: coupler, translation: [0.8, 0, 0]}}
  top: {{link: rocker, translation: [0.6, 0, 0]}}
"""
SOFT = """\
name: arms
links:
  base:
  hand: {mass: 1}
  left: &
  right: &
joints:
  grip: {type: prismatic, parent: base, child: hand, axis: [1, 0, 0]}
  one: {type: fixed, parent: base, child: left}
  two: {type: fixed, parent: base, child: right}
"""
ROD = (
    "{soft: {length: 0.5, section: {shape: circle, radius: 0.02}, strain: {curvature_z: 0}, stations: 2, "
    "material: {youngs_modulus: 1e6, poisson_ratio: 0.4, density: 1000}}}"
)


def bare(robot: RobotDescription) -> list[Acting]:
    return [replace(own, line=None) for own in robot.acting]


def test_what_is_read() -> None:
    robot = read_robot(CORPUS / "loops_every_kind.yaml")
    fixed, pin, slide, ball, *_, gear, stop = robot.acting
    assert fixed == Loop("a", (Site(frame="end"), Site("pad")), LoopKind.FIXED, close=True, line=20)
    assert isinstance(pin, Loop) and pin.axes == ((0.0, 1.0, 0.0), (0.6, 0.0, 0.8))
    assert isinstance(slide, Loop) and slide.axes == ((1.0, 0.0, 0.0),) * 2
    assert slide.between == (Site("coupler", point=(0.8, 0.0, Expression("load"))), Site())
    assert isinstance(ball, Loop) and ball.between[1] == Site(point=(0.0, Expression("load"), 0.1))
    rope = next(own for own in robot.acting if own.name == "i j")
    assert rope.numbers == {"distance": Expression("L + load/2")}
    assert gear == Coupling("gear", (("turn", 1.0), ("bend", -2.0)), 1e-3, 30)
    assert stop == Coupling("stop", (("swing", 0.1),), line=31)
    kinds = {own.kind for own in robot.acting if isinstance(own, Loop)}
    assert kinds == set(LoopKind)


def test_round_trip_is_exact_and_the_schema_accepts_it() -> None:
    source = (CORPUS / "loops_every_kind.yaml").read_text("utf-8")
    robot = read_robot(CORPUS / "loops_every_kind.yaml")
    text = write_yaml(robot)
    again = parse_yaml(text.encode(), "again.yaml")
    assert write_yaml(again) == text and bare(again) == bare(robot) and check(robot).acting == robot.acting
    validator = jsonschema.Draft202012Validator(yaml_schema())
    for each in (source, text):
        typed = json.loads(json.dumps(YAML(typ="safe", pure=True).load(each)))
        assert list(validator.iter_errors(typed)) == []
    typed["loops"]["a"]["kind"] = "welded"
    assert list(validator.iter_errors(typed))


def test_constraints_on_velocities_are_read_and_written() -> None:
    robot = read_robot(CORPUS / "loops_pfaffian.yaml")
    roll, spin = robot.acting
    assert spin == Pfaffian("spin", ((("bend", 1.0), ("turn", 2.0)),), unit="rad", line=24)
    assert isinstance(roll, Pfaffian) and roll.coordinates == (("a", "turn"), ("swing", "swing"))
    assert roll.rows[0] == (("turn", Expression("-0.1*sin(a + L)")), ("swing", 1.0))
    assert roll.numbers == {f"parameter.{name}": Expression(name) for name in ("L", "load")}
    text = write_yaml(robot)
    again = parse_yaml(text.encode(), "again.yaml")
    assert bare(again) == bare(robot) and write_yaml(again) == text
    validator = jsonschema.Draft202012Validator(yaml_schema())
    for each in ((CORPUS / "loops_pfaffian.yaml").read_text("utf-8"), text):
        assert list(validator.iter_errors(YAML(typ="safe").load(each))) == []
    told = replace(roll, equals=(0.0, 0.0))
    assert check(replace(robot, acting=(told,))).acting == (replace(told, equals=()),)
    for wrong, words in (
        (replace(spin, unit="deg"), "unit is 'deg'; expected m or rad"),
        (replace(spin, rows=((("turn", 1.0), ("turn", 2.0)),)), "row 0 names a row of v twice; add its entries up"),
        (replace(roll, coordinates=(*roll.coordinates, ("a", "bend"))), "'a' is there twice; keep one"),
    ):
        with pytest.raises(DescriptionError, match=f"loop '(spin|roll)': .*{words}"):
            check(replace(robot, acting=(wrong,)))
    rolling = (CHECKOUT / "docs" / "yaml-format.md").read_text("utf-8").split("### Rolling\n")[1]
    drive = symdyn.robot.loading.robot_of(
        parse_yaml(rolling.split("```yaml\n")[1].split("```")[0].encode(), "rolling.yaml")
    )
    assert (drive.mobility, drive.constraints[0].rows) == (2, ("wheels.0", "wheels.1", "wheels.2"))


def test_tips_and_the_world_are_places() -> None:
    text = SOFT.replace("&", ROD)
    told = "loops: {a: {between: [left.tip, right], kind: spherical}, b: {between: [world, hand], kind: spherical}}\n"
    first, second = parse_yaml((text + told).encode(), "r.yaml").acting
    assert first.stands == (Site(frame="left.tip"), Site("right", Attachment.END))
    assert second.stands == (Site(), Site("hand"))
    named = text.replace("hand:", "world:").replace("child: hand", "child: world")
    loop = "loops: {b: {between: [world, left.tip], kind: fixed}}\n"
    written = parse_yaml((named + loop).encode(), "r.yaml")
    assert written.acting[0].stands == (Site("world"), Site(frame="left.tip"))
    assert bare(parse_yaml(write_yaml(written).encode(), "r.yaml")) == bare(written)
    one = "loops: {a: {between: [{link: left, at: root}, {link: base, point: [1, 0, 0]}], kind: fixed}}\n"
    with pytest.raises(DescriptionError, match=r"r\.yaml:11: loop 'a': both places are on one body, 'base'"):
        parse_yaml((text + one).encode(), "r.yaml")


def test_what_is_made_in_python_is_checked_too() -> None:
    robot = parse_yaml(FOUR_BAR.encode(), "r.yaml")
    (pin,) = robot.acting
    assert isinstance(pin, Loop)
    for wrong, words in (
        (replace(pin, axes=((0.0, 2.0, 0.0), Z)), "has not length one"),
        (replace(pin, kind=LoopKind.DISTANCE, distance=-1.0), "distance is -1 m; it is above 0"),
        (replace(pin, between=(Site("leg"), Site())), "link 'leg' does not exist"),
        (replace(pin, between=(Site(), Site(point=(1.0, 0.0, 0.0)))), "both places are one"),
        (Coupling("g", (("turn", 1.0), ("turn", 2.0))), "joint 'turn' is named twice; add its factors up"),
    ):
        with pytest.raises(DescriptionError, match=f"loop '(pin|g)': .*{words}"):
            check(replace(robot, acting=(wrong,)))
    idle = replace(pin, kind=LoopKind.SPHERICAL, distance=3.0)
    assert check(replace(robot, acting=(idle,))).acting == (replace(idle, axes=(Z, Z), distance=0.0),)
    with pytest.raises(DescriptionError, match="two loops are named 'pin', first in line 15"):
        check(replace(robot, acting=(pin, pin)))


def test_couplings_of_followers_are_refused() -> None:
    text = FOUR_BAR_LINKS.replace("axis: [0, 1, 0]}\nframes", "axis: [0, 1, 0], mimic: {joint: turn}}\nframes")
    with pytest.raises(DescriptionError, match="loop 'g': joint 'swing' follows 'turn'; couple 'turn' in its place"):
        parse_yaml(f"{text}loops:\n  g: {{kind: coupling, terms: {{swing: 1}}}}\n".encode(), "r.yaml")


def test_distances_are_inputs_by_name() -> None:
    robot = read_robot(CORPUS / "loops_every_kind.yaml")
    held = tuple(own for own in robot.acting if own.name == "i j")
    loaded = symdyn.from_description(replace(robot, acting=held), runtime=["load", "i j.distance"])
    assert loaded.runtime_parameters == ("load", "i j.distance") and loaded.runtime_defaults.tolist() == [2.0, 1.8]
    assert loaded.model.slots.units == ("kg", "m")


def test_the_example_of_the_documentation_closes() -> None:
    page = (CHECKOUT / "docs" / "yaml-format.md").read_text("utf-8").split("## Loops\n")[1]
    example = page.split("```yaml\n")[1].split("```")[0]
    robot = parse_yaml(example.encode(), "yaml-format.md")
    assert robot.warnings == () and all(isinstance(own, Holding) for own in robot.acting)
    loaded = symdyn.robot.loading.robot_of(robot)
    assert [(own.kind, len(own.rows), own.dropped) for own in loaded.constraints] == [
        ("revolute", 2, ("z", "tilt_x", "tilt_y")),
        ("coupling", 1, ()),
    ]
    assert loaded.constraints[1].rows == ("gear",) and loaded.mobility == 1
    _, spin, turn, _ = loaded.close([0, 0, 0.6, 0], hold=["turn"])
    assert loaded.coordinate_names == ("slide", "spin", "turn", "bend") and turn == 0.6
    assert spin == pytest.approx(0.2, abs=1e-14)
    kinds = set(re.findall(r"^\| `(\w+)` \| [a-z]", page.split("## What is")[0], re.MULTILINE))
    assert kinds > {kind.value for kind in LoopKind} | {"coupling"}


def test_a_file_beside_urdf(tmp_path: Path) -> None:
    (tmp_path / "bar.urdf").write_text(URDF)
    (tmp_path / "loops.yaml").write_text(BESIDE)
    robot = read_robot(tmp_path / "bar.urdf", loops=tmp_path / "loops.yaml")
    yaml = parse_yaml(FOUR_BAR.encode(), "r.yaml")
    assert [replace(own, line=None, source="") for own in robot.acting] == bare(yaml)
    assert robot.frames == yaml.frames and robot.source == "bar.urdf"
    with pytest.warns(symdyn.SymdynWarning, match=r"bar\.urdf: loops\.yaml:2: loop 'pin': rows z, tilt_x, tilt_y"):
        loaded = symdyn.load(tmp_path / "bar.urdf", loops=str(tmp_path / "loops.yaml"))
    assert loaded.mobility == 1
    with pytest.warns(symdyn.SymdynWarning):
        resolved = symdyn.from_description(parse_yaml(write_yaml(loaded.resolved()).encode(), "robot.yaml"))
    assert resolved.constraints == loaded.constraints


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("loops: {pin: {between: [end, top], kind: fixed}}\n", r"^l\.yaml:1: loop 'pin': between\.0: place 'end' does"),
        ("frames: {}\n", r"^l\.yaml:1: loops is missing"),
        ("loops: {}\nlinks: {a: }\n", r"^l\.yaml:2: links: unknown key; known keys are format, loops, frames"),
        ("loops: {}\nframes: {base: {link: crank}}\n", r"^l\.yaml:2: frame 'base' has the name of a link, which is a"),
        (
            "loops:\n  g: {kind: coupling, terms: {turnn: 1}}\n",
            r"^l\.yaml:2: loop 'g': joint 'turnn' does not exist; did",
        ),
        (
            "loops:\n  g: {between: [coupler, rocker], kind: revolute, axis: [0, 1, 0]}\n",
            r"^bar\.urdf: l\.yaml:2: loop 'g' is open by 0\.4 m at the neutral position, where all",
        ),
        ("loops: [\n", r"^l\.yaml:2: not well-formed YAML"),
    ],
)
def test_refused_files_beside(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "bar.urdf").write_text(URDF)
    (tmp_path / "l.yaml").write_text(text)
    with pytest.raises((DescriptionError, ModelError), match=words):
        symdyn.load(tmp_path / "bar.urdf", loops=tmp_path / "l.yaml")


def test_a_file_beside_yaml_knows_its_parameters_and_no_other_loops(tmp_path: Path) -> None:
    (tmp_path / "l.yaml").write_text(
        "loops: {a: {between: [end, {link: rocker, point: [k, 0, 0]}], kind: spherical}}\n"
    )
    head = FOUR_BAR_LINKS.replace("links:", "parameters: {k: {value: 0.6, runtime: true}}\nlinks:", 1)
    (tmp_path / "r.yaml").write_text(head)
    robot = read_robot(tmp_path / "r.yaml", loops=tmp_path / "l.yaml")
    assert robot.acting[0].stands[1].point == (Expression("k"), 0.0, 0.0)
    (tmp_path / "r.yaml").write_text(FOUR_BAR)
    with pytest.raises(DescriptionError, match=r"^l\.yaml: robot 'fourbar' has loops of its own in r\.yaml; keep one"):
        read_robot(tmp_path / "r.yaml", loops=tmp_path / "l.yaml")
    with pytest.raises(DescriptionError, match=r"^none\.yaml: no such file"):
        read_robot(CORPUS / "crane.yaml", loops=tmp_path / "none.yaml")


@pytest.mark.parametrize("name", ["double_pendulum", "aerial_tree"])
def test_shipped_robots_take_such_files(tmp_path: Path, name: str) -> None:
    (tmp_path / "l.yaml").write_text("loops: {g: {kind: coupling, terms: {none: 1}}}\n")
    with pytest.raises(DescriptionError, match=r"^l\.yaml:1: loop 'g': joint 'none' does not exist"):
        symdyn.load_example(name, loops=tmp_path / "l.yaml")
