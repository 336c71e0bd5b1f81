"""Loops that hold or not as an input tells at run time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symdyn.errors import RequestError
from symdyn.interface.argument_words import parted
from symdyn.model.model import Model
from symdyn.model.velocity_rows import cite


def switched_loops(model: Model, names: Sequence[str]) -> tuple[int, ...]:
    """Numbers of the loops by name, in ascending order; a text that is no name may hold several with commas.

    Raises
    ------
    RequestError
        A loop that the robot does not have, or that is named twice; a loop of which the rows of others follow, so that
        they were left out, and are missing where it does not hold.
    """
    known = model.loop_names
    names = parted(names, known)
    for name in names:
        if name not in known:
            raise RequestError(
                f"switched loop '{name}' is unknown; robot '{model.name}' has {', '.join(known) or 'none'}"
            )
    if len(set(names)) != len(names):
        raise RequestError(f"switched names a loop twice: {list(names)}; name each once")
    for loop in model.loops:
        for name in (own for own in loop.leans if own in names):
            rows = ", ".join((*loop.dropped, *loop.near_rows)) or "its row"
            raise RequestError(
                f"switched loop '{name}' cannot be let go: {cite(loop.constraint)} does without {rows}, of which some "
                f"follow from '{name}' in all positions, and would not be held without it; leave '{name}' out of "
                f"switched, or take a kind for '{loop.constraint.name}' that leaves these rows free"
            )
    return tuple(sorted(known.index(name) for name in names))


def with_switches(model: Model, numbers: Sequence[int]) -> Model:
    """The model with loops that hold or not as the input ``active`` tells."""
    if not numbers:
        return model
    places = {number: place for place, number in enumerate(numbers)}
    loops = (replace(loop, switch=places.get(number)) for number, loop in enumerate(model.loops))
    return replace(model, loops=tuple(loops))
