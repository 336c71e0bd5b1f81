"""A planar four-bar out of the world's planes, with axes of few decimals as files have them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from support.robots.looped import four_bar
from symdyn.description.checks.rotation import rotation_from_rpy, unit_vector
from symdyn.description.external_loads import Site
from symdyn.description.loops import Loop, LoopKind
from symdyn.description.quantities.placement import Placement
from symdyn.description.robot import RobotDescription

Array = NDArray[np.float64]
TURNS: dict[str, Array] = {
    name: np.array(rotation_from_rpy(*rpy))
    for name, rpy in {
        "ground": (0.3, -0.7, 1.1),
        "crank": (-0.4, 0.2, 0.9),
        "coupler": (1.2, 0.5, -0.3),
        "rocker": (0.1, 1.4, 0.6),
    }.items()
}
"""The axes of the plane in those of each link."""
GRAVITY = (0.0, 0.0, -9.81)


def aligned_four_bar() -> RobotDescription:
    """The four-bar of ``looped`` in the plane of x and z, under gravity as the turned one feels it."""
    return replace(four_bar(), gravity=tuple((TURNS["ground"].T @ GRAVITY).tolist()))


def turned_four_bar(decimals: int, kind: LoopKind = LoopKind.REVOLUTE) -> RobotDescription:
    """The same turned in space, and frames in their links: axes with so many decimals, lengths with three more."""

    def at(link: str, vector: Any, places: int = decimals + 3) -> Any:
        return tuple(round(float(x), places) for x in TURNS[link] @ vector)

    def axis(link: str) -> Any:
        return unit_vector(at(link, (0.0, 1.0, 0.0), decimals))

    def rows(matrix: Array) -> Any:
        return tuple(map(tuple, matrix.tolist()))

    links, joints, loops = [], [], []
    for link in four_bar().links:
        own = link.inertial
        placed = own and replace(
            own, placement=Placement(at(link.name, own.placement.translation), rows(TURNS[link.name]))
        )
        links.append(replace(link, inertial=placed))
    for joint in four_bar().joints:
        turn = rows(TURNS[joint.parent] @ TURNS[joint.child].T)
        placement = Placement(at(joint.parent, joint.placement.translation), turn)
        joints.append(replace(joint, axis=axis(joint.child), placement=placement))
    for loop in four_bar().acting:
        assert isinstance(loop, Loop)
        places = tuple(Site(own.link, point=at(own.link, own.point)) for own in loop.between)
        first, second = (axis(own.link) for own in loop.between)
        loops.append(replace(loop, between=places, kind=kind, axes=(first, second)))
    return replace(four_bar(), links=tuple(links), joints=tuple(joints), acting=tuple(loops), gravity=GRAVITY)
