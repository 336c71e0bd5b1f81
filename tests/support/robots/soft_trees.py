"""Trees of rigid, flexible and soft links; no number is special."""

from __future__ import annotations

import random

from support.robots.flexible_trees import hub_beam, inertial, triple, turned
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
)
from symdyn.description.soft import CoupledStrains, Material, Section, Soft, Strain, StrainBasis, StrainFunctions

LOSSES = Losses(0.3, 0.2, 0.05)


def bent_rod(generator: random.Random, stations: int = 2) -> Soft:
    """A tapered rod that is curved at rest, and bends, twists and stretches."""
    return Soft(
        0.5,
        Section("circle", radius="0.05 - 0.04*x"),
        Material(3e5, 0.5, 1050.0, viscosity=200.0),
        (
            StrainFunctions(Strain.TWIST, StrainBasis.CHEBYSHEV, 1),
            StrainFunctions(Strain.CURVATURE_Z, StrainBasis.LEGENDRE, 2),
            StrainFunctions(Strain.STRETCH, StrainBasis.MONOMIAL, 1),
        ),
        reference=((Strain.CURVATURE_Y, "0.5 + x"),),
        placement=Placement(triple(generator), turned(generator)),
        stations=stations,
    )


def pieced_rod(generator: random.Random) -> Soft:
    """A flat rod of two pieces, with its own curvature in each, and shear."""
    return Soft(
        0.3,
        Section("rectangle", width="0.06", height="0.03", shear_factors=(0.8, 0.9)),
        Material(2e5, 0.3, 900.0, retardation_time=0.01),
        (
            StrainFunctions(Strain.CURVATURE_Y, StrainBasis.PIECEWISE_CONSTANT, 2),
            StrainFunctions(Strain.SHEAR_Y, StrainBasis.LEGENDRE, 1),
        ),
        placement=Placement(triple(generator)),
        stations=1,
        magnus=4,
    )


def coiled_rod() -> Soft:
    """A ring that is one helix after another."""
    return Soft(
        0.4,
        Section("ring", radius="0.04", inner_radius="0.02 + 0.01*x"),
        Material(1e5, 0.4, 1200.0),
        (),
        (CoupledStrains("coil", ((Strain.TWIST, "1.5"), (Strain.CURVATURE_Z, "cos(2*x)"), (Strain.STRETCH, "0.1"))),),
        stations=2,
        magnus=2,
        substeps=2,
    )


def soft_tree(floating: bool = True, elastic: bool = True, flexible: bool = True) -> RobotDescription:
    """Rods one after another and side by side, one on a follower, a beam beside, children at tips and roots."""
    generator = random.Random(17)

    def placed() -> Placement:
        return Placement(triple(generator), turned(generator))

    def axis() -> tuple[float, float, float]:
        x, _, _ = turned(generator)
        return x

    spring = Elastic(40.0, 0.5, Actuator(armature=0.25)) if elastic else None
    links = (
        Link("base", inertial(generator)),
        Link("arm", inertial(generator), soft=bent_rod(generator)),
        Link("finger", soft=pieced_rod(generator)),
        Link("thumb", inertial(generator), soft=coiled_rod()),
        Link("nail", inertial(generator)),
        Link("fin", inertial(generator), flexible=hub_beam(generator) if flexible else None),
    )
    joints = (
        Joint("turn", JointKind.REVOLUTE, "base", "arm", placed(), axis(), losses=LOSSES),
        Joint("grip", JointKind.REVOLUTE, "arm", "finger", placed(), axis(), losses=LOSSES, elastic=spring),
        Joint("follow", JointKind.REVOLUTE, "arm", "thumb", placed(), axis(), mimic=Mimic("turn", -0.7, 0.3)),
        Joint("cap", JointKind.FIXED, "finger", "nail", placed()),
        Joint("slide", JointKind.PRISMATIC, "arm", "fin", placed(), axis(), at=Attachment.ROOT),
    )
    frames = (Frame("tool", "arm", placed()), Frame("mount", "finger", placed(), at=Attachment.ROOT))
    return RobotDescription("soft", links, joints, frames, floating_base=floating, gravity=(0.5, -1.0, -9.25))


def soft_arm() -> RobotDescription:
    """A rod on a joint, with a nail at its tip that turns."""
    generator = random.Random(23)
    rod = Soft(
        0.5,
        Section("circle", radius="0.05 - 0.04*x"),
        Material(3e5, 0.5, 1050.0, viscosity=200.0),
        (
            StrainFunctions(Strain.CURVATURE_Z, StrainBasis.LEGENDRE, 1),
            StrainFunctions(Strain.STRETCH, StrainBasis.LEGENDRE, 1),
        ),
        stations=2,
    )
    return RobotDescription(
        "arm",
        (Link("base"), Link("arm", soft=rod), Link("nail", inertial(generator))),
        (
            Joint("turn", JointKind.REVOLUTE, "base", "arm", Placement(triple(generator)), losses=LOSSES),
            Joint("roll", JointKind.REVOLUTE, "arm", "nail", Placement((0.5, 0.0, 0.1)), (0.0, 0.6, 0.8)),
        ),
    )
