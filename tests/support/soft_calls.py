"""Functions of robots with soft links as float recursions compute them, on arrays."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from support.robots.flexible_trees import inertial
from support.robots.soft_trees import soft_arm, soft_tree
from symdyn import api
from symdyn.description.robot import Frame, Placement, RobotDescription
from symdyn.functions.catalogue import requests
from symdyn.interface.options import RequestOptions
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]


def _floating() -> RobotDescription:
    arm = soft_arm()
    links = [replace(link, inertial=inertial(random.Random(4))) if link.name == "base" else link for link in arm.links]
    return replace(arm, links=tuple(links), floating_base=True)


def _clamped() -> RobotDescription:
    arm = soft_arm()
    links, joints = ([item for item in own if item.name not in ("base", "turn")] for own in (arm.links, arm.joints))
    frame = Frame("tool", "arm", Placement((0.1, 0.2, 0.3)))
    return replace(arm, links=tuple(links), joints=tuple(joints), frames=(frame,))


MADE: dict[str, Callable[[], RobotDescription]] = {
    "arm": soft_arm,
    "clamped": _clamped,
    "floating": _floating,
    "tree": soft_tree,
    "standing": lambda: soft_tree(floating=False),
}
"""A rod on a joint, on the ground, and on a free base; rods, a beam, a spring and a follower, on a free base or not."""
ROBOTS = [
    ("clamped", "pinocchio"),
    ("floating", "spatial"),
    *(pytest.param(own, marks=pytest.mark.slow) for own in (("tree", "pinocchio"), ("tree", "spatial"))),
    pytest.param(("standing", "pinocchio"), marks=pytest.mark.slow),
]
"""Names in MADE, and conventions."""


@cache
def soft_robot(which: str, convention: str = "pinocchio", **options: Any) -> Robot:
    """One of MADE, with losses."""
    return api.from_description(MADE[which](), convention=convention, joint_losses=True, **options)


def call(robot: Robot, function: str, **given: Any) -> tuple[Array, ...]:
    """The outputs of a function; ``given`` are its inputs, and then options."""
    options: Any = {name: given[name] for name in RequestOptions.__annotations__ if name in given}
    ((entry, request),) = requests(robot.model, [function], **options)
    signature = entry.signature(robot.model, request)
    inputs = {own.name: [float(x) for x in np.ravel(given[own.name])] for own in signature.inputs}
    found = api.float_recursion(robot, function, **options)(inputs)
    return tuple(np.reshape(found[own.name], own.shape) for own in signature.outputs)
