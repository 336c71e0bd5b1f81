"""The same robot with a rigid link cut in two, which a fixed joint holds together."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np

from support.invariance.by_rows import ByRows
from support.robots.random_trees import placement
from symdyn import api
from symdyn.description.quantities.expression import Expression
from symdyn.description.quantities.placement import Placement
from symdyn.description.robot import Inertial, Joint, JointKind, Link
from symdyn.robot.robot import Robot

CUT = "cut off"


def cut_link(robot: Robot, rng: random.Random) -> ByRows | None:
    """One of the rigid links with mass; children hang on either half, loads act on the first. None where there is none.

    Fluids are about whole links: the first robot is without them.
    """
    description = robot.description
    dry = tuple(own for own in description.acting if own.key != "fluid")
    if len(dry) < len(description.acting):
        description = replace(description, acting=dry)
        robot = api.from_description(description, **robot.load_options())
    still = set() if robot.load_options()["floating_base"] else {description.root}
    usable = [own for own in description.links if _rigid(own) and own.name not in still]
    if not usable or robot.runtime_parameters:
        return None
    link = rng.choice(usable)
    inertial, at, share = link.inertial, placement(rng), rng.uniform(0.2, 0.8)
    assert inertial is not None
    near = replace(inertial, mass=share * inertial.mass, moments=_times(share, inertial))
    far = replace(
        inertial,
        mass=(1.0 - share) * inertial.mass,
        moments=_times(1.0 - share, inertial),
        placement=_seen_from(at, inertial.placement),
    )
    moved = {own.name for own in description.joints if own.parent == link.name and rng.random() < 0.5}
    joints = [
        replace(own, parent=CUT, placement=_seen_from(at, own.placement)) if own.name in moved else own
        for own in description.joints
    ]
    links = [replace(own, inertial=near) if own.name == link.name else own for own in description.links]
    changed = replace(
        description,
        links=(*links, Link(CUT, far)),
        joints=(*joints, Joint("glue", JointKind.FIXED, link.name, CUT, at)),
    )
    return ByRows(robot, api.from_description(changed, **robot.load_options()), compared=lambda name: name != CUT)


def _rigid(link: Link) -> bool:
    inertial = link.inertial
    if link.deforms or link.loads or inertial is None:
        return False
    numbers = (inertial.mass, *inertial.moments, *inertial.placement.translation)
    return not any(isinstance(number, Expression) for number in numbers)


def _times(share: float, inertial: Inertial) -> tuple[float, float, float, float, float, float]:
    a, b, c, d, e, f = (share * float(own) for own in inertial.moments)  # type: ignore[arg-type]
    return a, b, c, d, e, f


def _seen_from(at: Placement, own: Placement) -> Placement:
    """A placement in a link's frame, in a frame that is placed there too."""
    turn, shift = np.array(at.rotation), np.array(at.translation, dtype=float)
    translation = turn.T @ (np.array(own.translation, dtype=float) - shift)
    rotation = turn.T @ np.array(own.rotation)
    return Placement(tuple(map(float, translation)), tuple(tuple(map(float, row)) for row in rotation))  # type: ignore[arg-type]
