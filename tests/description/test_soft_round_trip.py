"""Any rod that is written to YAML returns exactly, and the schema for editors knows all of its keys."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
from hypothesis import given, settings
from ruamel.yaml import YAML
from support.rods import rods

from symdyn.description.checks.check import check
from symdyn.description.checks.soft import faults
from symdyn.description.read import read_robot
from symdyn.description.robot import Link, RobotDescription
from symdyn.description.soft import Soft
from symdyn.description.yaml.json_schema import yaml_schema
from symdyn.description.yaml.read import parse_yaml
from symdyn.description.yaml.write import write_yaml

FOLDER = Path(__file__).parent / "corpus"
SOUND = ("soft_arm", "soft_bases", "soft_coupled", "soft_numbers", "soft_section_shapes_sound", "soft_slanted")
SECTIONS = ("section_shapes", "section_law", "volume_preserving")
WRONG_SHAPES = (
    "soft_a_number",
    "soft_basis_misspelt",
    "soft_basis_needs_pieces",
    "soft_coupled_unknown_strain",
    "soft_degree_fraction",
    "soft_degree_large",
    "soft_degree_negative",
    "soft_density_missing",
    "soft_function_not_a_number",
    "soft_functions_empty",
    "soft_length_missing",
    "soft_magnus_three",
    "soft_material_misspelt",
    "soft_pieces_zero",
    "soft_section_misspelt",
    "soft_section_shapes",
    "soft_shear_factors_three",
    "soft_stations_zero",
    "soft_strain_unknown",
    "soft_substeps_zero",
)


@settings(max_examples=50)
@given(rods())
def test_round_trip_is_exact(rod: Soft) -> None:
    assert list(faults(rod)) == []
    robot = RobotDescription("r", (Link("a", soft=rod),), (), source="r.yaml")
    assert check(robot).links == robot.links
    text = write_yaml(robot)
    again = parse_yaml(text.encode(), "again.yaml")
    assert again.links[0].soft == rod
    assert write_yaml(again) == text and text.isascii()


def _typed(name: str) -> object:
    return json.loads(json.dumps(YAML(typ="safe", pure=True).load((FOLDER / f"{name}.yaml").read_text("utf-8"))))


def test_schema_accepts_what_is_read_and_refuses_wrong_shapes() -> None:
    validator = jsonschema.Draft202012Validator(yaml_schema())
    for name in SOUND:
        assert list(validator.iter_errors(_typed(name))) == [], name
        resolved = YAML(typ="safe", pure=True).load(write_yaml(read_robot(FOLDER / f"{name}.yaml")))
        assert list(validator.iter_errors(resolved)) == [], name
    for name in WRONG_SHAPES:
        assert list(validator.iter_errors(_typed(name))), name


def test_schema_describes_every_key_of_a_rod() -> None:
    definitions = yaml_schema()["$defs"]
    properties = definitions["SoftYaml"]["properties"]
    wanted = {"length", "start", "axis", "rpy", "rotation", "section", "material", "strain", "coupled", "basis"}
    assert set(properties) == wanted | {"reference", "stations", "magnus", "substeps", "max_turn_per_step", *SECTIONS}
    for name in ("SoftYaml", "SectionShapeYaml", "SectionYaml", "MaterialYaml", "FunctionsYaml", "StrainYaml"):
        variants = definitions[name].get("anyOf", [definitions[name]])
        for key, entry in (pair for own in variants for pair in own["properties"].items()):
            assert "description" in entry or "$ref" in str(entry) or "enum" in entry, key
