"""Partials and time derivatives where inputs are looked for: truth == recursion == compiled C."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.agreement import inputs_of, truth_agrees
from support.robots.driven import SMALL
from support.robots.sections import breathing, driven
from support.states import relative_error

import symdyn
from symdyn import api
from symdyn.description.yaml.read import parse_yaml
from symdyn.functions.catalogue import requests
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
PARTIALS, ORDERS = "hybrid_dynamics_partials", "hybrid_dynamics_time_derivatives"
RIGID = """
name: rigid
links:
  base: {mass: 3, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  one: {mass: 1, com: [0.1, 0, 0.2], inertia: {xx: 0.01, yy: 0.02, zz: 0.03}}
  two: {mass: 2, com: [0.1, 0.1, 0], inertia: {xx: 0.03, yy: 0.02, zz: 0.02}}
joints:
  a: {type: revolute, parent: base, child: one, axis: [0, 0, 1]}
  b: {type: universal, parent: one, child: two, axis: [1, 0, 0], second_axis: [0, 1, 0], translation: [0, 0.3, 0.1]}
actuators: [a, b]
"""
BENT = """
name: bent
links:
  base: {mass: 2, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  boom: {flexible: {length: 0.8, mass_per_length: 1.2, bending_stiffness: 40, modes: {bend_y: 1, bend_z: 1}}}
  tip: {mass: 0.3, inertia: {xx: 0.01, yy: 0.01, zz: 0.02}, com: [0.1, 0, 0]}
joints:
  a: {type: revolute, parent: base, child: boom, axis: [0, 0, 1]}
  b: {type: revolute, parent: boom, child: tip, axis: [0, 0.6, 0.8], translation: [0.1, 0, 0]}
actuators: [a, b]
"""
MATTER = {"arm.material.density": 1000.0, "arm.material.youngs_modulus": 1e5}
MADE: dict[str, tuple[str, dict[str, Any]]] = {
    "small": (SMALL, {}),
    "rigid": (RIGID, {}),
    "free": (RIGID, {"floating_base": True}),
    "bent": (BENT, {"floating_base": True}),
    "matter": (SMALL, {"runtime": list(MATTER)}),
}
CASES: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "pulled": ("small", ("turn", "arm.curvature_z[0]"), ("slant", "turn")),
    "crossed": ("small", ("turn", "arm.stretch[0]"), ("half", "slant")),
    "one": ("small", ("arm.curvature_z[1]",), ("arm.curvature_z[1].rest",)),
    "joints": ("rigid", ("a",), ("b.2",)),
    "all": ("rigid", ("a", "b.1"), ("a", "b.1")),
    "free": ("free", ("a", "b.2"), ("a", "b.1")),
    "bent": ("bent", ("boom.bend_z[0]",), ("b",)),
    "matter": ("matter", ("turn", "arm.curvature_z[1]"), ("half", "arm.curvature_z[1].rest")),
    "bulging": ("bulging", ("arm.curvature_y[0]", "arm.section[0]"), ("left", "right")),
}
LIGHT = ("joints",)


def marked(*light: str, without: tuple[str, ...] = ()) -> list[Any]:
    found = (case for case in CASES if case not in without)
    return [case if case in light else pytest.param(case, marks=pytest.mark.slow) for case in found]


@cache
def robot(name: str) -> Robot:
    if name == "bulging":
        return api.from_description(driven(breathing()))
    text, options = MADE[name]
    return api.from_description(parse_yaml(text.encode(), "robot.yaml"), **options)


def asked(case: str, **more: Any) -> tuple[Robot, dict[str, Any]]:
    name, prescribed, unknown = CASES[case]
    return robot(name), {"inputs": "actuators", "prescribed": prescribed, "unknown": unknown, **more}


def is_right(own: Robot, function: str, options: dict[str, Any]) -> bool:
    return truth_agrees(own, function, nominal={name: MATTER[name] for name in own.model.slots.names}, **options)


@pytest.mark.parametrize("case", marked(*LIGHT, without=("bulging", "crossed")))
def test_partials_are_right(case: str) -> None:
    own, options = asked(case)
    if case == "free":
        options["external_wrenches"] = "world"
    assert is_right(own, PARTIALS, options)


@pytest.mark.parametrize("case", marked(without=("bulging", "crossed", "one")))
def test_orders_are_right(case: str) -> None:
    own, options = asked(case, order=3 if case in ("joints", "pulled") else 1)
    if case == "free":
        options["external_wrenches"] = "body"
    assert is_right(own, ORDERS, options)


def given_of(own: Robot, function: str, options: dict[str, Any]) -> dict[str, Any]:
    given = inputs_of(own, function, seed=4, **options)
    return given | ({"p": list(MATTER.values())} if "p" in given else {})


@pytest.mark.parametrize("case", marked("one", "joints", "free", "crossed"))
def test_forward_dynamics_by_all_inputs_moves_so_at_every_order(case: str) -> None:
    own, options = asked(case, order=3)
    given, rows = given_of(own, ORDERS, options), 4
    found = api.float_recursion(own, ORDERS, **options)(given)
    names = [item.name for item in own.model.actuator_inputs]
    U, A = (np.reshape(given[name], (rows, -1)) for name in "UA")
    U[:, sorted(map(names.index, options["unknown"]))] = np.reshape(found["Unknown"], (rows, -1))
    state = {name: given[name] for name in given if name != "A"} | {"U": U.ravel().tolist()}
    (moved,) = api.float_recursion(own, "forward_dynamics_time_derivatives", inputs="actuators", order=3)(
        state
    ).values()
    held = [own.velocity_names.index(name) for name in options["prescribed"]]
    expected = np.reshape(found["W"], (rows, -1))
    expected[:, held] = A[:, held]
    for own_row, row in zip(np.reshape(moved, (rows, -1)), expected, strict=True):
        assert own_row == pytest.approx(row, rel=1e-9, abs=1e-10 * abs(row).max())


@pytest.mark.slow
def test_partials_of_chambers_that_bulge() -> None:
    own, options = asked("bulging")
    given = given_of(own, PARTIALS, options)
    found = api.float_recursion(own, PARTIALS, **options)(given)
    plain = api.float_recursion(own, "hybrid_dynamics", **options)
    for name, step in (("q", 1e-5), ("v", 0.1), ("u", 1.0), ("a", 1.0)):  # of degree 2 in v, and 1 in u and a
        for of, slopes in (("w", f"dw_d{name}"), ("unknown", f"dunknown_d{name}")):
            columns = []
            for place in range(len(given[name])):
                both = []
                for sign in (1, -1):
                    moved = list(given[name])
                    moved[place] += sign * step
                    both.append(np.array(plain({**given, name: moved})[of]))
                columns.append((both[0] - both[1]) / (2 * step))
            expected = np.transpose(columns)
            assert np.reshape(found[slopes], expected.shape) == pytest.approx(expected, abs=1e-6 * abs(expected).max())


def test_what_is_given_and_found() -> None:
    names = []
    for function, more in ((PARTIALS, {}), (ORDERS, {"order": 2})):
        own, options = asked("crossed", **more)
        ((entry, request),) = requests(own.model, [function], **options)
        made = entry.signature(own.model, request)
        sides = (" ".join(f"{item.name}{item.shape}" for item in side) for side in (made.inputs, made.outputs))
        names.append(" -> ".join(sides))
    assert names == [
        "q(4,) v(4,) u(4,) a(4,) -> dw_dq(4, 4) dw_dv(4, 4) dw_du(4, 4) dw_da(4, 4) "
        "dunknown_dq(2, 4) dunknown_dv(2, 4) dunknown_du(2, 4) dunknown_da(2, 4)",
        "q(4,) v(4,) U(3, 4) A(3, 4) -> W(3, 4) Unknown(3, 2)",
    ]


def test_inputs_that_are_looked_for_are_not_read() -> None:
    own, options = asked("joints", order=1)
    for function in (PARTIALS, ORDERS):
        told = options if function == ORDERS else {name: options[name] for name in options if name != "order"}
        given = given_of(own, function, told)
        name = "U" if function == ORDERS else "u"
        u = np.reshape(given[name], (-1, 3))
        u[:, 2] = np.nan  # b.2
        found = api.float_recursion(own, function, **told)({**given, name: u.ravel().tolist()})
        assert found == api.float_recursion(own, function, **told)(given)
        if function == PARTIALS:
            assert not np.reshape(found["dunknown_du"], (1, 3))[:, 2].any()


@pytest.mark.slow
@pytest.mark.needs_cc
def test_compiled_code_agrees_and_is_verified(tmp_path: Path) -> None:
    functions = ["hybrid_dynamics", PARTIALS, ORDERS]
    own, options = asked("joints", order=2)
    folder = symdyn.generate(own, functions, out=tmp_path / "small", **options)
    assert api.verify(folder, states=1).passed
    own, options = asked("one", order=1)
    module = symdyn.compile(own, [ORDERS], layout="rolled", **options)
    for entry, request in requests(own.model, [ORDERS], **options):
        signature = entry.signature(own.model, request)
        told = {name: value for name, value in options.items() if name in entry.takes}
        given = given_of(own, entry.name, told)
        expected = api.float_recursion(own, entry.name, **told)(given)
        shaped = [np.reshape(given[argument.name], argument.shape) for argument in signature.inputs]
        for values, argument in zip(getattr(module, entry.name)(*shaped), signature.outputs, strict=True):
            assert relative_error(np.ravel(values).tolist(), expected[argument.name]) <= 1e-10, argument.name
