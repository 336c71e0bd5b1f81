"""Inputs that are looked for where other coordinates move as prescribed: truth == recursion == compiled C."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from support.agreement import signature_of, truth_agrees
from support.robots.driven import SMALL
from support.states import random_inputs, relative_error

import symdyn
from symdyn import api
from symdyn.description.yaml.read import parse_yaml
from symdyn.errors import ModelError, RequestError
from symdyn.functions.catalogue import requests
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
RIGID = """
name: rigid
links:
  base: {mass: 3, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  one: {mass: 1, com: [0.1, 0, 0.2], inertia: {xx: 0.01, yy: 0.02, zz: 0.03}}
  two: {mass: 2, com: [0.1, 0.1, 0], inertia: {xx: 0.03, yy: 0.02, zz: 0.02}}
  three: {mass: 1, com: [0.2, 0.1, 0], inertia: {xx: 0.02, yy: 0.02, zz: 0.02}}
joints:
  a: {type: revolute, parent: base, child: one, axis: [0, 0, 1]}
  b: {type: universal, parent: one, child: two, axis: [1, 0, 0], second_axis: [0, 1, 0], translation: [0, 0.3, 0.1]}
  c: {type: revolute, parent: base, child: three, axis: [0, 0.6, 0.8], spring: {stiffness: 3}}
actuators: [b, c]
"""
CASES: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "pulled": (SMALL, ("turn", "arm.curvature_z[0]"), ("slant", "turn")),
    "crossed": (SMALL, ("turn", "arm.stretch[0]"), ("half", "slant")),
    "one": (SMALL, ("arm.curvature_z[1]",), ("arm.curvature_z[1].rest",)),
    "joints": (RIGID, ("a", "c"), ("b.2", "c")),
}
LIGHT = ("pulled", "joints")
MARKED = [case if case in LIGHT else pytest.param(case, marks=pytest.mark.slow) for case in CASES]


@cache
def robot(text: str, **options: Any) -> Robot:
    return api.from_description(parse_yaml(text.encode(), "robot.yaml"), **options)


def asked(case: str) -> dict[str, Any]:
    return {"inputs": "actuators", "prescribed": CASES[case][1], "unknown": CASES[case][2]}


def inputs(own: Robot, options: Any) -> dict[str, Any]:
    ((entry, request),) = requests(own.model, ["hybrid_dynamics"], **options)
    return random_inputs(own, entry.signature(own.model, request), np.random.default_rng(4))


@pytest.mark.parametrize("case", MARKED)
def test_the_recursion_is_right(case: str) -> None:
    own, options = robot(CASES[case][0]), asked(case)
    signature = signature_of(own, "hybrid_dynamics", **options)
    assert [item.name for item in signature.outputs] == ["w", "unknown"]
    assert set(signature.outputs[1].element_names) == set(CASES[case][2])
    assert truth_agrees(own, "hybrid_dynamics", **options)


def resolved(own: Robot, options: dict[str, Any], given: dict[str, Any]) -> None:
    """Forward dynamics by all inputs moves as prescribed, and as was found."""
    names = [item.name for item in own.model.actuator_inputs]
    found = api.float_recursion(own, "hybrid_dynamics", **options)(given)
    u = np.array(given["u"])
    u[sorted(map(names.index, options["unknown"]))] = found["unknown"]
    state = {name: given[name] for name in given if name != "a"} | {"u": u.tolist()}
    external = {name: options[name] for name in options if name == "external_wrenches"}
    (a,) = api.float_recursion(own, "forward_dynamics", inputs="actuators", **external)(state).values()
    (B,) = api.float_recursion(own, "actuation_matrix")({"q": given["q"]}).values()
    rows = [own.velocity_names.index(name) for name in options["prescribed"]]
    expected = np.array(a)
    assert expected[rows] == pytest.approx(np.array(given["a"])[rows], abs=1e-10 * (abs(expected).max() + 1))
    expected[rows] = (np.reshape(B, (own.nv, -1)) @ u)[rows]
    assert found["w"] == pytest.approx(expected, rel=1e-9, abs=1e-11 * abs(expected).max())


@pytest.mark.parametrize("case", CASES)
def test_forward_dynamics_moves_as_prescribed(case: str) -> None:
    own, options = robot(CASES[case][0]), asked(case)
    resolved(own, options, inputs(own, options))


def test_on_a_free_base_with_wrenches() -> None:
    """The first joint has no motor: the second one moves it, through a base that floats."""
    own = robot(RIGID, floating_base=True)
    options = {**asked("joints"), "external_wrenches": "body"}
    resolved(own, options, inputs(own, options))


@pytest.mark.slow
@pytest.mark.needs_cc
def test_compiled_code_agrees_and_is_verified(tmp_path: Any) -> None:
    own, options = robot(SMALL), asked("crossed")
    given = inputs(own, options)
    expected = api.float_recursion(own, "hybrid_dynamics", **options)(given)
    found = symdyn.compile(own, ["hybrid_dynamics"], **options).hybrid_dynamics(*given.values())
    for values, reference in zip(found, expected.values(), strict=True):
        assert relative_error(values.tolist(), reference) <= 1e-11
    functions = ["inverse_dynamics", "forward_dynamics", "hybrid_dynamics"]
    folder = symdyn.generate(own, functions, out=tmp_path / "small", layout="rolled", **options)
    assert api.verify(folder, states=1).passed


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"unknown": ("half",)}, "unknown names 1 inputs and prescribed 2 velocities"),
        ({"unknown": ("half", "up")}, "unknown input 'up' is none; robot 'small' has slant, turn, half"),
        ({"unknown": ("half", "half")}, "unknown names an input twice"),
        ({"inputs": None}, "unknown names inputs of actuators; say inputs='actuators' with it"),
        ({"unknown": 3}, "unknown is a list of input names, got 3"),
    ],
)
def test_what_is_asked_wrongly_is_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(RequestError, match=message):
        requests(robot(SMALL).model, ["hybrid_dynamics"], **{**asked("crossed"), **changed})


def test_a_function_of_another_problem_is_refused() -> None:
    functions = ["hybrid_dynamics", "constrained_hybrid_dynamics"]
    with pytest.raises(RequestError, match="'constrained_hybrid_dynamics' has no form with inputs that are looked for"):
        requests(robot(SMALL).model, functions, **asked("crossed"))


def test_the_other_formulation_is_refused() -> None:
    functions, options = ["hybrid_dynamics_time_derivatives"], {**asked("joints"), "formulation": "spatial", "order": 1}
    with pytest.raises(RequestError, match="has no form of formulation 'spatial' with inputs that are looked for"):
        requests(robot(RIGID).model, functions, **options)


def test_inputs_that_never_give_the_motion_are_refused() -> None:
    """Branches on a base that stands know nothing of each other."""
    own = robot(RIGID)
    options = {"inputs": "actuators", "prescribed": ["a", "b.1"], "unknown": ["b.1", "c"]}
    with pytest.raises(ModelError, match="unknown input 'c' of robot 'rigid' moves none of the prescribed, and so"):
        api.float_recursion(own, "hybrid_dynamics", **options)
    options = {"inputs": "actuators", "prescribed": ["c", "b.1"], "unknown": ["b.1", "b.2"]}
    with pytest.raises(ModelError, match=r"unknown input 'b\.2' of robot 'rigid' moves 'b\.1', which other unknown"):
        api.float_recursion(own, "hybrid_dynamics", **options)
    behind = robot(RIGID.replace("spring: {stiffness: 3}", "elastic: {stiffness: 50, rotor_inertia: 0.1}"))
    options = {"inputs": "actuators", "prescribed": ["c"], "unknown": ["c.motor"]}
    with pytest.raises(ModelError, match=r"unknown input 'c\.motor' of robot 'rigid' moves none of the prescribed"):
        api.float_recursion(behind, "hybrid_dynamics", **options)
    options = {"inputs": "actuators", "prescribed": ["c", "b.1"], "unknown": ["b.1", "b.2"]}
    found = robot(RIGID, floating_base=True)
    assert all(np.isfinite(api.float_recursion(found, "hybrid_dynamics", **options)(inputs(found, options))["w"]))
