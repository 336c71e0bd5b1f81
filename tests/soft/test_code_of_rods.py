"""Code of rods: loops over stations, kernels that stations share, and bodies that plans name."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from support.robots.small import loaded
from support.robots.soft_trees import soft_arm

from symdyn.compiler.tape.program import Program, Statement
from symdyn.description.robot import Link, RobotDescription
from symdyn.description.soft import Material, Section, Soft, Strain, StrainBasis, StrainFunctions
from symdyn.functions.catalogue import requests
from symdyn.robot.robot import Robot
from symdyn.tracing.rolled.rolled import trace_rolled

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")


@cache
def rod(stations: int) -> Robot:
    """One of ten coordinates."""
    soft = Soft(
        0.5,
        Section("circle", radius="0.03 - 0.03*x"),
        Material(1e6, 0.5, 1000.0, viscosity=1e4),
        (
            StrainFunctions(Strain.CURVATURE_Y, StrainBasis.LEGENDRE, 4),
            StrainFunctions(Strain.CURVATURE_Z, StrainBasis.LEGENDRE, 4),
        ),
        stations=stations,
        magnus=4,
    )
    return loaded(RobotDescription("rod", (Link("arm", soft=soft),), ()))


@cache
def program(stations: int, function: str) -> Program:
    """Loops as they are found, before any pass."""
    model = rod(stations).model
    ((entry, request),) = requests(model, [function])
    return trace_rolled(entry.plan(model, request), entry.signature(model, request))


def places(statements: tuple[Statement, ...]) -> int:
    """Calls as they stand in the text."""
    return sum(places(one.body) if hasattr(one, "body") else 1 for one in statements)


@pytest.mark.parametrize("function", ["mass_matrix", "inverse_dynamics_partials"])
def test_code_does_not_grow_with_stations(function: str) -> None:
    few, many = program(5, function), program(8, function)
    assert places(few.body) == places(many.body)
    assert {tape.name: len(tape.ops) for tape in few.tapes} == {tape.name: len(tape.ops) for tape in many.tapes}


def test_slopes_of_steps_are_found_once_per_column() -> None:
    """Values are found once per station, and not again with each of the slopes."""
    found = {tape.name: tape for tape in program(5, "inverse_dynamics_partials").tapes}
    assert not any(name.startswith("rod_poses_slopes") for name in found)
    shared = [tape for name, tape in found.items() if name.startswith("rod_poses_shared")]
    assert len(shared) == 2
    assert all(op.code != "sqrt" for name, tape in found.items() if "_column" in name for op in tape.ops)


@pytest.mark.parametrize("function", ["jacobians", "jacobians_time_derivative"])
def test_visits_name_bodies_of_their_plan(function: str) -> None:
    own = loaded(replace(soft_arm(), name="arm"))
    ((entry, request),) = requests(own.model, [function])
    plan = entry.plan(own.model, request)
    assert all(visit.body < len(plan.parent) for sweep in plan.sweeps for visit in sweep.visits)
