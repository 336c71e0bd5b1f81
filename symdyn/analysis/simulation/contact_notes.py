"""What is said of a motion with rigid contacts: starts within obstacles, parts too thin for a step, unsolved steps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from symdyn.description.collision import Shape
from symdyn.interface.contact_solving import ContactCode
from symdyn.model.contact_layout import ContactLayout
from symdyn.model.values import Values

Array = NDArray[np.float64]
_DEEP = 1e-6
"""Depth at the start that is reported [m or rad]."""


def solver_notes(codes: Sequence[ContactCode], worst: float) -> list[str]:
    """Of steps whose impulses are not solved to the tolerance, and of those in which too many contacts touch."""
    missed, crowded = (sum(each is code for each in codes) for code in (ContactCode.NOT_SOLVED, ContactCode.TOO_MANY))
    lines = []
    if missed:
        lines.append(
            f"in {missed} of {len(codes)} steps impulses were not solved; the worst residual is {worst:.3g} N s"
        )
    if crowded:
        lines.append(
            f"in {crowded} of {len(codes)} steps more contacts touched than are solved at once; raise max_contacts of "
            "contact_options"
        )
    return lines


def start_note(names: Sequence[str], gap: Array, exit_velocity: float) -> list[str]:
    """Of contacts and limits that are passed at the start, with their gaps [m or rad]."""
    worst = int(np.argmin(gap)) if gap.size else 0
    if not gap.size or gap[worst] > -_DEEP:
        return []
    count = int(np.sum(gap < -_DEEP))
    return [
        f"at the start '{names[worst]}' is {-gap[worst]:.3g} beyond its bound{_more(count)}; depths are left at "
        f"{exit_velocity:g} per second at most"
    ]


def thin_note(layout: ContactLayout, values: Values, t: Array, gaps: Array, h: float) -> list[str]:
    """Of contacts whose parts a step may leap over: gaps change by more in a step than both are thick to the middle."""
    if len(t) < 2 or not layout.slots:
        return []
    moved = h * np.max(np.abs(np.diff(gaps, axis=0)) / np.diff(t)[:, None], axis=0)
    thick = np.array([_half(values, slot.moving) + _half(values, slot.surface) for slot in layout.slots])
    leaps = np.flatnonzero(moved > thick)
    if not leaps.size:
        return []
    worst = int(leaps[np.argmax(moved[leaps] / thick[leaps])])
    return [
        f"the gap of '{layout.slots[worst].label}' changes by up to {moved[worst]:.3g} m in a step, and its parts are "
        f"{thick[worst]:.3g} m thick to their middles, so they may pass through each other{_more(leaps.size)}; take "
        f"steps below {h * thick[worst] / moved[worst]:.2g} s"
    ]


def _half(values: Values, shape: Shape) -> float:
    """From the surface of a shape to its middle [m]: nothing of points, without end of matter without an end."""
    if shape.kind == "plane" or shape.inside:
        return np.inf
    if shape.kind == "box":
        return 0.5 * min(shape.size)
    return 0.0 if shape.kind == "hull" else float(values.number(shape.radius))


def _more(count: int) -> str:
    return f" (and {count - 1} more)" if count > 1 else ""
