"""The bodies of a described robot as weighted vectors that follow from the coordinates by transforms alone.

Points of beams, and for a rigid body its centre of mass and the axes of its second moments: 1/2 sum w x'^2 is the
kinetic energy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from mpmath import mp

from support.oracles.flexible_beams import Beam, Station, beam
from support.oracles.flexible_jets import Jet, apply, constant, exponential, multiply, stack, turned
from symdyn.description.flexible import Direction
from symdyn.description.quantities.placement import Placement
from symdyn.description.robot import Attachment, Joint, JointKind, Link, RobotDescription

MOVES = {Direction.BEND_Y: 1, Direction.BEND_Z: 2, Direction.AXIAL: 0}
"""The axis of the beam along which a shape moves its sections."""


@dataclass
class Masses:
    """Weighted vectors of all bodies; only those with ``falls`` are points that gravity acts on."""

    weights: list[Any] = field(default_factory=list)
    falls: list[bool] = field(default_factory=list)
    places: list[Jet] = field(default_factory=list)

    def add(self, weight: Any, place: Jet, falls: bool) -> None:
        """One more vector."""
        self.weights.append(weight)
        self.falls.append(falls)
        self.places.append(place)


class Positions:
    """A described robot, its base fixed or free, whose rows are named as symdyn names them.

    A free base has rows ``root.vx`` .. ``root.wz``: its position and rotation vector about where it is now, in its own
    axes, so that at time zero their generalised forces are the wrench on it in those axes.
    """

    def __init__(
        self,
        description: RobotDescription,
        names: Sequence[str],
        gravity: Sequence[float] = (0.0, 0.0, -9.81),
        exact: bool = False,
    ) -> None:
        self.description = description
        self.rows = {name: row for row, name in enumerate(names)}
        self.exact = exact
        self.gravity = [self.number(g) for g in gravity]
        self.values = {parameter.name: self.number(parameter.value) for parameter in description.parameters}
        self.links = {link.name: link for link in description.links}
        self.beams = {link.name: beam(link.flexible) for link in description.links if link.flexible is not None}

    def number(self, value: Any) -> Any:
        """A value of the description, or of a beam, as a number of this computation."""
        if hasattr(value, "evaluate"):
            functions = {name: getattr(mp if self.exact else np, name) for name in ("sqrt", "sin", "cos", "tan")}
            value = value.evaluate(self.values, functions)
        return mp.mpf(value) if self.exact else float(value)

    def array(self, values: Any) -> Any:
        """The same for nested sequences."""
        found = np.vectorize(self.number, otypes=[object])(np.array(values, dtype=object))
        return found if self.exact else found.astype(np.float64)

    def row(self, name: str) -> int:
        """Where a coordinate stands."""
        return self.rows[name]

    def masses(self, q: Jet, base: tuple[Any, Any] | None) -> Masses:
        """All bodies at q."""
        found = Masses()
        pending = [(self.description.root, *self._base(q, base))]
        while pending:
            name, R, x = pending.pop()
            link = self.links[name]
            self._rigid(found, link, R, x)
            tip = self._flexible(found, link, q, R, x) if link.flexible is not None else (R, x)
            for joint in self.description.joints:
                if joint.parent == name:
                    turned_by, moved = tip if joint.at is Attachment.TIP else (R, x)
                    pending.append((joint.child, *self._joint(joint, q, turned_by, moved)))
        return found

    def frame(self, name: str, q: Jet, base: tuple[Any, Any] | None = None) -> tuple[Jet, Jet]:
        """Rotation and origin of a link's frame, or of ``<link>.tip``."""
        wanted, at_tip = (name.removesuffix(".tip"), name.endswith(".tip"))
        pending = [(self.description.root, *self._base(q, base))]
        while pending:
            link_name, R, x = pending.pop()
            link = self.links[link_name]
            tip = self._flexible(Masses(), link, q, R, x) if link.flexible is not None else (R, x)
            if link_name == wanted:
                if not at_tip:
                    return R, x
                assert link.flexible is not None
                start = self._placed(link.flexible.placement)
                far = start[1] + start[0][:, 0] * self.number(link.flexible.length)
                return tip[0], tip[1] + apply(tip[0], constant(far, q))
            for joint in self.description.joints:
                if joint.parent == link_name:
                    turned_by, moved = tip if joint.at is Attachment.TIP else (R, x)
                    pending.append((joint.child, *self._joint(joint, q, turned_by, moved)))
        raise KeyError(name)

    def _base(self, q: Jet, base: tuple[Any, Any] | None) -> tuple[Jet, Jet]:
        one = self.array(np.eye(3))
        if base is None:
            return constant(one, q), constant(self.array(np.zeros(3)), q)
        R0, x0 = constant(self.array(base[0]), q), constant(self.array(base[1]), q)
        rows = [self.row(f"root.{label}") for label in ("vx", "vy", "vz", "wx", "wy", "wz")]
        slid = stack([q[row] for row in rows[:3]])
        turn = exponential(stack([q[row] for row in rows[3:]]))
        return multiply(R0, turn), x0 + apply(R0, slid)

    def _placed(self, placement: Placement) -> tuple[Any, Any]:
        return self.array(placement.rotation), self.array(placement.translation)

    def _joint(self, joint: Joint, q: Jet, R: Jet, x: Jet) -> tuple[Jet, Jet]:
        rotation, translation = self._placed(joint.placement)
        x = x + apply(R, constant(translation, q))
        R = multiply(R, constant(rotation, q))
        axis = self.array(joint.axis)
        if joint.kind is JointKind.FIXED:
            return R, x
        own = q[self.row(joint.name)]
        if joint.kind in (JointKind.REVOLUTE, JointKind.CONTINUOUS):
            return multiply(R, turned(axis, own)), x
        if joint.kind is JointKind.PRISMATIC:
            return R, x + apply(R, own * axis)
        raise ValueError(f"joint '{joint.name}': {joint.kind} is not for this reference")

    def _rigid(self, found: Masses, link: Link, R: Jet, x: Jet) -> None:
        if link.inertial is None:
            return
        mass = self.number(link.inertial.mass)
        axes, center = self._placed(link.inertial.placement)
        xx, xy, xz, yy, yz, zz = (self.number(value) for value in link.inertial.moments)
        inertia = axes @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ axes.T
        second = np.eye(3) * ((xx + yy + zz) / 2) - inertia
        found.add(mass, x + apply(R, constant(center, x)), True)
        # 1/2 tr(R' S R'^T) with S = L D L^T: three columns of R L, weighted by D, however their signs are.
        lower, pivots = _factors(second)
        for column, pivot in zip(lower.T, pivots, strict=True):
            found.add(pivot, apply(R, constant(column, x)), False)

    def _flexible(self, found: Masses, link: Link, q: Jet, R: Jet, x: Jet) -> tuple[Jet, Jet]:
        """Add the beam of a link; R and x of what is at rest in the link's frame and fixed to the tip."""
        flexible, shapes = link.flexible, self.beams[link.name]
        assert flexible is not None
        d = [q[self.row(f"{link.name}.{name}")] for name in coordinate_names(shapes)]
        axes, root = self._placed(flexible.placement)
        beam_axes, start = multiply(R, constant(axes, q)), x + apply(R, constant(root, q))
        for station in shapes.stations:
            found.add(self.number(station.mass), start + apply(beam_axes, self._section(shapes, station, d)), True)
            twist = self._twist(shapes, station, d)
            left = 0 * d[0] + 1
            if shapes.stiffening:  # the cosine, to second order
                left = left - twist * twist * self.number(0.5)
            if station.second_y:
                across = stack([0 * d[0], left, twist])
                found.add(self.number(station.second_y), apply(beam_axes, across), False)
            if station.second_z:
                across = stack([0 * d[0], -twist, left])
                found.add(self.number(station.second_z), apply(beam_axes, across), False)
        slopes = [0 * d[0]] * 3
        for shape, slope, own in zip(shapes.shapes, shapes.tip_slopes, d, strict=True):
            if shape.direction is not Direction.AXIAL:
                place, sign = {Direction.BEND_Y: (2, 1), Direction.BEND_Z: (1, -1), Direction.TORSION: (0, 1)}[
                    shape.direction
                ]
                slopes[place] = slopes[place] + own * (sign * self.number(slope))
        turn = multiply(multiply(beam_axes, exponential(stack(slopes))), constant(axes.T, q))
        tip = start + apply(beam_axes, self._section(shapes, shapes.tip, d))
        far = root + axes[:, 0] * self.number(flexible.length)
        return turn, tip - apply(turn, constant(far, q))

    def _section(self, shapes: Beam, station: Station, d: list[Jet]) -> Jet:
        """The centre of a section in beam axes."""
        parts = [0 * d[0] + self.number(station.x), 0 * d[0], 0 * d[0]]
        for shape, value, own in zip(shapes.shapes, station.values, d, strict=True):
            if shape.direction in MOVES:
                place = MOVES[shape.direction]
                parts[place] = parts[place] + own * self.number(value)
        if shapes.stiffening:
            for k, row in enumerate(station.shortening):
                for other, amount in enumerate(row):
                    if amount:
                        parts[0] = parts[0] - d[k] * d[other] * (self.number(amount) / 2)
        return stack(parts)

    def _twist(self, shapes: Beam, station: Station, d: list[Jet]) -> Jet:
        found = 0 * d[0]
        for shape, value, own in zip(shapes.shapes, station.values, d, strict=True):
            if shape.direction is Direction.TORSION:
                found = found + own * self.number(value)
        return found


def coordinate_names(shapes: Beam) -> list[str]:
    """Of a beam, without the link's name."""
    counts: dict[Direction, int] = {}
    found = []
    for shape in shapes.shapes:
        number = counts.get(shape.direction, 0)
        counts[shape.direction] = number + 1
        found.append(f"{shape.direction.value}[{number}]")
    return found


def _factors(matrix: Any) -> tuple[Any, Any]:
    """L and D of a symmetric (3, 3) matrix = L D L^T, L from its permuted rows where a pivot is zero."""
    size = len(matrix)
    left, rest, pivots, columns = list(range(size)), matrix.copy(), [], []
    zero = 0 * matrix[0, 0]
    for _ in range(size):
        place = max(left, key=lambda k: abs(rest[k, k]))
        pivot = rest[place, place]
        if pivot == 0:
            break
        column = rest[:, place] / pivot
        pivots.append(pivot)
        columns.append(column)
        rest = rest - pivot * np.outer(column, column)
        left.remove(place)
    if not columns:
        return np.full((size, 0), zero), []
    return np.stack(columns, axis=1), pivots
