"""Fluids and contacts on a part of a rod: against closed forms and the oracle, in files, and compiled."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from support.agreement import truth_agrees
from support.soft_calls import call
from support.states import random_inputs, relative_error

import symdyn
from symdyn import api
from symdyn.description.yaml.read import parse_yaml
from symdyn.description.yaml.write import write_yaml
from symdyn.errors import DescriptionError
from symdyn.functions.catalogue import requests
from symdyn.robot.robot import Robot

ROD = """
name: mast
gravity: [0.5, -1, -9.25]
parameters:
  gain: {value: 0.3, runtime: true}
links:
  base: {mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  mast:
    soft:
      length: 0.8
      section: {shape: circle, radius: 0.03 - 0.02*x}
      material: {youngs_modulus: 1e6, poisson_ratio: 0.4, density: 900}
      strain: {curvature_y: {basis: piecewise_constant, pieces: 2}, stretch: 0}
      stations: 2
joints:
  turn: {type: revolute, parent: base, child: mast, axis: [0, 1, 0], translation: [0, 0.1, 0]}
"""
DRAG = 'drag: ["0.5*(1 + x)", 2, 3, 0.01, 0.02, "gain*x"]'
MASS = 'added_mass: [0, "0.3*(0.8 - x)", gain, 0.001, 0, 0.002]'
TOUCH = "radius: section, stiffness: 30 + gain, exponent: 4, damping: 0.2, friction: 0.3, velocity_scale: 0.05"
ACTING = """
fluid: {{density: 500 + 10*gain, velocity_scale: 0.01, bodies: {{mast: {{{part}{drag}, {mass}}}}}}}
contacts:
  pipe: {{of: mast, {part}{touch}, with: {{cylinder: {{axis: [1, 2, 0.5], radius: 0.06, inside: true}}}}}}
"""
CASES: dict[str, dict[str, Any]] = {
    "inverse_dynamics": {},
    "mass_matrix": {},
    "potential_energy": {},
    "kinetic_energy": {},
    "forward_dynamics": {},
    "coriolis_matrix": {},
    "inverse_dynamics_partials": {},
    "inverse_dynamics_time_derivatives": {"order": 2},
    "forward_dynamics_time_derivatives": {"order": 1},
}
LIGHT = ("mass_matrix", "potential_energy")


def acting(part: str) -> str:
    return ACTING.format(part=part, drag=DRAG, mass=MASS, touch=TOUCH)


def mast(more: str, **options: Any) -> Robot:
    return api.from_description(parse_yaml((ROD + more).encode(), "m.yaml"), **options)


@pytest.mark.parametrize(
    "function", [name if name in LIGHT else pytest.param(name, marks=pytest.mark.slow) for name in CASES]
)
def test_the_oracle_agrees(function: str) -> None:
    own, options = mast(acting("from: 0.25, to: 0.7, ")), CASES[function]
    assert truth_agrees(own, function, nominal={"gain": 0.3}, **options)


def test_the_lift_of_a_part_is_that_of_its_volume() -> None:
    """On a base that floats the fluid's weight is that of the part of the cone that is in it, about its centre."""
    start, end, density = 0.25, 0.7, 700.0
    more = f"fluid: {{density: {density}, bodies: {{mast: {{from: {start}, to: {end}}}}}}}"
    q, still = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0], np.zeros(10)
    forces = [
        call(mast(own, floating_base=True), "inverse_dynamics", q=q, v=still, a=still, p=[0.3])[0] for own in (more, "")
    ]
    moments = [  # of the volume, along x
        sum(
            math.pi * factor * (end ** (power + 1 + k) - start ** (power + 1 + k)) / (power + 1 + k)
            for power, factor in enumerate((9e-4, -1.2e-3, 4e-4))
        )
        for k in range(2)
    ]
    lift = density * np.array([0.5, -1.0, -9.25])
    turned = np.cross([moments[1], 0.1 * moments[0], 0.0], lift)
    assert (forces[0] - forces[1])[:6] == pytest.approx([*(moments[0] * lift), *turned], abs=1e-12)


