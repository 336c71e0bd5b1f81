"""Section shapes in files: read, written back, or refused with the place and what would do."""

from __future__ import annotations

import math

import pytest
from support.rods import described

from symdyn.description.actuation import Actuation
from symdyn.description.robot import RobotDescription
from symdyn.description.soft import TURN, SectionShape
from symdyn.description.yaml.read import parse_yaml
from symdyn.description.yaml.write import write_yaml
from symdyn.errors import DescriptionError

SHAPES = "[{radius: 0.1*x*cos(phi), on: [0, pi]}, {radius: 0.01}]"
ROD = """name: r
parameters:
  rim: {value: 0.03, unit: m}
links:
  arm:
    soft:
      length: 0.5
      section: {shape: circle, radius: rim}
      material: {youngs_modulus: 1e6, poisson_ratio: 0.49, density: 1000}
      strain: {curvature_z: 2}
      section_shapes: [{radius: rim*sin(phi)/2, on: [-pi/2, pi/2]}]
      section_law: green_lagrange
chambers:
  bag: {link: arm, skin: 0.002*(1 + x), wall: radius(x)/2, angles: [0, 2]}
actuators: [bag]
"""


def _robot(text: str) -> RobotDescription:
    return parse_yaml(text.encode(), "r.yaml")


def test_shapes_are_read() -> None:
    soft = described(section_shapes=SHAPES)
    assert soft.section_shapes == (SectionShape("0.1 * x * cos(phi)", 0.0, math.pi), SectionShape("0.01", 0.0, TURN))
    assert soft.rows[-2:] == ("section[0]", "section[1]") and soft.coordinates == 5


def test_they_return_exactly() -> None:
    robot = _robot(ROD)
    again = _robot(write_yaml(robot))
    assert again.links == tuple(robot.links) or again.links[0].soft == robot.links[0].soft
    assert write_yaml(again) == write_yaml(robot)
    (bag,), (own,) = again.actuation.chambers, robot.actuation.chambers
    assert (bag.skin, bag.wall, bag.angles, bag.area) == (own.skin, own.wall, own.angles, own.area)
    assert bag.wall and isinstance(again.actuation, Actuation)


def test_that_volume_stays_returns() -> None:
    robot = _robot(
        ROD.replace("      section_shapes: [{radius: rim*sin(phi)/2, on: [-pi/2, pi/2]}]\n", "")
        .replace("section_law: green_lagrange", "volume_preserving: true")
        .replace("{curvature_z: 2}", "{curvature_z: 2, stretch: 0}")
    )
    soft = robot.links[0].soft
    assert soft is not None and soft.volume_preserving
    again = _robot(write_yaml(robot))
    assert again.links[0].soft == soft and write_yaml(again) == write_yaml(robot)


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({"section_shapes": "3"}, "section_shapes: expected a list"),
        ({"section_shapes": "[{on: [0, 1]}]"}, "section_shapes.0.radius is missing"),
        ({"section_shapes": "[{radius: [1]}]"}, "radius: expected a number or an expression in x and phi, got a list"),
        ({"section_shapes": "[{radius: 0.1*r}]"}, "radius: .*unknown name 'r'; use x, phi"),
        ({"section_shapes": "[{radius: x - x}]"}, "section_shapes.0.radius is zero everywhere; delete it"),
        ({"section_shapes": "[{radius: 1e31}]"}, "radius is 1e.31 m in magnitude, beyond"),
        ({"section_shapes": "[{radius: log(-x)}]"}, "radius has no finite value at x = "),
        ({"section_shapes": "[{radius: 1, on: [1]}]"}, "on: expected two angles"),
        ({"section_shapes": "[{radius: 1, on: [2, 1]}]"}, "on goes from 2 to 1 rad; expected two angles, the second"),
        ({"section_shapes": "[{radius: 1, on: [0, 7]}]"}, r"on spans 7 rad; a section has 2\*pi"),
        ({"section_shapes": "[{radius: 1}, {radius: 1, n: 2}]"}, "section_shapes.1.n: unknown key"),
        (
            {"section_shapes": "[{radius: 1}]", "section": "{shape: rectangle, width: 0.1, height: 0.1}"},
            "section_shapes change a radius, which a section of shape rectangle has not; use circle or ring",
        ),
        ({"section_law": "green"}, "section_law: expected one of winkler, green_lagrange, got 'green'"),
        ({"section_law": "green_lagrange"}, "section_law is green_lagrange, and no section deforms"),
        ({"volume_preserving": "3"}, "volume_preserving: expected true or false, got "),
        ({"volume_preserving": "true"}, "volume_preserving: no coordinate stretches the rod, so that sections stay"),
        (
            {"volume_preserving": "true", "section_shapes": SHAPES},
            "volume_preserving makes the radius follow the stretch, and section_shapes give it coordinates; keep one",
        ),
        (
            {"volume_preserving": "true", "strain": "{stretch: 0}", "section_law": "green_lagrange"},
            "no section deforms",
        ),
        (
            {"section_law": "green_lagrange", "section_shapes": SHAPES},
            "poisson_ratio is 0.5, with which the energy of section_law green_lagrange is infinite; give less",
        ),
    ],
)
def test_refused(entries: dict[str, str], words: str) -> None:
    with pytest.raises(DescriptionError, match=rf"^r.yaml:\d+: link 'arm': soft.*{words}"):
        described(**entries)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("wall: radius(x)/2, angles: [0, 2]", "area: 1e-5", "skin goes with wall and angles"),
        ("skin: 0.002*(1 + x), wall: radius(x)/2, angles: [0, 2]", "area: 1e-5", "area does not say how it changes"),
        ("wall: radius(x)/2", "wall: radius(x)", "wall reaches beyond the rod's axis"),
        ("angles: [0, 2]", "angles: [0, 7]", r"angles span 7 rad; a section has 2\*pi"),
        ("[bag]", "[bag, {rest: arm}]", "the energy of soft link 'arm', by section_law green_lagrange, has no strain"),
        ("section_law:", "reference: {curvature_z: 1}\n      section_law:", "green_lagrange takes a straight rod"),
        ("rim:", "phi: 1\n  rim:", "phi is a place in the section here; rename the parameter"),
    ],
)
def test_refused_around_it(old: str, new: str, words: str) -> None:
    from symdyn.description.checks.check import check

    assert old in ROD
    with pytest.raises(DescriptionError, match=words):
        check(_robot(ROD.replace(old, new, 1)))
