"""What a URDF's <limit> means where bounds are absent, and when a warning says so."""

from __future__ import annotations

import math

import pytest

from symdyn.description.checks.check import check
from symdyn.description.robot import Limits
from symdyn.description.urdf.read import parse_urdf

NEITHER = "neither lower nor upper"


@pytest.mark.parametrize(
    ("kind", "bounds", "expected", "warned"),
    [
        ("revolute", "", Limits(0.0, 0.0, 2.0, 3.0), NEITHER),
        ("revolute", 'upper="1.5"', Limits(0.0, 1.5, 2.0, 3.0), None),
        ("prismatic", 'lower="-1.5"', Limits(-1.5, 0.0, 2.0, 3.0), None),
        ("revolute", 'lower="-1" upper="1"', Limits(-1.0, 1.0, 2.0, 3.0), None),
        ("continuous", "", Limits(-math.inf, math.inf, 2.0, 3.0), None),
        ("continuous", 'upper="1.5"', Limits(-math.inf, math.inf, 2.0, 3.0), "are not used"),
        ("continuous", 'lower="-1"', Limits(-math.inf, math.inf, 2.0, 3.0), "are not used"),
    ],
)
def test_bounds_that_are_absent(kind: str, bounds: str, expected: Limits, warned: str | None) -> None:
    robot = parse_urdf(
        f'<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="{kind}"><parent link="a"/>'
        f'<child link="b"/><axis xyz="0 0 1"/><limit {bounds} velocity="2" effort="3"/></joint></robot>'.encode(),
        "r.urdf",
    )
    assert robot.joints[0].limits == expected
    found = [text for text in robot.warnings if "limit" in text]
    assert len(found) == (warned is not None) and all(warned in text for text in found if warned)


@pytest.mark.parametrize("bound", ["0.5", "0"])
def test_slow_and_weak_joints_are_joints(bound: str) -> None:
    text = (
        f'<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="revolute"><parent link="a"/>'
        f'<child link="b"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="{bound}" effort="{bound}"/>'
        f"</joint></robot>"
    )
    robot = check(parse_urdf(text.encode(), "r.urdf"))
    assert robot.joints[0].limits == Limits(-1.0, 1.0, float(bound), float(bound))
    assert not [text for text in robot.warnings if "limit" in text]
