"""Each function of the catalogue against its truth on robots with bodies given by their map, as float recursions go."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache

import pytest
from support.agreement import asked, truth_agrees
from support.parts import OF_EVERY_ROBOT
from support.robots.mapped_bodies import bag, growing_segment, membrane, mixed, on_a_joint

from symdyn import api
from symdyn.description.robot import RobotDescription
from symdyn.errors import SymdynWarning
from symdyn.robot.robot import Robot

ROBOTS: dict[str, tuple[Callable[[], RobotDescription], str, tuple[str, ...]]] = {
    "membrane": (lambda: on_a_joint(membrane(quadrature=(2, 2, 1))), "pinocchio", ("hand.mass",)),
    "growing": (lambda: on_a_joint(growing_segment()), "spatial", ("gravity.z",)),
    "bag": (lambda: on_a_joint(bag()), "pinocchio", ()),
    "mixed": (mixed, "spatial", ("base.mass",)),
}
DEAR = ("partials", "dynamics_time_derivatives", "rate_terms", "coriolis")


@cache
def example(name: str) -> Robot:
    made, convention, runtime = ROBOTS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        return api.from_description(
            made(), convention=convention, joint_losses=True, gravity=(1.0, -2.0, -9.0), runtime=runtime
        )


def _dear(function: str, robot: str) -> bool:
    light = {"bag": "inverse_dynamics", "growing": "hybrid_dynamics"}
    return any(part in function for part in DEAR) or (robot != "membrane" and light.get(robot) != function)


def _asked(function: str, robot: str) -> bool:
    """All functions of the membrane; of others few of those that take long."""
    dear = {"bag": "inverse_dynamics_partials", "growing": "inverse_dynamics_rate_terms"}
    own = any(part in function for part in DEAR) or "time_derivative" in function
    return robot == "membrane" or not own or dear.get(robot) == function


CASES = [
    pytest.param(name, which, marks=pytest.mark.slow if _dear(name, which) else ())
    for which in ROBOTS
    for name in OF_EVERY_ROBOT
    if _asked(name, which)
]


@pytest.mark.parametrize(("name", "which"), CASES)
def test_the_recursion_is_right(name: str, which: str) -> None:
    robot = example(which)
    assert truth_agrees(robot, name, **asked(robot, name, 2, wrenches="world"))
