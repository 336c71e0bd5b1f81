"""The figure of a robot's modes: one panel per flexible link and direction, and three per soft link."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .terminal import harmless

if TYPE_CHECKING:
    from symdyn.model.rod_modes import RodModes
    from symdyn.shapes.modes import ModeShapes

_PANEL = (3.6, 2.5)
"""In inches."""
_POINTS = 301
_COLOURS = ("#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#7F7F7F")
"""Apart for colour-blind readers too; dashes tell the lines apart without colour."""
_DASHES = ("-", "--", "-.", ":")
_PARTS = ((1, "along y", "move [m/m]"), (2, "along z", "move [m/m]"), (3, "about x", "turn [rad]"))
_MOST, _VISIBLE = 6, 1e-3
"""Modes that a panel of a rod shows, the slowest that are to be seen in it."""


def save_figure(
    robot: str, beams: Mapping[str, tuple[ModeShapes, ...]], rods: Mapping[str, RodModes], path: Path
) -> None:
    """Write the shapes of all links over the distance from the root; the file's ending decides its format.

    A row of panels per link. Deflections of beams are per unit of the mode's coordinate: m/m, or rad/rad for torsion.
    A rod has panels for its moves along y and z and its turn about x, of the modes that have any; x is the root's.
    """
    columns = max([*map(len, beams.values()), *(len(_PARTS) for _ in rods)])
    size = (_PANEL[0] * columns, _PANEL[1] * (len(beams) + len(rods)) + 0.4)
    figure: Any = importlib.import_module("matplotlib.figure").Figure(figsize=size, layout="constrained")
    panels = figure.subplots(len(beams) + len(rods), columns, squeeze=False)
    for row, (name, modes) in zip(panels[len(beams) :], rods.items(), strict=True):
        for axes, part in zip(row, _PARTS, strict=False):
            _draw_part(axes, name, modes, *part)
        for axes in row[len(_PARTS) :]:
            axes.set_axis_off()
    for row, (name, directions) in zip(panels, beams.items(), strict=False):
        for axes, shapes in zip(row, directions, strict=False):
            _draw(axes, name, shapes)
        for axes in row[len(directions) :]:
            axes.set_axis_off()
    figure.suptitle(_plain(robot), fontsize=10)
    # without the software's name, dates and random identifiers, so that equal figures are equal files
    metadata = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    with importlib.import_module("matplotlib").rc_context({"svg.hashsalt": "modes"}):
        figure.savefig(path, dpi=200, metadata=metadata[path.suffix.lower()])


def _draw(axes: Any, name: str, shapes: ModeShapes) -> None:
    x = np.linspace(0.0, shapes.length, _POINTS)
    for k, (shape, frequency) in enumerate(zip(shapes.shapes, shapes.frequencies, strict=True)):
        axes.plot(
            x,
            shape(x),
            label=f"[{k}]  {frequency / (2.0 * np.pi):.3g} Hz",
            color=_COLOURS[k % len(_COLOURS)],
            linestyle=_DASHES[k % len(_DASHES)],
            linewidth=1.3,
        )
    turns = shapes.direction.value == "torsion"
    axes.axhline(0.0, color="#7F7F7F", linewidth=0.6, zorder=1)
    axes.set_title(_plain(f"{name}.{shapes.direction.value}, {shapes.basis.value}"), loc="left", fontsize=8)
    axes.set_xlim(0.0, shapes.length)
    axes.set_xlabel("x [m]", fontsize=8)
    axes.set_ylabel("turn [rad/rad]" if turns else "deflection [m/m]", fontsize=8)
    axes.tick_params(labelsize=7)
    axes.legend(fontsize=7, frameon=False, loc="best")
    axes.grid(True, linewidth=0.4, alpha=0.6)


def _draw_part(axes: Any, name: str, modes: RodModes, part: int, title: str, label: str) -> None:
    """One of the six parts of a rod's modes."""
    x, drawn = [0.0, *modes.places], 0
    for number, mode in enumerate(modes.modes, 1):
        values = mode.shape[:, part]
        if drawn < _MOST and np.max(np.abs(values)) > _VISIBLE:
            style = {"color": _COLOURS[drawn % len(_COLOURS)], "linestyle": _DASHES[drawn % len(_DASHES)]}
            text = f"{number}  {mode.frequency / (2.0 * np.pi):.3g} Hz"
            axes.plot(x, [0.0, *values], label=text, linewidth=1.3, marker=".", markersize=3, **style)
            drawn += 1
    axes.axhline(0.0, color="#7F7F7F", linewidth=0.6, zorder=1)
    axes.set_title(_plain(f"{name}, {title}"), loc="left", fontsize=8)
    axes.set_xlim(0.0, x[-1])
    axes.set_xlabel("x [m]", fontsize=8)
    axes.set_ylabel(label, fontsize=8)
    axes.tick_params(labelsize=7)
    if drawn:
        axes.legend(fontsize=7, frameon=False, loc="best")
    axes.grid(True, linewidth=0.4, alpha=0.6)


def _plain(text: str) -> str:
    """A name from a robot file as text, of which no dollar begins a formula."""
    return harmless(text).replace("$", r"\$")
