"""The same robot moved by its free base: the base's rows change as its convention says, by constant matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from support.invariance.moved_root import Array, MovedRoot, moved_acting, random_quaternion, remade, rotation
from support.invariance.scaled_units import Units
from symdyn.interface.options import RequestOptions
from symdyn.interface.signature import Argument
from symdyn.robot.robot import Robot

_PLACE = [f"root.{name}" for name in ("x", "y", "z", "qx", "qy", "qz", "qw")]
_TWIST = [f"{kind}{axis}" for kind in "wv" for axis in "xyz"]
_LONG = Units(length=2.0)
"""Tells twists from wrenches: along an axis of twists, what turns has a unit that is less by a length."""


@dataclass(frozen=True)
class MovedBase(MovedRoot):
    """World vectors turn as with the root; positions of the base move, and its twists and wrenches are mapped."""

    quaternion: Array

    def asked(self, options: RequestOptions) -> RequestOptions:
        """Without prescribed rows of the base: with its axes they would change."""
        chosen = RequestOptions(**options)
        if "prescribed" in options:
            chosen["prescribed"] = tuple(own for own in options["prescribed"] or () if not own.startswith("root."))
        return chosen

    def forward(self, function: str, old: Argument, new: Argument, values: Array) -> Array:
        """By names and units along each axis."""
        found = super().forward(function, old, new, values)
        units = np.reshape(np.array(new.element_units, dtype=object), new.shape)
        for axis, names in enumerate(new.rows):
            first = np.moveaxis(units, axis, 0).reshape(len(names), -1)[:, 0]
            found = np.moveaxis(np.tensordot(self._rows(names, list(first)), found, (1, axis)), 0, axis)
        if new.name in ("q", "q_next", "y"):
            rows = [new.rows[0].index(name) for name in _PLACE[:3]]
            found[rows] += self.pose[:3, 3]
        return found

    def neutral(self) -> tuple[Array, Array]:
        """The first robot's neutral position, and where it is moved to."""
        q = self.first.neutral()
        moved = self._rows(self.first.coordinate_names, [""] * len(q)) @ q
        moved[[self.first.coordinate_names.index(name) for name in _PLACE[:3]]] += self.pose[:3, 3]
        return q, moved

    def _rows(self, names: Sequence[str], units: Sequence[str]) -> Array:
        """The matrix of an axis; what it has no rows of the base for stays."""
        found = np.eye(len(names))
        if _PLACE[-1] in names:
            place = [names.index(name) for name in _PLACE]
            x, y, z, w = self.quaternion
            found[np.ix_(place[:3], place[:3])] = self.pose[:3, :3]
            found[np.ix_(place[3:], place[3:])] = [[w, -z, y, x], [z, w, -x, y], [-y, x, w, z], [-x, -y, -z, w]]
        for before in ("root.", "rate of root.", "move of root."):
            if f"{before}wx" in names:
                twist = [names.index(before + name) for name in _TWIST]
                less = _LONG.size(units[twist[0]]) < _LONG.size(units[twist[3]])
                found[np.ix_(twist, twist)] = self._twists() if less else np.linalg.inv(self._twists()).T
        return found

    def _twists(self) -> Array:
        """Of (omega; v): in body axes nothing changes, in those of the world both turn, about its origin."""
        turn, shift = self.pose[:3, :3], self.pose[:3, 3]
        convention = self.first.load_options()["convention"]
        found = np.eye(6)
        if convention != "pinocchio":
            found[3:, 3:] = turn
        if convention == "spatial":
            found[:3, :3] = turn
            found[3:, :3] = np.cross(shift, turn, axisb=0, axisc=0)
        return found


def moved_base(robot: Robot, rng: np.random.Generator) -> MovedBase | None:
    """None where the root is fixed, or something joins the robot to a place in the world, whose axes cannot turn."""
    description, options = robot.description, robot.load_options()
    grounded = any(site.grounded for own in description.acting for site in own.pair)
    if not options["floating_base"] or grounded or any(own.startswith("gravity") for own in robot.runtime_parameters):
        return None
    quaternion, pose = random_quaternion(rng), np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation(quaternion), rng.uniform(-1.0, 1.0, 3)
    changed = replace(description, acting=tuple(moved_acting(own, pose) for own in description.acting), gravity=None)
    turned = tuple(map(float, pose[:3, :3] @ np.array(robot.model.gravity, dtype=float)))
    return MovedBase(remade(changed, robot, gravity=turned), pose, robot, quaternion)
