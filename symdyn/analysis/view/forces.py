"""Arrows of forces of contacts and loops along a motion, coloured by what exerts them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from symdyn.analysis.simulation.contact_history import ContactHistory
from symdyn.analysis.simulation.trajectory import Trajectory
from symdyn.analysis.view.scene import Array, Colour, Line, Scene
from symdyn.dynamics.contacts.surfaces import tangents
from symdyn.errors import RequestError
from symdyn.model.values import FLOATS

COLOURS: dict[str, tuple[int, Colour]] = {"sticks": (1, (20, 130, 70)), "slides": (2, (214, 96, 20))}
"""State and colour of arrows; open contacts have no force."""
LOOP: Colour = (120, 60, 160)
"""Of arrows of forces that close loops."""
LONGEST, HEAD, THICK, TIMELY = 0.25, 0.05, 3.5, 1e-9
"""Longest arrow and longest head, of the scene; width [pixels]; rounding of times [s]."""
USUAL = 0.95
"""Of the times with forces, the part whose largest force is no longer than the longest arrow; impacts may be."""
AXES = ("x", "y", "z")
DISTANCE = "distance"
"""Rows of loops whose multipliers are forces: along axes of the second place, or along the line of both places."""


@dataclass(frozen=True)
class Force:
    """Forces (n, 3) [N] at points (n, 3) [m] of the world in n frames."""

    name: str
    colour: Colour
    points: Array
    forces: Array


def with_forces(scene: Scene, motion: Trajectory | None) -> Scene:
    """The scene of a motion with an arrow per contact and per loop, of the force on what moves; lengths are in scale.

    Of a loop it is the force on its first place. Times of the scene count from the motion's first.

    Raises
    ------
    RequestError
        No motion with rigid contacts or loops that exert forces.
    """
    found = [] if motion is None else [*forces_of_contacts(scene, motion), *forces_of_loops(scene, motion)]
    if not found and (motion is None or motion.contacts is None or not motion.contacts.gaps.shape[1]):
        raise RequestError(
            "forces are of a motion with rigid contacts or closed loops: simulate with --out, view with --trajectory"
        )
    sizes = np.linalg.norm([arrow.forces for arrow in found], axis=-1).max(axis=0) if found else np.zeros(1)
    usual = float(np.quantile(sizes[sizes > 0.0], USUAL)) if (sizes > 0.0).any() else 1.0
    lines = [
        Line(arrow.name, _arrow(arrow.points, _shortened(arrow.forces / usual, scene.size), scene.size), arrow.colour)
        for arrow in found
    ]
    return replace(scene, lines=(*scene.lines, *(replace(line, width=THICK) for line in lines)))


def force_axis(row: str) -> int | None:
    """The axis of the second place along which a row is a force; -1 along the line of both, None of moments."""
    return -1 if row == DISTANCE else AXES.index(row) if row in AXES else None


def _rows(scene: Scene, motion: Trajectory) -> Array:
    """The state of the motion in each frame; forces are those of the step that ends there, of the first that begins."""
    rows = np.minimum(np.searchsorted(motion.t, motion.t[0] + scene.times - TIMELY), len(motion.t) - 1)
    return rows if motion.contacts is None else np.asarray(np.maximum(rows, min(1, len(motion.t) - 1)))


def forces_of_contacts(scene: Scene, motion: Trajectory) -> Iterator[Force]:
    """Of each contact slot, one for each state that it has at some time."""
    history = motion.contacts
    if history is None or not history.gaps.shape[1]:
        return
    rows = _rows(scene, motion)
    forces = _forces(history, rows)
    for slot, name in enumerate(history.names[: forces.shape[1]]):
        for word, (state, colour) in COLOURS.items():
            shown = history.states[rows, slot] == state
            if shown.any():
                yield Force(f"{name}/{word}", colour, history.points[rows, slot], forces[:, slot] * shown[:, None])


def forces_of_loops(scene: Scene, motion: Trajectory) -> Iterator[Force]:
    """Of each loop that exerts a force on its first place."""
    if motion.robot is None or not motion.multipliers.shape[1]:
        return
    rows, first = _rows(scene, motion), 0
    multipliers = motion.multipliers[rows]
    if motion.contacts is not None:  # impulses of steps
        steps = motion.contacts.steps[rows, None]
        multipliers = np.divide(multipliers, steps, out=0.0 * multipliers, where=steps > 0.0)
    lines = {line.loop: line for line in scene.lines if line.loop}
    for loop in motion.robot.model.loops:
        count = len(loop.rows)
        line, pulls = lines.get(loop.constraint.name), multipliers[:, first : first + count]
        first += count
        if line is None or line.axes is None or all(force_axis(row) is None for row in loop.rows):
            continue
        yield Force(
            f"{line.name}/force", LOOP, line.points[:, 0], loop_forces(loop.rows, pulls, line.points, line.axes)
        )


def loop_forces(rows: Sequence[str], multipliers: Array, points: Array, axes: Array) -> Array:
    """The force (n, 3) on the first place [N]: rows along axes of the second place, or along the line of both."""
    found = np.zeros((len(points), 3))
    apart = points[:, 0] - points[:, 1]
    for number, axis in enumerate(map(force_axis, rows)):
        if axis is not None:
            along = axes[:, :, axis] if axis >= 0 else apart / np.linalg.norm(apart, axis=-1, keepdims=True)
            found += multipliers[:, number, None] * along
    return found


def _forces(history: ContactHistory, rows: Array) -> Array:
    """Forces of contacts (n, ns, 3) in the world [N]."""
    normals = history.normals[rows]
    count, slots = normals.shape[:2]
    forces = history.forces[rows, : 3 * slots].reshape(count, slots, 3)
    axes = [[(*tangents(FLOATS, n), n) for n in frame] for frame in normals.tolist()]
    frames = np.array(axes, dtype=np.float64).reshape(count, slots, 3, 3)
    return np.asarray((forces[..., None] * frames).sum(axis=2))


def _shortened(forces: Array, size: float) -> Array:
    """Arrows (n, 3) [m] in scale, of which none is longer than the longest."""
    length = np.linalg.norm(forces, axis=-1, keepdims=True)
    return np.asarray(LONGEST * size * forces / np.maximum(length, 1.0))


def _arrow(tail: Array, along: Array, size: float) -> Array:
    """Points (n, 5, 3) of arrows with two-sided heads; all at the tail where there is no force."""
    length = np.linalg.norm(along, axis=-1, keepdims=True)
    ahead = along / np.where(length > 0.0, length, 1.0)
    least = np.eye(3)[np.argmin(np.abs(ahead), axis=-1)]
    aside = np.cross(ahead, least)
    aside /= np.maximum(np.linalg.norm(aside, axis=-1, keepdims=True), 1e-300)
    head = np.minimum(0.4 * length, HEAD * size)
    tip = tail + along
    back, wide = tip - head * ahead, 0.5 * head * aside
    return np.stack([tail, tip, back + wide, tip, back - wide], axis=1)
