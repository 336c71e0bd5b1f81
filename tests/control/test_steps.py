"""Steps where nothing changes the force on a coordinate, and of shipped robots in the layouts of long robots."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from support.parts import OF_STEPS
from support.rotation import in_turn

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.functions.catalogue import requests

SLIDER = """
name: slider
links:
  base:
  block: {mass: 2.0, inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  rail: {type: prismatic, parent: base, child: block, axis: [1, 0, 0]}
"""
H, MASS, WEIGHTS = 0.125, 2.0, (2.0, 3.0)
ROBOTS = ("pendulum", "double_pendulum", "seven_dof_arm", "aerial_manipulator", "aerial_tree", "elastic_arm")
ROBOTS += ("canadarm", "four_bar", "five_bar", "cylinder_contact", "flexible_single_link", "mixed_arm")
"""With a free base, branches, elastic joints, flexible links, loops and contacts."""


@pytest.mark.parametrize("layout", ["unrolled", "split", "rolled"])
def test_a_block_on_a_rail(layout: str) -> None:
    """v+ = v + h u / m and q+ = q + h v+: no force changes with q or v, so those gradients are never written."""
    (program,) = api.programs(symdyn.loads(SLIDER, "yaml"), ["step_adjoint"], layout=layout)
    given = {"q": [0.25], "v": [0.5], "tau": [1.5], "h": [H], "lambda": list(WEIGHTS)}
    found = evaluate_program(program, FloatAlgebra(), given)
    by_velocity = WEIGHTS[1] + H * WEIGHTS[0]
    assert found == {"g_q": [WEIGHTS[0]], "g_v": [by_velocity], "g_u": [by_velocity * H / MASS]}


@pytest.mark.slow
@pytest.mark.parametrize(("function", "name"), in_turn(OF_STEPS, ROBOTS))
@pytest.mark.parametrize("layout", ["split", "rolled"])
def test_shipped_robots_in_other_layouts(function: str, name: str, layout: str) -> None:
    """The Program is the recursion, to rounding: sums have another order, and solutions the condition of M."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", symdyn.SymdynWarning)
        robot = symdyn.load_example(name)
    rng = np.random.default_rng(7)
    ((entry, request),) = requests(robot.model, [function])
    signature = entry.signature(robot.model, request)
    q, v = robot.random_state(rng)
    own = {"q": q, "v": v, "p": np.nan_to_num(robot.runtime_defaults, nan=1.0), "h": [1e-3]}
    given = {item.name: list(map(float, own.get(item.name, rng.normal(size=item.size)))) for item in signature.inputs}
    (program,) = api.programs(robot, [function], layout=layout)
    found, wanted = evaluate_program(program, FloatAlgebra(), given), api.float_recursion(robot, function)(given)
    for output in signature.outputs:
        size = 1.0 + np.abs(wanted[output.name]).max(initial=0.0)
        assert np.abs(np.subtract(found[output.name], wanted[output.name])).max(initial=0.0) <= 1e-9 * size
