"""Each function of the catalogue against its truth on robots with sections that deform, as float recursions go."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
from support.agreement import truth_agrees
from support.parts import OF_EVERY_ROBOT, OF_SOFT_LINKS
from support.robots.sections import breathing, carried, driven, hose, pulled, thin_hose, thinning, touching

from symdyn import api
from symdyn.description.robot import RobotDescription
from symdyn.errors import SymdynWarning
from symdyn.functions.catalogue import CATALOGUE
from symdyn.robot.robot import Robot

ROBOTS: dict[str, tuple[Callable[[], RobotDescription], str, tuple[str, ...]]] = {
    "cone": (lambda: carried(breathing()), "pinocchio", ("hand.mass", "arm.material.density")),
    "driven": (lambda: driven(breathing()), "spatial", ("gravity.z",)),
    "elastic": (
        lambda: carried(breathing(section_law="green_lagrange")),
        "pinocchio",
        ("arm.material.youngs_modulus",),
    ),
    "hose": (lambda: carried(hose(), breathing()), "spatial", ("arm.material.youngs_modulus",)),
    "thin": (lambda: carried(thinning()), "pinocchio", ("hand.mass", "arm.material.density")),
    "thin hose": (lambda: carried(thin_hose(), thinning()), "spatial", ()),
    "touching": (lambda: touching(breathing()), "pinocchio", ("floor.stiffness",)),
    "touching thin": (lambda: touching(thinning()), "spatial", ()),
    "pulled": (lambda: pulled(breathing()), "pinocchio", ()),
    "pulled thin": (lambda: pulled(thinning()), "spatial", ()),
    "pulled hose": (lambda: pulled(thin_hose()), "pinocchio", ()),
}


@cache
def example(name: str) -> Robot:
    made, convention, runtime = ROBOTS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        return api.from_description(
            made(), convention=convention, joint_losses=True, gravity=(1.0, -2.0, -9.0), runtime=runtime
        )


DRIVEN: dict[str, dict[str, Any]] = {
    "actuation_matrix": {},
    "chamber_volumes": {},
    "inverse_actuation": {},
    "forward_dynamics_partials": {"inputs": "actuators"},
    "hybrid_dynamics": {"inputs": "actuators", "prescribed": ("turn", "arm.section[0]")},
    "forward_dynamics_time_derivatives": {"inputs": "actuators"},
}
ASKED: dict[str, tuple[str, ...]] = {
    "cone": (*OF_EVERY_ROBOT, *OF_SOFT_LINKS),
    "driven": tuple(DRIVEN),
    "elastic": ("potential_energy", "elastic_forces", "damping_forces", "inverse_dynamics_partials"),
    "hose": ("inverse_dynamics", "forward_dynamics", "jacobians", "inverse_dynamics_regressor"),
    "thin": (*OF_EVERY_ROBOT, *OF_SOFT_LINKS),
    "thin hose": ("inverse_dynamics", "forward_dynamics", "jacobians", "coriolis_matrix"),
    "touching": ("inverse_dynamics", "forward_dynamics", "inverse_dynamics_partials", "station_wrenches"),
    "touching thin": ("inverse_dynamics", "mass_matrix", "forward_dynamics_partials", "joint_wrenches"),
    "pulled": ("tendon_lengths", "actuation_matrix", "forward_dynamics_partials"),
    "pulled thin": ("tendon_lengths", *DRIVEN),
    "pulled hose": ("tendon_lengths", "chamber_volumes", "actuation_matrix", "hybrid_dynamics"),
}
LIGHT = (
    ("cone", "inverse_dynamics"),
    ("cone", "mass_matrix"),
    ("cone", "forward_dynamics"),
    ("driven", "chamber_volumes"),
    ("thin", "inverse_dynamics"),
    ("thin", "mass_matrix"),
    ("pulled", "tendon_lengths"),
    ("pulled thin", "actuation_matrix"),
)


def _cases() -> Iterator[Any]:
    for which, names in ASKED.items():
        for name in names:
            yield pytest.param(name, which, marks=() if (which, name) in LIGHT else pytest.mark.slow)


@pytest.mark.parametrize(("name", "which"), [*_cases()])
def test_the_recursion_is_right(name: str, which: str) -> None:
    robot, entry = example(which), CATALOGUE[name]
    asked: dict[str, Any] = {"external_wrenches": "world"} if "external_wrenches" in entry.takes else {}
    if which.startswith(("driven", "pulled")):
        asked |= DRIVEN.get(name, {})
        if which.startswith("pulled") and "prescribed" in asked:
            asked["prescribed"] = robot.velocity_names[:3:2]
    elif "prescribed" in entry.takes:
        asked["prescribed"] = robot.velocity_names[1::2]
    if "order" in entry.takes:
        asked["order"] = 1
    assert truth_agrees(robot, name, **asked)
