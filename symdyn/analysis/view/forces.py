"""Arrows of contact forces along a motion, coloured by what the contacts do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from symdyn.analysis.simulation.trajectory import ContactHistory, Trajectory
from symdyn.analysis.view.scene import Array, Colour, Line, Scene
from symdyn.dynamics.contacts.surfaces import tangents
from symdyn.errors import RequestError
from symdyn.model.values import FLOATS

COLOURS: dict[str, tuple[int, Colour]] = {"sticks": (1, (20, 130, 70)), "slides": (2, (214, 96, 20))}
"""State and colour of arrows; open contacts have no force."""
LONGEST, HEAD, TIMELY = 0.3, 0.18, 1e-9
"""Longest arrow, of the scene; length of heads, of an arrow; rounding of times [s]."""


def with_forces(scene: Scene, motion: Trajectory | None) -> Scene:
    """The scene of a motion with an arrow per contact, of its force on the moving shape; lengths are in scale.

    Times of the scene count from the motion's first.

    Raises
    ------
    RequestError
        No motion with rigid contacts.
    """
    history = None if motion is None else motion.contacts
    if motion is None or history is None or not history.gaps.shape[1]:
        raise RequestError("forces are of a motion with rigid contacts: simulate with --out, view with --trajectory")
    rows = np.minimum(np.searchsorted(motion.t, motion.t[0] + scene.times - TIMELY), len(motion.t) - 1)
    forces = _forces(history, rows)
    most = float(np.max(np.linalg.norm(forces, axis=-1), initial=0.0))
    arrows = forces * (LONGEST * scene.size / most if most > 0.0 else 0.0)
    lines = list(scene.lines)
    for slot, name in enumerate(history.names[: forces.shape[1]]):
        for word, (state, colour) in COLOURS.items():
            shown = history.states[rows, slot] == state
            if shown.any():
                points = _arrow(history.points[rows, slot], arrows[:, slot] * shown[:, None])
                lines.append(Line(f"{name}/{word}", points, colour))
    return replace(scene, lines=tuple(lines))


def _forces(history: ContactHistory, rows: Array) -> Array:
    """Forces of contacts (n, ns, 3) in the world [N]."""
    normals = history.normals[rows]
    count, slots = normals.shape[:2]
    forces = history.forces[rows, : 3 * slots].reshape(count, slots, 3)
    axes = [[(*tangents(FLOATS, n), n) for n in frame] for frame in normals.tolist()]
    frames = np.array(axes, dtype=np.float64).reshape(count, slots, 3, 3)
    return np.asarray((forces[..., None] * frames).sum(axis=2))


def _arrow(tail: Array, along: Array) -> Array:
    """Points (n, 5, 3) of arrows with two-sided heads; all at the tail where there is no force."""
    length = np.linalg.norm(along, axis=-1, keepdims=True)
    ahead = along / np.where(length > 0.0, length, 1.0)
    least = np.eye(3)[np.argmin(np.abs(ahead), axis=-1)]
    aside = np.cross(ahead, least)
    aside /= np.maximum(np.linalg.norm(aside, axis=-1, keepdims=True), 1e-300)
    tip = tail + along
    back, wide = tip - HEAD * along, 0.5 * HEAD * length * aside
    return np.stack([tail, tip, back + wide, tip, back - wide], axis=1)
