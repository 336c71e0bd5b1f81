"""Whatever is written is read back as the same robot: numbers at the edges of doubles, rotations, long names."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from pathlib import Path

import pytest

from symdyn.description.checks.check import check
from symdyn.description.checks.rotation import dot, perpendicular, rotation_with_x
from symdyn.description.robot import (
    Frame,
    Inertial,
    Joint,
    JointKind,
    Limits,
    Link,
    Mimic,
    Placement,
    RobotDescription,
)
from symdyn.description.yaml.read import parse_yaml
from symdyn.description.yaml.write import write_yaml
from symdyn.errors import DescriptionError

ROBOT = """name: r
links: {{a: , b: {{mass: 1, com: [{com}, 0, 0], inertia: {{xx: 1, yy: 1, zz: 1}}}}, c: {{mass: 1}}}}
joints:
  j: {{type: universal, parent: a, child: b, axis: {axis}, second_axis: {second}}}
  k: {{type: revolute, parent: b, child: c, axis: [0, 0, 1]}}
"""


def robot(axis: str = "[1, 0, 0]", second: str = "[0, 1, 0]", com: str = "0") -> RobotDescription:
    return parse_yaml(ROBOT.format(axis=axis, second=second, com=com).encode(), "r.yaml")


def bare(description: RobotDescription) -> RobotDescription:
    """Without what belongs to the file that was read."""
    return replace(
        description,
        source="",
        warnings=(),
        links=tuple(replace(link, line=None) for link in description.links),
        joints=tuple(replace(joint, line=None) for joint in description.joints),
    )


def assert_comes_back(description: RobotDescription) -> None:
    text = write_yaml(description)
    again = parse_yaml(text.encode("ascii"), "again.yaml")
    assert bare(again) == bare(description)
    assert write_yaml(again) == text


def one_joint(joint: Joint, *more: Joint, frames: tuple[Frame, ...] = ()) -> RobotDescription:
    joints = (joint, *more)
    names = {joint.parent for joint in joints} | {joint.child for joint in joints}
    solid = Inertial(1.0, (1.0, 0.0, 0.0, 1.0, 0.0, 1.0))
    return RobotDescription("r", tuple(Link(name, solid) for name in sorted(names)), joints, frames)


def test_axes_of_any_length_come_back() -> None:
    draw = random.Random(3)
    found = 0
    for _ in range(150):
        exponents = [draw.choice((0, -9, -150, -290, 299, 307)) for _ in range(2)]
        x, y = (draw.uniform(0.1, 1.0) * 10.0**exponent for exponent in exponents)
        described = robot(axis=f"[{x!r}, {y!r}, 0]", second="[0, 0, 1]")
        assert_comes_back(described)
        found += 0.0 in described.joints[0].axis[:2]
    assert found > 20  # of those, components vanish beside the other


def test_a_product_that_no_file_can_hold_is_refused_where_it_stands() -> None:
    with pytest.raises(DescriptionError, match=r"r\.yaml:2: link 'b': com: expression '1e-200\*1e-110' is 1e-310"):
        robot(com='"1e-200*1e-110"')
    assert robot(com='"1e-200*1e-100"').links[1].inertial is not None


def test_second_axes_come_back() -> None:
    draw = random.Random(5)
    for _ in range(150):
        axis = [draw.gauss(0, 1) for _ in range(3)]
        other = perpendicular((0.1, 0.7, -0.7), (1.0, 0.0, 0.0))
        length = math.sqrt(sum(entry * entry for entry in axis))
        unit = (axis[0] / length, axis[1] / length, axis[2] / length)
        second = perpendicular(other, unit)
        off = draw.choice((0.0, 1e-16, 1e-12, 9e-7))
        tilted = [entry + off * direction for entry, direction in zip(second, unit, strict=True)]
        assert_comes_back(robot(axis=repr(list(axis)), second=repr(tilted)))


@pytest.mark.parametrize("tilt", [1.5e-6, 2e-6, 1e-4])
def test_beams_along_the_vertical_have_orthonormal_axes(tilt: float) -> None:
    axis = (math.sin(tilt) * 0.6, math.sin(tilt) * 0.8, math.cos(tilt))
    rows = rotation_with_x(axis)
    columns = list(zip(*rows, strict=True))
    for first in range(3):
        for second in range(3):
            assert dot(columns[first], columns[second]) == pytest.approx(float(first == second), abs=5e-15)


def test_inertial_frames_made_in_python_come_back() -> None:
    turned = Placement((1, 2, 3), ((0.8, -0.6 + 1e-9, 0.0), (0.6, 0.8, 0.0), (1e-10, 0.0, 1.0)))
    described = one_joint(Joint("j", JointKind.REVOLUTE, "a", "b"))
    solid = Inertial(1.0, (1.0, 0.0, 0.0, 1.0, 0.0, 1.0), turned)
    checked = check(replace(described, links=(described.links[0], Link("b", solid))))
    assert checked.links[1].inertial != solid
    assert_comes_back(checked)


def test_what_is_made_in_python_comes_back_too() -> None:
    turned = Placement((1, 2, 3), ((0.8, -0.6 + 1e-9, 0.0), (0.6, 0.8, 0.0), (1e-10, 0.0, 1.0)))
    joint = Joint("j", JointKind.UNIVERSAL, "a", "b", turned, (1.0 - 1e-11, 0.0, 0.0), (1e-10, 1.0, 0.0))
    described = check(one_joint(joint, frames=(Frame("eye", "b", turned),)))
    assert check(described) == described
    assert_comes_back(described)
    with pytest.raises(DescriptionError, match=r"joint 'j': rotation: rows are not orthonormal"):
        check(one_joint(replace(joint, placement=Placement(rotation=((2.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0))))))


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (Limits(lower=math.nan), "limits.lower is nan"),
        (Limits(lower=math.inf), "limits.lower is inf"),
        (Limits(upper=-math.inf), "limits.upper is -inf"),
        (Limits(velocity=-math.inf), "limits.velocity is -inf"),
        (Limits(effort=1e-301), "limits.effort is 1e-301"),
    ],
)
def test_limits_that_no_file_can_hold(limits: Limits, words: str) -> None:
    with pytest.raises(DescriptionError, match=f"joint 'j': {words}; expected 0, or a magnitude from 1e-300"):
        check(one_joint(Joint("j", JointKind.REVOLUTE, "a", "b", limits=limits)))
    assert_comes_back(check(one_joint(Joint("j", JointKind.REVOLUTE, "a", "b", limits=Limits(1e-300, 1e308)))))


@pytest.mark.parametrize(("first", "second"), [(1e-200, 1e-150), (1e200, 1e200)])
def test_chains_of_mimic_joints_that_leave_the_doubles(first: float, second: float) -> None:
    joints = [
        Joint("j", JointKind.REVOLUTE, "a", "b"),
        Joint("k", JointKind.REVOLUTE, "b", "c", mimic=Mimic("j", first, first)),
        Joint("l", JointKind.REVOLUTE, "c", "d", mimic=Mimic("k", second, 0.0)),
    ]
    if first * second == 0.0:
        assert_comes_back(check(one_joint(*joints)))
    else:
        with pytest.raises(DescriptionError, match=r"joint 'l': mimic\.multiplier is inf"):
            check(one_joint(*joints))
    tiny = [*joints[:2], replace(joints[2], mimic=Mimic("k", 1e-105 if first < 1 else 1.0, 0.0))]
    if first < 1:
        with pytest.raises(DescriptionError, match=r"joint 'l': mimic\.multiplier is 1e-305"):
            check(one_joint(*tiny))


@pytest.mark.parametrize("name", ["\U0001f916" * 200, "é" * 200, "a" * 200, 'q"\\: #' * 30, "-", "null", "\u200b."])
def test_any_name_comes_back(name: str) -> None:
    joint = Joint(name, JointKind.REVOLUTE, "a", f"{name[:199]}.")
    described = one_joint(joint, frames=(Frame(name, "a"),))
    assert_comes_back(check(replace(described, name=name)))


def test_the_inputs_that_were_reported(tmp_path: Path) -> None:
    tiny = parse_yaml(
        b"name: r\nlinks: {a: , b: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}}\n"
        b"joints: {j: {type: continuous, parent: a, child: b, axis: [1, 1, 1e308]}}\n",
        "tiny_axis.yaml",
    )
    assert tiny.joints[0].axis == (0.0, 0.0, 1.0)
    assert_comes_back(tiny)
