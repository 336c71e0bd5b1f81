"""Chains of flexible links as published operation counts have them: Denavit-Hartenberg frames with free twists."""

from __future__ import annotations

import math

import numpy as np

from symdyn.description.flexible import Basis, Direction, Flexible, Modes, Profile
from symdyn.description.quantities.placement import Matrix3, Placement
from symdyn.description.robot import Inertial, Joint, JointKind, Link, RobotDescription

LENGTH, DENSITY, STIFFNESS = 1.0, 2.0, 4e3


def flexible_chain(links: int, modes: int = 2, dressed: bool = True) -> RobotDescription:
    """A serial robot of equal beams that bend in two planes, ``modes`` shapes in each, its base fixed.

    Joints turn about z; the next joint's frame is twisted about the beam (x) by an angle that is no quarter turn and
    differs from joint to joint. Where ``dressed``, each link begins with a rigid rod of length b_i along the joint's
    axis with a hub of general inertia, at whose end the beam starts, and a point mass is fixed to each tip.
    """
    rng = np.random.default_rng(0)
    offset = 0.15 if dressed else 0.0
    beam = Flexible(
        LENGTH,
        Profile((LENGTH,), (repr(DENSITY),)),
        tuple(
            Modes(direction, Basis.CLAMPED_FREE, modes, Profile((LENGTH,), (repr(STIFFNESS),)))
            for direction in (Direction.BEND_Y, Direction.BEND_Z)
        ),
        Placement((0.0, 0.0, offset)),
    )
    made, joints = [Link("ground")], []
    for number in range(1, links + 1):
        name = f"link_{number}"
        made.append(Link(name, _hub(rng, offset) if dressed else None, flexible=beam))
        place = Placement((LENGTH, 0.0, offset), _twist(rng.uniform(0.3, 1.2))) if number > 1 else Placement()
        parent = made[0].name if number == 1 else f"link_{number - 1}"
        joints.append(Joint(f"joint_{number}", JointKind.CONTINUOUS, parent, name, place, (0.0, 0.0, 1.0)))
        if dressed:
            made.append(Link(f"payload_{number}", Inertial(0.8, (0.0,) * 6)))
            tip = Placement((LENGTH, 0.0, offset))
            joints.append(Joint(f"weld_{number}", JointKind.FIXED, name, f"payload_{number}", tip))
    return RobotDescription(f"flexible_chain_{links}", tuple(made), tuple(joints), source="flexible_chain")


def _hub(rng: np.random.Generator, offset: float) -> Inertial:
    points = rng.uniform(-0.2, 0.2, (4, 3))
    inertia = sum(0.2 * (x @ x * np.eye(3) - np.outer(x, x)) for x in points)
    xx, xy, xz, _, yy, yz, _, _, zz = (float(value) for value in np.asarray(inertia).ravel())
    return Inertial(0.8, (xx, xy, xz, yy, yz, zz), Placement((0.0, 0.0, offset / 2)))


def _twist(angle: float) -> Matrix3:
    s, c = math.sin(angle), math.cos(angle)
    return ((1.0, 0.0, 0.0), (0.0, c, -s), (0.0, s, c))
