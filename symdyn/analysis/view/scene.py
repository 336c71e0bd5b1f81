"""What is drawn of a robot in motion, as plain arrays: every back end reads this and nothing else of the robot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Faces = NDArray[np.int64]
Colour = tuple[int, int, int]
LIGHT = np.array([0.35, -0.55, 0.76]) / np.linalg.norm([0.35, -0.55, 0.76])
"""Where light comes from."""


@dataclass(frozen=True, slots=True)
class Solid:
    """A triangle mesh that moves with a frame.

    ``vertices`` (m, 3) [m] are in the axes of the frame named ``frame``, ``faces`` (k, 3) are seen from outside
    anticlockwise. ``of_inertia`` marks the shape that has a link's inertia, which is no part of how it looks.
    """

    name: str
    frame: str
    vertices: Array
    faces: Faces
    colour: Colour
    opacity: float = 1.0
    of_inertia: bool = False


@dataclass(frozen=True, slots=True)
class Surface:
    """Triangles in the world: ``points`` (m, 3) [m], ``faces`` (k, 3), ``colours`` (k, 3) from 0 to 255, opacity."""

    points: Array
    faces: Faces
    colours: Faces
    opacity: float

    def shaded(self, eye: Array) -> tuple[Array, Array, Array]:
        """Corners (j, 3, 3), distances (j,) [m] and lit colours (j, 3) of the faces that are seen from ``eye`` [m]."""
        corners = self.points[self.faces]
        normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        length = np.linalg.norm(normal, axis=-1)
        normal = normal / np.maximum(length, 1e-300)[:, None]
        middle = corners.mean(axis=1)
        seen = (((eye - middle) * normal).sum(axis=-1) > 0.0) & (length > 0.0)
        light = 0.55 + 0.45 * np.clip(normal[seen] @ LIGHT, -0.4, 1.0)
        return corners[seen], np.linalg.norm(middle[seen] - eye, axis=-1), self.colours[seen] * light[:, None]


@dataclass(frozen=True, slots=True)
class RodSource:
    """How the sections of a rod's tube follow from functions of the robot.

    Its line begins in the pose ``root`` (4, 4) of ``frame`` and goes through the stations ``rows`` of
    ``station_poses``, at ``x`` (k,) [m], the root first; sections are at ``places`` [m].
    """

    frame: str
    root: Array
    rows: tuple[int, ...]
    x: Array
    places: Array


@dataclass(frozen=True, slots=True)
class BeamShapes:
    """Shapes of a flexible link in one direction: ``rows`` of q, and ``table`` (3, count, k) of values and slopes."""

    direction: str
    rows: tuple[int, ...]
    table: Array


@dataclass(frozen=True, slots=True)
class BeamSource:
    """How the sections of a flexible link, at ``x`` (k,) [m] from ``root`` (4, 4) in ``frame``, follow from q."""

    frame: str
    root: Array
    x: Array
    shapes: tuple[BeamShapes, ...]
    stiffening: bool


@dataclass(frozen=True, slots=True)
class Anchor:
    """A point [m] that moves with a frame, or with the section of a tube at ``place`` [m], or rests in the world.

    ``turn`` has the axes of the place there, as the columns of a rotation matrix.
    """

    point: tuple[float, float, float]
    frame: str = ""
    tube: str = ""
    place: float = 0.0
    turn: tuple[tuple[float, ...], ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True, slots=True)
class Tube:
    """A centre line with sections.

    ``poses`` (n, k, 4, 4) are those of k sections in n frames, x along the line; ``sides`` (k, 2) are the half axes of
    each along y and z [m]; ``values`` (n, k) decide the colour, from 0 for none to 1 for the most of the motion: from
    blue to red, or from a ``colour`` of its own to red.
    """

    name: str
    poses: Array
    sides: Array
    values: Array
    opacity: float = 1.0
    source: RodSource | BeamSource | None = None
    colour: Colour | None = None

    def surface(self, number: int, corners: int = 10) -> Array:
        """Vertices (k, corners, 3) [m] of the tube in one frame."""
        angle = np.linspace(0.0, 2.0 * np.pi, corners, endpoint=False)
        ring = np.stack([np.zeros(corners), np.cos(angle), np.sin(angle)], axis=-1)
        around = ring * np.concatenate([np.ones((len(self.sides), 1)), self.sides], axis=1)[:, None, :]
        pose = self.poses[number]
        found: Array = np.einsum("kij,kcj->kci", pose[:, :3, :3], around) + pose[:, None, :3, 3]
        return found


@dataclass(frozen=True, slots=True)
class Line:
    """A line through ``points`` (n, k, 3) [m] in n frames, ``width`` pixels wide.

    ``anchors`` say what the points move with, where that is known. ``axes`` (n, 3, 3) are those of the last anchor in
    the world, and ``loop`` is the loop whose places it joins.
    """

    name: str
    points: Array
    colour: Colour
    anchors: tuple[Anchor, ...] = ()
    axes: Array | None = None
    loop: str = ""
    width: float = 2.0


@dataclass(frozen=True, slots=True)
class Scene:
    """A robot in n frames, at ``times`` (n,) [s], and the ``walls`` that it may touch, which rest in the world.

    ``frames`` has the poses (n, 4, 4) of every frame by name, ``centre`` [m] and ``size`` [m] are of the whole motion,
    ``ground`` is the height [m] of the grid. ``seen_from`` (3,) is the direction from the motion to the eye, in world
    axes; ``zoom`` is how much larger the motion appears than where all of it just fits.
    """

    name: str
    times: Array
    frames: dict[str, Array]
    solids: tuple[Solid, ...]
    tubes: tuple[Tube, ...]
    lines: tuple[Line, ...]
    centre: Array
    size: float
    ground: float
    walls: tuple[Surface, ...] = ()
    seen_from: tuple[float, float, float] = (0.55, -1.0, 0.45)
    zoom: float = 1.0

    @property
    def length(self) -> int:
        """Number of frames."""
        return len(self.times)

    def surfaces(self, number: int, corners: int) -> Iterator[Surface]:
        """All solids and tubes as they stand in one frame; tubes with so many corners.

        Shapes of inertia are left out where there are other solids or tubes.
        """
        looks = [solid for solid in self.solids if not solid.of_inertia]
        for solid in looks if looks or self.tubes else self.solids:
            pose = self.frames[solid.frame][number]
            points = solid.vertices @ pose[:3, :3].T + pose[:3, 3]
            colours = np.broadcast_to(np.array(solid.colour), (len(solid.faces), 3))
            yield Surface(points, solid.faces, colours, solid.opacity)
        for tube in self.tubes:
            rings = tube.surface(number, corners)
            middle = (tube.values[number, 1:] + tube.values[number, :-1]) / 2.0
            own = np.array([colour_of(value, tube.colour) for value in middle.tolist()])
            ends = np.repeat(own[[0, -1]], corners - 2, axis=0)
            colours = np.concatenate([np.repeat(own, 2 * corners, axis=0), ends])
            yield Surface(rings.reshape(-1, 3), strip(len(rings), corners), colours, tube.opacity)


def strip(rings: int, corners: int, closed: bool = True) -> Faces:
    """Faces between successive rings of vertices, with flat ends where it is closed."""
    around = np.arange(corners)
    after = (around + 1) % corners
    found: list[Any] = []
    for ring in range(rings - 1):
        low, high = ring * corners, (ring + 1) * corners
        found.append(np.stack([low + around, high + after, high + around], axis=-1))
        found.append(np.stack([low + around, low + after, high + after], axis=-1))
    if closed:
        inner = around[1:-1]
        last = (rings - 1) * corners
        found.append(np.stack([np.zeros_like(inner), inner + 1, inner], axis=-1))
        found.append(np.stack([np.full_like(inner, last), last + inner, last + inner + 1], axis=-1))
    return np.concatenate(found)


RAMP = ((49, 104, 173), (116, 173, 209), (245, 222, 130), (244, 130, 67), (190, 32, 38))


def colour_of(value: float, least: Colour | None = None) -> Colour:
    """Blue for 0, through pale yellow, to red for 1; or from a colour to red."""
    stops = np.array(RAMP if least is None else (least, RAMP[-1]), dtype=float)
    place = float(np.clip(value, 0.0, 1.0)) * (len(stops) - 1)
    low = min(int(place), len(stops) - 2)
    red, green, blue = (stops[low] + (place - low) * (stops[low + 1] - stops[low])).round().astype(int).tolist()
    return red, green, blue


def evenly(count: int, asked: int) -> list[int]:
    """At most ``asked`` numbers from 0 to ``count`` - 1, evenly spread, with the first and the last."""
    return sorted({round(float(number)) for number in np.linspace(0, count - 1, min(asked, count))})
