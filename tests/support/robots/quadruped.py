"""A trunk on four legs of three joints, whose feet are held at points of the world."""

from __future__ import annotations

from collections.abc import Collection

from support.robots.looped import Y, bar
from symdyn.description.external_loads import Site
from symdyn.description.loops import Loop, LoopKind
from symdyn.description.robot import Inertial, Joint, JointKind, Link, Placement, RobotDescription

FEET = ("lf", "rf", "lh", "rh")
_HIPS = ((0.3, 0.15), (0.3, -0.15), (-0.3, 0.15), (-0.3, -0.15))


def quadruped(held: Collection[str] = FEET) -> RobotDescription:
    """The robot with some of its feet held."""
    links, joints, feet = [bar("trunk", 0.6, 12.0)], [], []
    for foot, (x, y) in zip(FEET, _HIPS, strict=True):
        names = [f"{foot}_hip", f"{foot}_thigh", f"{foot}_shank"]
        for number, (above, name) in enumerate(zip(("trunk", *names), names, strict=False)):
            axis = (1.0, 0.0, 0.0) if number == 0 else Y
            at = Placement((x, y, 0.0) if number == 0 else (0.0, 0.0, -0.35 * (number == 2)))
            joints.append(Joint(f"{name}_joint", JointKind.REVOLUTE, above, name, at, axis=axis))
            moments = (0.01, 0.0, 0.001, 0.012, 0.0, 0.004)
            links.append(Link(name, Inertial(0.9 - 0.2 * number, moments, Placement((0.01, 0.02 * x, -0.1)))))
        if foot in held:
            place = (Site(names[-1], point=(0.0, 0.0, -0.35)), Site(point=(x, y, -0.6)))
            feet.append(Loop(foot, place, LoopKind.SPHERICAL, close=True))
    return RobotDescription("quadruped", tuple(links), tuple(joints), acting=tuple(feet), floating_base=True)
