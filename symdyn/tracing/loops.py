"""Find loops in a sequence of calls: repeated patterns whose addresses advance evenly, or by an index table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from symdyn.tape.program import Address, Affine, Buffer, BufferKind, Call, Gather, Loop, Statement

MAX_PERIOD = 16
"""Longest pattern of calls that is recognised as a loop body (a chain with 16 kinds of link in turn)."""


_EVEN_ENOUGH = 3
"""Calls that an even stretch of independent calls must have on average, or index tables are the smaller code."""


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


class LoopFinder:
    """Turns flat calls into statements and collects the index tables that uneven addresses need."""

    def __init__(self) -> None:
        self._tables: dict[tuple[int, ...], str] = {}

    def buffers(self) -> tuple[Buffer, ...]:
        """The index tables, one buffer each."""
        return tuple(
            Buffer(name, BufferKind.INDEX, 1, len(values), "index", values=values, description="offsets of scalars")
            for values, name in self._tables.items()
        )

    def statements(self, calls: Sequence[FlatCall], independent: bool = False) -> tuple[Statement, ...]:
        """Cover the sequence greedily with the pattern that repeats over most calls, the shortest among equals.

        Loops and calls that repeat in turn, with evenly advancing addresses, become loops of loops. ``independent``
        calls make independent loops, and stretches over which all addresses advance evenly are loops of their own,
        without index tables.
        """
        found: list[Statement] = []
        stretches = _even_stretches(calls) if independent else []
        if stretches and _EVEN_ENOUGH * len(stretches) <= len(calls):
            cover = stretches
        else:
            cover = list(_cover(_codes([call.shape for call in calls])))
        for start, period, repeats in cover:
            members = calls[start : start + period * repeats]
            found.extend(
                map(_single, members) if repeats == 1 else (self._loop(members, period, repeats, independent),)
            )
        while (nested := _nest(found, independent)) != found:
            found = nested
        return tuple(found)

    def _loop(self, calls: Sequence[FlatCall], period: int, repeats: int, independent: bool) -> Loop:
        body = []
        for place in range(period):
            members = calls[place::period]
            addresses = [
                tuple(
                    self._address(name, [getattr(member, side)[port][1] for member in members])
                    for port, (name, _) in enumerate(getattr(members[0], side))
                )
                for side in ("inputs", "outputs")
            ]
            body.append(Call(members[0].tape, addresses[0], addresses[1]))
        return Loop(repeats, tuple(body), independent=independent)

    def _address(self, buffer: str, offsets: list[int]) -> Address:
        stride = offsets[1] - offsets[0]
        if all(right - left == stride for left, right in pairwise(offsets)):
            return Affine(buffer, offsets[0], (stride,))
        table = self._tables.setdefault(tuple(offsets), f"index_{len(self._tables)}")
        return Gather(buffer, table, 0, (1,))


def _even_stretches(calls: Sequence[FlatCall]) -> list[tuple[int, int, int]]:
    """(start, 1, repeats) of the longest stretches of one kernel over which all addresses advance evenly."""
    found = []
    start = 0
    while start < len(calls):
        end = start + 1
        steps = _steps(calls[start], calls[end]) if end < len(calls) else None
        while steps is not None and end < len(calls) and _steps(calls[end - 1], calls[end]) == steps:
            end += 1
        found.append((start, 1, end - start))
        start = end
    return found


def _steps(one: FlatCall, next_one: FlatCall) -> tuple[int, ...] | None:
    """By how much each address advances, or None for calls of different shape."""
    if one.shape != next_one.shape:
        return None
    pairs = zip((*one.inputs, *one.outputs), (*next_one.inputs, *next_one.outputs), strict=True)
    return tuple(after - before for (_, before), (_, after) in pairs)


def _single(call: FlatCall) -> Call:
    return Call(
        call.tape,
        tuple(Affine(buffer, offset) for buffer, offset in call.inputs),
        tuple(Affine(buffer, offset) for buffer, offset in call.outputs),
    )


def _codes(shapes: Sequence[object]) -> list[int]:
    known: dict[object, int] = {}
    return [known.setdefault(shape, len(known)) for shape in shapes]


def _cover(codes: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """(start, period, repeats) of patterns that cover a sequence."""
    start = 0
    while start < len(codes):
        period, repeats = _best_period(codes, start)
        yield start, period, repeats
        start += period * repeats


def _best_period(codes: Sequence[int], start: int) -> tuple[int, int]:
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


def _nest(statements: Sequence[Statement], independent: bool) -> list[Statement]:
    """Make loops of statements that repeat with even strides; leave the others as they are."""
    found: list[Statement] = []
    for start, period, repeats in _cover(_codes([_shape(statement) for statement in statements])):
        members = statements[start : start + period * repeats]
        body = [_merged(members[place::period]) for place in range(period)] if repeats > 1 else []
        if body and all(item is not None for item in body):
            kept = tuple(item for item in body if item is not None)
            found.append(Loop(repeats, kept, independent=independent))
        else:
            found.extend(members)
    return found


def _shape(statement: Statement) -> object:
    """What must be equal for statements to be one statement of an outer loop: everything but the bases."""
    if isinstance(statement, Loop):
        return (statement.count, tuple(_shape(item) for item in statement.body))
    return (statement.tape, tuple(_address_shape(address) for address in (*statement.inputs, *statement.outputs)))


def _address_shape(address: Address) -> object:
    return (address.buffer, address.strides, address.index if isinstance(address, Gather) else "")


def _merged(members: Sequence[Statement]) -> Statement | None:
    """One statement for members of equal shape, with a new outermost stride; None if they do not advance evenly."""
    first = members[0]
    if isinstance(first, Loop):
        bodies = [member.body for member in members if isinstance(member, Loop)]
        body = [_merged(items) for items in zip(*bodies, strict=True)]
        kept = tuple(item for item in body if item is not None)
        return replace(first, body=kept) if len(kept) == len(body) else None
    calls = [member for member in members if isinstance(member, Call)]
    inputs = _advanced([call.inputs for call in calls])
    outputs = _advanced([call.outputs for call in calls])
    return Call(first.tape, inputs, outputs) if inputs is not None and outputs is not None else None


def _advanced(addresses: Sequence[tuple[Address, ...]]) -> tuple[Address, ...] | None:
    found = []
    for same in zip(*addresses, strict=True):
        bases = [address.base for address in same]
        stride = bases[1] - bases[0]
        if any(right - left != stride for left, right in pairwise(bases)):
            return None
        found.append(replace(same[0], strides=(stride, *same[0].strides)))
    return tuple(found)
