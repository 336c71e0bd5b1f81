"""Robots whose links bend: file == description, recursion == Program == Python == compiled C in every layout."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from support.agreement import flat
from support.robots.random_flexible_trees import flexible_limbs, flexible_robots
from support.states import random_inputs, relative_error

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.compiler.tape.program import lane_loops
from symdyn.description.robot import RobotDescription
from symdyn.description.yaml.read import parse_yaml
from symdyn.description.yaml.write import write_yaml
from symdyn.functions.catalogue import CATALOGUE, requests
from symdyn.interface.options import RequestOptions
from symdyn.robot.robot import Robot

# As for rigid trees: solutions with M lose its condition number, up to some 10^4, on top of thousands of roundoffs.
TOLERANCE = 1e-9
LAYOUTS = ("unrolled", "split", "rolled")
LANES = ("split-lanes", "rolled-lanes")
COMPILED = (
    "inverse_dynamics",
    "forward_dynamics",
    "mass_matrix",
    "joint_wrenches",
    "inverse_dynamics_time_derivatives",
)

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")


def asked(robot: Robot, function: str, order: int = 0) -> RequestOptions:
    entry = CATALOGUE[function]
    options: RequestOptions = {"order": order} if "order" in entry.takes else {}
    if "external_wrenches" in entry.takes:
        options["external_wrenches"] = "world"
    if "prescribed" in entry.takes:
        options["prescribed"] = tuple(robot.velocity_names[1::3])
    return options


def layouts_agree(robot: Robot, function: str, layouts: Sequence[str], seed: int, **options: object) -> list[int]:
    """Check the layouts against the recursion; the number of loops over limbs in each."""
    ((entry, request),) = requests(robot.model, [function], **options)  # type: ignore[arg-type]
    inputs = random_inputs(robot, entry.signature(robot.model, request), np.random.default_rng(seed))
    reference = flat(api.float_recursion(robot, function, **options)(inputs))  # type: ignore[arg-type]
    assert np.all(np.isfinite(reference))
    loops = []
    for layout in layouts:
        (program,) = api.programs(robot, [function], layout=layout, **options)  # type: ignore[arg-type]
        value = flat(evaluate_program(program, FloatAlgebra(), inputs))
        assert relative_error(value, reference) <= TOLERANCE, layout
        loops.append(len(lane_loops(program.body)))
    return loops


@settings(max_examples=5, phases=(Phase.generate,), suppress_health_check=[HealthCheck.too_slow])
@given(tree=flexible_robots(max_joints=2), seed=st.integers(0, 2**32 - 1))
def test_random_trees_in_every_layout(tree: RobotDescription, seed: int) -> None:
    text = write_yaml(tree)
    read = parse_yaml(text.encode(), "tree.yaml")
    assert write_yaml(read) == text
    robot = api.from_description(read, joint_losses=True, gravity=(1.0, -2.0, -9.0))
    layouts_agree(robot, "inverse_dynamics", LAYOUTS, seed, external_wrenches="world")


@cache
def limbed() -> Robot:
    return api.from_description(flexible_limbs())


@pytest.mark.parametrize("function", ["inverse_dynamics", "forward_dynamics", "mass_matrix", "coriolis_matrix"])
def test_flexible_limbs_in_lanes(function: str) -> None:
    robot = limbed()
    loops = layouts_agree(robot, function, LANES, 3, **asked(robot, function))
    assert all(count > 0 for count in loops) or function not in ("inverse_dynamics", "mass_matrix")


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    "layout", ["split", "rolled", *(pytest.param(own, marks=pytest.mark.slow) for own in ("unrolled", *LANES))]
)
def test_compiled_and_python_targets_agree(layout: str) -> None:
    simple = [name for name in COMPILED if "order" not in CATALOGUE[name].takes]
    targets_agree(limbed(), simple, layout, {"external_wrenches": "world"})
    targets_agree(limbed(), [COMPILED[-1]], layout, {"external_wrenches": "world", "order": 1})


def targets_agree(robot: Robot, functions: Sequence[str], layout: str, options: RequestOptions) -> None:
    """Check compiled C and emitted Python of a layout against the recursion."""
    modules = [symdyn.compile(robot, functions, layout=layout, lanes=False, **options)]
    modules.append(symdyn.compile(robot, functions, layout=layout, target="python", **options))
    for function in functions:
        signature = next(x.signature for x in modules[0].manifest.functions if x.python_name == function)
        inputs = random_inputs(robot, signature, np.random.default_rng(4))
        taken = CATALOGUE[function].takes
        own = {name: value for name, value in options.items() if name in taken}
        reference = flat(api.float_recursion(robot, function, **own)(inputs))  # type: ignore[arg-type]
        shaped = [np.reshape(inputs[argument.name], argument.shape) for argument in signature.inputs]
        for module in modules:
            found = getattr(module, function)(*shaped)
            outputs = found if isinstance(found, tuple) else (found,)
            value = np.concatenate([np.ravel(output) for output in outputs])
            assert relative_error(value, reference) <= TOLERANCE, (function, module)
