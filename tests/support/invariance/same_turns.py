"""The same positions said in other numbers: quaternions negated, and joints without limits a turn further."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

import numpy as np

from support.invariance.by_rows import Array, ByRows
from symdyn.description.loops import Coupling
from symdyn.description.pfaffian import Pfaffian
from symdyn.description.robot import JointKind
from symdyn.interface.options import RequestOptions
from symdyn.interface.signature import Argument
from symdyn.robot.robot import Robot

_QUATERNION = (".qx", ".qy", ".qz", ".qw")


@dataclass(frozen=True)
class Turned:
    """The same robot, with some rows of q moved by whole turns."""

    robot: Robot
    turns: dict[str, float]
    rows: ByRows

    @property
    def first(self) -> Robot:
        """The same."""
        return self.robot

    def asked(self, options: RequestOptions) -> RequestOptions:
        """The same."""
        return options

    def options(self, function: str, asked: RequestOptions) -> RequestOptions:
        """The same."""
        return asked

    def weights(self, function: str, new: Argument) -> float:
        """None."""
        return 1.0

    def forward(self, function: str, old: Argument, new: Argument, values: Array) -> Array:
        """Signs of quaternions, and whole turns."""
        found = self.rows.forward(function, old, new, values)
        if old.name in ("q", "q_next", "y"):
            found = found + np.array([self.turns.get(name, 0.0) for name in new.element_names])
        return found


def same_turns(robot: Robot, rng: random.Random) -> Turned | None:
    """None where the robot has neither quaternions nor joints that may turn on freely."""
    description = robot.description
    negated = {name[:-3] for name in robot.coordinate_names if name.endswith(_QUATERNION)}
    leading = {name for own in description.joints if own.mimic for name, _ in own.mimic.terms}
    leading |= {name for own in description.acting if isinstance(own, Coupling) for name, _ in own.terms}
    if any(isinstance(own, Pfaffian) for own in description.acting):
        return None
    free = [
        own.name
        for own in description.joints
        if own.kind in (JointKind.CONTINUOUS, JointKind.REVOLUTE)
        and own.name in robot.coordinate_names
        and not (own.elastic or own.loads or own.mimic or own.name in leading)
    ]
    turns = {name: 2.0 * math.pi * rng.choice((-1, 1, 2)) for name in free if rng.random() < 0.7}
    if not negated and not turns:
        return None

    def sign(name: str) -> float:
        return -1.0 if name.endswith(_QUATERNION) and name[:-3] in negated else 1.0

    return Turned(robot, turns, ByRows(robot, robot, sign=sign))
