"""Robots with flexible links, written out by hand: what the tests of their dynamics share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from support.robots.kinds import FIXED, C, P
from support.robots.small import X, Y, Z, described, joint, massive
from symdyn.description.flexible import Basis, Direction, Flexible, Modes, Profile
from symdyn.description.quantities.placement import Matrix3, Placement
from symdyn.description.robot import (
    Actuator,
    Attachment,
    Elastic,
    Inertial,
    Link,
    RobotDescription,
)


def rolled(roll: float, pitch: float, yaw: float) -> Matrix3:
    """Rz(yaw) Ry(pitch) Rx(roll)."""
    (sr, cr), (sp, cp), (sy, cy) = ((math.sin(x), math.cos(x)) for x in (roll, pitch, yaw))
    return (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )


def even(length: float, value: float) -> Profile:
    """The same all along the beam."""
    return Profile((length,), (repr(value),))


def beam(
    length: float,
    density: float,
    stiffness: float,
    counts: Sequence[tuple[Direction, int]],
    placement: Placement | None = None,
    basis: Basis = Basis.CLAMPED_FREE,
    section: tuple[float, float] | None = None,
    damping: float = 0.0,
    stiffening: bool = False,
) -> Flexible:
    """A uniform beam; ``stiffness`` is E I, E A and, times 0.7, G J."""
    modes = tuple(
        Modes(
            direction,
            basis,
            count,
            even(length, stiffness * (0.7 if direction is Direction.TORSION else 1.0)),
            retardation_time=damping,
        )
        for direction, count in counts
    )
    sections = (even(length, section[0]), even(length, section[1])) if section is not None else None
    return Flexible(length, even(length, density), modes, placement or Placement(), sections, stiffening=stiffening)


PLANAR_LENGTH = 1.3


def planar(stiffening: bool) -> RobotDescription:
    """A link that turns about z, bends in the plane by three damped modes, and carries a payload off its tip."""
    own = Flexible(
        PLANAR_LENGTH,
        even(PLANAR_LENGTH, 2.1),
        (Modes(Direction.BEND_Y, Basis.CLAMPED_FREE, 3, even(PLANAR_LENGTH, 80.0), (0.01, 0.02, 0.03)),),
        stiffening=stiffening,
    )
    hub = Inertial(0.4, (0.1, 0.0, 0.0, 0.1, 0.0, 0.3))
    load = massive("load", 0.8, (0.1, 0.03, 0.0), (0.02, 0.0, 0.0, 0.02, 0.0, 0.02))
    return described(
        [Link("base"), Link("arm", hub, flexible=own), load],
        [
            joint("turn", C, "base", "arm", axis=Z),
            joint("hold", FIXED, "arm", "load", at=(PLANAR_LENGTH, 0.0, 0.0)),
        ],
    )


SPATIAL = ((Direction.BEND_Y, 2), (Direction.BEND_Z, 2), (Direction.TORSION, 1))


def two_links(stiffening: bool = False) -> RobotDescription:
    """Two links that bend in two planes and twist, skew axes, a payload at the tip; the second beam lies askew."""
    first = beam(1.1, 1.7, 60.0, SPATIAL, section=(0.004, 0.006), stiffening=stiffening)
    askew = Placement((0.05, -0.02, 0.03), rolled(0.3, -0.2, 0.5))
    counts = (*SPATIAL, (Direction.AXIAL, 1))
    second = beam(0.8, 1.2, 40.0, counts, askew, section=(0.003, 0.002), damping=1e-3, stiffening=stiffening)
    return described(
        [
            Link("base"),
            Link("upper", massive("hub", 0.6, (0.02, 0.01, -0.03)).inertial, flexible=first),
            Link("lower", massive("hub", 0.3, (0.0, 0.02, 0.01)).inertial, flexible=second),
            massive("load", 0.7, (0.05, 0.02, -0.04)),
        ],
        [
            joint("one", C, "base", "upper", axis=Z),
            joint("two", C, "upper", "lower", at=(1.1, 0.02, -0.01), axis=Y, turned=rolled(0.4, 0.1, -0.3)),
            joint("hold", FIXED, "lower", "load", at=(0.7, 0.3, 0.2), turned=rolled(0.1, 0.2, 0.3)),
        ],
    )


def branched() -> RobotDescription:
    """Rigid, flexible, rigid, with a branch at the tip of which one half is flexible, and one joint at the root."""
    stem = beam(0.9, 1.5, 50.0, ((Direction.BEND_Y, 2), (Direction.BEND_Z, 1)), basis=Basis.POLYNOMIAL)
    twig = beam(0.5, 0.8, 20.0, ((Direction.BEND_Z, 2), (Direction.AXIAL, 1)), Placement((0.0, 0.1, 0.0)))
    motor = Actuator(rotor_inertia=2e-4, gear_ratio=50.0)
    return described(
        [
            massive("base"),
            massive("shoulder", 1.1),
            Link("stem", flexible=stem),
            Link("twig", massive("hub", 0.2).inertial, flexible=twig),
            massive("hand", 0.5),
            massive("cable", 0.3),
            massive("finger", 0.2),
        ],
        [
            joint("a", C, "base", "shoulder", axis=Z, actuator=motor),
            joint("b", C, "shoulder", "stem", at=(0.1, 0.0, 0.2), axis=Y, turned=rolled(0.2, 0.0, 0.4)),
            joint("c", C, "stem", "hand", at=(0.9, 0.05, 0.0), axis=X, elastic=Elastic(30.0, 0.2, motor)),
            joint("d", C, "stem", "twig", at=(0.92, -0.05, 0.0), axis=Z, turned=rolled(0.0, 0.3, 0.0)),
            replace(joint("e", P, "stem", "cable", at=(0.1, 0.0, 0.1), axis=X), at=Attachment.ROOT),
            joint("f", C, "twig", "finger", at=(0.5, 0.1, 0.0), axis=Y),
        ],
    )


def satellite() -> RobotDescription:
    """A free body with two flexible appendages, one of them on a bracket and with a wheel at its tip."""
    panel = beam(2.0, 1.0, 30.0, ((Direction.BEND_Z, 2), (Direction.TORSION, 1)), section=(0.05, 0.001))
    boom = beam(1.5, 0.6, 25.0, ((Direction.BEND_Y, 1), (Direction.BEND_Z, 1)))
    return described(
        [
            massive("bus", 12.0, (0.05, -0.02, 0.03), (1.0, 0.1, -0.05, 1.2, 0.03, 0.9)),
            Link("panel", flexible=panel),
            massive("bracket", 0.4),
            Link("boom", flexible=boom),
            massive("wheel", 0.9, (0.0, 0.0, 0.02)),
        ],
        [
            joint("hinge", FIXED, "bus", "panel", at=(0.5, 0.0, 0.1), turned=rolled(0.1, 0.0, 0.2)),
            joint("mount", FIXED, "bus", "bracket", at=(-0.4, 0.1, 0.0), turned=rolled(0.0, 0.0, 2.0)),
            joint("weld", FIXED, "bracket", "boom", at=(0.1, 0.0, 0.0)),
            joint("spin", C, "boom", "wheel", at=(1.5, 0.0, 0.1), axis=Z, turned=rolled(0.3, 0.4, 0.0)),
        ],
        floating_base=True,
    )


def floating_hub(moments: tuple[float, float, float] = (0.3, 0.5, 0.6), count: int = 2) -> RobotDescription:
    """A hub that is free in space, a beam on it that bends in both planes, and a skew payload."""
    length = 1.5
    modes = tuple(
        Modes(direction, Basis.PINNED_HUB, count, even(length, 30.0))
        for direction in (Direction.BEND_Y, Direction.BEND_Z)
    )
    own = Flexible(length, even(length, 0.8), modes, hub_inertia=moments, stiffening=True)
    bus = massive("bus", 0.9, (0.05, -0.03, 0.02))
    load = massive("load", 0.2, (0.02, 0.05, -0.03), (0.002, 1e-4, 0.0, 0.003, -1e-4, 0.0025))
    return described(
        [replace(bus, flexible=own), load],
        [joint("hold", FIXED, "bus", "load", at=(length, 0.05, 0.0), axis=X)],
        floating_base=True,
    )


SPIN_LENGTH = 10.0


def rotating_beam(stiffening: bool, bending: int = 3, axial: int = 0) -> RobotDescription:
    """The beam that is spun up in the literature: 10 m, E A = 2.8e7 N, E I = 1.4e4 N m^2, 1.2 kg/m, about z."""
    modes = [Modes(Direction.BEND_Y, Basis.CLAMPED_FREE, bending, even(SPIN_LENGTH, 1.4e4))]
    if axial:
        modes.append(Modes(Direction.AXIAL, Basis.CLAMPED_FREE, axial, even(SPIN_LENGTH, 2.8e7)))
    own = Flexible(SPIN_LENGTH, even(SPIN_LENGTH, 1.2), tuple(modes), stiffening=stiffening)
    return described([Link("ground"), Link("beam", flexible=own)], [joint("spin", C, "ground", "beam", axis=Z)])


def cantilever(basis: Basis, count: int) -> RobotDescription:
    """A beam that is clamped to the ground: 2 m, E I = 50 N m^2."""
    return described([Link("wall", flexible=beam(2.0, 1.5, 50.0, ((Direction.BEND_Y, count),), basis=basis))], [])


def stiffened(description: RobotDescription, factor: float) -> RobotDescription:
    """The robot with all its beams as many times as stiff."""
    return replace(description, links=tuple(_stiffer(link, factor) for link in description.links))


def _stiffer(link: Link, factor: float) -> Link:
    if link.flexible is None:
        return link
    modes = tuple(
        replace(each, stiffness=even(link.flexible.length, factor * float(each.stiffness.values[0])))
        for each in link.flexible.modes
    )
    return replace(link, flexible=replace(link.flexible, modes=modes))


def rigid(description: RobotDescription) -> RobotDescription:
    """The robot with every beam as a thin rigid rod, beside the hub, on a link of its own."""
    links, joints = [], [replace(item, at=Attachment.TIP) for item in description.joints]
    for link in description.links:
        links.append(replace(link, flexible=None))
        if link.flexible is not None:
            length = link.flexible.length
            mass = float(link.flexible.mass_per_length.values[0]) * length
            sections = link.flexible.section_inertia
            ry, rz = (float(each.values[0]) * length for each in sections) if sections else (0.0, 0.0)
            rod = mass * length**2 / 12
            name = f"{link.name} rod"
            links.append(massive(name, mass, (length / 2, 0.0, 0.0), (ry + rz, 0.0, 0.0, rod + rz, 0.0, rod + ry)))
            joints.append(replace(joint(name, FIXED, link.name, name), placement=link.flexible.placement))
    return replace(description, links=tuple(links), joints=tuple(joints))
