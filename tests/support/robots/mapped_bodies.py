"""Robots with bodies given by their map: a membrane, a growing segment, a bag, and all of these on one tree."""

from __future__ import annotations

import random
from dataclasses import replace

from support.robots.flexible_trees import inertial
from symdyn.description.mapped import Mapped
from symdyn.description.robot import Attachment, Frame, Joint, JointKind, Link, Placement, RobotDescription
from symdyn.description.soft import Material, Section, Soft, Strain, StrainBasis, StrainFunctions

SIDES = (0.3, 0.2)
"""Of the membrane [m]."""
_BUMP = f"(s1/{SIDES[0]}*(1 - s1/{SIDES[0]})*s2/{SIDES[1]}*(1 - s2/{SIDES[1]}))"


def membrane(**said: object) -> Mapped:
    """A skin that bulges in two ways and gets shorter as it does; s1 and s2 are along it, s3 through it."""
    made = Mapped(
        map=(f"s1*(1 - 3*w**2) - s3*w*{_BUMP}", "s2", f"s3 + 16*{_BUMP}*(w + u*(s1/{SIDES[0]} - 1/2))"),
        coordinates=(("w", "m"), ("u", "m")),
        domain=((0.0, SIDES[0]), (0.0, SIDES[1]), (-0.002, 0.002)),
        density=1100.0,
        quadrature=(4, 3, 2),
        energy="20*(w**2 + 2*u**2) + 300*w**4",
        damping=(0.1, 0.05),
        tip=(0.15, 0.05, 0.0),
    )
    return replace(made, **said)  # type: ignore[arg-type]


def growing_segment(**said: object) -> Mapped:
    """A square rod of constant volume that gets longer, of matter whose energy is that of rubber."""
    made = Mapped(
        map=("s1*(1 + l)", "s2/sqrt(1 + l)", "s3/sqrt(1 + l)"),
        coordinates=(("l", "1"),),
        domain=((0.0, 0.2), (-0.01, 0.01), (-0.01, 0.01)),
        density=900.0,
        quadrature=(2, 2, 1),
        energy_density="1e4*((1 + l)**2 + 2/(1 + l) - 3)*(1 + s1)",
        tip=(0.2, 0.0, 0.0),
    )
    return replace(made, **said)  # type: ignore[arg-type]


def bag(**said: object) -> Mapped:
    """A shell in spherical coordinates, of which the one coordinate is the volume that it gains, by that at rest."""
    made = Mapped(
        map=(
            "s1*sin(s2)*cos(s3)*exp(log(1 + gain)/3)",
            "s1*sin(s2)*sin(s3)*exp(log(1 + gain)/3)",
            "s1*cos(s2)*exp(log(1 + gain)/3)",
        ),
        coordinates=(("gain", "1"),),
        domain=((0.09, 0.1), (0.1, 3.0), (0.0, 6.283185307179586)),
        density=1000.0,
        quadrature=(1, 3, 4),
        energy="50*gain**2",
        tip=(0.1, 1.5, 0.0),
    )
    return replace(made, **said)  # type: ignore[arg-type]


def on_a_joint(body: Mapped) -> RobotDescription:
    """A body that turns on the ground, with a hand that turns on its tip."""
    generator = random.Random(2)
    return RobotDescription(
        "turning",
        (Link("base"), Link("skin", inertial(generator), deformable=body), Link("hand", inertial(generator))),
        (
            Joint("turn", JointKind.REVOLUTE, "base", "skin", Placement((0.1, 0.0, 0.2)), (0.0, 0.8, 0.6)),
            Joint("grip", JointKind.REVOLUTE, "skin", "hand", Placement((0.1, 0.07, 0.01)), (1.0, 0.0, 0.0)),
        ),
        (Frame("tool", "skin", Placement((0.02, 0.03, 0.01))),),
    )


def mixed(floating: bool = True) -> RobotDescription:
    """A bag, on it a rod and a foot, on the rod a growing segment, and a membrane beside them."""
    generator = random.Random(7)
    bends = (StrainFunctions(Strain.CURVATURE_Z, StrainBasis.LEGENDRE, 2),)
    matter = Material(1e5, 0.5, 1000.0, viscosity=10.0)
    rod = Soft(0.3, Section("circle", radius="0.02"), matter, bends, stations=2, magnus=4)
    kinds, root = JointKind, Attachment.ROOT
    joints = (
        Joint("a", kinds.REVOLUTE, "base", "bag", Placement((0.1, 0.0, 0.2)), (0.0, 1.0, 0.0)),
        Joint("b", kinds.SPHERICAL, "bag", "rod", Placement((0.1, 0.0, 0.01))),
        Joint("c", kinds.PRISMATIC, "rod", "grows", Placement((0.3, 0.0, 0.0)), (1.0, 0.0, 0.0)),
        Joint("d", kinds.REVOLUTE, "bag", "foot", Placement((0.1, 0.1, 0.0)), (0.0, 0.0, 1.0), at=root),
        Joint("e", kinds.FIXED, "base", "skin", Placement((0.0, 0.1, 0.0))),
    )
    links = (
        Link("base", inertial(generator)),
        Link("bag", deformable=bag()),
        Link("rod", soft=rod),
        Link("grows", inertial(generator), deformable=growing_segment()),
        Link("foot", inertial(generator)),
        Link("skin", deformable=membrane(quadrature=(2, 2, 1))),
    )
    return RobotDescription("mixed", links, joints, floating_base=floating)
