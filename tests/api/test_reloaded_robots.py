"""The robot.yaml of a generated folder is the robot that was generated, whatever load was told."""

from __future__ import annotations

import inspect
import random
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ruamel.yaml import YAML
from support.robots.small import torque

import symdyn
from symdyn import api
from symdyn.description.read import read_robot
from symdyn.description.yaml.json_schema import yaml_schema
from symdyn.description.yaml.write import write_yaml
from symdyn.robot.robot import Robot

ROBOT = """name: plant
parameters:
  load: 0.7
  rate: {value: 0.2, runtime: true}
links:
  base: {mass: 1, inertia: {xx: 0.1, yy: 0.2, zz: 0.25}}
  arm: {mass: 2 + load, com: [0.1, 0.2, 0.3], inertia: {xx: 0.1, yy: 0.2, zz: 0.25, xy: 0.01}}
  'finger, left': {mass: 0.5, com: [0.1, 0, 0.3], inertia: {xx: 0.01, yy: 0.02, zz: 0.025}}
  thumb: {mass: 0.25, com: [0.1, 0, 0.3], inertia: {xx: 0.01, yy: 0.02, zz: 0.025}}
joints:
  shoulder: {type: spherical, parent: base, child: arm, translation: [0, 0, 1], losses: {damping: rate}}
  'grip: "left"': {type: revolute, parent: arm, child: 'finger, left', axis: [1, 2, 0], losses: {damping: 0.3}}
  pinch: {type: helical, parent: arm, child: thumb, axis: [0, 1, 0], pitch: 0.1, losses: {friction: 0.4}}
"""


@dataclass(frozen=True)
class Case:
    """Options of load, and what the robot's nq, nv and number of parameters then are."""

    options: dict[str, Any]
    sizes: tuple[int, int, int]
    changes: dict[str, Any] = field(default_factory=dict)
    """Of the manifest, against loading without options."""


LOCK = {"shoulder": [0.5, 0.5, 0.5, 0.5], 'grip: "left"': 0.3}
CASES: dict[str, list[Case]] = {
    "floating_base": [Case({"floating_base": True}, (13, 11, 1), {"floating_base": True})],
    "locked_joints": [
        Case({"locked_joints": {'grip: "left"': -0.3}}, (5, 4, 1), {"locked_joints": {'grip: "left"': -0.3}}),
        Case({"locked_joints": LOCK}, (1, 1, 1), {"locked_joints": LOCK}),
    ],
    "runtime": [
        Case({"runtime": ["thumb.mass", "load"]}, (6, 5, 3), {"runtime": ["thumb.mass", "load"]}),
        Case({"runtime": ["gravity.z", "finger, left.com.x"]}, (6, 5, 3)),
    ],
    "joint_losses": [Case({"joint_losses": True}, (6, 5, 1), {"joint_losses": True})],
    "convention": [Case({"convention": "spatial", "floating_base": True}, (13, 11, 1), {"convention": "spatial"})],
    "gravity": [Case({"gravity": [0.1, -1 / 3, 1e-300]}, (6, 5, 1), {"gravity": [0.1, -1 / 3, 1e-300]})],
}
TOGETHER = Case({name: value for cases in CASES.values() for name, value in cases[-1].options.items()}, (8, 7, 3))
READING = {"path", "description", "strict", "repair", "ignore", "xacro_args", "folders", "package_paths"}
NO_PART_OF_THE_ROBOT = READING | {"loops", "contacts", "joint_stops"}
"""What was mended, stops that were asked for, loops and contacts of files beside the robot are in the description."""
ALL = [*(case for cases in CASES.values() for case in cases), TOGETHER]


def quiet(path: Path, **options: Any) -> Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return symdyn.load(path, **options)


def assert_same(robot: Robot, again: Robot) -> None:
    assert (robot.nq, robot.nv, robot.name) == (again.nq, again.nv, again.name)
    for names in ("coordinate_names", "velocity_names", "body_names", "frame_names", "runtime_parameters"):
        assert getattr(robot, names) == getattr(again, names)
    assert robot.load_options() == again.load_options()
    assert robot.runtime_defaults.tobytes() == again.runtime_defaults.tobytes()
    assert robot.model == again.model
    draw = random.Random(7)
    q, v, a = ([draw.uniform(-1, 1) for _ in range(size)] for size in (robot.nq, robot.nv, robot.nv))
    p = robot.runtime_defaults.tolist()
    assert torque(robot, q, v, a, p=p) == torque(again, q, v, a, p=p)


@pytest.fixture
def plant(tmp_path: Path) -> Path:
    path = tmp_path / "plant.yaml"
    path.write_text(ROBOT)
    return path


def test_every_option_of_load_has_a_round_trip() -> None:
    for function in (symdyn.load, symdyn.from_description):
        assert set(inspect.signature(function).parameters) - NO_PART_OF_THE_ROBOT == set(CASES)
    assert all(name in case.options for name, cases in CASES.items() for case in cases)


