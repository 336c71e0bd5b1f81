"""Robots with closed loops: planar linkages, a trunk on two feet, and random trees with loops of all kinds."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from symdyn.description.external_loads import Site
from symdyn.description.loops import Coupling, Loop, LoopKind, Triple
from symdyn.description.robot import Inertial, Joint, JointKind, Link, Placement, RobotDescription

Y: Triple = (0.0, 1.0, 0.0)
CRANK, COUPLER, ROCKER, GROUND = 0.2, 0.5, 0.4, 0.45


def bar(name: str, length: float, mass: float = 1.0) -> Link:
    """A link along x with its mass in the middle."""
    turning = mass * length**2 / 12
    return Link(name, Inertial(mass, (0.001, 0.0, 0.0, turning, 0.0, turning), Placement((length / 2, 0.0, 0.0))))


def hinge(name: str, parent: str, child: str, x: float = 0.0) -> Joint:
    """A joint about y, at x of its parent."""
    return Joint(name, JointKind.REVOLUTE, parent, child, Placement((x, 0.0, 0.0)), axis=Y)


def four_bar() -> RobotDescription:
    """A crank, a coupler and a rocker, cut where the last two meet."""
    pin = Loop(
        "pin",
        (Site("coupler", point=(COUPLER, 0.0, 0.0)), Site("rocker", point=(ROCKER, 0.0, 0.0))),
        LoopKind.REVOLUTE,
        (Y, Y),
        close=True,
    )
    return RobotDescription(
        "four_bar",
        (Link("ground"), bar("crank", CRANK), bar("coupler", COUPLER, 1.5), bar("rocker", ROCKER, 0.8)),
        (
            hinge("input", "ground", "crank"),
            hinge("elbow", "crank", "coupler", CRANK),
            hinge("output", "ground", "rocker", GROUND),
        ),
        acting=(pin,),
    )


def four_bar_closed(crank: float) -> np.ndarray:
    """Coordinates of the four-bar at a crank angle, the elbow up; angles are about y, so that z falls with them."""
    x, z = CRANK * np.cos(crank) - GROUND, -CRANK * np.sin(crank)
    reach = np.hypot(x, z)
    inner = np.arccos((reach**2 + ROCKER**2 - COUPLER**2) / (2 * reach * ROCKER))
    output = -np.arctan2(z, x) - inner
    tip = np.array([GROUND + ROCKER * np.cos(output), -ROCKER * np.sin(output)])
    along = tip - np.array([CRANK * np.cos(crank), -CRANK * np.sin(crank)])
    return np.array([crank, -np.arctan2(along[1], along[0]) - crank, output])


def five_bar() -> RobotDescription:
    """Two cranks on the ground and two bars between them, which meet in a pin."""
    lengths = {"left": 0.3, "upper_left": 0.5, "right": 0.3, "upper_right": 0.5}
    pin = Loop(
        "pin",
        (Site("upper_left", point=(0.5, 0.0, 0.0)), Site("upper_right", point=(0.5, 0.0, 0.0))),
        LoopKind.REVOLUTE,
        (Y, Y),
        close=True,
    )
    return RobotDescription(
        "five_bar",
        (Link("ground"), *(bar(name, length) for name, length in lengths.items())),
        (
            hinge("a", "ground", "left"),
            hinge("b", "left", "upper_left", 0.3),
            hinge("c", "ground", "right", 0.4),
            hinge("d", "right", "upper_right", 0.3),
        ),
        acting=(pin,),
    )


PLACES = {"left": (0.0, 0.0), "right": (0.4, 0.0), "front": (0.4, 0.3), "back": (0.0, 0.3)}


def standing(feet: int = 2) -> RobotDescription:
    """A free trunk on legs of three joints, whose feet rest on points of the world."""
    links, joints, held = [bar("trunk", 0.4, 5.0)], [], []
    for side, (x, y) in list(PLACES.items())[:feet]:
        names = [f"{side}{number}" for number in range(3)]
        for number, (above, name) in enumerate(zip(("trunk", *names), names, strict=False)):
            axis = (1.0, 0.0, 0.0) if number == 0 else Y
            at = Placement((x, y, 0.0) if number == 0 else (0.0, 0.0, 0.0 if number < 2 else -0.3))
            joints.append(Joint(f"{name}_joint", JointKind.REVOLUTE, above, name, at, axis=axis))
            moments = (0.01, 0.0, 0.001, 0.012, 0.0, 0.004)
            links.append(Link(name, Inertial(0.8 - 0.1 * number, moments, Placement((0.01, 0.02, -0.1)))))
        place = (Site(f"{side}2", point=(0.0, 0.0, -0.3)), Site(point=(x, y + 0.1, -0.5)))
        held.append(Loop(f"{side}_foot", place, LoopKind.SPHERICAL, close=True))
    return RobotDescription("standing", tuple(links), tuple(joints), acting=tuple(held), floating_base=True)


def with_loops(description: RobotDescription, seed: int, kinds: Sequence[LoopKind]) -> tuple[Loop | Coupling, ...]:
    """Loops of some kinds between random places of a robot, some of them in the world, and a coupling."""
    rng = random.Random(seed)
    names = [link.name for link in description.links]

    def direction() -> Triple:
        x, y, z = np.random.default_rng(rng.randrange(10**6)).standard_normal(3)
        size = float(np.sqrt(x * x + y * y + z * z))
        return (float(x) / size, float(y) / size, float(z) / size)

    def point() -> Triple:
        return (rng.uniform(-0.5, 0.5), rng.uniform(-0.5, 0.5), rng.uniform(-0.5, 0.5))

    loops: list[Loop | Coupling] = []
    for number, kind in enumerate(kinds):
        first, second = rng.sample(names, 2)
        places = [
            Site(first, point=point()),
            Site(point=point()) if rng.random() < 0.3 else Site(second, point=point()),
        ]
        rng.shuffle(places)
        distance = 0.4 if kind is LoopKind.DISTANCE else 0.0
        axes = (direction(), direction())
        loops.append(Loop(f"loop{number}", (places[0], places[1]), kind, axes, distance, close=True))
    single = [
        joint.name
        for joint in description.joints
        if joint.kind in (JointKind.REVOLUTE, JointKind.PRISMATIC, JointKind.CONTINUOUS) and joint.mimic is None
    ]
    if len(single) > 1:
        loops.append(Coupling("gear", ((single[0], 1.0), (single[-1], -2.0)), 0.1))
    return tuple(loops)
