"""Numbers of bodies given by their map at run time: as if baked, as the truth has them, and their partials."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from support.agreement import asked, inputs_of, programs_agree, truth_agrees
from support.parts import OF_EVERY_ROBOT
from support.states import relative_error

import symdyn
from symdyn import api
from symdyn.description.yaml.read import parse_yaml
from symdyn.description.yaml.write import write_yaml
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
TEXT = """
name: drum
parameters:
  tension: {value: 40.0, runtime: true, unit: N/m}
  rubber: {value: 900.0, runtime: true, unit: Pa}
  lost: {value: 0.1, runtime: true}
links:
  ground:
  skin:
    mass: 0.2
    deformable:
      coordinates: {w: m, u: m}
      domain: [[0, 0.3], [0, 0.2], [-0.001, 0.001]]
      map:
        - s1*(1 - 3*w**2)
        - s2
        - s3 + w*sin(pi*s1/0.3)*sin(pi*s2/0.2) + u*sin(2*pi*s1/0.3)*sin(pi*s2/0.2)
      density: 1100
      quadrature: [3, 2, 1]
      energy: 0.5*tension*(w**2 + 2*u**2) + tension**2/rubber*w**4
      energy_density: rubber*s1*(w + u)**2
      damping: {w: 2*lost, u: 0.05}
      tip: [0.1, 0.05, 0]
  hook: {mass: 0.1, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}
joints:
  slew: {type: revolute, parent: ground, child: skin, axis: [0, 0.6, 0.8]}
  swing: {type: revolute, parent: skin, child: hook, at: end, axis: [1, 0, 0]}
"""
NAMES = ("tension", "rubber", "lost", "skin.density", "skin.damping.u")
VALUES = [55.0, 700.0, 0.2, 1234.0, 0.07]
LIGHT = ("inverse_dynamics", "forward_dynamics", "potential_energy")
FUNCTIONS = [name if name in LIGHT else pytest.param(name, marks=pytest.mark.slow) for name in OF_EVERY_ROBOT]
CHECKED = ("inverse_dynamics", "potential_energy", "mass_matrix", "inverse_dynamics_partials", "forward_dynamics")


@cache
def robot() -> Robot:
    return api.from_description(parse_yaml(TEXT.encode(), "drum.yaml"), runtime=NAMES, joint_losses=True)


@cache
def baked() -> Robot:
    text = TEXT
    for old, new in (
        ("{value: 40.0, runtime: true, unit: N/m}", "55.0"),
        ("{value: 900.0, runtime: true, unit: Pa}", "700.0"),
        ("{value: 0.1, runtime: true}", "0.2"),
        ("density: 1100", "density: 1234"),
        ("u: 0.05", "u: 0.07"),
    ):
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return api.from_description(parse_yaml(text.encode(), "drum.yaml"), joint_losses=True)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_values_given_at_run_time_are_as_good_as_baked(function: str) -> None:
    inputs = inputs_of(baked(), function, **asked(robot(), function))
    expected = api.float_recursion(baked(), function, **asked(robot(), function))(inputs)
    found = api.float_recursion(robot(), function, **asked(robot(), function))({**inputs, "p": VALUES})
    for name, value in expected.items():
        assert relative_error(found[name], value) <= 1e-11, name


@pytest.mark.parametrize(
    "function", [name if name in CHECKED[:2] else pytest.param(name, marks=pytest.mark.slow) for name in CHECKED]
)
def test_the_recursion_is_right(function: str) -> None:
    assert truth_agrees(robot(), function, nominal=dict(zip(NAMES, VALUES, strict=True)))


def test_slopes_by_numbers_are_slopes() -> None:
    """Forces are no polynomials in them: tension squared by rubber stands in the energy."""
    inputs = inputs_of(robot(), "inverse_dynamics") | {"p": VALUES}
    slopes = np.reshape(api.float_recursion(robot(), "inverse_dynamics_partials")(inputs)["dtau_dp"], (robot().nv, 5))
    value = api.float_recursion(robot(), "inverse_dynamics")
    for column, number in enumerate(VALUES):
        ends = []
        for step in (1e-5, -1e-5):
            moved = [*VALUES[:column], number * (1.0 + step), *VALUES[column + 1 :]]
            ends.append(np.array(value({**inputs, "p": moved})["tau"]))
        expected = (ends[0] - ends[1]) / (2e-5 * number)
        assert slopes[:, column] == pytest.approx(expected, rel=1e-6, abs=1e-7 * (abs(expected).max() + 1e-3))


@pytest.mark.parametrize(
    ("function", "layout"),
    [
        ("potential_energy", "rolled"),
        *(
            pytest.param(function, layout, marks=pytest.mark.slow)
            for function in ("inverse_dynamics", "forward_dynamics")
            for layout in ("rolled", "split")
        ),
    ],
)
def test_programs_agree_with_the_recursion(function: str, layout: str) -> None:
    inputs = inputs_of(robot(), function, **asked(robot(), function)) | {"p": VALUES}
    programs_agree(robot(), function, (layout,), inputs, tolerance=1e-12)


@pytest.mark.slow
@pytest.mark.needs_cc
def test_compiled_code_agrees() -> None:
    functions = ["inverse_dynamics", "forward_dynamics", "inverse_dynamics_partials"]
    module = symdyn.compile(robot(), functions, layout="rolled")
    for function in functions:
        inputs = inputs_of(robot(), function, **asked(robot(), function)) | {"p": VALUES}
        expected = api.float_recursion(robot(), function)(inputs)
        signature = module.signature(function)
        found = getattr(module, function)(*(np.array(inputs[own.name]) for own in signature.inputs))
        rows = found if isinstance(found, tuple) else (found,)
        for values, own in zip(rows, signature.outputs, strict=True):
            assert relative_error(np.ravel(values).tolist(), expected[own.name]) <= 1e-12, own.name


def test_names_units_and_round_trip() -> None:
    slots = robot().model.slots
    assert slots.names == NAMES and slots.units[3:] == ("kg/m^3", "N s/m")
    assert slots.defaults == (40.0, 900.0, 0.1, 1100.0, 0.05)
    written = parse_yaml(write_yaml(robot().description).encode(), "again.yaml")
    (skin,) = (link.deformable for link in written.links if link.deformable)
    assert skin == robot().description.links[1].deformable and skin.parameters == ("rubber", "tension")


def test_what_is_not_asked_for_is_baked() -> None:
    """A description may hold the names of parameters that are no inputs."""
    fixed = tuple(replace(parameter, runtime=False) for parameter in robot().description.parameters)
    own = api.from_description(replace(robot().description, parameters=fixed), runtime=["skin.density"])
    assert own.model.slots.names == ("skin.density",)
    for function in ("potential_energy", "inverse_dynamics"):
        state = inputs_of(baked(), function, **asked(robot(), function))
        expected = api.float_recursion(without_losses(), function)(state | {"p": list(robot().model.slots.defaults)})
        found = api.float_recursion(own, function)(state | {"p": [1100.0]})
        for name, values in expected.items():
            assert relative_error(found[name], values) <= 1e-13


@cache
def without_losses() -> Robot:
    return api.from_description(robot().description, runtime=NAMES)
