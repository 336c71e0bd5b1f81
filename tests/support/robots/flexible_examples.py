"""Small robots with flexible links: one in a plane, one on a free base, and one that is clamped to the ground."""

from __future__ import annotations

import random
from dataclasses import replace

from support.robots.flexible_trees import hub_beam, inertial, spatial_beam, tapered_beam, triple, turned, uniform
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

LOSSES = Losses(0.3, 0.2, 0.05)


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
