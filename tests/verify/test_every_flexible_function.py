"""Each function of the catalogue against its truth on robots with flexible links, as float recursions compute it."""

from __future__ import annotations

import random
import warnings
from dataclasses import replace
from functools import cache

import pytest
from support.agreement import asked
from support.parts import OF_RIGID_ROBOTS
from support.robots.flexible_trees import hub_beam, inertial, spatial_beam, tapered_beam, triple, turned, uniform
from support.robots.sprung import OF_ELASTIC_JOINTS, sprung
from support.rotation import in_turn

from symdyn import api
from symdyn.description.flexible import Basis, Direction, Flexible, Modes
from symdyn.description.robot import (
    Actuator,
    Attachment,
    Elastic,
    Frame,
    Joint,
    JointKind,
    Link,
    Losses,
    Mimic,
    Placement,
    RobotDescription,
    Spring,
)
from symdyn.errors import SymdynWarning
from symdyn.functions.catalogue import CATALOGUE, requests
from symdyn.robot.robot import Robot
from symdyn.verify.base.compare import block_floors, error_in_u, limit_in_u, output_blocks
from symdyn.verify.harness.states import verification_states
from symdyn.verify.oracle.exact import Exact
from symdyn.verify.oracle.setting import make_setting
from symdyn.verify.oracle.truths import find_truth

LOSSES = Losses(0.3, 0.2, 0.05)
STATES = (1, -1)
"""The straight beam in motion, and a random state."""


def planar() -> RobotDescription:
    """A link that bends in the plane in which it turns, held by a spring, and a wheel behind another at its tip."""
    generator = random.Random(3)
    bends = Modes(Direction.BEND_Y, Basis.CLAMPED_FREE, 2, uniform(1.5, 40.0), damping_ratios=(0.01, 0.02))
    arm = Flexible(1.5, uniform(1.5, 0.8), (bends,))
    spring, held = Elastic(30.0, 0.25, Actuator(armature=0.1)), Spring(9.0, 0.2)
    return RobotDescription(
        "planar",
        (Link("base"), Link("arm", inertial(generator), flexible=arm), Link("wheel", inertial(generator))),
        (
            Joint("turn", JointKind.REVOLUTE, "base", "arm", axis=(0.0, 0.0, 1.0), losses=LOSSES, loads=(held,)),
            Joint(
                "spin", JointKind.REVOLUTE, "arm", "wheel", Placement((1.5, 0.0, 0.1)), (0.0, 0.0, 1.0), elastic=spring
            ),
        ),
        (Frame("mark", "arm", Placement((0.5, 0.1, 0.2)), at=Attachment.ROOT),),
    )


def spatial() -> RobotDescription:
    """A beam that bends in two planes, twists, stretches and shortens, on a free base, with a hand at its tip."""
    generator = random.Random(5)
    return RobotDescription(
        "spatial",
        (
            Link("base", inertial(generator)),
            Link("arm", inertial(generator), flexible=spatial_beam(generator, stiffening=True)),
            Link("hand", inertial(generator)),
            Link("foot", inertial(generator)),
        ),
        (
            Joint(
                "turn",
                JointKind.REVOLUTE,
                "base",
                "arm",
                Placement(triple(generator), turned(generator)),
                losses=LOSSES,
            ),
            Joint("grip", JointKind.FIXED, "arm", "hand", Placement(triple(generator), turned(generator))),
            Joint("kick", JointKind.REVOLUTE, "arm", "foot", Placement(triple(generator)), at=Attachment.ROOT),
        ),
        (Frame("tool", "arm", Placement(triple(generator), turned(generator))),),
        floating_base=True,
    )


