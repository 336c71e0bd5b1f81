"""Following one name through every room."""

from __future__ import annotations

import pytest
from support.robots.shipped_soft import TREES
from support.robots.small import X, described, joint, loaded, massive

import symdyn
from symdyn import api
from symdyn.description.robot import JointKind, Link, Mimic, Parameter
from symdyn.errors import RequestError
from symdyn.robot.robot import Robot

ROOMS = ("description", "model", "functions", "dynamics", "tracing", "passes", "tape", "emit", "toolchain")


@pytest.fixture(scope="module")
def gripper() -> Robot:
    joints = [
        joint("lift", JointKind.PRISMATIC, "base", "hand"),
        joint("ball", JointKind.SPHERICAL, "hand", "palm"),
        joint("left", JointKind.REVOLUTE, "palm", "finger", axis=X),
        joint("right", JointKind.REVOLUTE, "palm", "thumb", axis=X, mimic=Mimic("left", -1.0)),
    ]
    links = [Link("base"), *(massive(item.child) for item in joints)]
    description = described(links, joints, parameters=(Parameter("grip", None, "N", runtime=True),))
    return loaded(description, runtime=["palm.mass"])


def stations(robot: Robot, name: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for room, text in api.trace(robot, name):
        found.setdefault(room, []).append(text)
    return found


def test_a_coordinate(gripper: Robot) -> None:
    found = stations(gripper, "left")
    assert tuple(found) == ROOMS
    assert found["description"] == ["joint 'left' (revolute) moves link 'finger'"]
    assert found["model"] == ["rows 5..5 of q and 4..4 of v", "followed by right"]
    assert found["functions"][0] == "inverse_dynamics: q[5], rad: coordinates"
    assert found["functions"][-1].startswith("inverse_dynamics: tau[4], N m: generalised forces")
    assert any(line.endswith("= input q[5]  # left") for line in found["tape"])
    assert any(line.startswith("rolled: ") for line in found["tape"])
    assert any("bench_inverse_dynamics.c:" in line and "/* left [rad] */" in line for line in found["emit"])
    assert found["dynamics"] == [
        "rnea_forward of 'finger': port q holds q[5]",
        "rnea_forward of 'finger': port v holds v[4]",
        "rnea_forward of 'finger': port a holds a[4]",
        "rnea_forward of 'thumb': port q holds q[5]",
        "... and 4 more",
    ]
    assert found["toolchain"] == [
        "manifest.json, inverse_dynamics: q[5] is left, rad",
        "manifest.json, inverse_dynamics: v[4] is left, rad/s",
        "manifest.json, inverse_dynamics: a[4] is left, rad/s^2",
        "manifest.json, inverse_dynamics: tau[4] is left, N m",
    ]


def test_a_row_of_a_joint_with_several(gripper: Robot) -> None:
    found = stations(gripper, "ball.wy")
    assert found["model"] == ["rows 1..4 of q and 1..3 of v"]
    assert [line.split(",")[0] for line in found["functions"]] == [
        "inverse_dynamics: v[2]",
        "inverse_dynamics: a[2]",
        "inverse_dynamics: tau[2]",
    ]


def test_a_runtime_mass(gripper: Robot) -> None:
    found = stations(gripper, "palm.mass")
    assert found["description"] == ["palm.mass = 2.0 kg"]
    assert found["model"] == ["slot 1 of p, kg"]
    assert found["functions"] == ["inverse_dynamics: p[1], kg: run-time parameters"]
    assert found["dynamics"] == ["regroup_parameters: port p holds p[1]"]
    assert any("= input p[1]  # palm.mass" in line for line in found["tape"])
    assert any("more instructions that use it" in line for line in found["tape"])


def test_a_baked_mass_is_followed_as_if_it_were_asked_for(gripper: Robot) -> None:
    found = stations(gripper, "finger.mass")
    assert found["model"] == [
        "baked into the constants of its body; below, as the run-time parameter it could be",
        "slot 2 of p, kg",
    ]
    assert gripper.runtime_parameters == ("grip", "palm.mass")


def test_what_nothing_reads_is_said_so(gripper: Robot) -> None:
    found = stations(gripper, "grip")
    assert found["description"] == ["grip, N, given at run time"]
    assert found["tape"][0] == "no instruction reads it: the result does not depend on it"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ball", r"'ball' is neither a coordinate nor a quantity of robot 'bench'; near it are ball.armature, ball.da"),
        ("ball.mass", r"near it are ball.armature.*ball.qw"),
        ("elbow", r"'elbow' is neither .*; 'symdyn info' lists the names"),
        ("right", r"'right' is neither a coordinate"),
    ],
)
def test_unknown_names(gripper: Robot, name: str, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        api.trace(gripper, name)


@pytest.mark.parametrize("name", [name for name in (*TREES, "cable_manipulator") if name != "aerial_tree"])
def test_the_last_coordinate_of_every_example(name: str) -> None:
    robot = symdyn.load_example(name)
    found = stations(robot, robot.coordinate_names[-1])
    assert tuple(found) == ROOMS
