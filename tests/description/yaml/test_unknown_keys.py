"""No unknown key of symdyn's YAML is passed over, in any mapping that shipped robots and the corpus have."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from importlib import resources
from typing import Any

import pytest
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from support.places import CORPUS

from symdyn.description.read import read_text
from symdyn.description.robot import Limits
from symdyn.errors import SymdynError

ODD = "zzq"
Path = tuple[Any, ...]
_NAMED = ("links", "joints", "frames", "loops", "loads", "contacts", "bushings", "struts", "bodies", "joints", "terms")
"""Mappings whose keys are names: one of each is enough."""


def mappings(data: Any, path: Path = ()) -> Iterator[Path]:
    if isinstance(data, dict):
        yield path
    for key, inner in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        yield from mappings(inner, (*path, key))


def pattern(path: Path) -> Path:
    """A path without the names that a robot gives."""
    return tuple(
        "*" if (at and path[at - 1] in _NAMED) or isinstance(step, int) else step for at, step in enumerate(path)
    )


def documents() -> Iterator[tuple[str, Any]]:
    shipped = resources.files("symdyn.robot.shipped")
    for file in (*shipped.iterdir(), *CORPUS.iterdir()):
        if file.name.endswith(".yaml"):
            try:
                text = file.read_text(encoding="utf-8")
                yield text, YAML(typ="base", pure=True).load(text)
            except (YAMLError, UnicodeDecodeError, ValueError, OverflowError):
                continue


def is_read(text: str) -> bool:
    try:
        read_text(text, "yaml")
    except SymdynError:
        return False
    return True


def changed() -> dict[Path, str]:
    """By the pattern of a mapping, one robot with an unknown key there; its parameters may have any name."""
    found: dict[Path, str] = {}
    for text, data in documents():
        new = {pattern(path): path for path in mappings(data) if path[:1] != ("parameters",)}
        new = {kind: path for kind, path in new.items() if kind not in found}
        if not new or not is_read(text):
            continue
        for kind, path in new.items():
            copy = deepcopy(data)
            inside = copy
            for step in path:
                inside = inside[step]
            inside[ODD] = "1"
            found[kind] = json.dumps(copy)
    return found


def test_an_unknown_key_is_refused_everywhere() -> None:
    robots = changed()
    assert len(robots) > 60
    for path, text in robots.items():
        with pytest.raises(SymdynError) as raised:
            read_text(text, "yaml")
        assert str(raised.value).isprintable(), path


JOINT = """name: r
links: {a: , b: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}}
joints:
  j: {type: revolute, parent: a, child: b, axis: [0, 0, 1], limits: {%s}}
"""


def test_limits_of_higher_derivatives() -> None:
    def limits(text: str) -> Limits | None:
        return read_text(JOINT % text, "yaml").joints[0].limits

    assert limits("acceleration: 2*3, deceleration: 5, jerk: 40") == Limits(acceleration=6, deceleration=5, jerk=40)
    assert limits("acceleration: 6") == Limits(acceleration=6, deceleration=6)
    assert limits("deceleration: 6") == Limits(deceleration=6)
    for text, words in (
        ("jerk: -1", "the limit of jerk is -1; it is at least 0"),
        ("accelerazione: 1", "unknown key; did you mean 'acceleration'?"),
        ("acceleration: fast", "unknown name 'fast'"),
    ):
        with pytest.raises(SymdynError, match=words.replace("?", r"\?")):
            limits(text)


NOTHING = """name: r
links: {a: , b: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}}
joints:
  j:
    type: %s
    parent: a
    child: b
    %s
"""


@pytest.mark.parametrize("key", ["axis", "pitch", "limits", "losses", "mimic", "elastic", "stops", "at", "rpy"])
def test_a_key_of_a_joint_without_a_value_says_nothing(key: str) -> None:
    said = read_text(NOTHING % ("floating", f"{key}:"), "yaml")
    assert said.joints == read_text(NOTHING % ("floating", ""), "yaml").joints


@pytest.mark.parametrize(
    ("kind", "keys", "words"),
    [
        ("revolute", "axis:", "joint 'j': axis is missing; a revolute joint needs one, such as [0, 0, 1]"),
        (
            "helical",
            "axis: [0, 0, 1]",
            "joint 'j': pitch is missing; a helical joint slides by pitch metres per radian",
        ),
        ("universal", "axis: [0, 0, 1]", "joint 'j': second_axis is missing; a universal joint turns about two axes"),
        (
            "planar",
            "axis: [0, 0, 1]\n    mimic: {joint: k}",
            ":9: joint 'j': mimic means nothing on a planar joint; leave",
        ),
        ("floating", "pitch: 2", ":8: joint 'j': pitch is for type: helical; leave it out of a floating joint"),
        ("turning", "", "joint 'j': type: expected one of fixed, revolute, continuous"),
        ("floating", "at: tips", "joint 'j': at: expected tip, end or root, got 'tips'; did you mean 'tip'?"),
    ],
)
def test_keys_that_a_kind_of_joint_needs_or_cannot_have(kind: str, keys: str, words: str) -> None:
    with pytest.raises(SymdynError) as refused:
        read_text(NOTHING % (kind, keys), "yaml")
    assert words in str(refused.value)
