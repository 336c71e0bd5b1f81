"""Find loops in a sequence of calls: repeated patterns whose addresses advance evenly, or by an index table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from symdyn.compiler.tape.program import Address, Affine, Buffer, Call, Gather, Loop, Statement
from symdyn.tracing.rolled.flat_calls import FlatCall, best_period, codes_of, even_end
from symdyn.tracing.rolled.index_tables import IndexTables
from symdyn.tracing.rolled.row_loops import RowLoops, code_size
from symdyn.tracing.rolled.rows import foldings

_EVEN_ENOUGH = 3
"""Calls that an even stretch of independent calls must have on average, or index tables are the smaller code."""

_WORTH_ROWS = 16
"""Places of calls from which rows of unequal length are looked for."""

_SHORTER = 0.6
"""Size of code, index tables included, below which loops over unequal rows are taken; they run more loops."""

_TRIED = 8
"""Ways to cut calls into rows whose addresses are looked at, those with the fewest places of calls."""


class LoopFinder:
    """Turns flat calls into statements and collects the index tables that uneven addresses need."""

    def __init__(self) -> None:
        self._tables = IndexTables()

    def buffers(self) -> tuple[Buffer, ...]:
        """The index tables, one buffer each."""
        return self._tables.buffers()

    def statements(self, calls: Sequence[FlatCall], independent: bool = False) -> tuple[Statement, ...]:
        """Cover the sequence greedily with the pattern that repeats over most calls, the shortest among equals.

        Loops and calls that repeat in turn, with evenly advancing addresses, become loops of loops. ``independent``
        calls make independent loops, and stretches over which all addresses advance evenly are loops of their own,
        without index tables. Where many places of calls are left, loops over rows of unequal length are tried.
        """
        before = self._tables.copy()
        found = self._repeated(calls, independent)
        places = len(_calls(found))
        if places < _WORTH_ROWS:
            return found
        kept = code_size([], before)
        # Tables of earlier sequences (kept) exist in any case: only what this sequence adds must become shorter.
        best, size = found, kept + _SHORTER * (code_size(found, self._tables) - kept)
        maker = RowLoops(calls, independent)
        ways = sorted(foldings(calls, independent, int(_SHORTER * places)), key=lambda way: way.likely_size)
        for way in ways[:_TRIED]:
            tables = before.copy()
            rows = maker.statements(way, tables, size)
            if rows is not None and code_size(rows, tables) < size:
                best, size, self._tables = rows, code_size(rows, tables), tables
        return best

    def _repeated(self, calls: Sequence[FlatCall], independent: bool) -> tuple[Statement, ...]:
        found: list[Statement] = []
        stretches = _even_stretches(calls) if independent else []
        if stretches and _EVEN_ENOUGH * len(stretches) <= len(calls):
            cover = stretches
        else:
            cover = list(_cover(codes_of([call.shape for call in calls])))
        for start, period, repeats in cover:
            members = calls[start : start + period * repeats]
            found.extend(
                map(_single, members) if repeats == 1 else (self._loop(members, period, repeats, independent),)
            )
        # Each pass wraps repeated statements in one more loop, until nothing repeats with even strides.
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
        return Gather(buffer, self._tables.name(offsets), 0, (1,))


def _even_stretches(calls: Sequence[FlatCall]) -> list[tuple[int, int, int]]:
    """(start, 1, repeats) of the longest stretches of one kernel over which all addresses advance evenly."""
    found = []
    start = 0
    while start < len(calls):
        end, _ = even_end(calls, start, len(calls))
        found.append((start, 1, end - start))
        start = end
    return found


def _calls(statements: Sequence[Statement]) -> list[Call]:
    found: list[Call] = []
    for statement in statements:
        found += _calls(statement.body) if isinstance(statement, Loop) else [statement]
    return found


def _single(call: FlatCall) -> Call:
    return Call(
        call.tape,
        tuple(Affine(buffer, offset) for buffer, offset in call.inputs),
        tuple(Affine(buffer, offset) for buffer, offset in call.outputs),
    )


def _cover(codes: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """(start, period, repeats) of patterns that cover a sequence."""
    start = 0
    while start < len(codes):
        period, repeats = best_period(codes, start)
        yield start, period, repeats
        start += period * repeats


def _nest(statements: Sequence[Statement], independent: bool) -> list[Statement]:
    """Make loops of statements that repeat with even strides; leave the others as they are."""
    found: list[Statement] = []
    for start, period, repeats in _cover(codes_of([_shape(statement) for statement in statements])):
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
