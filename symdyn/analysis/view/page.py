"""Scenes as one page for a browser, without a network: a recorded motion, or a robot that the page itself moves."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from symdyn.analysis.view.camera import usual_camera
from symdyn.analysis.view.packed import packed
from symdyn.analysis.view.picture import grid_step
from symdyn.analysis.view.scene import Array, Scene, Surface
from symdyn.compiler.emit.render import render
from symdyn.errors import one_line
from symdyn.interface.target_rows import quaternions

RATE = 30.0
"""Poses are recorded this often at most [1/s]; a page interpolates between them."""


def save_page(scene: Scene, path: Path) -> None:
    """Write one HTML page that shows the motion, with controls for play, speed and time; it needs no network."""
    path.write_text(page_of(scene), encoding="utf-8")


def page_of(scene: Scene) -> str:
    """The page of a recorded motion."""
    return page_text(scene, {"motion": recorded(scene)})


def page_text(scene: Scene, moved_by: dict[str, Any]) -> str:
    """The page of a scene; ``moved_by`` is the recorded motion, or what the page computes motions by."""
    name = one_line(scene.name)
    return render("page/PAGE.html.jinja", {"title": escape(name), "data": packed({**shown(scene), **moved_by})})


def shown(scene: Scene) -> dict[str, Any]:
    """What is drawn of a scene, but for its motion."""
    eye = usual_camera(scene)
    frames = list(scene.frames)
    return {
        "name": one_line(scene.name),
        "centre": scene.centre.tolist(),
        "size": scene.size,
        "ground": scene.ground,
        "grid": grid_step(scene),
        "camera": {"position": eye.position.tolist(), "target": eye.target.tolist(), "angle": eye.angle},
        "frames": frames,
        "solids": [
            {
                "name": solid.name,
                "frame": frames.index(solid.frame),
                "colour": list(solid.colour),
                "opacity": solid.opacity,
                "inertia": solid.of_inertia,
                **_mesh(solid.vertices, solid.faces),
            }
            for solid in scene.solids
        ],
        "tubes": [
            {
                "name": tube.name,
                "sides": tube.sides.astype(np.float32),
                "opacity": tube.opacity,
                "colour": tube.colour,
            }
            for tube in scene.tubes
        ],
        "lines": [{"name": line.name, "colour": list(line.colour), "width": line.width} for line in scene.lines],
        "walls": [_wall(wall) for wall in scene.walls],
    }


def _mesh(points: Array, faces: Any) -> dict[str, Any]:
    return {"points": points.astype(np.float32), "faces": faces.astype(np.uint32)}


def _wall(wall: Surface) -> dict[str, Any]:
    return {"colour": wall.colours[0].tolist(), "opacity": wall.opacity, **_mesh(wall.points, wall.faces)}


def recorded(scene: Scene) -> dict[str, Any]:
    """The motion of a scene, as positions [m] and quaternions x, y, z, w, at most ``RATE`` times a second."""
    kept = [0]
    for number, now in enumerate(scene.times.tolist()):
        if now - scene.times[kept[-1]] >= 1.0 / RATE - 1e-9 or (number == scene.length - 1 and number):
            kept.append(number)
    poses = np.stack(list(scene.frames.values()), axis=1)[kept]
    return {
        "times": scene.times[kept].astype(np.float64),
        "frames": _numbers(poses),
        "tubes": [_numbers(tube.poses[kept]) for tube in scene.tubes],
        "bends": [np.round(255.0 * np.clip(tube.values[kept], 0.0, 1.0)).astype(np.uint8) for tube in scene.tubes],
        "lines": [line.points[kept].astype(np.float32) for line in scene.lines],
    }


def _numbers(poses: Array) -> Any:
    """Positions and quaternions (.., 7) of poses (.., 4, 4)."""
    return np.concatenate([poses[..., :3, 3], quaternions(poses[..., :3, :3])], axis=-1).astype(np.float32)
