"""Springs, rotors and elastic joints that are put on a robot: the same as where its file has them, bit for bit."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import symdyn
from symdyn.description.robot import RobotDescription
from symdyn.errors import DescriptionError, ModelError, RequestError, SymdynError, SymdynWarning
from symdyn.robot.robot import Robot

ARM = """\
name: arm
gravity: [0, 0, -3.7]
parameters: {k: {value: 30, runtime: true}, half: 0.5}
links:
  base:
  upper: {mass: 2, com: [0.1, 0, 0], inertia: {xx: 0.01, yy: 0.02, zz: 0.02}}
  lower: {mass: 1, com: [0.1, 0, 0], inertia: {xx: 0.01, yy: 0.02, zz: 0.02}}
  ball: {mass: 0.3, inertia: {xx: 1e-3, yy: 1e-3, zz: 1e-3}}
  tip: {mass: 0.5}
joints:
  shoulder: {type: revolute, parent: base, child: upper, axis: [0, 1, 0], losses: {damping: 0.3}SHOULDER}
  elbow: {type: revolute, parent: upper, child: lower, translation: [0.3, 0, 0], axis: [0, 1, 0]ELBOW}
  finger: {type: prismatic, parent: lower, child: tip, axis: [1, 0, 0], mimic: {joint: elbow, multiplier: 0.05}FINGER}
  wrist: {type: spherical, parent: lower, child: ball, translation: [0.3, 0, 0]WRIST}
  rest: {type: fixed, parent: base, child: pad}
  hatch: {type: prismatic, parent: base, child: lid, axis: [0, 0, 1]HATCH}
