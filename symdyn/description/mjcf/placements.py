"""Placements from MuJoCo's positions and quaternions (w, x, y, z)."""

from __future__ import annotations

import math

from symdyn.description.checks.rotation import quaternion_matrix
from symdyn.description.mjcf.record import Four, Triple
from symdyn.description.quantities.placement import IDENTITY, Matrix3, Placement


def rotation_of(quat: Four) -> Matrix3:
    """The rotation of a quaternion of any length but 0."""
    if not any(quat) or quat[1:] == (0.0, 0.0, 0.0):
        return IDENTITY
    w, x, y, z = quat
    return quaternion_matrix((x, y, z, w))


def about(axis: Triple, angle: float) -> Four:
    """The quaternion of a turn about a unit vector."""
    half = math.sin(angle / 2.0)
    return math.cos(angle / 2.0), axis[0] * half, axis[1] * half, axis[2] * half


def placed(pos: Triple, quat: Four) -> Placement:
    """A placement."""
    return Placement(pos, rotation_of(quat))


def after(first: Placement, pos: Triple, turn: Matrix3 = IDENTITY) -> Placement:
    """A placement that stands in another at ``pos`` with the axes ``turn``; all entries are numbers."""
    rows, start = first.rotation, first.translation
    x, y, z = (
        float(start[row]) + sum(rows[row][column] * pos[column] for column in range(3))  # type: ignore[arg-type]
        for row in range(3)
    )
    if turn is IDENTITY:
        return Placement((x, y, z), rows)
    a, b, c = (
        (
            sum(row[k] * turn[k][0] for k in range(3)),
            sum(row[k] * turn[k][1] for k in range(3)),
            sum(row[k] * turn[k][2] for k in range(3)),
        )
        for row in rows
    )
    return Placement((x, y, z), (a, b, c))


def between(start: Triple, end: Triple) -> Triple:
    """From one point to another."""
    return end[0] - start[0], end[1] - start[1], end[2] - start[2]


def along(axis: Triple, length: float) -> Triple:
    """A vector of this length."""
    return axis[0] * length, axis[1] * length, axis[2] * length
