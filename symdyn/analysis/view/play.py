"""A robot that plays in the browser: one page with its own C in WebAssembly, which needs no server and no network."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from symdyn.analysis.simulation.contact_start import settled
from symdyn.analysis.view.build import scene_of
from symdyn.analysis.view.live import Played, live_data
from symdyn.analysis.view.page import page_text
from symdyn.errors import RequestError
from symdyn.interface.argument_words import given_path
from symdyn.robot import named_states
from symdyn.robot.robot import Robot
from symdyn.robot.state_checks import given_coordinates, given_velocity

MOST_BYTES = 3_000_000
"""Pages stay smaller but for meshes of the file."""


def play(
    robot: Robot,
    path: str | os.PathLike[str],
    q: Any = None,
    v: Any = None,
    method: str | None = None,
    step: float | None = None,
    mesh_folders: Sequence[str | os.PathLike[str]] = (),
    progress: Callable[[int, int], None] | None = None,
    servo: bool = False,
) -> Path:
    """Write a page in which the robot moves; parameters are those of :func:`symdyn.play`."""
    target = given_path("path", path)
    if target.suffix.lower() != ".html":
        raise RequestError(f"'{target}' is to be a page; give it the ending .html")
    if not target.parent.is_dir():
        raise RequestError(f"the folder of '{target}' does not exist; make it first, or choose another path")
    played = Played.of(robot, method, step, servo)
    start, rates = state_of(played.robot, q, v)
    scene = scene_of(played.robot, start[None], mesh_folders=(*mesh_folders, *robot.mesh_folders))
    data = live_data(played, scene, start, rates, progress)
    page = page_text(scene, {"live": data, "follows": bool(played.robot.model.free_bases)})
    try:
        target.write_text(page, encoding="utf-8")
    except OSError as failure:
        raise RequestError(f"cannot write '{target}' ({failure}); choose another path") from None
    return target


def state_of(robot: Robot, q: Any, v: Any) -> tuple[Any, Any]:
    """Positions and velocities at the start: arrays, or numbers by name, of which others are 0.

    Loops are closed. A free base whose place is not given stands above what it may touch, as in motions.
    """
    model = robot.model
    named = isinstance(q, Mapping)
    position = named_states.position(model, "q", q) if named else robot.neutral() if q is None else q
    found = np.asarray(given_coordinates(model, "q", position), dtype=np.float64)
    if found.shape != (robot.nq,):
        raise RequestError(f"q of robot '{robot.name}' has {robot.nq} rows, got shape {found.shape}")
    if named or q is None:
        found = settled(robot, found, q if named else {})
    return found, given_velocity(model, {} if v is None else v)
