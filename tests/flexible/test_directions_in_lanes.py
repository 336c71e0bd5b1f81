"""Derivatives along many directions, in lanes: as those written one by one, in every layout and language."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
from support.agreement import flat, inputs_of
from support.robots.flexible import beam
from support.robots.small import Y, Z, described, joint, massive
from support.states import relative_error

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.compiler.tape.program import lane_loops
from symdyn.compiler.tape.tape import operation_total
from symdyn.description.flexible import Direction
from symdyn.description.robot import JointKind, Link
from symdyn.functions.catalogue import requests
from symdyn.plan.plan import Plan
from symdyn.plan.run import run_plan
from symdyn.plan.transforms import tangent
from symdyn.robot.robot import Robot
from symdyn.tracing.cost import instructions
from symdyn.tracing.lanes.lanes_written_out import lanes_written_out

FUNCTIONS = ("inverse_dynamics_partials", "coriolis_matrix", "forward_dynamics_partials")
# Solutions with M lose its condition number, here up to 10^6, on top of some hundred units of roundoff.
TOLERANCE = 1e-8


@cache
def bending(rows: int, parameters: bool = False) -> Robot:
    """A link that turns, bends by ``rows`` less two modes, and carries another one that turns."""
    counts = ((Direction.BEND_Y, (rows - 2) // 2), (Direction.BEND_Z, (rows - 1) // 2))
    links = [
        Link("base"),
        Link("boom", massive("hub", 0.6, (0.02, 0.01, -0.03)).inertial, flexible=beam(1.1, 1.7, 60.0, counts)),
        massive("hand", 0.4, (0.05, 0.02, -0.04)),
    ]
    joints = [
        joint("one", JointKind.CONTINUOUS, "base", "boom", axis=Z),
        joint("two", JointKind.CONTINUOUS, "boom", "hand", at=(1.1, 0.0, 0.0), axis=Y),
    ]
    names = ("hand.mass", "hand.com.x", "hand.com.y", "hand.com.z", *(f"two.translation.{axis}" for axis in "xyz"))
    runtime = (*names, "gravity.z") if parameters else ()
    return api.from_description(described(links, joints), runtime=runtime)


def plan_of(robot: Robot, function: str) -> Plan:
    ((entry, request),) = requests(robot.model, [function])
    return entry.plan(robot.model, request)


def has_lanes(plan: Plan) -> bool:
    return any(visit.lanes > 1 for sweep in plan.sweeps for visit in sweep.visits)


# 8 directions fill one vector; 10 leave lanes over; parameters are directions of another kind.
@pytest.mark.parametrize(("rows", "parameters"), [(8, False), (10, False), (8, True)])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_lanes_find_what_single_directions_find(
    monkeypatch: pytest.MonkeyPatch, function: str, rows: int, parameters: bool
) -> None:
    robot = bending(rows, parameters)
    inputs = inputs_of(robot, function)
    found = []
    for few in (8, 1000):
        monkeypatch.setattr(tangent, "FEW_DIRECTIONS", few)
        plan = plan_of(robot, function)
        assert has_lanes(plan) is (few == 8)
        found.append(run_plan(plan, FloatAlgebra(), inputs))
    assert found[0] == found[1]


def test_few_directions_stay_one_by_one() -> None:
    assert not has_lanes(plan_of(bending(7), "inverse_dynamics_partials"))


@pytest.mark.parametrize("function", FUNCTIONS[:2])
def test_every_layout(function: str) -> None:
    robot = bending(10)
    inputs = inputs_of(robot, function)
    expected = flat(api.float_recursion(robot, function)(inputs))
    for layout in ("auto", "rolled"):
        (program,) = api.programs(robot, [function], layout=layout)
        assert lane_loops(program.body), layout
        assert relative_error(flat(evaluate_program(program, FloatAlgebra(), inputs)), expected) <= 1e-12, layout


def test_lanes_halve_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    robot = bending(8)
    (laned,) = api.programs(robot, ["inverse_dynamics_partials"], layout="split")
    monkeypatch.setattr(tangent, "FEW_DIRECTIONS", 1000)
    (single,) = api.programs(robot, ["inverse_dynamics_partials"], layout="split")
    assert instructions(laned, 8) <= 0.5 * instructions(single, 8)


def test_written_out_nothing_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Languages without vectors get the plan without lanes, which has as many operations as single directions."""
    robot, function = bending(10), "coriolis_matrix"
    plan = plan_of(robot, function)
    inputs = inputs_of(robot, function)
    again = lanes_written_out(plan)
    assert has_lanes(plan) and not has_lanes(again)
    assert run_plan(again, FloatAlgebra(), inputs) == run_plan(plan, FloatAlgebra(), inputs)
    totals = [_operations_in_python(robot, function)]
    monkeypatch.setattr(tangent, "FEW_DIRECTIONS", 1000)
    totals.append(_operations_in_python(robot, function))
    assert totals[0] == totals[1]


def _operations_in_python(robot: Robot, function: str) -> int:
    manifest = symdyn.compile(robot, [function], target="python").manifest
    return operation_total(manifest.functions[0].counts)


@pytest.mark.needs_cc
@pytest.mark.parametrize("functions", [FUNCTIONS[1:2], pytest.param(FUNCTIONS, marks=pytest.mark.slow)])
def test_compiled(functions: Sequence[str]) -> None:
    robot = bending(10)
    options: dict[str, Any] = {"layout": "split"}
    module = symdyn.compile(robot, functions, **options)
    python = symdyn.compile(robot, functions, target="python", **options)
    for function in functions:
        inputs = inputs_of(robot, function)
        expected = flat(api.float_recursion(robot, function)(inputs))
        arrays = [np.array(values) for values in inputs.values()]
        single, several, slow = (
            getattr(module, function)(*arrays),
            getattr(module, function)(*(np.tile(array, (9, 1)) for array in arrays)),
            getattr(python, function)(*arrays),
        )
        for found in (single, slow, several):
            outputs = found if isinstance(found, tuple) else (found,)
            last = [np.ravel(output[8] if found is several else output) for output in outputs]
            assert relative_error(np.concatenate(last), expected) <= TOLERANCE, function
