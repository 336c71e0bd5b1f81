"""Surfaces that a robot may touch, as far as it comes near them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from symdyn.analysis.view.scene import Array, Faces, Surface, strip
from symdyn.analysis.view.shapes import ellipsoid
from symdyn.description.contact import Contact
from symdyn.description.contact import Surface as Touched
from symdyn.robot.robot import Robot

WALL, OPACITY = (150, 150, 158), 0.2
CORNERS = 48


def walls_of(robot: Robot, low: Array, high: Array, size: float) -> Iterator[Surface]:
    """The surfaces of all contacts, each once, near what moves between ``low`` and ``high``, as far as ``size`` [m]."""
    touched = dict.fromkeys(own.surface for own in robot.description.acting if isinstance(own, Contact))
    for surface in touched:
        points, faces = _mesh(surface, (low + high) / 2.0, size)
        yield Surface(points, faces, np.broadcast_to(np.array(WALL), (len(faces), 3)), OPACITY)


def _mesh(surface: Touched, centre: Array, size: float) -> tuple[Array, Faces]:
    point, axis = np.array(surface.point), np.array(surface.axis)
    if surface.shape == "sphere":
        return ellipsoid(point, np.eye(3), np.full(3, surface.radius))
    across = np.linalg.svd(axis[None])[2][1:]
    if np.linalg.det([*across, axis]) < 0.0:
        across = across[::-1]
    middle = point + ((centre - point) @ axis) * axis
    if surface.shape == "cylinder":
        turn = np.linspace(0.0, 2.0 * np.pi, CORNERS, endpoint=False)
        ring = surface.radius * (np.outer(np.cos(turn), across[0]) + np.outer(np.sin(turn), across[1]))
        ends = [middle + ring + place * axis for place in (-0.6 * size, 0.6 * size)]
        faces = strip(2, CORNERS, closed=False)
        if not surface.inside:
            fan = np.array([[0, corner, corner + 1] for corner in range(1, CORNERS - 1)])
            faces = np.concatenate([faces, fan[:, ::-1], CORNERS + fan])
        return np.concatenate(ends), faces
    foot = centre - ((centre - point) @ axis) * axis
    corners = [foot + 0.6 * size * (x * across[0] + y * across[1]) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    return np.array(corners), np.array([[0, 1, 2], [0, 2, 3]])
