"""Find loops in a sequence of calls: repeated patterns whose addresses advance evenly, or by an index table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symdyn.tape.program import Address, Affine, Buffer, BufferKind, Call, Gather, Loop, Statement

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

    def statements(self, calls: Sequence[FlatCall]) -> tuple[Statement, ...]:
        """Cover the sequence greedily with the pattern that repeats over most calls, the shortest among equals."""
        shapes: dict[object, int] = {}
        codes = [shapes.setdefault(call.shape, len(shapes)) for call in calls]
        found: list[Statement] = []
        start = 0
        while start < len(calls):
            period, repeats = _best_period(codes, start)
            if repeats == 1:
                found.append(_single(calls[start]))
            else:
                found.append(self._loop(calls[start : start + period * repeats], period, repeats))
            start += period * repeats
        return tuple(found)

    def _loop(self, calls: Sequence[FlatCall], period: int, repeats: int) -> Loop:
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
        return Loop(repeats, tuple(body))

    def _address(self, buffer: str, offsets: list[int]) -> Address:
        stride = offsets[1] - offsets[0]
        if all(right - left == stride for left, right in zip(offsets, offsets[1:], strict=False)):
            return Affine(buffer, offsets[0], (stride,))
        table = self._tables.setdefault(tuple(offsets), f"index_{len(self._tables)}")
        return Gather(buffer, table, 0, (1,))


def _single(call: FlatCall) -> Call:
    return Call(
        call.tape,
        tuple(Affine(buffer, offset) for buffer, offset in call.inputs),
        tuple(Affine(buffer, offset) for buffer, offset in call.outputs),
    )


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

