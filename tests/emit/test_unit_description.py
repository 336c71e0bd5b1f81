"""The description of a unit of FMI 3.0: variables, units, structure, and what a unit cannot be made of."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import pytest

import symdyn
from symdyn.compiler.emit.fmu.description import base_powers
from symdyn.errors import RequestError
from symdyn.generation.pipeline import sources

FUNCTIONS = 75
"""What the standard's header declares."""


def _files(robot: Any, **asked: Any) -> dict[str, str]:
    return {file.path: file.text for file in sources(robot, ["state_derivative"], target="fmu", **asked)}


@pytest.mark.parametrize(
    ("unit", "powers"),
    [
        ("rad", {"rad": 1}),
        ("1", {}),
        ("N m", {"kg": 1, "m": 2, "s": -2}),
        ("W", {"kg": 1, "m": 2, "s": -3}),
        ("J/Pa", {"m": 3}),
        ("N m s/rad", {"kg": 1, "m": 2, "s": -1, "rad": -1}),
        ("m/s^2", {"m": 1, "s": -2}),
        ("kg m^2", {"kg": 1, "m": 2}),
        ("m/s/(N m)", {"kg": -1, "m": -1, "s": 1}),
        ("furlong", None),
    ],
)
def test_units_in_base_units(unit: str, powers: dict[str, int] | None) -> None:
    assert base_powers(unit) == powers


def test_variables_and_structure() -> None:
    """States are outputs that rest on themselves, each with a rate; inputs and parameters come after."""
    robot = symdyn.from_description(symdyn.load_example("double_pendulum").description, runtime=["lower.mass"])
    root = ElementTree.fromstring(_files(robot)["modelDescription.xml"])
    variables = {item.attrib["name"]: item.attrib for item in root.iterfind("ModelVariables/Float64")}
    assert list(variables) == [
        "time",
        *[f"q.{name}" for name in robot.coordinate_names],
        *[f"v.{name}" for name in robot.velocity_names],
        *[f"der(q.{name})" for name in robot.coordinate_names],
        *[f"der(v.{name})" for name in robot.velocity_names],
        *[f"tau.{name}" for name in robot.velocity_names],
        "p.lower.mass",
    ]
    assert variables["p.lower.mass"]["variability"] == "tunable"
    assert float(variables["p.lower.mass"]["start"]) == robot.runtime_defaults[0]
    references = [int(item["valueReference"]) for item in variables.values()]
    assert references == list(range(len(variables)))
    for name, item in variables.items():
        if name.startswith("der("):
            state = next(one for one in variables.values() if one["valueReference"] == item["derivative"])
            assert name == f"der({state['name']})"
    kinds = [item.tag for item in root.iterfind("ModelStructure/*")]
    first = root.find("ModelStructure/ContinuousStateDerivative")
    assert first is not None
    assert first.attrib["dependencies"] == variables[f"v.{robot.velocity_names[0]}"]["valueReference"]
    assert kinds == ["Output"] * 4 + ["ContinuousStateDerivative"] * 4 + ["InitialUnknown"] * 4
    assert root.find("CoSimulation") is None
    assert root.find("ModelExchange") is not None


def test_gaps_of_contacts_are_event_indicators() -> None:
    robot = symdyn.loads(
        "name: ball\nfloating_base: true\nlinks: {ball: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}}\ncontacts:\n"
        "  floor: {of: ball, with: {plane: {}}, stiffness: 1e4}\n  wall: {of: ball, with: {plane: {}}, stiffness: 1e4}",
        format="yaml",
    )
    root = ElementTree.fromstring(_files(robot, steppers=["rk4"])["modelDescription.xml"])
    variables = [item.attrib for item in root.iterfind("ModelVariables/Float64")]
    assert [item["name"] for item in variables[-3:]] == ["stepper.h", "gap.floor", "gap.wall"]
    assert variables[-1] | {"valueReference": ""} == {
        "name": "gap.wall",
        "valueReference": "",
        "causality": "local",
        "variability": "continuous",
        "initial": "calculated",
        "unit": "m",
    }
    told = [item.attrib["valueReference"] for item in root.iterfind("ModelStructure/EventIndicator")]
    assert told == [item["valueReference"] for item in variables[-2:]]
    assert [item["valueReference"] for item in variables] == [str(number) for number in range(len(variables))]


def test_all_functions_of_the_standard_are_there() -> None:
    """Importers look up every one, and those without a use answer with an error."""
    text = _files(symdyn.load_example("pendulum"), steppers=["rk4"])["pendulum_fmu.c"]
    assert len(set(re.findall(r"^EXPORTED .*?(fmi3\w+)\(", text, re.MULTILINE))) == FUNCTIONS


def test_tokens_tell_robots_apart() -> None:
    """The same structure with another mass is another unit."""
    text = symdyn.load_example("pendulum").to_yaml()
    other = symdyn.loads(text.replace("    mass: 1.0", "    mass: 1.5"), format="yaml")
    assert other.to_yaml() != text
    tokens = {
        ElementTree.fromstring(_files(robot)["modelDescription.xml"]).attrib["instantiationToken"]
        for robot in (symdyn.load_example("pendulum"), other)
    }
    assert len(tokens) == 2


def test_names_of_files_are_data() -> None:
    """Signs that XML or C would read become others, one for one."""
    text = symdyn.load_example("pendulum").to_yaml()
    joint = symdyn.load_example("pendulum").velocity_names[0]
    strange = symdyn.loads(text.replace(joint, "'a<b>&\"]]>'"), format="yaml")
    root = ElementTree.fromstring(_files(strange)["modelDescription.xml"])
    names = [item.attrib["name"] for item in root.iterfind("ModelVariables/Float64")]
    assert names[1].startswith("q.a%3Cb%3E%26")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"steppers": ["rk4", "dop853"]}, "one method"),
        ({"steppers": ["taylor"], "order": 3}, "derivatives of its inputs"),
        ({"dtype": "float32"}, "double precision"),
    ],
)
def test_what_a_unit_cannot_be_made_of(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(RequestError, match=words):
        _files(symdyn.load_example("pendulum"), **asked)
