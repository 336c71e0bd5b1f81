"""Bodies given by their map: refused where they cannot be, written so that they are read back, known to the schema."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ruamel.yaml import YAML
from support.robots.mapped_bodies import bag, growing_segment, membrane

from symdyn.description.checks.check import check
from symdyn.description.checks.mapped import faults
from symdyn.description.mapped import Mapped
from symdyn.description.read import read_robot
from symdyn.description.robot import Link, RobotDescription
from symdyn.description.yaml.json_schema import yaml_schema
from symdyn.description.yaml.read import parse_yaml
from symdyn.description.yaml.write import write_yaml
from symdyn.errors import DescriptionError

FOLDER = Path(__file__).parent / "corpus"
SOUND = {"membrane": membrane, "growing": growing_segment, "bag": bag}
WRONG_SHAPES = ("a_number", "coordinate_unit", "coordinates_missing", "domain_two_axes", "key_misspelt", "map_two_rows")


def holding(body: Mapped) -> RobotDescription:
    return RobotDescription("r", (Link("a", deformable=body),), (), source="r.yaml")


@pytest.mark.parametrize("name", SOUND)
def test_round_trip_is_exact(name: str) -> None:
    robot = check(holding(SOUND[name](damping=(0.5,) * len(SOUND[name]().rows), root=(0.0, 0.0, 0.0), tip=None)))
    text = write_yaml(robot)
    again = parse_yaml(text.encode(), "again.yaml")
    assert again.links[0].deformable == robot.links[0].deformable
    assert write_yaml(again) == text and text.isascii()
    assert check(robot) == robot


def test_short_forms() -> None:
    entries = ("coordinates: [w]", "quadrature: 2", "damping: 0.3", "tip: [0.1, 0.1, 0.05]", "energy: 2*w**2")
    (link,) = _read(*entries).links
    body = link.deformable
    assert body is not None
    assert (body.coordinates, body.quadrature, body.damping) == ((("w", "1"),), (2, 2, 2), (0.3,))
    assert body.end == (0.1, 0.1, 0.05)


def _read(*entries: str) -> RobotDescription:
    lines = ["domain: [[0, 0.2], [0, 0.2], [0, 0.1]]", "map: [s1*(1 + w), s2, s3]", "density: 1000", *entries]
    text = "name: r\nlinks:\n  a:\n    deformable:\n" + "".join(f"      {line}\n" for line in lines)
    return parse_yaml(text.encode(), "r.yaml")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"coordinates": ()}, "coordinates are 0; expected 1 to 24"),
        ({"coordinates": (("w", "m"), ("w", "m"))}, r"coordinates\.w is there twice"),
        ({"coordinates": (("w", "m"), ("u", "s"))}, r"coordinates\.u has the unit 's'"),
        ({"coordinates": (("w", "m"), ("exp", "m"))}, r"coordinates\.exp means something else"),
        ({"coordinates": (("w", "m"), ("u", "m"), ("z", "m"))}, "damping has 2 numbers for 3 coordinates"),
        ({"density": math.nan}, "density is nan"),
        ({"density": 1e-320}, "density makes a mass of"),
        ({"domain": ((0.0, math.inf), (0.0, 1.0), (0.0, 1.0))}, "domain of s1 is from 0 to inf"),
        ({"quadrature": (0, 1, 1)}, "quadrature along s1 is 0"),
        ({"quadrature": (1, 1, 1)}, "coordinates are dependent|coordinates.* moves no point"),
        ({"damping": (0.1, math.nan)}, r"damping\.u is nan"),
        ({"map": ("s1", "s2", "s3 + __import__('os')")}, r"map\.2 is no expression"),
        (
            {"map": ("s1", "s2", "s3 + w*v")},
            r"map\.2 holds the name 'v', which has no value; expected s1, s2, s3, w, u",
        ),
        ({"map": ("s1", "s2 + sqrt(s1 - 1)", "s3 + w*s1*s1")}, r"map\.1 has no finite value at \(s1, s2, s3\)"),
        ({"map": ("s1 - s1", "s2", "s3 + w*s1*s1")}, "map leaves it no volume at"),
        ({"map": ("-s1", "s2", "s3 + w*s1*s1")}, "map turns the matter inside out at"),
        ({"map": ("s1", "s2", "s3 + w*s1*s1 + u")}, "map does not fix the root frame: the point"),
        ({"map": ("s1 - u*s3", "s2", "s3 + u*s1")}, "map does not fix the root frame: the matter at"),
        ({"map": ("s1", "s2", "s3 + w*s1*s1 + u*u*s1*s1*s2")}, r"coordinates\.u moves no point of the body at rest"),
        ({"map": ("s1", "s2", "s3 + (w + u)*s1*s1")}, "coordinates are dependent"),
        ({"energy": "w + v"}, "energy holds the name 'v'"),
        ({"energy": "log(w)"}, "energy has no finite value at rest"),
        ({"energy_density": "1/(s1 - s1)"}, "energy_density has no finite value at rest"),
        ({"tip": (0.31, 0.0, 0.0)}, r"tip has s1 = 0\.31, outside the domain"),
        ({"root": (math.nan, 0.0, 0.0)}, "root holds nan"),
        ({"root": (0.1, 0.1, 0.0)}, "map does not fix the root frame: the point"),
    ],
)
def test_refused_from_python(change: dict[str, Any], words: str) -> None:
    with pytest.raises(DescriptionError, match=rf"^r.yaml: link 'a': deformable\.({words})"):
        check(holding(membrane(**change)))


@pytest.mark.parametrize(
    ("coordinates", "words"),
    [
        ("[[w], [u]]", "expected a mapping of names to units, such as {bend: rad}, got a list"),
        ("[{w: m}]", "expected a mapping of names to units, such as {bend: rad}, got a list"),
        ("{w: [m]}", "expected the unit of 'w', one of m, rad, 1, got a list"),
        ("", "expected a mapping of names to units, such as {bend: rad}, got nothing"),
    ],
)
def test_coordinates_that_are_no_names(coordinates: str, words: str) -> None:
    with pytest.raises(DescriptionError, match=rf"deformable\.coordinates: {re.escape(words)}"):
        _read(f"coordinates: {coordinates}")


def test_sound_bodies_have_no_fault() -> None:
    for made in SOUND.values():
        assert list(faults(made())) == []
    # Where the matter at the root shrinks to a line, its place alone can be asked for.
    assert list(faults(bag(domain=((0.0, 0.1), (0.1, 3.0), (0.0, 6.0))))) == []


def test_two_ways_to_deform() -> None:
    from support.rods import rod

    link = replace(holding(membrane()).links[0], soft=rod())
    with pytest.raises(DescriptionError, match="soft and deformable both say how it deforms; keep one"):
        check(RobotDescription("r", (link,), (), source="r.yaml"))


def test_schema() -> None:
    validator = jsonschema.Draft202012Validator(yaml_schema())

    def typed(text: str) -> object:
        return json.loads(json.dumps(YAML(typ="safe", pure=True).load(text)))

    for path in (FOLDER / "deformable_membrane.yaml",):
        assert list(validator.iter_errors(typed(path.read_text("utf-8")))) == []
        assert list(validator.iter_errors(typed(write_yaml(read_robot(path))))) == []
    for name in WRONG_SHAPES:
        assert list(validator.iter_errors(typed((FOLDER / f"deformable_{name}.yaml").read_text("utf-8")))), name
    properties = yaml_schema()["$defs"]["MappedYaml"]["properties"]
    assert all("description" in entry for entry in properties.values())


def test_the_example_of_the_documentation_is_read() -> None:
    page = (Path(__file__).parents[2] / "docs" / "yaml-format.md").read_text("utf-8")
    blocks = [block.split("```")[0] for block in page.split("```yaml\n")[1:]]
    (example,) = (block for block in blocks if block.startswith("name: drum"))
    robot = parse_yaml(example.encode(), "yaml-format.md")
    body = robot.links[0].deformable
    assert robot.warnings == () and body is not None and body.rows == ("w", "u")
