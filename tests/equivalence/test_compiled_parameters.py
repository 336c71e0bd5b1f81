"""Inertia regrouped from p: C, batches in lanes and Python equal the recursion on links as they are described."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from support.rotation import in_turn
from support.states import random_inputs, relative_error

import symdyn
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.request import Request
from symdyn.generation import pipeline
from symdyn.plan.run import run_plan
from symdyn.robot.robot import Robot

# Solutions with M lose its condition number: up to some 10^3 for these arms, on top of some hundred units of 2^-53.
TOLERANCE = 1e-10
FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "gravity")
STATES = 19
MADE = [f"{target}-{layout}" for target in ("c", "python") for layout in ("unrolled", "split", "rolled")]

ARM = (
    "link_4.mass",
    *(f"link_7.{name}" for name in ("mass", "com.x", "com.z", "inertia.xx", "inertia.yz")),
    "joint_6.translation.x",
    "joint_2.damping",
    "gravity.x",
)
FLYING_ARMS = ("arm_1_link_3.mass", "arm_2_link_2.com.y", "arm_2_link_1.inertia.zz", "base.mass")


def robots() -> list[Robot]:
    return [
        symdyn.load_example("seven_dof_arm", runtime=ARM, joint_losses=True),
        symdyn.load_example("aerial_manipulator", runtime=FLYING_ARMS),
    ]


@cache  # the same for every target and layout
def states_of(robot: Robot, function: str) -> tuple[list[dict[str, list[float]]], list[list[float]]]:
    """States with one p, and what the recursion on links as they are described makes of each."""
    entry, rng = CATALOGUE[function], np.random.default_rng([8, FUNCTIONS.index(function)])
    drawn = [random_inputs(robot, entry.signature(robot.model, Request()), rng) for _ in range(STATES)]
    drawn = [one | {"p": drawn[0]["p"]} for one in drawn]
    plan = entry.plan(replace(robot.model, regroups=False, slides=False), Request())
    return drawn, [next(iter(run_plan(plan, FloatAlgebra(), one).values())) for one in drawn]


@pytest.mark.needs_cc
@pytest.mark.parametrize(("made", "robot"), in_turn(MADE, robots()), ids=lambda part: getattr(part, "name", None))
def test_every_target_and_layout(made: str, robot: Robot) -> None:
    target, layout = made.split("-")
    _, module = pipeline.build(robot, FUNCTIONS, target=target, layout=layout)
    for function in FUNCTIONS:
        signature = module.signature(function)
        assert "from p, at run time" in signature.options["regrouping"], function
        drawn, expected = states_of(robot, function)
        batch = [
            np.array(drawn[0][item.name] if item.name == "p" else [one[item.name] for one in drawn])
            for item in signature.inputs
        ]
        found = getattr(module, function)(*batch)
        single = getattr(module, function)(*(array if array.ndim == 1 else array[3] for array in batch))
        assert relative_error(single, expected[3]) <= TOLERANCE, function
        for state in range(STATES):
            assert relative_error(found[state], expected[state]) <= TOLERANCE, (function, state)
