"""Robots with closed loops to measure: a planar five-bar, and a quadruped that stands on four feet."""

from __future__ import annotations

import symdyn
from symdyn.description.external_loads import Site
from symdyn.description.loops import Loop, LoopKind, Triple
from symdyn.description.robot import Inertial, Joint, JointKind, Link, Placement, RobotDescription

X: Triple = (1.0, 0.0, 0.0)
Y: Triple = (0.0, 1.0, 0.0)
FOOT: Triple = (0.0, 0.025, -0.25)
"""Of a leg, in the axes of its last link [m]."""


def five_bar() -> symdyn.Robot:
    """Two cranks on the ground and two bars between them, which meet in a pin: four coordinates, two rows."""
    lengths = {"left": 0.3, "upper_left": 0.5, "right": 0.3, "upper_right": 0.5}
    ends = (Site("upper_left", point=(0.5, 0.0, 0.0)), Site("upper_right", point=(0.5, 0.0, 0.0)))
    hinges = (
        ("left", "ground", 0.0),
        ("upper_left", "left", 0.3),
        ("right", "ground", 0.4),
        ("upper_right", "right", 0.3),
    )
    joints = tuple(
        Joint(f"to_{child}", JointKind.REVOLUTE, parent, child, Placement((x, 0.0, 0.0)), axis=Y)
        for child, parent, x in hinges
    )
    links = (Link("ground"), *(_bar(name, length) for name, length in lengths.items()))
    pin = Loop("pin", ends, LoopKind.REVOLUTE, (Y, Y), close=True)
    return symdyn.from_description(RobotDescription("five_bar", links, joints, acting=(pin,)))


def quadruped() -> symdyn.Robot:
    """A free trunk with four legs of three joints, and feet held to points of the world: 18 rows of v, 12 of loops."""
    trunk = Link("trunk", Inertial(6.0, (0.09, 0.001, 0.002, 0.08, -0.001, 0.07), Placement((0.01, 0.0, 0.02))))
    links, joints, feet = [trunk], [], []
    for leg, (x, y) in enumerate((x, y) for x in (0.2, -0.2) for y in (0.15, -0.15)):
        parent, place = "trunk", (x, y, 0.0)
        for number, axis in enumerate((X, Y, Y)):
            mass = 1.0 * 0.9**number
            moments = (0.02 * mass, 0.001 * mass, -0.0005 * mass, 0.018 * mass, 0.0008 * mass, 0.006 * mass)
            child = f"leg{leg}_{number}"
            links.append(Link(child, Inertial(mass, moments, Placement((0.01, 0.075, -0.1)))))
            joints.append(Joint(f"to_{child}", JointKind.REVOLUTE, parent, child, Placement(place), axis=axis))
            parent, place = child, FOOT
        held = (Site(parent, point=FOOT), Site(point=(x, y + 0.025, -0.7)))
        feet.append(Loop(f"foot{leg}", held, LoopKind.SPHERICAL, close=True))
    description = RobotDescription("quadruped", tuple(links), tuple(joints), acting=tuple(feet), floating_base=True)
    return symdyn.from_description(description)


def _bar(name: str, length: float) -> Link:
    turning = length**2 / 12
    return Link(name, Inertial(1.0, (0.001, 0.0, 0.0, turning, 0.0, turning), Placement((length / 2, 0.0, 0.0))))
