"""Meshes of capsules, ellipsoids and boxes, and those that have given moments of inertia."""

from __future__ import annotations

import numpy as np

from symdyn.analysis.view.scene import Array, Faces, strip

CORNERS, RINGS = 14, 5
SLENDER = 4.0
"""Links with a longer shape of inertia are shown by boxes."""


def capsule(start: Array, end: Array, radius: float) -> tuple[Array, Faces]:
    """Vertices and faces of a cylinder with round ends, from ``start`` to ``end`` [m]."""
    along = end - start
    length = float(np.linalg.norm(along))
    axis = along / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
    least = np.eye(3)[int(np.argmin(np.abs(axis)))]
    y = np.cross(axis, least)
    y /= np.linalg.norm(y)
    z = np.cross(axis, y)
    rise = np.linspace(0.02, np.pi / 2.0, RINGS)
    ends = [(start, -np.cos(angle), np.sin(angle)) for angle in rise]
    ends += [(end, np.cos(angle), np.sin(angle)) for angle in rise[::-1]]
    turn = np.linspace(0.0, 2.0 * np.pi, CORNERS, endpoint=False)
    circle = np.outer(np.cos(turn), y) + np.outer(np.sin(turn), z)
    rings = [place + radius * (height * axis + wide * circle) for place, height, wide in ends]
    return np.concatenate(rings), strip(len(rings), CORNERS)


def ellipsoid(centre: Array, axes: Array, half: Array) -> tuple[Array, Faces]:
    """Vertices and faces of an ellipsoid with half axes ``half`` [m] along the columns of ``axes``."""
    ball, faces = capsule(np.zeros(3), np.zeros(3), 1.0)
    return centre + (ball * half) @ axes.T, faces


def box(centre: Array, axes: Array, half: Array) -> tuple[Array, Faces]:
    """Vertices and faces of a box with half sides ``half`` [m] along the columns of ``axes``."""
    signs = np.array([[x, y, z] for x in (-1.0, 1.0) for y, z in ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))])
    return centre + (signs * half) @ axes.T, strip(2, 4)


def cylinder(radius: float, length: float) -> tuple[Array, Faces]:
    """Vertices and faces of a cylinder along z [m], its middle at the origin."""
    turn = np.linspace(0.0, 2.0 * np.pi, 2 * CORNERS, endpoint=False)
    ring = np.stack([radius * np.cos(turn), radius * np.sin(turn), np.full(len(turn), -length / 2.0)], axis=-1)
    return np.concatenate([ring, ring * [1.0, 1.0, -1.0]]), strip(2, len(turn))


def inertia_shape(centre: Array, mass: float, moments: Array, least: float) -> tuple[Array, Faces]:
    """The uniform ellipsoid with this mass and these moments (3, 3) [kg m^2] about its centre [m], as a mesh.

    Where one half axis is more than ``SLENDER`` times the others it is the box instead: the ellipsoid of a slender rod
    is 1.29 times as long as the rod, and its ends are spikes. No half axis is drawn shorter than ``least`` [m].
    """
    axes, half = inertia_ellipsoid(mass, moments)
    _, middle, largest = np.sort(half).tolist()
    if largest > SLENDER * middle:
        # Moments are mass (b^2 + c^2) / 3 and so on, in place of a fifth.
        return box(centre, axes, np.maximum(np.sqrt(0.6) * half, least))
    return ellipsoid(centre, axes, np.maximum(half, least))


def inertia_ellipsoid(mass: float, moments: Array) -> tuple[Array, Array]:
    """Axes (columns) and half axes [m] of the uniform ellipsoid with this mass and these moments (3, 3) [kg m^2].

    Its moments about its axes are ``mass (b^2 + c^2) / 5`` and so on.
    """
    principal, axes = np.linalg.eigh(moments)
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] *= -1.0
    squares = 2.5 / mass * (principal.sum() - 2.0 * principal)
    return axes, np.sqrt(np.maximum(squares, 0.0))
