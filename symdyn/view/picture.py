"""Pictures of a scene, painted from back to front by Pillow: no graphics card, no window."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from symdyn.view.camera import Camera, usual_camera
from symdyn.view.scene import Array, Colour, Scene, colour_of, strip

FINER = 2
"""Pictures are painted this much larger and then made smaller, which smooths edges."""
_LIGHT = np.array([0.35, -0.55, 0.76]) / np.linalg.norm([0.35, -0.55, 0.76])
_GRID, _BACK, _CORNERS = (222, 225, 230), (255, 255, 255), 12


def picture(scene: Scene, number: int, size: tuple[int, int] = (960, 720), camera: Camera | None = None) -> Any:
    """A Pillow image of one frame of a scene, ``size`` pixels wide and high."""
    return strobe(scene, [number], size, camera)


def strobe(
    scene: Scene, numbers: Sequence[int], size: tuple[int, int] = (960, 720), camera: Camera | None = None
) -> Any:
    """A Pillow image of several frames of a scene in one, earlier ones paler."""
    imaging, drawing = importlib.import_module("PIL.Image"), importlib.import_module("PIL.ImageDraw")
    eye = usual_camera(scene) if camera is None else camera
    width, height = size[0] * FINER, size[1] * FINER
    image = imaging.new("RGB", (width, height), _BACK)
    brush = drawing.Draw(image, "RGBA")
    for ends in _grid(scene):
        places, _ = eye.project(ends, width, height)
        brush.line([tuple(place) for place in places.tolist()], fill=_GRID, width=FINER)
    pieces: list[tuple[float, Any, tuple[int, ...], bool]] = []
    for rank, number in enumerate(numbers, 1):
        pale = 0.7 * (1.0 - rank / len(numbers))
        pieces += _pieces(scene, number, eye, (width, height), pale)
    pieces.sort(key=lambda piece: -piece[0])
    for _, places, fill, flat in pieces:
        if flat:
            brush.polygon(places, fill=fill)
        else:
            brush.line(places, fill=fill, width=2 * FINER)
    return image.resize(size, imaging.Resampling.LANCZOS)


def _pieces(scene: Scene, number: int, eye: Camera, size: tuple[int, int], pale: float) -> Iterator[Any]:
    """Depth, corners in pixels, colour, and whether it is a face or a line."""
    for solid in scene.solids:
        pose = scene.frames[solid.frame][number]
        points = solid.vertices @ pose[:3, :3].T + pose[:3, 3]
        colours = [solid.colour] * len(solid.faces)
        yield from _faces(points, solid.faces, colours, round(255 * solid.opacity), eye, size, pale)
    for tube in scene.tubes:
        rings = tube.surface(number, _CORNERS)
        own = [colour_of(value / 2.0) for value in (tube.values[number, 1:] + tube.values[number, :-1]).tolist()]
        ends = _CORNERS - 2
        colours = [colour for colour in own for _ in range(2 * _CORNERS)] + [own[0]] * ends + [own[-1]] * ends
        yield from _faces(rings.reshape(-1, 3), strip(len(rings), _CORNERS), colours, 255, eye, size, pale)
    for line in scene.lines:
        places, depth = eye.project(line.points[number], *size)
        for start, stop, near in zip(places, places[1:], depth, strict=False):
            # A little nearer than it is: what lies on a surface is seen.
            segment = [tuple(start.tolist()), tuple(stop.tolist())]
            yield float(near) - 0.02 * scene.size, segment, (*_paler(line.colour, pale), 255), False


def _faces(
    points: Array,
    faces: Any,
    colours: Sequence[Colour],
    opacity: int,
    eye: Camera,
    size: tuple[int, int],
    pale: float,
) -> Iterator[Any]:
    corners = points[faces]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normal, axis=-1)
    normal = normal / np.maximum(length, 1e-300)[:, None]
    middle = corners.mean(axis=1)
    seen = ((eye.position - middle) * normal).sum(axis=-1) > 0.0
    light = 0.55 + 0.45 * np.clip(normal @ _LIGHT, -0.4, 1.0)
    places, _ = eye.project(corners, *size)
    depth = np.linalg.norm(middle - eye.position, axis=-1)
    for row in np.flatnonzero(seen & (length > 0.0)).tolist():
        shade = tuple(round(part * float(light[row])) for part in colours[row])
        yield float(depth[row]), [tuple(place) for place in places[row].tolist()], (*_paler(shade, pale), opacity), True


def _paler(colour: Sequence[int], pale: float) -> tuple[int, ...]:
    return tuple(round(part + pale * (255 - part)) for part in colour)


def _grid(scene: Scene) -> Iterator[Array]:
    step = grid_step(scene)
    middle = np.round(scene.centre[:2] / step) * step
    reach = 8 * step
    for number in range(-8, 9):
        for along in (0, 1):
            ends = np.full((2, 3), scene.ground)
            ends[:, along] = middle[along] - reach, middle[along] + reach
            ends[:, 1 - along] = middle[1 - along] + number * step
            yield ends


def grid_step(scene: Scene) -> float:
    """A round length [m] of which about ten make up the scene."""
    rough = scene.size / 8.0
    power = 10.0 ** np.floor(np.log10(rough))
    return float(max(round_ * power for round_ in (1.0, 2.0, 5.0) if round_ * power <= rough * (1.0 + 1e-9)))