def test_parts_add_up() -> None:
    """At a place where a piece ends, which is where its quadrature does."""
    q, v, a = np.array([0.3, 0.2, -0.4, 0.05]), np.array([0.5, -0.6, 0.4, 0.2]), np.array([1.0, 2.0, -1.0, 0.5])

    def tau(part: str) -> np.ndarray:
        return call(mast(acting(part) if part != "none" else ""), "inverse_dynamics", q=q, v=v, a=a, p=[0.3])[0]

    first, last, whole = (tau(part) - tau("none") for part in ("to: 0.4, ", "from: 0.4, ", ""))
    assert first + last == pytest.approx(whole, rel=1e-12)
    assert np.abs(whole).max() > 0.1


def test_files_keep_parts() -> None:
    text = write_yaml(mast(acting("from: 0.25, to: 0.7, ")).description)
    assert text.count("from: 0.25, to: 0.7") == 2
    assert write_yaml(parse_yaml(text.encode(), "again.yaml")) == text


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("fluid: {density: 1, bodies: {mast: {from: 0.5, to: 0.9}}}", "from 0.5 m to 0.9 m is no part of link 'mast'"),
        ("fluid: {density: 1, bodies: {base: {volume: 1, to: 0.9}}}", "from and to mean nothing on 'base', a rigid"),
        ("fluid: {density: 1, bodies: {mast: {from: gain}}}", "depends on the run-time parameter 'gain'"),
        ("contacts: {c: {of: mast, to: 0, with: {plane: {}}, stiffness: 1}}", "from 0 m to 0 m is no part of link"),
        ("contacts: {c: {of: base, to: 1, with: {plane: {}}, stiffness: 1}}", "from and to are of a contact all along"),
        (
            "contacts: {c: {of: mast, at: 0.2, to: 0.5, with: {plane: {}}, stiffness: 1}}",
            "from and to are of a contact all along a soft link; leave them out",
        ),
        (
            "fluid: {density: 1, bodies: {mast: {drag: [0, '0.5 - x', 0, 0, 0, 0]}}}",
            r"drag.force.y is -0.29375 at x = 0.79375; it is at least 0",
        ),
        (
            "fluid: {density: 1, bodies: {mast: {added_mass: [0, 0, 'gain - x', 0, 0, 0]}}}",
            r"added_mass.force.z is -0.49375 at x = 0.79375; it is at least 0",
        ),
        ("fluid: {density: 1, bodies: {base: {drag: [0, '-gain', 0, 0, 0, 0]}}}", "force.y is -0.3; it is"),
    ],
)
def test_refusals(more: str, words: str) -> None:
    with pytest.raises(DescriptionError, match=rf"^m.yaml:\d+: .*{words}"):
        mast(more)


@pytest.mark.parametrize("part", ["to: 0.5, ", ""])
def test_what_falls_to_zero_is_kept(part: str) -> None:
    end = "0.5" if part else "0.8"
    mast(f"fluid: {{density: 1, bodies: {{mast: {{{part}drag: [0, '{end} - x', 0, 0, 0, 0]}}}}}}")


@pytest.mark.slow
@pytest.mark.needs_cc
def test_compiled_code_agrees() -> None:
    robot, functions = mast(acting("from: 0.25, to: 0.7, ")), ["inverse_dynamics"]
    module = symdyn.compile(robot, functions, layout="rolled")
    for entry, request in requests(robot.model, functions):
        signature = entry.signature(robot.model, request)
        inputs = random_inputs(robot, signature, np.random.default_rng(5))
        (reference,) = api.float_recursion(robot, entry.name)(inputs).values()
        given = [np.reshape(inputs[own.name], own.shape) for own in signature.inputs]
        assert relative_error(np.ravel(getattr(module, entry.name)(*given)), reference) <= 1e-9
