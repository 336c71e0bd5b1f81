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
_HARMLESS = 1e-6
"""Part of the largest impulse below which a residual changes nothing that anyone measures."""


def solver_notes(codes: Sequence[ContactCode], worst: float, largest: float) -> list[str]:
    """Of steps whose impulses are not solved to the tolerance, and of those in which too many contacts touch.

    ``worst`` is the largest residual of these steps, and ``largest`` the largest impulse of the motion [N s].
    """
    missed, crowded = (sum(each is code for each in codes) for code in (ContactCode.NOT_SOLVED, ContactCode.TOO_MANY))
    lines = []
    if missed:
        part = worst / largest if largest > 0.0 else np.inf
        meant = f"below {_HARMLESS:g} of it is harmless"
        if part >= _HARMLESS:
            meant = f"above {_HARMLESS:g} of it motions may change, so take smaller steps"
        lines.append(
            f"in {missed} of {len(codes)} steps impulses were not solved to the tolerance: the worst residual is "
            f"{worst:.2g} N s, {part:.2g} of the largest impulse, {largest:.3g} N s; {meant}"
        )
    if crowded:
        lines.append(
            f"in {crowded} of {len(codes)} steps more contacts touched than are solved at once; raise max_contacts of "
            "contact_options"
        )
    return lines


def start_notes(layout: ContactLayout, names: Sequence[str], gap: Array, units: Sequence[str]) -> list[str]:
    """Of contacts that are deep at the start, then of joint limits that are passed, by the gap and unit of each."""
    slots, speed, lines = layout.slot_count, layout.options.exit_velocity, []
    count, worst = _beyond(gap[:slots])
    if count:
        lines.append(
            f"at the start the contact '{names[worst]}' is {-gap[worst]:.3g} m deep{_deepest(count, 'deep contacts')}; "
            f"contacts are pushed out at {speed:g} m/s at most; start higher or farther from what is touched"
        )
    count, worst = _beyond(gap[slots:])
    if count:
        worst += slots
        lines.append(
            f"at the start the joint limit '{names[worst]}' is passed by {-gap[worst]:.3g} {units[worst]}"
            f"{_deepest(count, 'such limits')}; joints are pushed back at {speed:g} {units[worst]}/s at most; start "
            "within the limits: name coordinates in q, on the command line --q, as the neutral position may lie outside"
        )
    return lines


def _beyond(gap: Array) -> tuple[int, int]:
    """How many are passed by more than is rounding, and which of them most."""
    return int(np.sum(gap < -_DEEP)), int(np.argmin(gap)) if gap.size else 0


def _deepest(count: int, what: str) -> str:
    return f", the most of {count} {what}" if count > 1 else ""


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
