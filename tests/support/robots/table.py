"""The trees that tests know by name; their numbers come from their seeds."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from support.robots.kinds import CY, FIXED, MOVING, PL, C, F, H, P, R, S, U
from support.robots.random_trees import inertial, make_robot
from symdyn.description.robot import JointKind, Losses, RobotDescription

RUBBED = Losses(0.3, 0.2, 0.5)
"""Losses with derivatives everywhere."""


@dataclass(frozen=True)
class Tree:
    """What :func:`make_robot` takes, and how the robot is loaded where a test does not say otherwise."""

    parents: Sequence[int]
    kinds: Sequence[JointKind]
    seed: int
    floating: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)

    def described(self, mimics: bool = True, drives: bool = True) -> RobotDescription:
        """The tree as a description."""
        return make_robot(list(self.parents), list(self.kinds), self.seed, self.floating, mimics, drives)


def _in_threes(*kinds: JointKind) -> tuple[tuple[int, ...], tuple[JointKind, ...]]:
    """Three joints on each third link."""
    return tuple(index - index % 3 for index in range(len(kinds))), kinds


_SPATIAL = {"convention": "spatial"}
_SKEW = {"gravity": (1.0, -2.0, -9.0)}
_LOSSES = {"joint_losses": True}

TREES = {
    "mixed": Tree((0, 1, 1, 3, 0, 5), (R, U, P, S, PL, H), 3, options={"runtime": ["link2.mass", "gravity.z"]}),
    "floating": Tree((0, 1, 2, 0, 4), (R, R, R, P, F), 5, True, _SPATIAL),
    "body twist": Tree((0, 1, 1), (R, H, P), 7, True, _SKEW),
    "thrown": Tree((0, 1, 0), (F, R, F), 9, options=_LOSSES),
    "thrown with a ball": Tree((0, 1, 0), (F, R, S), 9, options=_SPATIAL),
    "followers": Tree((0, 1, 2, 1, 4, 5), (R, R, R, P, R, R), 11, options=_LOSSES),
    # against momenta as series
    "every kind": Tree((0, 1, 1, 3, 3, 0, 6, 7), (R, S, PL, H, U, F, P, CY), 21, options=_LOSSES),
    "free base": Tree((0, 1, 1, 3, 0), (S, H, PL, R, P), 9, options={"floating_base": True, **_SKEW}),
    "spatial base": Tree((0, 1, 0, 3), (U, R, S, R), 13, options={"floating_base": True, **_SPATIAL}),
    "followers and springs": Tree((0, 1, 2, 1, 4, 5), (R, H, R, P, R, R), 36, options=_LOSSES),
    # on free bases whose joints have one coordinate each
    "branches of one coordinate": Tree((0, 1, 1, 0, 4), (R, P, H, C, R), 21, True, {**_SPATIAL, **_SKEW}),
    "chain of one coordinate": Tree((0, 1, 2, 3, 4, 5), (R, R, P, R, H, C), 4, True, {**_SPATIAL, **_SKEW}),
    "with a ball": Tree((0, 1, 1, 3, 2), (R, S, P, R, R), 58, True),
    # with springs
    "elastic": Tree((0, 1, 1, 3, 0, 4), (R, H, P, R, S, R), 19, options=_LOSSES),
    "elastic and floating": Tree((0, 1, 1), (R, P, R), 12, True, {**_SPATIAL, "runtime": ["gravity.z"]}),
    # forward dynamics and its partial derivatives
    "two clusters": Tree((0, 1, 1, 3, 4, 4), (R,) * 6, 3, True),
    "a chain that forks": Tree((0, 1, 2, 2, 4, 5), (S, H, P, PL, U, F), 8),
    "branched": Tree((0, 1, 1, 3, 0, 5), (R, S, P, R, PL, R), 23, options={"runtime": ["link1.mass", "gravity.z"]}),
    "floating pair": Tree((0, 1, 2, 0, 4), (R, R, R, P, F), 23, True),
    "spatial fork": Tree((0, 1, 0), (R, R, P), 23, True, _SPATIAL),
    "turning followers": Tree((0, 1, 2, 1, 4), (R, R, R, P, R), 23),
    # places in plans
    "two arms": Tree((0, 1, 1, 0, 3), (R, S, P, PL, R), 7),
    "arms on a float": Tree((0, 0, 2), (R, H, FIXED), 3, True),
    "six couplings": Tree((0, 1, 2, 3, 2, 5), (R,) * 6, 23),
    # long ones for series in time
    "all kinds": Tree(*_in_threes(*MOVING), 3, True),
    "all kinds, spatial": Tree(*_in_threes(*MOVING), 4, True, _SPATIAL),
    "all kinds with losses": Tree(*_in_threes(*MOVING, R), 8, options=_LOSSES),
    "mimic joints": Tree(*_in_threes(*(R, P, H) * 3), 6),
    "drives": Tree(*_in_threes(*(R, P) * 4), 32),
    # without a massless link, with mimic joints, rotors and springs among them
    "verified tree": Tree((0, 1, 1, 0), (H, S, R, P), 437, False, _SPATIAL),  # the last follows two
    "verified chain": Tree((0, 1, 2), (R, C, U), 29, True),
    "verified fork": Tree((0, 0), (P, PL), 12, True, _SPATIAL),
    "verified thrown": Tree((0, 1), (F, R), 12),
}


def with_losses(description: RobotDescription, losses: Losses = RUBBED) -> RobotDescription:
    """The robot with the same losses at every joint."""
    return replace(description, joints=tuple(replace(joint, losses=losses) for joint in description.joints))


def with_velocity_scale(description: RobotDescription, scale: float) -> RobotDescription:
    """The robot with its friction smooth on a scale of velocities."""
    joints = (replace(joint, losses=replace(joint.losses, velocity_scale=scale)) for joint in description.joints)
    return replace(description, joints=tuple(joints))


def with_inertials(description: RobotDescription) -> RobotDescription:
    """The robot with a random inertial on every link that has none."""
    links = []
    for index, link in enumerate(description.links):
        rng, found = random.Random(index), link.inertial
        while found is None:
            found = inertial(rng)
        links.append(replace(link, inertial=found))
    return replace(description, links=tuple(links))
