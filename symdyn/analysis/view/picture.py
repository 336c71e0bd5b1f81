"""Pictures of a scene, painted from back to front by Pillow: no graphics card, no window."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from symdyn.analysis.view.camera import Camera, usual_camera
from symdyn.analysis.view.scene import Array, Scene, Surface

FINER = 2
"""Pictures are painted this much larger and then made smaller, which smooths edges."""
_GRID, _BACK, _CORNERS = (222, 225, 230), (255, 255, 255), 12
_BROAD, _THROUGH = 2.0, 153
"""Lines broader than this [pixels], as arrows are, show with this opacity where something is before them."""


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
    layer: list[tuple[float, Any, tuple[int, ...], float]] = list(_faces(scene.walls, eye, (width, height), 0.0))
    for rank, number in enumerate(numbers, 1):
        # Later positions are painted over earlier ones: sorted together, all would be torn where they meet.
        pale = 0.7 * (1.0 - rank / len(numbers))
        layer += _pieces(scene, number, eye, (width, height), pale)
        layer.sort(key=lambda piece: -piece[0])
        hidden = [(0.0, places, (*fill[:3], _THROUGH), thick) for _, places, fill, thick in layer if thick > _BROAD]
        for _, places, fill, thick in layer + hidden:
            if thick:
                brush.line(places, fill=fill, width=round(thick * FINER))
            else:
                brush.polygon(places, fill=fill)
        layer = []
    return image.resize(size, imaging.Resampling.LANCZOS)


def _faces(surfaces: Iterable[Surface], eye: Camera, size: tuple[int, int], pale: float) -> Iterator[Any]:
    """Depth, corners in pixels, colour, and no width of a line."""
    for surface in surfaces:
        corners, depth, colours = surface.shaded(eye.position)
        places, _ = eye.project(corners, *size)
        opacity = round(255 * surface.opacity)
        for near, triangle, shade in zip(depth.tolist(), places.tolist(), colours.tolist(), strict=True):
            yield near, [tuple(place) for place in triangle], (*_paler(shade, pale), opacity), 0.0


def _pieces(scene: Scene, number: int, eye: Camera, size: tuple[int, int], pale: float) -> Iterator[Any]:
    """Depth, corners in pixels, colour, and the width of a line [pixels], 0 of a face."""
    yield from _faces(scene.surfaces(number, _CORNERS), eye, size, pale)
    for line in scene.lines:
        places, depth = eye.project(line.points[number], *size)
        for start, stop, near in zip(places, places[1:], depth, strict=False):
            # A little nearer than it is: what lies on a surface is seen.
            segment = [tuple(start.tolist()), tuple(stop.tolist())]
            yield float(near) - 0.02 * scene.size, segment, (*_paler(line.colour, pale), 255), line.width


def _paler(colour: Sequence[float], pale: float) -> tuple[int, ...]:
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
