"""Calls of steps with rigid contacts, of rollouts and of their derivatives, by arrays: what their C is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symdyn.compiler.emit.steppers.emit import STEP_CODES
from symdyn.interface.contact_calls import GUESS, IMPULSES, LENGTH, PARTIALS, STATE, STEP
from symdyn.interface.contact_solving import ContactCode
from symdyn.interface.manifest import FunctionEntry
from symdyn.interface.rollout_calls import CODE, GRADIENT, SLOPES
from symdyn.interface.rollout_calls import LENGTH as STEP_LENGTH
from symdyn.interface.rollouts import ROLLOUT, RolloutCode

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


def rollout_context(entry: FunctionEntry, more: Sequence[int]) -> dict[str, Any] | None:
    """What the template ``c/called_rollout.c`` takes for a rollout of no step, or its gradient; None for others.

    ``more`` are the scalars by which a step makes each array longer.
    """
    if entry.python_name not in (ROLLOUT, GRADIENT):
        return None
    inputs, outputs = entry.signature.inputs, entry.signature.outputs
    names = [own.name for own in inputs]
    length, place = names.index(STEP_LENGTH), {name: number for number, name in enumerate(names)}
    driven = 2 if entry.python_name == ROLLOUT else 1
    order = [*range(driven + 1), length, *range(driven + 1, length)]
    types = ["const scalar *" if number != length else "scalar" for number in order]
    places = [f"a[{number}]" if number != length else f"*a[{number}]" for number in order]
    found = list(range(len(inputs), len(inputs) + len(outputs)))
    ahead = entry.python_name == ROLLOUT
    code = found.pop() if ahead else 0
    assert not ahead or outputs[-1].name == CODE
    if not ahead:
        types += ["const scalar *", "const scalar *"]
        places += [f"a[{place[SLOPES]}]", "NULL"]
    sizes = [own.size for own in (*inputs, *outputs)]
    return {
        "types": "".join(f", {own}" for own in (*types, *(["scalar *"] * len(found)))),
        "places": ", ".join([*places, *(f"a[{number}]" for number in found)]),
        "code": code,
        "done": int(RolloutCode.DONE),
        "found": [(number, sizes[number], more[number]) for number in found],
        "series": driven,
    }
