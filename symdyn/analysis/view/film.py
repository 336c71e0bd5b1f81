"""Films of a scene: GIF by Pillow, MP4 by the ffmpeg that imageio-ffmpeg brings."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np

from symdyn.analysis.view.picture import picture
from symdyn.analysis.view.scene import Scene

FORMATS = (".gif", ".mp4")
_SIZE, _SMALL = (960, 720), (480, 360)


def save_film(scene: Scene, path: Path, rate: float) -> None:
    """Write a film with one picture per frame; the ending of the path decides its format.

    ``rate`` [1/s] is that of the scene's frames. A GIF shows every second or third, as its players need.
    """
    if path.suffix.lower() == ".gif":
        every = max(1, round(rate / 20.0))
        images = [picture(scene, number, _SMALL) for number in range(0, scene.length, every)]
        images[0].save(path, save_all=True, append_images=images[1:], duration=round(1000.0 * every / rate), loop=0)
        return
    writer: Any = importlib.import_module("imageio_ffmpeg").write_frames(str(path), _SIZE, fps=rate, quality=8)
    writer.send(None)
    try:
        for number in range(scene.length):
            writer.send(np.ascontiguousarray(picture(scene, number, _SIZE)))
    finally:
        writer.close()