@pytest.mark.parametrize("case", ALL, ids=lambda case: ",".join(case.options))
def test_what_was_generated_is_what_is_loaded(case: Case, plant: Path, tmp_path: Path) -> None:
    robot = quiet(plant, **case.options)
    assert (robot.nq, robot.nv, len(robot.runtime_parameters)) == case.sizes
    plain = quiet(plant).load_options()
    for name, value in case.changes.items():
        assert robot.load_options()[name] == value != plain[name]
    folder = symdyn.generate(robot, ["inverse_dynamics"], out=tmp_path / "out", target="python")
    again = quiet(folder / "robot.yaml")
    assert_same(robot, again)
    # And so for ever: what the reloaded robot writes is the same file, and its code the same code.
    for file in api.sources(again, ["inverse_dynamics"], target="python"):
        assert (folder / file.path).read_bytes() == file.text.encode(), file.path


def test_verify_takes_the_robot_of_the_folder(plant: Path, tmp_path: Path) -> None:
    robot = quiet(plant, **TOGETHER.options)
    folder = symdyn.generate(robot, ["inverse_dynamics"], out=tmp_path / "out", target="python")
    assert api.verify(folder, states=1).passed


@pytest.mark.parametrize("case", ALL, ids=lambda case: ",".join(case.options))
def test_an_option_that_is_given_replaces_that_of_the_file(case: Case, plant: Path, tmp_path: Path) -> None:
    folder = symdyn.generate(quiet(plant, **case.options), ["inverse_dynamics"], out=tmp_path / "out", target="python")
    plain = quiet(plant)
    given = {
        "floating_base": False,
        "locked_joints": {},
        "runtime": [],
        "joint_losses": False,
        "convention": "pinocchio",
        "gravity": plain.model.gravity,
    }
    again = quiet(folder / "robot.yaml", **given)
    assert again.load_options() == plain.load_options()
    assert (again.nq, again.nv) == (plain.nq, plain.nv)
    assert again.runtime_parameters == plain.runtime_parameters == ("rate",)


def test_descriptions_tell_how_they_are_loaded(plant: Path, tmp_path: Path) -> None:
    robot = quiet(plant, **TOGETHER.options)
    folder = symdyn.generate(robot, ["inverse_dynamics"], out=tmp_path / "out", target="python")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = symdyn.from_description(read_robot(folder / "robot.yaml"))
        free = symdyn.from_description(read_robot(folder / "robot.yaml"), locked_joints={})
    assert_same(robot, again)
    assert free.nv == 11


@pytest.mark.parametrize(
    ("load", "message"),
    [
        ("{locked_joints: {grip: 0}}", "locked joint 'grip' is not a joint"),
        ("{locked_joints: {pinch: []}}", "load.locked_joints.pinch: expected a number, or one per coordinate"),
        ("{locked_joints: {pinch: rate}}", "load.locked_joints.pinch: .*depends on the run-time parameter 'rate'"),
        ("{locked_joints: {pinch: {a: 1}}}", "load.locked_joints.pinch: expected a number or an expression, got a map"),
        ("{runtime: thumb.mass}", "load.runtime: expected a list, got 'thumb.mass'"),
        ("{runtime: [[thumb.mass]]}", "load.runtime.0: expected a name, got a list"),
        ("{runtime: [thumb.weight]}", "run-time parameter 'thumb.weight'"),
        ("{joint_losses: 1}", "load.joint_losses: expected true or false, got '1'"),
        ("{convention: drake}", "load.convention: expected pinocchio or spatial or mujoco, got 'drake'"),
        ("{gravity: [0, 0, 0]}", "load.gravity: unknown key"),
        ("3", "load: expected a mapping"),
    ],
)
def test_what_a_file_cannot_ask_of_loading(load: str, message: str, plant: Path) -> None:
    plant.write_text(f"{ROBOT}load: {load}\n")
    with pytest.raises(symdyn.SymdynError, match=rf"plant\.yaml.*{message}"):
        quiet(plant)
    plant.write_text(f"{ROBOT}load:\n")
    assert quiet(plant).nv == 5


def test_locks_in_files_are_expressions(plant: Path) -> None:
    plant.write_text(f"{ROBOT}load: {{locked_joints: {{pinch: 2*load, shoulder: [0, 0, 0, 1]}}}}\n")
    assert quiet(plant).load_options()["locked_joints"] == {"pinch": 1.4, "shoulder": [0.0, 0.0, 0.0, 1.0]}


def test_what_is_written_fits_the_schema_of_editors(plant: Path) -> None:
    written = write_yaml(quiet(plant, **TOGETHER.options).resolved())
    data = YAML(typ="safe", pure=True).load(written)
    assert data["load"].keys() == {"locked_joints", "runtime", "joint_losses", "convention"}
    jsonschema.validate(data, yaml_schema())
    for wrong in ({"convention": "drake"}, {"joint_losses": "yes"}, {"runtime": "a"}, {"locked_joints": {"j": []}}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**data, "load": wrong}, yaml_schema())
