"""Where along its joint's axis the origin of a body's frame stands, chosen so that offsets between frames vanish.

A joint that turns about z, slides along it, or does both is the same wherever on the axis its frames stand. Robot files
put them where drawings do; a shift s along the axis of every body leaves tau, v and M as they are, but changes offsets
to l + s E z - s_parent z, and each of their entries that becomes zero saves four operations per wrench that passes.
Frames so moved are no longer the public ones: only algorithms that show neither frames nor wrenches may use this, and a
wrench (f; n) that acts at a public origin has the moment n - s z x f about the moved one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from symdyn.algebra.scalars.affine import Affine
from symdyn.algebra.spatial.rotations import IDENTITY, ROUNDING, Identity
from symdyn.algebra.spatial.transform import Transform
from symdyn.model.bind import TRANSLATION, BodyConstants, inertia_constants, inertia_of, summed_of, without_noise
from symdyn.model.model import Model

_ROUNDS = 4
"""Choices are made again with those of the neighbours known; real robots settle in two rounds."""


def slid(
    model: Model, bodies: Sequence[BodyConstants | None], loaded: bool = False
) -> tuple[list[BodyConstants | None], list[float]]:
    """Constants of the bodies after each one's origin has moved along its joint's axis.

    Parameters
    ----------
    model
        The robot.
    bodies
        Its constants, inertia not regrouped; None for a body that rests on run-time parameters. Such a body stays, and
        so does its parent, whose shift would change the body's offset. With constants that are affine in run-time
        parameters only bodies stay whose own offsets rest on p, and their parents.
    loaded
        Whether wrenches act at the public origins, so that a shift has a price of its own.

    Returns
    -------
    New constants, translation and inertia changed; and the shifts along the joints' axes [m], all zero where the model
    does not slide.
    """
    if not model.slides:
        return list(bodies), [0.0] * len(bodies)
    shifts = _Shifts(model, bodies, loaded)
    for _ in range(_ROUNDS):
        if not shifts.improve():
            break
    found: list[BodyConstants | None] = []
    for index, body in enumerate(bodies):
        if body is None:
            found.append(None)
            continue
        offset = shifts.offset(index) if offset_is_known(body) else body.offset
        below = Transform(IDENTITY, Identity(), (0.0, 0.0, -shifts.along[index]))
        values = body.values | inertia_constants(inertia_of(body.values).seen_from_parent(below))
        summed = summed_of(inertia_of(body.values), below)
        found.append(BodyConstants(without_noise(values | dict(zip(TRANSLATION, offset, strict=True)), summed)))
    return found, shifts.along


def offset_is_known(body: BodyConstants | None) -> bool:
    """Whether the body's offset from its parent is made of numbers."""
    return body is not None and not any(isinstance(entry, Affine) for entry in body.offset)


class _Shifts:
    """How far each origin has moved along its axis [m], and what the offsets that result will cost."""

    def __init__(self, model: Model, bodies: Sequence[BodyConstants | None], loaded: bool) -> None:
        self.model = model
        self.along = [0.0] * len(bodies)
        is_known = [offset_is_known(body) for body in bodies]
        self._offsets = [
            body.offset if body is not None and known else [0.0] * 3
            for body, known in zip(bodies, is_known, strict=True)
        ]
        self._price = [int(loaded and body.row is not None) for body in model.bodies]
        self._children: list[list[int]] = [[] for _ in bodies]
        # wrenches that pass a joint, one per row of v at or beyond it, and its composite inertia
        self._weights = [0] * len(bodies)
        for index in reversed(range(len(bodies))):
            body = model.bodies[index]
            if not body.joint.kind.has_frame or body.parent < 0:
                continue
            self._weights[index] += len(body.joint.coordinates.v) + 1
            self._weights[body.parent] += self._weights[index]
            self._children[body.parent].append(index)
        self._free = [
            index
            for index, body in enumerate(model.bodies)
            if body.joint.kind.axial
            and not body.carried
            and is_known[index]
            and all(is_known[child] for child in self._children[index])
        ]
        self._reach = self._reaches()

    def _reaches(self) -> list[float]:
        """Per body the longest shift [m] that costs no accuracy: the way from the root to its furthest child.

        Axes that nearly miss the direction of an offset would ask for shifts without bound.
        """
        lengths = [
            math.hypot(*offset) if body.parent >= 0 else 0.0
            for body, offset in zip(self.model.bodies, self._offsets, strict=True)
        ]
        ways: list[float] = []
        for body, length in zip(self.model.bodies, lengths, strict=True):
            ways.append(length + (ways[body.parent] if body.parent >= 0 else 0.0))
        return [
            way + max((lengths[child] for child in children), default=0.0)
            for way, children in zip(ways, self._children, strict=True)
        ]

    def offset(self, index: int) -> list[float]:
        """The joint frame's origin in the parent's frame [m], both moved, rounding errors set to zero."""
        body = self.model.bodies[index]
        above = self.along[body.parent] if body.parent >= 0 else 0.0
        parts = [
            (start, rotated[2] * self.along[index], -above if axis == 2 else 0.0)
            for axis, (start, rotated) in enumerate(zip(self._offsets[index], body.rotation, strict=True))
        ]
        return [0.0 if abs(sum(part)) <= 2.0 * ROUNDING * max(map(abs, part)) else sum(part) for part in parts]

    def improve(self) -> bool:
        """Give each body in turn the shift that leaves the cheapest offsets around it, its present one if equal.

        Returns
        -------
        Whether a shift has changed, so that others may.
        """
        before = list(self.along)
        for index in self._free:
            candidates = [self.along[index], *self._candidates(index)]
            costs = []
            for candidate in candidates:
                self.along[index] = candidate
                costs.append(self._cost(index))
            self.along[index] = candidates[costs.index(min(costs))]
        return self.along != before

    def _candidates(self, index: int) -> list[float]:
        """Shifts at which an entry of the body's own offset or of a child's vanishes."""
        found = [0.0]
        body = self.model.bodies[index]
        for entry, row in zip(self.offset(index), body.rotation, strict=True):
            if row[2] != 0.0 and body.parent >= 0:
                found.append(self.along[index] - entry / row[2])
        found += [self.along[index] + self.offset(child)[2] for child in self._children[index]]
        return [shift for shift in found if abs(shift) <= self._reach[index]]

    def _cost(self, index: int) -> int:
        return self._price[index] * (self.along[index] != 0.0) + sum(
            self._weights[item] * sum(entry != 0.0 for entry in self.offset(item))
            for item in (index, *self._children[index])
            if self.model.bodies[item].parent >= 0
        )
