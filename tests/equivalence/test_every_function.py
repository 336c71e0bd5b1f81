"""Every function of the catalogue is finite where formulas tend to break."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from support.agreement import flat
from support.parts import OF_RIGID_ROBOTS
from support.robots.sprung import FEEDFORWARD, OF_ELASTIC_JOINTS, sprung
from support.robots.table import TREES, with_inertials, with_velocity_scale
from support.rotation import in_turn

from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.compiler.tape.program import Program
from symdyn.description.robot import Spring
from symdyn.functions.catalogue import CATALOGUE, requests
from symdyn.interface.options import RequestOptions
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")


@cache
def robot(name: str, elastic: bool = False) -> Robot:
    """Small robots that hold every joint kind, a branch, mimic joints, drives, and run-time parameters among them.

    With ``elastic`` they have an undamped spring at least, and none that is damped.
    """
    tree = TREES[name]
    options = dict(tree.options)
    description = replace(with_velocity_scale(with_inertials(tree.described()), 0.05), name=name)
    held = [replace(joint, loads=(Spring(9.0, 0.2),) if joint.elastic else joint.loads) for joint in description.joints]
    description = replace(description, joints=tuple(held))
    if name == "mixed":
        screw = held[-1].name
        springs = [f"{screw}.spring.stiffness", f"{screw}.spring.rest"]
        options |= {"joint_losses": True, "runtime": [*options["runtime"], *springs]}
    return api.from_description(sprung(description) if elastic else description, **options)


ROBOTS = ("mixed", "floating", "followers")
FUNCTIONS = sorted(OF_RIGID_ROBOTS)


def asked(loaded: Robot, function: str) -> RequestOptions:
    """Options that make a function do as much as it can."""
    entry = CATALOGUE[function]
    options: RequestOptions = {}
    if "external_wrenches" in entry.takes:
        options["external_wrenches"] = "world" if loaded.name == "mixed" else "body"
    if "prescribed" in entry.takes:
        options["prescribed"] = tuple(loaded.velocity_names[1::3])
    return options


def unrolled(name: str, function: str) -> Program:
    """The straight-line program."""
    loaded = robot(name, function in (OF_ELASTIC_JOINTS, FEEDFORWARD))
    (program,) = api.programs(loaded, [function], layout="unrolled", **asked(loaded, function))
    return program


LONGEST = [function for function in FUNCTIONS if function.endswith(("_partials", "_jacobian"))]
HESSIANS = [function for function in FUNCTIONS if function.endswith("_hessian")]
CASES = in_turn(FUNCTIONS, ROBOTS, fixed=dict.fromkeys(LONGEST, "mixed") | dict.fromkeys(HESSIANS, "followers"))
"""Every function on one robot here, in turn but for the longest, and on all where time is."""


def _awkward_positions(loaded: Robot) -> list[np.ndarray]:
    """Neutral, straight, quarter and half turns: where formulas with divisions by angles or sines break."""
    neutral = loaded.neutral()
    found = [neutral]
    for angle in (math.pi / 2, -math.pi / 2, math.pi):
        found.append(loaded.integrate(neutral, np.full(loaded.nv, angle)))
        for row in range(loaded.nv):
            step = np.zeros(loaded.nv)
            step[row] = angle
            found.append(loaded.integrate(neutral, step))
    return found


@pytest.mark.parametrize(("function", "name"), CASES, scope="module")
def test_nothing_is_nan_at_awkward_states(function: str, name: str) -> None:
    loaded = robot(name, function in (OF_ELASTIC_JOINTS, FEEDFORWARD))
    options = asked(loaded, function)
    ((entry, request),) = requests(loaded.model, [function], **options)
    program = unrolled(name, function)
    signature = entry.signature(loaded.model, request)
    for position in _awkward_positions(loaded):
        inputs = {argument.name: [0.0] * argument.size for argument in signature.inputs}
        at = dict(zip(loaded.coordinate_names, position, strict=True))
        (q,) = [argument for argument in signature.inputs if argument.name in ("q", "y")]  # y = (q, v)
        inputs[q.name] = [float(at.get(name, 0.0)) for name in q.element_names]
        if "p" in inputs:
            inputs["p"] = [float(value) for value in loaded.runtime_defaults]
        assert np.all(np.isfinite(flat(evaluate_program(program, FloatAlgebra(), inputs)))), position
