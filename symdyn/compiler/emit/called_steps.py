"""Calls of a step with rigid contacts, and of its derivatives, by arrays of numbers alone: what their C is made of."""

from __future__ import annotations

from typing import Any

from symdyn.compiler.emit.steppers.emit import STEP_CODES
from symdyn.interface.contact_calls import GUESS, IMPULSES, LENGTH, PARTIALS, STATE, STEP
from symdyn.interface.contact_solving import ContactCode
from symdyn.interface.manifest import FunctionEntry

_DONE, _NOT_FINITE = (list(STEP_CODES).index(name) for name in ("done", "not_finite"))
"""What steps give back, by the header."""


def step_context(entry: FunctionEntry) -> dict[str, Any] | None:
    """What the template ``c/called_step.c`` takes for a step or its derivatives; None for other functions."""
    if entry.python_name not in (STEP, PARTIALS):
        return None
    inputs, outputs = entry.signature.inputs, entry.signature.outputs
    place = {own.name: number for number, own in enumerate((*inputs, *outputs))}
    sizes = [own.size for own in (*inputs, *outputs)]
    return {
        "is_step": entry.python_name == STEP,
        "given": list(range(place[LENGTH])),
        "length": place[LENGTH],
        "impulses": place[IMPULSES],
        "guess": place.get(GUESS),
        "state": place[STATE],
        "rows": sizes[place[IMPULSES]],
        "states": sizes[place[STATE]],
        "found": [(number, sizes[number]) for number in range(len(inputs), len(sizes))],
        "report": place.get("report"),
        "codes": {"done": _DONE, "not_finite": _NOT_FINITE, "unknown": int(ContactCode.NOT_FINITE)},
    }
