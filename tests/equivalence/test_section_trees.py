"""Robots with soft links whose sections deform: recursion == Program == compiled C == Python in every layout."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from support.agreement import asked, modules_agree, programs_agree
from support.robots.sections import breathing, carried, driven, hose, pulled, thin_hose, thinning, touching

from symdyn import api
from symdyn.robot.robot import Robot

TOLERANCE = 1e-9  # solutions with M lose its condition number
LAYOUTS = ("unrolled", "split", "rolled")
FUNCTIONS = (
    "inverse_dynamics",
    "forward_dynamics",
    "potential_energy",
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
    made = {
        "cone": lambda: carried(breathing(stations=1)),
        "hose": lambda: carried(hose(), breathing(section_law="green_lagrange")),
        "driven": lambda: driven(breathing()),
        "thin": lambda: carried(thin_hose(), thinning()),
        "touching": lambda: touching(thinning()),
        "pulled": lambda: pulled(breathing()),
        "pulled thin": lambda: pulled(thinning()),
    }[name]()
    return api.from_description(made, joint_losses=True, gravity=(1.0, -2.0, -9.0))


@pytest.mark.parametrize(
    ("which", "function"),
    [
        pytest.param(
            which, function, marks=() if which == "cone" and function == "inverse_dynamics" else pytest.mark.slow
        )
        for which in ("cone", "hose", "thin")
        for function in FUNCTIONS
    ],
)
def test_layouts_agree(which: str, function: str) -> None:
    robot = robot_of(which)
    options = asked(robot, function)
    programs_agree(
        robot,
        function,
        (LAYOUTS if which == "cone" and function != "inverse_dynamics" else ("rolled", "rolled-lanes")),
        tolerance=TOLERANCE,
        **options,
    )


@pytest.mark.slow
@pytest.mark.needs_cc
@pytest.mark.parametrize(("which", "layout"), [("cone", "split"), ("hose", "rolled"), ("thin", "rolled")])
def test_compiled_and_in_python(which: str, layout: str) -> None:
    robot = robot_of(which)
    options: Any = {"order": 1, "prescribed": tuple(robot.velocity_names[1::2])}
    modules_agree(robot, FUNCTIONS, layout, tolerance=TOLERANCE, **options)


@pytest.mark.slow
@pytest.mark.needs_cc
def test_touching_in_c() -> None:
    functions = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "inverse_dynamics_partials")
    modules_agree(robot_of("touching"), functions, "rolled", tolerance=TOLERANCE)


@pytest.mark.slow
@pytest.mark.needs_cc
@pytest.mark.parametrize("which", ["driven", "pulled", "pulled thin"])
def test_driven_in_c(which: str) -> None:
    lengths = ("tendon_lengths",) if which != "driven" else ()
    functions = ("actuation_matrix", "chamber_volumes", "forward_dynamics", "forward_dynamics_partials", *lengths)
    options: Any = {"tolerance": TOLERANCE, "targets": ("c",), "inputs": "actuators"}
    modules_agree(robot_of(which), functions, "rolled", **options)
