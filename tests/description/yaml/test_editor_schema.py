"""The JSON Schema as editors use it: the command that writes it, completion of keys, and marks at wrong ones."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ruamel.yaml import YAML

from symdyn.description.yaml.json_schema import yaml_schema
from symdyn.robot.shipped import catalogue

SHIPPED = sorted(Path(catalogue.__file__).parent.glob("*.yaml"))
SCHEMA = yaml_schema()


def plain(path: Path) -> Any:
    """A file as editors parse it, with the types of YAML 1.2."""
    return YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))


def below(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A schema, and all that it may stand for."""
    if "$ref" in schema:
        yield from below(SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]])
        return
    yield schema
    for word in ("anyOf", "oneOf", "allOf"):
        for own in schema.get(word, ()):
            yield from below(own)


def keys_at(place: Sequence[str]) -> set[str]:
    """The keys that an editor offers at a place of a file; ``*`` stands for any name or number."""
    schemas = list(below(SCHEMA))
    for key in place:
        inner = [
            own["properties"][key]
            if key in own.get("properties", {})
            else own.get("additionalProperties", own.get("items"))
            for own in schemas
        ]
        schemas = [found for own in inner if isinstance(own, dict) for found in below(own)]
    return {key for own in schemas for key in own.get("properties", {})}


@pytest.mark.parametrize(
    ("place", "some"),
    [
        ((), {"name", "links", "joints", "parameters", "gravity", "loops", "actuators"}),
        (("links", "*"), {"mass", "com", "inertia", "flexible", "soft", "deformable"}),
        (("links", "*", "inertia"), {"xx", "yy", "zz", "xy", "rpy"}),
        (("joints", "*"), {"type", "parent", "child", "axis", "limits", "mimic"}),
        (("links", "*", "soft"), {"length"}),
        (("links", "*", "soft", "section"), {"shape", "radius", "width", "area", "shear_factors"}),
        (("loops", "*"), {"kind", "between", "axis", "distance", "terms", "rows"}),
        (("bushings", "*"), {"between", "stiffness", "damping", "translation"}),
    ],
)
def test_editors_complete_keys(place: Sequence[str], some: set[str]) -> None:
    assert some <= keys_at(place), keys_at(place)


@pytest.mark.parametrize(
    ("name", "selector", "kind", "has", "lacks"),
    [
        ("LoopYaml", "kind", "distance", {"between", "distance", "close"}, {"axis", "axes", "terms", "rows"}),
        ("LoopYaml", "kind", "universal", {"between", "axes"}, {"axis", "distance", "terms"}),
        ("LoopYaml", "kind", "coupling", {"terms", "offset"}, {"between", "close", "unit"}),
        ("JointYaml", "type", "fixed", {"parent", "child", "at", "rpy"}, {"axis", "limits", "losses", "spring"}),
        ("JointYaml", "type", "revolute", {"axis", "limits", "stops"}, {"second_axis", "pitch", "ball_spring"}),
        ("JointYaml", "type", "helical", {"axis", "pitch", "elastic"}, {"second_axis", "ball_spring"}),
        ("JointYaml", "type", "universal", {"axis", "second_axis", "losses"}, {"pitch", "limits", "actuator"}),
        ("JointYaml", "type", "spherical", {"actuator", "ball_spring"}, {"axis", "elastic", "spring"}),
        ("SectionYaml", "shape", "ring", {"radius", "inner_radius", "shear_factors"}, {"width", "area"}),
    ],
)
def test_editors_complete_keys_of_the_kind(name: str, selector: str, kind: str, has: set[str], lacks: set[str]) -> None:
    (keys,) = (
        set(own["properties"]) for own in SCHEMA["$defs"][name]["anyOf"] if kind in own["properties"][selector]["enum"]
    )
    assert has | {selector} <= keys and not lacks & keys, keys


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_shipped_robots_are_not_marked(file: Path) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(plain(file))


@pytest.mark.parametrize(
    ("old", "new", "at"),
    [("mass:", "mas:", "links"), ("type: continuous", "type: turning", "joints"), ("name:", "title:", "")],
)
def test_wrong_keys_and_words_are_marked(old: str, new: str, at: str, tmp_path: Path) -> None:
    path = tmp_path / "robot.yaml"
    text = next(file for file in SHIPPED if file.stem == "double_pendulum").read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    errors = list(jsonschema.Draft202012Validator(SCHEMA).iter_errors(plain(path)))
    assert errors and all("/".join(map(str, error.absolute_path)).startswith(at) for error in errors)


def test_every_key_is_a_key_of_the_reader() -> None:
    """No mapping of the schema takes other keys, so that editors mark what the reader refuses."""
    closed = [own for whole in SCHEMA["$defs"].values() for own in below(whole) if "properties" in own]
    assert len(closed) > 30
    assert all(own["additionalProperties"] is False for own in closed)


def test_defaults_are_values_that_json_and_the_reader_have() -> None:
    """No infinity, which JSON has not, and no null, which the reader takes for a key without a value."""
    json.dumps(SCHEMA, allow_nan=False)
    properties = [own for whole in SCHEMA["$defs"].values() for own in below(whole)]
    defaults = [key["default"] for own in properties for key in own.get("properties", {}).values() if "default" in key]
    assert 0.01 in defaults and 0.0 in defaults
    declared = [name for name in SCHEMA["$defs"] if name == "FrameYaml" or "declared_schema__" in name]
    families = [SCHEMA["$defs"][name].get("properties", {}) for name in declared]
    assert len(declared) > 2
    assert not [key for own in families for key in own.values() if key.get("default", 0) is None]


@pytest.mark.parametrize(
    ("kind", "key"), [("revolute", "axis"), ("universal", "second_axis"), ("helical", "pitch"), ("fixed", "parent")]
)
def test_what_a_joint_needs_has_a_value(kind: str, key: str) -> None:
    said = {"type": kind, "parent": "a", "child": "b", "axis": [0, 0, 1], "second_axis": [1, 0, 0], "pitch": 0.1}
    (own,) = (own for own in SCHEMA["$defs"]["JointYaml"]["anyOf"] if kind in own["properties"]["type"]["enum"])
    joint = {name: value for name, value in said.items() if name in own["properties"]}
    schema = jsonschema.Draft202012Validator({**own, "$defs": SCHEMA["$defs"]})
    assert schema.is_valid(joint) and not schema.is_valid({**joint, key: None})


def test_every_key_is_described() -> None:
    """By itself, or by the mapping that it holds."""
    keys = {
        (name, key): own
        for name, whole in SCHEMA["$defs"].items()
        for part in below(whole)
        for key, own in part.get("properties", {}).items()
    }
    assert len(keys) > 150
    assert [key for key, own in keys.items() if not _described(own)] == []


def _described(schema: dict[str, Any]) -> bool:
    return any("description" in own for own in (schema, *below(schema)))
