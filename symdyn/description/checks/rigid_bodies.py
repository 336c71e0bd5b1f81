"""Links that are fixed to each other move as one body, and as one body they feel what inertia they have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from symdyn.description.checks.known_values import value_of
from symdyn.description.checks.tree import from_root
from symdyn.description.robot import Attachment, JointKind, Link, Placement, RobotDescription

Body = tuple[str, Attachment]
"""The link nearest the root, and whether the body is that link or what hangs on its bent tip."""


class RigidBodies:
    """Which links are one body, and where they stand in it."""

    def __init__(self, description: RobotDescription, values: Mapping[str, float]) -> None:
        self._values = dict(values)
        links = {link.name: link for link in description.links}
        root = description.root
        fixed = [joint for joint in description.joints if joint.kind is JointKind.FIXED]
        # whose children at the tip are counted from two frames
        mixed = {joint.parent for joint in fixed if joint.at is Attachment.TIP}
        self._body: dict[str, Body] = {root: (root, Attachment.ROOT)}
        # None where a placement waits for a run-time parameter, or for the shape of a curved rod
        self._pose: dict[str, tuple[Any, Any] | None] = {root: (np.eye(3), np.zeros(3))}
        for joint in from_root(description):
            child = joint.child
            self._body[child], self._pose[child] = (child, Attachment.ROOT), (np.eye(3), np.zeros(3))
            if joint.kind is JointKind.FIXED:
                bends = links[joint.parent].deforms and joint.at.moves
                self._body[child] = (joint.parent, Attachment.TIP) if bends else self._body[joint.parent]
                origin = self._pose[joint.parent]
                if bends:
                    origin = np.eye(3), np.zeros(3)
                    if joint.at is Attachment.END and joint.parent in mixed:
                        origin = self._straight_tip(links[joint.parent])
                self._pose[child] = self._placed(origin, joint.placement)
        self._members: dict[Body, list[str]] = {}
        for name, body in self._body.items():
            self._members.setdefault(body, []).append(name)
        self._inertials = {name: link.inertial for name, link in links.items() if link.inertial is not None}

    def body(self, link: str) -> Body:
        """The body that a link is part of."""
        return self._body[link]

    def members(self, body: Body) -> list[str]:
        """Names of a body's links, parents before children."""
        return self._members[body]

    def principal_moments(self, body: Body) -> list[float] | None:
        """Of all its links about their common centre of mass [kg m^2], ascending; None where one is unknown."""
        parts = []
        for name in self._members[body]:
            inertial, pose = self._inertials.get(name), self._pose[name]
            if inertial is None:
                continue
            place = self._placed(pose, inertial.placement)
            numbers = [value_of(entry, self._values, "inertial") for entry in (inertial.mass, *inertial.moments)]
            known = [entry for entry in numbers if entry is not None]
            if place is None or len(known) < len(numbers):
                return None
            mass, xx, xy, xz, yy, yz, zz = known
            rotation, center = place
            parts.append((mass, center, rotation @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ rotation.T))
        total = sum(mass for mass, _, _ in parts)
        middle = sum(mass * center for mass, center, _ in parts) / total if total > 0.0 else np.zeros(3)
        moments = np.zeros((3, 3))
        for mass, center, own in parts:
            arm = center - middle
            moments += own + mass * ((arm @ arm) * np.eye(3) - np.outer(arm, arm))
        principal: list[float] = np.linalg.eigvalsh(moments).tolist()
        return principal

    def _straight_tip(self, link: Link) -> tuple[Any, Any] | None:
        """The tip's frame in that of a link at rest; None where only the model knows it."""
        beam = link.flexible or link.soft
        if beam is None or (link.soft is not None and link.soft.reference):
            return None
        along = np.array(beam.placement.rotation) @ np.array([beam.length, 0.0, 0.0])
        return self._placed((np.eye(3), along), Placement(beam.placement.translation))

    def _placed(self, pose: tuple[Any, Any] | None, placement: Any) -> tuple[Any, Any] | None:
        shift = [value_of(entry, self._values, "placement") for entry in placement.translation]
        if pose is None or None in shift:
            return None
        rotation, translation = pose
        return rotation @ np.array(placement.rotation), translation + rotation @ np.array(shift)
