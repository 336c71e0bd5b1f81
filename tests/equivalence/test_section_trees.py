"""Robots with soft links whose sections deform: recursion == Program in lanes; other layouts are in ``tests/cases``."""

from __future__ import annotations

from functools import cache

import pytest
from support.agreement import asked, programs_agree
from support.robots.sections import breathing, carried, thin_hose, thinning

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
    made = carried(breathing(stations=1)) if name == "cone" else carried(thin_hose(), thinning())
    return api.from_description(made, joint_losses=True, gravity=(1.0, -2.0, -9.0))


@pytest.mark.parametrize(
    ("which", "function"),
    [("cone", "inverse_dynamics"), *(pytest.param("thin", name, marks=pytest.mark.slow) for name in FUNCTIONS)],
)
def test_lanes_agree(which: str, function: str) -> None:
    robot = robot_of(which)
    programs_agree(robot, function, LANES, tolerance=TOLERANCE, **asked(robot, function))
