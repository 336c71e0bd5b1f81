"""Robots with bodies given by their map: recursion == Program == compiled C == Python in every layout."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from support.agreement import asked, modules_agree, programs_agree
from support.robots.mapped_bodies import membrane, mixed, on_a_joint

from symdyn import api
from symdyn.robot.robot import Robot

TOLERANCE = 1e-9  # solutions with M lose its condition number
LAYOUTS = ("unrolled", "split", "rolled")
LIGHT = ("inverse_dynamics", "forward_dynamics", "potential_energy")
FUNCTIONS = (
    *LIGHT,
    "hybrid_dynamics",
    "mass_matrix",
    "jacobians",
    "centroidal_momentum_matrix",
    "inverse_dynamics_regressor",
    "inverse_dynamics_partials",
    "forward_dynamics_partials",
    "coriolis_matrix",
    "inverse_dynamics_time_derivatives",
    "forward_dynamics_time_derivatives",
)

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")


@cache
def robot_of(name: str) -> Robot:
    made = mixed() if name == "mixed" else on_a_joint(membrane(quadrature=(3, 2, 1)))
    return api.from_description(made, joint_losses=True, gravity=(1.0, -2.0, -9.0))


@pytest.mark.parametrize(
    ("which", "function"),
    [
        pytest.param(which, function, marks=() if which == "skin" and function in LIGHT else pytest.mark.slow)
        for which in ("skin", "mixed")
        for function in FUNCTIONS
    ],
)
def test_layouts_agree(which: str, function: str) -> None:
    robot = robot_of(which)
    options = asked(robot, function)
    programs_agree(
        robot, function, (LAYOUTS if which == "skin" else ("rolled", "rolled-lanes")), tolerance=TOLERANCE, **options
    )


@pytest.mark.slow
@pytest.mark.needs_cc
@pytest.mark.parametrize("layout", ["split", "rolled"])
def test_compiled_and_in_python(layout: str) -> None:
    robot = robot_of("skin")
    options: Any = {"order": 1, "prescribed": tuple(robot.velocity_names[1::2])}
    modules_agree(robot, FUNCTIONS, layout, tolerance=TOLERANCE, **options)


def test_code_does_not_grow_with_points() -> None:
    sizes = []
    for count in (3, 5):
        robot = api.from_description(on_a_joint(membrane(quadrature=(count, 2, 1))))
        (program,) = api.programs(robot, ["inverse_dynamics"], layout="rolled")
        sizes.append(sum(len(tape.ops) for tape in program.tapes))
    assert sizes[0] == sizes[1]
