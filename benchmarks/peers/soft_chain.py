"""Soft rods to measure: the papers' cone without its cables, straight rods, and chains of them."""

from __future__ import annotations

from dataclasses import replace

import symdyn
from symdyn.description.actuation import Actuation
from symdyn.description.quantities.placement import Placement
from symdyn.description.robot import Joint, JointKind, Link, RobotDescription
from symdyn.description.soft import Material, Section, Soft, Strain, StrainBasis, StrainFunctions

LENGTH = 0.3


def cone(stations: int = 5, magnus: int = 4) -> symdyn.Robot:
    """The cable manipulator without cables: 24 coordinates."""
    description = symdyn.load_example("cable_manipulator").description
    (arm,) = description.links
    assert arm.soft is not None
    soft = replace(arm.soft, stations=stations, magnus=magnus)
    return symdyn.from_description(replace(description, links=(replace(arm, soft=soft),), actuation=Actuation()))


def straight_rod(functions: int, stations: int) -> symdyn.Robot:
    """One rod with so many functions of each of its six strains."""
    return symdyn.from_description(RobotDescription("rod", (Link("arm", soft=_rod(functions, stations, *Strain)),), ()))


def soft_chain(rods: int, stations: int = 4) -> symdyn.Robot:
    """Rods in a row, each fixed to the tip of the one before, with two functions of either curvature."""
    soft = _rod(2, stations, Strain.CURVATURE_Y, Strain.CURVATURE_Z)
    links = [Link(f"rod_{number}", soft=soft) for number in range(rods)]
    tip = Placement((LENGTH, 0.0, 0.0))
    joints = [
        Joint(f"joint_{number}", JointKind.FIXED, f"rod_{number - 1}", f"rod_{number}", tip)
        for number in range(1, rods)
    ]
    return symdyn.from_description(RobotDescription(f"chain_{rods}", tuple(links), tuple(joints)))


def _rod(functions: int, stations: int, *strains: Strain) -> Soft:
    own = tuple(StrainFunctions(strain, StrainBasis.LEGENDRE, functions) for strain in strains)
    matter, section = Material(1e6, 0.5, 1000.0, viscosity=1e3), Section("circle", radius="0.01")
    return Soft(LENGTH, section, matter, own, stations=stations, magnus=4)
