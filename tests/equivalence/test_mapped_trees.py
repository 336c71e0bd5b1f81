"""Robots with bodies given by their map: recursion == Program in lanes; other layouts are in ``tests/cases``."""

from __future__ import annotations

from functools import cache

import pytest
from support.agreement import asked, programs_agree
from support.robots.mapped_bodies import membrane, mixed, on_a_joint

from symdyn import api
from symdyn.robot.robot import Robot

TOLERANCE = 1e-9  # solutions with M lose its condition number
LANES = ("split-lanes", "rolled-lanes")
FUNCTIONS = (
    "inverse_dynamics",
    "forward_dynamics",
    "mass_matrix",
    "jacobians",
    "inverse_dynamics_regressor",
    "forward_dynamics_partials",
    "coriolis_matrix",
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
        ("skin", "inverse_dynamics"),
        ("skin", "potential_energy"),
        *(pytest.param("mixed", name, marks=pytest.mark.slow) for name in FUNCTIONS),
    ],
)
def test_lanes_agree(which: str, function: str) -> None:
    robot = robot_of(which)
    programs_agree(robot, function, LANES, tolerance=TOLERANCE, **asked(robot, function))


def test_code_does_not_grow_with_points() -> None:
    sizes = []
    for count in (3, 5):
        robot = api.from_description(on_a_joint(membrane(quadrature=(count, 2, 1))))
        (program,) = api.programs(robot, ["inverse_dynamics"], layout="rolled")
        sizes.append(sum(len(tape.ops) for tape in program.tapes))
    assert sizes[0] == sizes[1]
