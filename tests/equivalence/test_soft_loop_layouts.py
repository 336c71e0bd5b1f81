"""Soft robots with loops: all layouts and languages give what the recursion gives."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from support.agreement import inputs_of, modules_agree, programs_agree
from support.robots.soft_looped import bent_rod

from symdyn import api
from symdyn.description.soft import Strain
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
LAYOUTS = ("unrolled", "split", "rolled", "split-lanes", "rolled-lanes")
LIGHT = ("rolled", "split-lanes")
FORWARD, HYBRID = "constrained_forward_dynamics", "constrained_hybrid_dynamics"
INVERSE = "constrained_inverse_dynamics"
FUNCTIONS: dict[str, dict[str, Any]] = {
    "constraint_error": {},
    "constraint_jacobian": {},
    "constraint_bias": {},
    "operational_inertia": {},
    FORWARD: {"stabilisation": 0.4, "external_wrenches": "world"},
    HYBRID: {},
    INVERSE: {"objective": "force"},
    f"{FORWARD}_partials": {},
    f"{HYBRID}_partials": {"stabilisation": 0.4},
    f"{FORWARD}_time_derivatives": {"order": 2},
    f"{HYBRID}_time_derivatives": {"order": 1},
    f"{INVERSE}_time_derivatives": {"order": 2},
}
MADE = {
    "bent": bent_rod,
    "section": lambda: bent_rod(0.17, {Strain.TWIST: 1, Strain.CURVATURE_Y: 2, Strain.CURVATURE_Z: 2}),
}


@cache
def robot(name: str) -> Robot:
    return api.from_description(MADE[name](), joint_losses=True, convention="spatial")


def asked(own: Robot, function: str) -> dict[str, Any]:
    """Options of a function."""
    options = dict(FUNCTIONS[function])
    if function.startswith(HYBRID):
        options["prescribed"] = own.velocity_names[1:2]
    if function.startswith(INVERSE):
        options["actuated"] = own.velocity_names
    return options


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("bent", FORWARD),
        *(pytest.param("section", name, marks=pytest.mark.slow) for name in FUNCTIONS if name != f"{HYBRID}_partials"),
    ],
)
def test_all_layouts_agree(name: str, function: str) -> None:
    own = robot(name)
    options = asked(own, function)
    inputs = inputs_of(own, function, **options)
    programs_agree(own, function, (LAYOUTS if function == HYBRID else LIGHT), inputs, tolerance=1e-9, **options)


@pytest.mark.slow
@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("function", "layout"),
    [
        (FORWARD, "rolled-lanes"),
        (FORWARD, "auto"),
        (INVERSE, "unrolled"),
        (f"{FORWARD}_time_derivatives", "auto"),
        (f"{HYBRID}_partials", "auto"),
    ],
)
def test_compiled_and_emitted_code_agree(function: str, layout: str) -> None:
    own = robot("bent")
    modules_agree(own, [function], layout, tolerance=1e-9, **asked(own, function))
