"""Scenes in a browser by viser: as one page without a network, or served live."""

from __future__ import annotations

import importlib
import io
import time
from contextlib import redirect_stdout
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from symdyn.analysis.view.camera import usual_camera
from symdyn.analysis.view.picture import grid_step
from symdyn.analysis.view.scene import Array, Scene, Tube, colour_of, strip

CORNERS, PIECES, SHADES = 8, 6, 12
LAST = 0.5
"""How long a page shows the last frame before it begins anew [s]."""
TUBE_RATE = 20.0
"""Vertices of tubes change this often at most [1/s]; frames between would make pages large."""


class _Stage:
    """A scene on a viser server: made once, then moved to a frame."""

    def __init__(self, server: Any, scene: Scene) -> None:
        self._scene, self._server = scene, server
        eye = usual_camera(scene)
        server.scene.set_up_direction("+z")
        server.initial_camera.position = tuple(eye.position.tolist())
        server.initial_camera.look_at = tuple(eye.target.tolist())
        server.initial_camera.up = (0.0, 0.0, 1.0)
        server.initial_camera.fov = eye.angle
        step = grid_step(scene)
        server.scene.add_grid(
            "/ground",
            width=16 * step,
            height=16 * step,
            cell_size=step,
            section_size=4 * step,
            position=(*scene.centre[:2].tolist(), scene.ground),
        )
        moved = {solid.frame for solid in scene.solids}
        names = [name for name in scene.frames if name in moved]
        self._frames = {
            name: server.scene.add_frame(f"/frames/{row}", show_axes=False) for row, name in enumerate(names)
        }
        for number, solid in enumerate(scene.solids):
            server.scene.add_mesh_simple(
                f"/frames/{names.index(solid.frame)}/{number}",
                solid.vertices.astype(np.float32),
                solid.faces.astype(np.uint32),
                color=solid.colour,
                opacity=solid.opacity if solid.opacity < 1.0 else None,
            )
        for number, wall in enumerate(scene.walls):
            server.scene.add_mesh_simple(
                f"/walls/{number}",
                wall.points.astype(np.float32),
                wall.faces.astype(np.uint32),
                color=tuple(wall.colours[0].tolist()),
                opacity=wall.opacity,
                side="double",
            )
        self._grain = 2.0 ** np.floor(np.log2(scene.size * 1e-4))
        self._tubes = [
            [
                server.scene.add_mesh_simple(
                    f"/tubes/{number}/{piece}",
                    self._surface(tube, 0, rings),
                    strip(rings.stop - rings.start, CORNERS).astype(np.uint32),
                    color=colour_of(0.0),
                    opacity=tube.opacity if tube.opacity < 1.0 else None,
                    side="double",
                )
                for piece, rings in enumerate(_pieces(tube))
            ]
            for number, tube in enumerate(scene.tubes)
        ]
        self._lines = [
            server.scene.add_line_segments(f"/lines/{number}", _segments(line.points[0]), line.colour, thickness=0.003)
            for number, line in enumerate(scene.lines)
        ]
        for handle in self._lines:
            handle.thickness = 0.002 * scene.size
        self._shown: dict[Any, Any] = {}

    def move(self, number: int, tubes: bool = True) -> None:
        """Show a frame; what stays where it is, is not sent."""
        for name, handle in self._frames.items():
            pose = self._scene.frames[name][number]
            if self._changed(name, pose):
                handle.position, handle.wxyz = pose[:3, 3], _quaternion(pose[:3, :3])
        if not tubes:
            return
        for row, (tube, handles) in enumerate(zip(self._scene.tubes, self._tubes, strict=True)):
            for piece, (rings, handle) in enumerate(zip(_pieces(tube), handles, strict=True)):
                surface = self._surface(tube, number, rings)
                if self._changed(("tube", row, piece), surface):
                    handle.vertices = surface
                shade = np.round(np.array([tube.values[number, rings].mean()]) * SHADES) / SHADES
                if self._changed(("colour", row, piece), shade):
                    handle.color = colour_of(float(shade[0]))
        for row, (line, handle) in enumerate(zip(self._scene.lines, self._lines, strict=True)):
            points = _segments(np.round(line.points[number] / self._grain) * self._grain)
            if self._changed(("line", row), points):
                handle.points = points

    def _surface(self, tube: Tube, number: int, rings: slice) -> Any:
        """Rounded to what is seen, so that pages are small."""
        points = tube.surface(number, CORNERS)[rings].reshape(-1, 3)
        return (np.round(points / self._grain) * self._grain).astype(np.float32)

    def _changed(self, key: Any, value: Array) -> bool:
        before = self._shown.get(key)
        if before is not None and np.array_equal(before, value):
            return False
        self._shown[key] = value
        return True


