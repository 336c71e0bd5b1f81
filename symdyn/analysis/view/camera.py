"""Where a scene is seen from, and where its points fall in a picture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symdyn.analysis.view.scene import Array, Scene

_UPRIGHT = 1e-3
"""The least horizontal part of the direction to the eye."""


@dataclass(frozen=True, slots=True)
class Camera:
    """A camera at ``position`` [m] that looks at ``target`` [m], z upwards, ``angle`` [rad] wide from top to bottom."""

    position: Array
    target: Array
    angle: float

    def project(self, points: Array, width: int, height: int) -> tuple[Array, Array]:
        """Pixels (..., 2), from the left and from the top, and depths (...) [m] of points (..., 3) [m]."""
        ahead = self.target - self.position
        ahead = ahead / np.linalg.norm(ahead)
        right = np.cross(ahead, [0.0, 0.0, 1.0])
        right /= np.linalg.norm(right)
        seen = (points - self.position) @ np.stack([right, np.cross(right, ahead), ahead], axis=-1)
        depth = np.maximum(seen[..., 2], 1e-9)
        scale = height / 2.0 / np.tan(self.angle / 2.0) / depth
        return np.stack([width / 2.0 + scale * seen[..., 0], height / 2.0 - scale * seen[..., 1]], axis=-1), depth


def usual_camera(scene: Scene) -> Camera:
    """From the side that the scene names, so far off that the whole motion is seen where its zoom is 1."""
    angle = 0.6
    aside = np.array(scene.seen_from)
    aside /= np.linalg.norm(aside)
    if np.hypot(*aside[:2]) < _UPRIGHT:  # z cannot point upwards in the picture: let y do so
        aside[1] = -_UPRIGHT
    away = 0.62 * scene.size / np.tan(angle / 2.0) / scene.zoom
    return Camera(scene.centre + away * aside / np.linalg.norm(aside), scene.centre, angle)
