"""What robots and trajectories show of themselves in notebooks: a table, and a picture where Pillow is installed."""

from __future__ import annotations

import base64
import importlib.util
import io
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from symdyn.analysis.view.scene import Array, evenly
from symdyn.errors import SymdynError
from symdyn.interface.html_tables import table, titled
from symdyn.robot.robot import Robot

if TYPE_CHECKING:
    from symdyn.analysis.simulation.trajectory import Trajectory

_SIZE, _ROWS, _FRAMES = (360, 270), 12, 6


def html_of(shown: object) -> str:
    """What notebooks show of a robot, or of a motion of one."""
    from symdyn.analysis.simulation.trajectory import Trajectory

    if isinstance(shown, Trajectory):
        return trajectory_html(shown)
    return robot_html(shown) if isinstance(shown, Robot) else escape(repr(shown))


def robot_html(robot: Robot) -> str:
    """A robot's sizes, coordinates with their units and limits, and how it stands at its neutral position."""
    limits = robot.limits
    rows = [
        (name, unit, "" if np.isinf([low, high]).all() else f"{low:.4g} to {high:.4g}")
        for name, unit, low, high in zip(
            robot.coordinate_names, robot.coordinate_units, limits.lower, limits.upper, strict=True
        )
    ]
    sizes = f"{len(robot.body_names)} bodies, nq {robot.nq}, nv {robot.nv}"
    if robot.model.loops:
        sizes += f", {len(robot.model.loops)} loops"
    return _card(robot.name, sizes, ("coordinate", "unit", "limits"), rows, _image(robot, robot.neutral()[None]))


def trajectory_html(motion: Trajectory) -> str:
    """A motion's span and cost, where it begins and ends, and some of its positions in one picture."""
    about = f"{len(motion.t)} states from {motion.t[0]:.6g} s to {motion.t[-1]:.6g} s by {motion.method}"
    rows = [
        (name, f"{first:.6g}", f"{last:.6g}")
        for name, first, last in zip(motion.coordinate_names, motion.q[0], motion.q[-1], strict=True)
    ]
    energies = ("energy [J]", f"{motion.energy[0]:.6g}", f"{motion.energy[-1]:.6g}")
    image = ""
    if motion.robot is not None:
        image = _image(motion.robot, motion.q[evenly(len(motion.t), _FRAMES)])
    heads = ("coordinate", "start", "end")
    return _card(motion.robot_name, "; ".join([about, *motion.messages]), heads, rows, image, last=energies)


def _card(
    name: str,
    about: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    image: str,
    last: Sequence[str] | None = None,
) -> str:
    shown = list(rows[:_ROWS])
    if len(rows) > _ROWS:
        shown.append((f"and {len(rows) - _ROWS} more", "", ""))
    if last is not None:
        shown.append(last)
    content = f'<div style="display:flex;align-items:flex-start;gap:1em">{table(heads, shown)}{image}</div>'
    return titled(name, about, content)


def _image(robot: Robot, q: Array) -> str:
    """An image within the page; none without Pillow, or of what cannot be shown, for a cell must not fail on it."""
    if importlib.util.find_spec("PIL") is None:
        return ""
    from symdyn.analysis.view.build import scene_of
    from symdyn.analysis.view.picture import strobe

    try:
        scene = scene_of(robot, q)
    except SymdynError:
        return ""
    data = io.BytesIO()
    strobe(scene, range(scene.length), _SIZE).save(data, "PNG", optimize=True)
    source = base64.b64encode(data.getvalue()).decode("ascii")
    return f'<img alt="" width="{_SIZE[0]}" src="data:image/png;base64,{source}">'