"""
LINKS = "  pad:\n  lid: {mass: 1}\n"


def written(**said: str) -> str:
    """The file with something said of joints."""
    text = ARM.replace("joints:\n", f"{LINKS}joints:\n")
    for joint in ("shoulder", "elbow", "finger", "wrist", "hatch"):
        text = text.replace(joint.upper(), f", {said[joint]}" if joint in said else "")
    return text


def arm(text: str = "", **options: object) -> Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        return symdyn.loads(text or written(), "yaml", **options)  # type: ignore[arg-type]


def plain(description: RobotDescription) -> RobotDescription:
    """Without the places in the file."""
    return replace(
        description,
        links=tuple(replace(link, line=None) for link in description.links),
        joints=tuple(replace(joint, line=None) for joint in description.joints),
        warnings=(),
    )


Change = Callable[[Robot], Robot]
CASES: dict[str, tuple[Change, dict[str, str]]] = {
    "spring": (lambda r: r.with_spring("elbow", 40, rest=0.3), {"elbow": "spring: {stiffness: 40, rest: 0.3}"}),
    "rotor of a ball": (lambda r: r.with_rotor("wrist", armature=4), {"wrist": "actuator: {armature: 4}"}),
    "several": (
        lambda r: r.with_spring(["elbow", "hatch"], stiffness={"elbow": 0.1, "hatch": 7}),
        {"elbow": "spring: {stiffness: 0.1}", "hatch": "spring: {stiffness: 7}"},
    ),
    "expressions": (
        lambda r: r.with_spring("shoulder", stiffness="k * half", rest="pi/6"),
        {"shoulder": "spring: {stiffness: k * half, rest: pi/6}"},
    ),
    "follower": (lambda r: r.with_spring("finger", np.float64(90.0)), {"finger": "spring: {stiffness: 90}"}),
    "rotor": (
        lambda r: r.with_rotor("elbow", inertia=6e-5, gear_ratio=100),
        {"elbow": "actuator: {rotor_inertia: 6e-5, gear_ratio: 100}"},
    ),
    "armature": (lambda r: r.with_rotor("elbow", armature=0.6), {"elbow": "actuator: {armature: 0.6}"}),
    "elastic": (
        lambda r: r.with_elastic_joint("elbow", 6000, damping=2, rotor_inertia=4e-5, gear_ratio=80),
        {"elbow": "elastic: {stiffness: 6000, damping: 2, rotor_inertia: 4e-5, gear_ratio: 80}"},
    ),
    "rotor, then elastic": (
        lambda r: r.with_rotor("elbow", 4e-5, 80).with_elastic_joint("elbow", 6000),
        {"elbow": "elastic: {stiffness: 6000, rotor_inertia: 4e-5, gear_ratio: 80}"},
    ),
    "elastic, then rotor": (
        lambda r: r.with_elastic_joint("elbow", 6000).with_rotor("elbow", 4e-5, 80),
        {"elbow": "elastic: {stiffness: 6000, rotor_inertia: 4e-5, gear_ratio: 80}"},
    ),
    "all replaced": (
        lambda r: (
            r.with_spring("elbow", 1, 1)
            .with_elastic_joint("elbow", 5, 5, armature=5)
            .with_elastic_joint("elbow", 60, armature=0.1)
            .with_spring("elbow", 4)
        ),
        {"elbow": "elastic: {stiffness: 60, armature: 0.1}, spring: {stiffness: 4}"},
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
def test_a_method_and_a_file_say_the_same(name: str) -> None:
    change, said = CASES[name]
    made, read = change(arm()), arm(written(**said))
    assert plain(made.description) == plain(read.description)
    assert made.to_yaml() == read.to_yaml() and made.warnings == read.warnings
    (q, v), p = read.random_state(1), read.runtime_defaults
    inputs = {"q": q.tolist(), "v": v.tolist(), "a": v.tolist(), "p": p.tolist()}
    found, wanted = (symdyn.api.float_recursion(robot, "inverse_dynamics")(inputs) for robot in (made, read))
    assert found == wanted and made.to_yaml() != arm().to_yaml()


def test_the_robot_that_is_changed_stays_as_it_is() -> None:
    robot = arm()
    before = robot.to_yaml()
    assert robot.with_spring("elbow", 40).to_yaml() != before == robot.to_yaml()


def test_options_of_loading_stay() -> None:
    told = {
        "floating_base": True,
        "locked_joints": {"hatch": 0.2},
        "runtime": ["upper.mass"],
        "joint_losses": True,
        "gravity": (0, 1, -2),
        "convention": "spatial",
    }
    robot = arm(**told)
    made, read = robot.with_spring("elbow", 40), arm(written(elbow="spring: {stiffness: 40}"), **told)
    assert made.options == robot.options and made.to_yaml() == read.to_yaml()
    assert made.coordinate_names == robot.coordinate_names and made.runtime_parameters == ("k", "upper.mass")


@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
def test_loops_stay() -> None:
    bar = symdyn.load_example("four_bar")
    name = bar.velocity_names[0]
    assert bar.with_spring(name, 3).constraints == bar.constraints


def test_one_warning_sums_up_a_change_of_several_joints() -> None:
    with pytest.warns(SymdynWarning) as told:
        robot = arm().with_elastic_joint(["shoulder", "elbow"], 6000)
    assert sum("motor behind its spring" in text for text in robot.warnings) == 2
    assert [warning.filename for warning in told] == [__file__]
    assert "tell each" in str(told[0].message)


def test_what_was_mended_is_warned_of_no_more() -> None:
    with pytest.warns(SymdynWarning, match="no inertia"):
        weightless = arm().with_elastic_joint("elbow", 6000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mended = weightless.with_rotor("elbow", armature=0.1)
    assert not any("motor" in text for text in mended.warnings) and any("motor" in text for text in weightless.warnings)


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        (lambda r: r.with_spring("elbo", 4), ModelError, r"no joint 'elbo'; .*did you mean 'elbow'\?"),
        (lambda r: r.with_rotor("elbow"), RequestError, "no inertia; give inertia"),
        (lambda r: r.with_spring(7, 4), RequestError, "expected the name of a joint"),
        (lambda r: r.with_spring([], 4), RequestError, "expected the name of a joint"),
        (lambda r: r.with_spring("elbow", None), DescriptionError, "stiffness is missing"),
        (lambda r: r.with_spring("elbow", [4]), RequestError, "stiffness: expected a number"),
        (lambda r: r.with_spring("elbow", {"hatch": 4}), RequestError, "another joint, 'hatch'"),
        (lambda r: r.with_spring(["elbow", "hatch"], {"hatch": 4}), RequestError, "no value for 'elbow'"),
        (lambda r: r.with_elastic_joint("finger", 4, armature=1), DescriptionError, "mimics 'elbow', so it has no"),
    ],
)
def test_refusals(change: Change, kind: type[SymdynError], message: str) -> None:
    with pytest.raises(kind, match=message):
        change(arm())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda r: r.with_spring("wrist", 4), {"wrist": "spring: {stiffness: 4}"}),
        (lambda r: r.with_elastic_joint("wrist", 4), {"wrist": "elastic: {stiffness: 4}"}),
        (lambda r: r.with_spring("elbow", -4), {"elbow": "spring: {stiffness: -4}"}),
        (lambda r: r.with_spring("elbow", "kk"), {"elbow": "spring: {stiffness: kk}"}),
        (lambda r: r.with_rotor("elbow", 1, 0), {"elbow": "actuator: {rotor_inertia: 1, gear_ratio: 0}"}),
        (lambda r: r.with_rotor("elbow", 1, armature=2), {"elbow": "actuator: {rotor_inertia: 1, armature: 2}"}),
    ],
)
def test_refusals_are_those_of_the_file(change: Change, said: dict[str, str]) -> None:
    with pytest.raises(DescriptionError) as of_file:
        arm(written(**said))
    with pytest.raises(DescriptionError) as of_method:
        change(arm())
    assert str(of_method.value) == str(of_file.value)