def save_page(scene: Scene, path: Path) -> None:
    """Write one HTML page that shows the motion, with controls for play, speed and time; it needs no network."""
    server = _server(0)
    try:
        stage = _Stage(server, scene)
        record = server.get_scene_serializer()
        last = -np.inf
        for number, now in enumerate(scene.times.tolist()):
            due = now - last >= 1.0 / TUBE_RATE - 1e-9 or number == scene.length - 1
            stage.move(number, due)
            last = now if due else last
            if number + 1 < scene.length:
                record.insert_sleep(float(scene.times[number + 1]) - now)
        if scene.length > 1:
            record.insert_sleep(LAST)  # else it begins anew before the last frame is seen
        path.write_text(record.as_html(), encoding="utf-8")
    finally:
        _stop(server)


def serve(scene: Scene, port: int) -> None:
    """Show the scene in browsers of this machine until the process is interrupted: slider, play and speed."""
    server = _server(port)
    try:
        stage = _Stage(server, scene)
        stage.move(0)
        if scene.length == 1:
            server.sleep_forever()
        frame = server.gui.add_slider("frame", 0, scene.length - 1, 1, 0)
        playing = server.gui.add_checkbox("play", True)
        speed = server.gui.add_slider("speed", 0.1, 4.0, 0.1, 1.0)
        now, before = 0.0, time.monotonic()
        while True:
            time.sleep(1.0 / 60.0)
            passed, before = time.monotonic() - before, time.monotonic()
            if playing.value:
                now = (now + passed * speed.value) % max(float(scene.times[-1]), 1e-9)
                frame.value = int(np.searchsorted(scene.times, now, side="right")) - 1
            else:
                now = float(scene.times[frame.value])
            stage.move(frame.value)
    finally:
        _stop(server)


def _server(port: int) -> Any:
    with redirect_stdout(io.StringIO()):  # it prints a panel of its own
        return importlib.import_module("viser").ViserServer(host="127.0.0.1", port=port, verbose=False)


def _stop(server: Any) -> None:
    with redirect_stdout(io.StringIO()):
        server.stop()


def _pieces(tube: Tube) -> list[slice]:
    """Rings of the pieces of a tube, each with one colour; neighbours share a ring."""
    marks = np.unique(np.linspace(0, len(tube.sides) - 1, PIECES + 1).round().astype(int)).tolist()
    return [slice(low, high + 1) for low, high in pairwise(marks)]


def _segments(points: Array) -> Any:
    return np.stack([points[:-1], points[1:]], axis=1).astype(np.float32)


def _quaternion(turn: Array) -> Array:
    """Quaternion w, x, y, z of a rotation matrix, of its largest entry first (Shepperd 1978)."""
    xx, yy, zz = turn.diagonal()
    rows = np.array(
        [
            [1 + xx + yy + zz, turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]],
            [turn[2, 1] - turn[1, 2], 1 + xx - yy - zz, turn[0, 1] + turn[1, 0], turn[0, 2] + turn[2, 0]],
            [turn[0, 2] - turn[2, 0], turn[0, 1] + turn[1, 0], 1 - xx + yy - zz, turn[1, 2] + turn[2, 1]],
            [turn[1, 0] - turn[0, 1], turn[0, 2] + turn[2, 0], turn[1, 2] + turn[2, 1], 1 - xx - yy + zz],
        ]
    )
    best = rows[int(np.argmax(rows.diagonal()))]
    found: Array = best / np.linalg.norm(best)
    return found
