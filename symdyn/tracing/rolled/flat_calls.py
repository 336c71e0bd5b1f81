"""Calls one by one, before loops are found: what they have in common, and which patterns repeat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MAX_PERIOD = 16
"""Longest pattern of calls that is recognised as a loop body (a chain with 16 kinds of link in turn)."""


@dataclass(frozen=True, slots=True)
class FlatCall:
    """A call with plain offsets: (buffer, first scalar) per input and output."""

    tape: str
    inputs: tuple[tuple[str, int], ...]
    outputs: tuple[tuple[str, int], ...]

    @property
    def shape(self) -> tuple[object, ...]:
        """What must be equal for two calls to be the same statement of a loop body."""
        return (self.tape, tuple(buffer for buffer, _ in self.inputs), tuple(buffer for buffer, _ in self.outputs))

    @property
    def places(self) -> tuple[tuple[str, int], ...]:
        """Of the inputs, then of the outputs."""
        return (*self.inputs, *self.outputs)


def codes_of(shapes: Sequence[object]) -> list[int]:
    """A number per shape, the same for equal ones."""
    known: dict[object, int] = {}
    return [known.setdefault(shape, len(known)) for shape in shapes]


def best_period(codes: Sequence[int], start: int) -> tuple[int, int]:
    """(period, repeats) that cover most calls from ``start``; (1, 1) if nothing repeats."""
    best = (1, 1)
    for period in range(1, min(MAX_PERIOD, (len(codes) - start) // 2) + 1):
        end = start + period
        while end < len(codes) and codes[end] == codes[end - period]:
            end += 1
        repeats = (end - start) // period
        if repeats > 1 and period * repeats > (best[0] * best[1] if best[1] > 1 else 0):
            best = (period, repeats)
    return best


def even_end(calls: Sequence[FlatCall], start: int, limit: int) -> tuple[int, tuple[int, ...] | None]:
    """Where a stretch of one kernel ends over which all addresses advance evenly, and by how much (None: one call)."""
    end = start + 1
    steps = steps_between(calls[start], calls[end]) if end < limit else None
    while steps is not None and end < limit and steps_between(calls[end - 1], calls[end]) == steps:
        end += 1
    return end, steps


def steps_between(one: FlatCall, next_one: FlatCall) -> tuple[int, ...] | None:
    """By how much each address advances, or None for calls of different shape."""
    if one.shape != next_one.shape:
        return None
    pairs = zip(one.places, next_one.places, strict=True)
    return tuple(after - before for (_, before), (_, after) in pairs)
