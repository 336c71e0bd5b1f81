"""Strains at rest as inputs of rods whose modulus is known at run time alone: truth == recursion == compiled C."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from support.agreement import inputs_of, programs_agree, truth_agrees
from support.robots.driven import SMALL
from support.states import relative_error

import symdyn
from symdyn import api
from symdyn.description.yaml.read import parse_yaml
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
DENSITY, MODULUS = "arm.material.density", "arm.material.youngs_modulus"
NOMINAL = {DENSITY: 1000.0, MODULUS: 1e5}
HELD = ("arm.stretch[0]", "turn")
DRIVEN: dict[str, Any] = {"inputs": "actuators"}
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "matrix": ("actuation_matrix", {}),
    "least": ("inverse_actuation", {}),
    "forward": ("forward_dynamics", DRIVEN),
    "hybrid": ("hybrid_dynamics", {**DRIVEN, "prescribed": HELD}),
    "forward_partials": ("forward_dynamics_partials", DRIVEN),
    "hybrid_partials": ("hybrid_dynamics_partials", {**DRIVEN, "prescribed": HELD}),
    "orders": ("forward_dynamics_time_derivatives", {**DRIVEN, "order": 1}),
}
LIGHT = ("matrix", "forward")
MARKED = [case if case in LIGHT else pytest.param(case, marks=pytest.mark.slow) for case in CASES]


@cache
def robot(actuators: str = '[slant, turn, half, {rest: "arm.curvature_z[1]"}, {rest: "arm.stretch"}]') -> Robot:
    made = SMALL.replace('[slant, turn, half, {rest: "arm.curvature_z[1]"}]', actuators)
    return api.from_description(parse_yaml(made.encode(), "small.yaml"), runtime=[DENSITY, MODULUS])


def checked(own: Robot, case: str) -> None:
    function, options = CASES[case]
    assert truth_agrees(own, function, nominal=NOMINAL, **options)


@pytest.mark.parametrize("case", MARKED)
def test_the_recursion_is_right(case: str) -> None:
    checked(robot(), case)


@pytest.mark.slow
def test_orders_without_tendons_are_right() -> None:
    """B is constant there: all orders of the forces come first."""
    checked(robot("[turn, {rest: arm}]"), "orders")


@pytest.mark.parametrize("layout", ["rolled", pytest.param("split", marks=pytest.mark.slow)])
@pytest.mark.parametrize("case", MARKED)
def test_programs_agree_with_the_recursion(case: str, layout: str) -> None:
    function, options = CASES[case]
    given = random_given(case)
    programs_agree(robot(), function, (layout,), given, **options)


@pytest.mark.slow
@pytest.mark.needs_cc
def test_compiled_code_agrees() -> None:
    for case in ("least", "forward_partials", "orders"):
        function, options = CASES[case]
        module = symdyn.compile(robot(), [function], layout="rolled", **options)
        given = random_given(case)
        expected = api.float_recursion(robot(), function, **options)(given)
        inputs = module.signature(function).inputs
        found = getattr(module, function)(*(np.reshape(given[own.name], own.shape) for own in inputs))
        rows = found if isinstance(found, tuple) else (found,)
        for values, own in zip(rows, module.signature(function).outputs, strict=True):
            assert relative_error(np.ravel(values).tolist(), expected[own.name]) <= 1e-11, (case, own.name)


def random_given(case: str) -> dict[str, Any]:
    function, options = CASES[case]
    given = inputs_of(robot(), function, seed=6, **options)
    return given | {"p": [1100.0, 9e4]}
