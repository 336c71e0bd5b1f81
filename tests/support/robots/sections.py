"""Robots with soft links whose sections deform."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from symdyn.description.actuation import Actuation, Chamber, RestStrain, Strand, Tendon
from symdyn.description.contact import Contact, Surface
from symdyn.description.external_loads import Site
from symdyn.description.robot import Inertial, Joint, JointKind, Link, Placement, RobotDescription
from symdyn.description.soft import (
    CoupledStrains,
    Material,
    Section,
    SectionShape,
    Soft,
    Strain,
    StrainBasis,
    StrainFunctions,
)

HALVES = (
    SectionShape("0.1*x*(1 + 0.2*cos(phi))", 0.0, math.pi),
    SectionShape("0.01 + x*sin(phi)/20", math.pi, 5.0),
)
OVERLAPPING = (SectionShape("0.01*(1 + x)"), SectionShape("0.004*cos(2*phi)", -1.0, 2.0))
HAND = Inertial(0.1, (1e-4, 0.0, 0.0, 2e-4, 0.0, 1e-4), Placement((0.0, 0.0, 0.01)))


def breathing(shapes: tuple[SectionShape, ...] = HALVES, **said: Any) -> Soft:
    """A cone that bends in a plane and stretches, and changes its radius."""
    strains = (
        StrainFunctions(Strain.CURVATURE_Y, StrainBasis.LEGENDRE, 2),
        StrainFunctions(Strain.STRETCH, StrainBasis.LEGENDRE, 1),
    )
    given: dict[str, Any] = {"strains": strains, "stations": 2} | said
    section = given.pop("section", Section("circle", radius="0.02 - 0.02*x"))
    material = given.pop("material", Material(1e5, 0.4, 1062.0, retardation_time=0.01))
    return Soft(0.2, section, material, given.pop("strains"), section_shapes=shapes, **given)


def hose() -> Soft:
    """A ring, curved at rest, with all strains and two shapes that overlap."""
    coupled = (CoupledStrains("helix", ((Strain.TWIST, "1"), (Strain.CURVATURE_Z, "cos(20*x)"))),)
    strains = (
        StrainFunctions(Strain.TWIST, StrainBasis.LEGENDRE, 1),
        StrainFunctions(Strain.CURVATURE_Y, StrainBasis.PIECEWISE_CONSTANT, 2),
        StrainFunctions(Strain.SHEAR_Y, StrainBasis.LEGENDRE, 1),
    )
    section = Section("ring", radius="0.03", inner_radius="0.01 + 0.02*x")
    material = Material(2e5, 0.3, 1100.0, viscosity=100.0)
    reference = ((Strain.CURVATURE_Z, "3*x"),)
    placed = Placement((0.01, 0.0, 0.02))
    return breathing(
        OVERLAPPING,
        strains=strains,
        section=section,
        material=material,
        coupled=coupled,
        reference=reference,
        placement=placed,
        magnus=4,
    )


BAGS = (
    Chamber("left", "arm", "1e-4", "0", "0", 0.0, 0.2, None, "0.004", "0.012 - 0.02*x", (0.3, 2.5)),
    Chamber("right", "arm", "1e-4", "0", "0", 0.02, 0.15, None, "0.002 + 0.01*x", "0.01", (3.0, 6.0)),
)


def driven(soft: Soft) -> RobotDescription:
    """With two chambers, a motor, and a strain at rest as inputs."""
    actuators = ("left", "turn", "right", RestStrain("arm.section[1]"))
    return replace(carried(soft), actuation=Actuation(chambers=BAGS, actuators=actuators))


def thinning(**said: Any) -> Soft:
    """The cone, whose sections get thinner as it stretches."""
    return breathing((), volume_preserving=True, **said)


def thin_hose() -> Soft:
    """The ring, stretched and curved at rest, which stretches by functions of its length, and gets thinner."""
    ring = hose()
    stretch = StrainFunctions(Strain.STRETCH, StrainBasis.LEGENDRE, 3)
    reference = ((Strain.CURVATURE_Z, "3*x"), (Strain.STRETCH, "1.1 + x"))
    strains = (*ring.strains[:2], stretch, ring.strains[2])
    return replace(ring, section_shapes=(), volume_preserving=True, strains=strains, reference=reference)


CABLES = (
    Tendon("cable", (Strand("arm", "0.015 - 0.01*x", "0.004 + 0.02*x", 0.0, 0.2),)),
    Tendon("short", (Strand("arm", "0.002", "-0.01*(1 + x)", 0.03, 0.15),)),
)
BAG = Chamber("bag", "arm", "1e-4 + 1e-4*x", "1e-6", "2e-6*(1 + x)", 0.01, 0.2)


def pulled(soft: Soft) -> RobotDescription:
    """With two tendons, a motor, and a chamber."""
    bag = BAG if soft.volume_preserving else BAGS[0]
    return replace(carried(soft), actuation=Actuation(CABLES, (bag,), ("cable", "turn", bag.name, "short")))


def touching(soft: Soft, **said: Any) -> RobotDescription:
    """Above a slanted floor and in a tube, with the radius that its sections have, and a ball at one of them."""
    floor = Surface("plane", (0.0, 0.0, 0.3), (2 / 7, 3 / 7, 6 / 7))
    tube, ball = Surface("cylinder", radius=0.1, inside=True), Surface("sphere", (0.0, 0.0, -0.5), radius=1.0)
    how: dict[str, Any] = {"damping": 0.3, "friction": 0.4, "radius": None} | said
    acting = (
        Contact("floor", Site("arm"), floor, 4e4, 2.0, along=True, **how),
        Contact("tube", Site("arm"), tube, 2e3, 3.0, along=True, **how),
        Contact("one", Site("arm", 0.05), ball, 2e3, 2.0, **how),
    )
    return replace(carried(soft), acting=acting)


def carried(soft: Soft, more: Soft | None = None) -> RobotDescription:
    """A soft link on a joint, with a hand on a joint at its tip, and maybe another soft link beside that."""
    links = [Link("base"), Link("arm", soft=soft), Link("hand", HAND)]
    joints = [
        Joint("turn", JointKind.REVOLUTE, "base", "arm", Placement((0.0, 0.0, 0.1)), (0.0, 1.0, 0.0)),
        Joint("wrist", JointKind.REVOLUTE, "arm", "hand", Placement((soft.length, 0.0, 0.0)), (0.0, 0.0, 1.0)),
    ]
    if more is not None:
        links.append(Link("second", soft=more))
        joints.append(Joint("on", JointKind.FIXED, "arm", "second", Placement((soft.length, 0.0, 0.01))))
    return RobotDescription("r", tuple(links), tuple(joints))