def clamped() -> RobotDescription:
    """A beam that is clamped to the ground, a stepped one that turns on it, and a finger that follows on a third."""
    generator = random.Random(8)
    mast, boom, rod = spatial_beam(generator, stiffening=False), tapered_beam(generator), hub_beam(generator)
    return RobotDescription(
        "clamped",
        (
            Link("mast", flexible=replace(mast, modes=mast.modes[:2], section_inertia=None)),
            Link("boom", inertial(generator), flexible=boom),
            Link("rod", flexible=replace(rod, stiffening=True)),
            Link("finger", inertial(generator)),
        ),
        (
            Joint(
                "yaw",
                JointKind.REVOLUTE,
                "mast",
                "boom",
                Placement(triple(generator), turned(generator)),
                losses=LOSSES,
            ),
            Joint(
                "roll", JointKind.PRISMATIC, "boom", "rod", Placement(triple(generator)), actuator=Actuator(0.01, 5.0)
            ),
            Joint(
                "follow", JointKind.REVOLUTE, "rod", "finger", Placement(triple(generator)), mimic=Mimic("yaw", -0.5)
            ),
        ),
    )


ROBOTS = {
    "planar": (planar, "pinocchio", ("wheel.mass", "spin.translation.x")),
    "spatial": (spatial, "spatial", ("hand.com.y", "gravity.z")),
    "clamped": (clamped, "pinocchio", ("boom.mass", "yaw.translation.y")),
}


@cache
def example(name: str, elastic: bool = False) -> Robot:
    made, convention, runtime = ROBOTS[name]
    description = sprung(made()) if elastic else made()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        return api.from_description(
            description, convention=convention, joint_losses=True, gravity=(1.0, -2.0, -9.0), runtime=runtime
        )


# Truths of these take half a minute, on the robots that are not named.
_DEAR = {
    "inverse_dynamics_partials": "clamped",
    "forward_dynamics_partials": "planar",
    "hybrid_dynamics_partials": "planar",
    "forward_dynamics_time_derivatives": "clamped",
    "hybrid_dynamics_time_derivatives": "planar",
    "inverse_dynamics_rate_terms": "clamped",
    **dict.fromkeys(("state_jacobian", "implicit_jacobian", "statics_jacobian"), "planar"),
    OF_ELASTIC_JOINTS: "planar",
}
_DEAREST = (
    "inverse_dynamics_weighted_hessian",
    "forward_dynamics_weighted_hessian",
    "hybrid_dynamics_weighted_hessian",
    "inverse_dynamics_time_derivatives_partials",
)
"""Truths of these take one to three minutes; they run where time is, on the smallest robot."""
CASES = in_turn([name for name in OF_RIGID_ROBOTS if name not in _DEAREST], list(ROBOTS), fixed=_DEAR)
CASES += [pytest.param(name, "planar", marks=pytest.mark.slow) for name in _DEAREST]
"""Each function on one robot here, in turn, and on all where time is."""


@pytest.mark.parametrize(("name", "which"), CASES)
def test_the_recursion_is_right(name: str, which: str) -> None:
    robot, entry = example(which, name == OF_ELASTIC_JOINTS), CATALOGUE[name]
    options = asked(robot, name, 2, wrenches="world")
    ((entry, request),) = requests(robot.model, [name], **options)
    signature = entry.signature(robot.model, request)
    recursion = api.float_recursion(robot, name, **options)
    setting = make_setting(robot.description, signature, robot.load_options())
    nominal = dict(zip(robot.model.slots.names, robot.model.slots.defaults, strict=True))
    drawn = verification_states(setting.tree, signature.inputs, nominal, 2)
    states = [drawn[place] for place in STATES]
    exact = [find_truth(name)(setting, state.inputs) for state in states]
    blocks = output_blocks(signature.outputs)
    floors = block_floors([truth.scales for truth in exact], blocks)
    for state, truth in zip(states, exact, strict=True):
        found = recursion(state.inputs)
        rows = [row for output in signature.outputs for row in found[output.name]]
        error = error_in_u(rows, truth.values, blocks, floors, scales=truth.scales)
        assert error <= limit_in_u(setting.tree.depth), (state.label, worst(rows, truth))


def worst(rows: list[float], truth: Exact) -> tuple[int, float, float]:
    """Row, value and truth where they differ most."""
    place = max(range(len(rows)), key=lambda row: abs(rows[row] - truth.values[row]))
    return place, rows[place], float(truth.values[place])
