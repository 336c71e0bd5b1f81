"""Soft robots with closed loops: two rods that hold one plate, and a rod that is bent to a pin."""

from __future__ import annotations

from symdyn.description.external_loads import Site
from symdyn.description.loops import Loop, LoopKind
from symdyn.description.robot import Attachment, Inertial, Joint, JointKind, Link, Placement, RobotDescription
from symdyn.description.soft import Material, Section, Soft, Strain, StrainBasis, StrainFunctions

LENGTH, RADIUS, YOUNG = 0.3, 0.012, 1e6
TIP = (LENGTH, 0.0, 0.0)
"""Where the tip of a rod is at rest, in the axes of its link."""


def rod(strains: dict[Strain, int], stations: int = 3) -> Soft:
    """A round rod with some functions of each strain."""
    return Soft(
        LENGTH,
        Section("circle", radius=str(RADIUS)),
        Material(YOUNG, 0.4, 1100.0, viscosity=300.0),
        tuple(StrainFunctions(strain, StrainBasis.LEGENDRE, count) for strain, count in strains.items()),
        stations=stations,
    )


def parallel_rods() -> RobotDescription:
    """Two rods, one clamped to the ground and one that turns there, whose tips hold a plate."""
    left = rod({Strain.CURVATURE_Y: 1, Strain.CURVATURE_Z: 2, Strain.STRETCH: 1})
    right = rod({Strain.TWIST: 1, Strain.CURVATURE_Y: 1, Strain.CURVATURE_Z: 1})
    weld = Loop("weld", (Site("right", point=TIP), Site("plate", point=(0.0, 0.1, 0.0))), LoopKind.SPHERICAL)
    turning = (2e-4, 1e-5, 0.0, 3e-4, 0.0, 4e-4)
    return RobotDescription(
        "parallel_rods",
        (
            Link("ground"),
            Link("left", soft=left),
            Link("right", soft=right),
            Link("plate", Inertial(0.1, turning, Placement((0.02, 0.05, 0.01)))),
        ),
        (
            Joint("clamp", JointKind.FIXED, "ground", "left"),
            Joint("drive", JointKind.REVOLUTE, "ground", "right", Placement((0.0, 0.1, 0.0)), (0.0, 0.0, 1.0)),
            Joint("mount", JointKind.FIXED, "left", "plate", Placement(TIP)),
        ),
        acting=(weld,),
    )


def bent_rod(
    at: Attachment | float = Attachment.TIP, strains: dict[Strain, int] | None = None, stations: int = 3
) -> RobotDescription:
    """A rod on the ground that is held up by a pin, at its tip or in a section of it."""
    tip = at is Attachment.TIP
    held = Site("rod", at, TIP if tip else (0.0, 0.0, 0.0))
    pin = Loop(
        "pin", (held, Site(point=(0.25, 0.08, 0.0) if tip else (0.16, 0.04, 0.01))), LoopKind.SPHERICAL, close=True
    )
    made = rod(strains or {Strain.CURVATURE_Z: 3, Strain.STRETCH: 1}, stations)
    return RobotDescription(
        "bent_rod",
        (Link("ground"), Link("rod", soft=made)),
        (Joint("clamp", JointKind.FIXED, "ground", "rod"),),
        acting=(pin,),
    )
