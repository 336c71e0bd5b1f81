"""What the C that looks for contacts along a step needs: gaps, places in the workspace, numbers.

The rules are those of ``dynamics.kinematics.passing`` and of ``simulation.contacts``.
"""

from __future__ import annotations

from typing import Any

from symdyn.compiler.emit.steppers.alpha import places
from symdyn.compiler.emit.steppers.contents import Stepper, call_of
from symdyn.compiler.emit.steppers.spelling import number
from symdyn.interface.stepping import ADAPTIVE, DOP853, GENERALISED_ALPHA, RK4, TAYLOR

_SHIFT = {"double": 1e-6, "float": 1e-3}
"""Part of a step for differences of rates of coordinates."""
_NEGLIGIBLE = 1e-3
"""Change of velocity that a contact within a step may leave out, relative to the largest velocity."""
_NUMBERS = {
    "late": 0.1,  # of the tolerance, what the change of acceleration in a contact may add before it is taken up
    "shortest": 2.0**-15,
    "three": 3.0,
    "four": 4.0,
    "seven": 7.0,
    "ten": 10.0,
    "fifteen": 15.0,
    "negligible": _NEGLIGIBLE,
}
_ROUNDING = {"double": 2.0**-46, "float": 2.0**-17}
"""Shortest step, relative to the time: of its stages several are different times."""
_HALVINGS = {"double": 60, "float": 30}


def pairs(stepper: Stepper) -> int:
    """Gaps that are followed, 0 where the robot has no contacts that move."""
    return stepper.gaps.signature.outputs[0].size if stepper.gaps is not None else 0


def contact_work(stepper: Stepper) -> int:
    """Scalars at the end of the workspace."""
    return sum(size for _, size in _room(stepper))


def _room(stepper: Stepper) -> list[tuple[str, int]]:
    """What lies there, one behind the other."""
    count, size = pairs(stepper), stepper.nq + stepper.nv
    if not count:
        return []
    own, kept = 0, 0
    if stepper.method == TAYLOR:
        own = (stepper.moved_by.signature.outputs[0].shape[0] + 1) * size
    elif stepper.method == GENERALISED_ALPHA:
        own, kept = stepper.nv + stepper.loop_rows, places(stepper)["order"]
    gaps = [("here", 2 * count), ("next", 2 * count), ("begun", count), ("deepest", count)]
    states = [(name, size) for name in ("state", "ahead", "outside", "inside", "start", "slope_start", "slope_end")]
    return [*gaps, *states, ("bends", 2 * stepper.nq), ("own", own), ("kept", kept)]


def contacts_context(stepper: Stepper, scalar: str, begins: int) -> dict[str, Any] | None:
    """What ``step_contacts`` needs, in a workspace where that begins at ``begins``; None without contacts."""
    if stepper.gaps is None:
        return None
    starts, at = {}, 0
    for name, size in _room(stepper):
        starts[name] = at
        at += size
    count = pairs(stepper)
    return {
        **{name: number(value, scalar) for name, value in _NUMBERS.items()},
        "shift": number(_SHIFT[scalar], scalar),
        "rounding": number(_ROUNDING[scalar], scalar),
        "halvings": _HALVINGS[scalar],
        "pairs": count,
        "gaps": call_of(stepper.gaps, ["found", f"found + {count}"], "rest"),
        "at": starts,
        "begins": begins,
        "negligible_text": f"{_NEGLIGIBLE:g}",
        "explicit": stepper.method in (RK4, DOP853),
        "series": stepper.method == TAYLOR,
        "implicit": stepper.method == GENERALISED_ALPHA,
        "cuts": stepper.method in ADAPTIVE,
    }
