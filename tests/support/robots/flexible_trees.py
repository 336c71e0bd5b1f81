"""A tree of rigid and flexible links of all sorts; no number is special."""

from __future__ import annotations

import random

from symdyn.description.flexible import Basis, Direction, Flexible, Modes, Profile
from symdyn.description.robot import (
    Actuator,
    Attachment,
    Elastic,
    Frame,
    Inertial,
    Joint,
    JointKind,
    Link,
    Losses,
    Mimic,
    Placement,
    RobotDescription,
)

Rotation = tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]


def uniform(length: float, value: float) -> Profile:
    """The same all along the beam."""
    return Profile((length,), (repr(value),))


def stepped(length: float, first: str, second: str) -> Profile:
    """Two halves."""
    return Profile((length / 2, length), (first, second))


def turned(generator: random.Random) -> Rotation:
    """A random rotation matrix by the Gram-Schmidt process."""
    rows: list[list[float]] = []
    while len(rows) < 3:
        row = [generator.gauss(0, 1) for _ in range(3)]
        for other in rows:
            along = sum(a * b for a, b in zip(row, other, strict=True))
            row = [a - along * b for a, b in zip(row, other, strict=True)]
        size = sum(a * a for a in row) ** 0.5
        rows.append([a / size for a in row])
    x, y, z = ((row[0], row[1], row[2]) for row in rows)
    cross = (x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0])
    return (x, y, cross if sum(a * b for a, b in zip(z, cross, strict=True)) > 0 else (cross[0], cross[1], cross[2]))


def triple(generator: random.Random, size: float = 0.4) -> tuple[float, float, float]:
    """A random place."""
    return (generator.uniform(-size, size), generator.uniform(-size, size), generator.uniform(-size, size))


def inertial(generator: random.Random) -> Inertial:
    """A random mass at a random place."""
    moments = (0.03, 0.002, -0.001, 0.04, 0.003, 0.05)
    return Inertial(generator.uniform(0.5, 3.0), moments, Placement(triple(generator), turned(generator)))


def spatial_beam(generator: random.Random, stiffening: bool, length: float = 1.25) -> Flexible:
    """A uniform beam that bends in two planes, twists and stretches."""
    return Flexible(
        length,
        uniform(length, 0.9),
        (
            Modes(Direction.BEND_Y, Basis.CLAMPED_FREE, 2, uniform(length, 30.0), damping_ratios=(0.01, 0.03)),
            Modes(Direction.BEND_Z, Basis.POLYNOMIAL, 2, uniform(length, 40.0), retardation_time=0.002),
            Modes(Direction.TORSION, Basis.CLAMPED_FREE, 1, uniform(length, 20.0), damping_ratios=(0.02,)),
            Modes(Direction.AXIAL, Basis.POLYNOMIAL, 1, uniform(length, 900.0)),
        ),
        Placement(triple(generator), turned(generator)),
        (uniform(length, 0.004), uniform(length, 0.003)),
        stiffening=stiffening,
    )


def tapered_beam(generator: random.Random, length: float = 0.8) -> Flexible:
    """A beam with a step in the middle, and polynomial shapes of one plane."""
    return Flexible(
        length,
        stepped(length, "1.5 - x", "0.5"),
        (
            Modes(
                Direction.BEND_Y,
                Basis.POLYNOMIAL,
                2,
                stepped(length, "25.0 - 20.0 * x", "9.0 + x ** 2"),
                damping_ratios=(0.02, 0.05),
            ),
        ),
        Placement(triple(generator), turned(generator)),
    )


def hub_beam(generator: random.Random, length: float = 1.1) -> Flexible:
    """A beam on a pinned hub."""
    return Flexible(
        length,
        uniform(length, 1.1),
        (Modes(Direction.BEND_Z, Basis.PINNED_HUB, 2, uniform(length, 12.0)),),
        Placement(triple(generator)),
        hub_inertia=(0.0, 0.35, 0.0),
    )


def flexible_tree(stiffening: bool = True, floating: bool = True, elastic: bool = True) -> RobotDescription:
    """Beams one after another and side by side, children at tips and roots, a follower; a spring where ``elastic``."""
    generator = random.Random(11)
    first, second = spatial_beam(generator, stiffening), tapered_beam(generator)
    third = hub_beam(generator)

    def placed() -> Placement:
        return Placement(triple(generator), turned(generator))

    def axis() -> tuple[float, float, float]:
        x, _, _ = turned(generator)
        return x

    losses = Losses(0.3, 0.2, 0.05)
    links = (
        Link("base", inertial(generator)),
        Link("boom", inertial(generator), flexible=first),
        Link("wing", inertial(generator), flexible=second),
        Link("rod", flexible=third),
        Link("wheel", inertial(generator)),
        Link("hand", inertial(generator)),
        Link("claw", inertial(generator)),
        Link("cover", inertial(generator)),
        Link("fin", inertial(generator)),
    )
    spring = Elastic(40.0, 0.5, Actuator(armature=0.25)) if elastic else None
    follows = Mimic("a_wheel", -0.7, 0.3)
    joints = (
        Joint("b_turn", JointKind.REVOLUTE, "base", "boom", placed(), axis(), losses=losses),
        Joint("c_weld", JointKind.FIXED, "boom", "wing", placed(), at=Attachment.ROOT),
        Joint("a_wheel", JointKind.REVOLUTE, "boom", "wheel", placed(), axis(), at=Attachment.ROOT, losses=losses),
        Joint("d_bend", JointKind.REVOLUTE, "boom", "rod", placed(), axis(), losses=losses, elastic=spring),
        Joint("e_ball", JointKind.SPHERICAL, "rod", "hand", placed()),
        Joint("f_grip", JointKind.REVOLUTE, "hand", "claw", placed(), axis(), mimic=follows),
        Joint("g_cap", JointKind.FIXED, "wing", "cover", placed()),
        Joint("h_slide", JointKind.PRISMATIC, "cover", "fin", placed(), axis()),
    )
    frames = (Frame("tool", "boom", placed()), Frame("mount", "wing", placed(), at=Attachment.ROOT))
    return RobotDescription("flexible", links, joints, frames, floating_base=floating, gravity=(0.5, -1.0, -9.25))
