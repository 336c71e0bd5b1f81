"""Robots whose mount is turned, and gravity with it: nothing that their joints feel or do may change."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from symdyn import api
from symdyn.description.checks.rotation import rotation_from_rpy
from symdyn.description.robot import Joint, JointKind, Link, Placement, RobotDescription
from symdyn.errors import SymdynWarning
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
Angles = tuple[float, float, float]

TURNS: dict[str, Angles] = {
    "roll01": (0.1, 0.0, 0.0),
    "yaw30": (0.0, 0.0, np.pi / 6),
    "rpy123": (0.1, 0.2, 0.3),
    **{f"random{seed}": tuple(np.random.default_rng(seed).uniform(-3.0, 3.0, 3).tolist()) for seed in range(3)},
}
"""Roll, pitch and yaw of mounts."""


def turned(described: RobotDescription, rpy: Angles) -> RobotDescription:
    """The robot on a mount that is turned in the world, with gravity turned alike."""
    turn = rotation_from_rpy(*rpy)
    mount = Joint("mount_joint", JointKind.FIXED, "mount", described.root, Placement(rotation=turn))
    gravity = tuple((np.array(turn) @ (described.gravity or (0.0, 0.0, -9.81))).tolist())
    return replace(
        described, links=(Link("mount"), *described.links), joints=(mount, *described.joints), gravity=gravity
    )


def turned_robot(robot: Robot, rpy: Angles) -> Robot:
    """The same of a robot that is loaded."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)  # rows of planar loops that follow from others
        return api.from_description(turned(robot.description, rpy))
