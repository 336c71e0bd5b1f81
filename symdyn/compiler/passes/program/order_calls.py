"""Calls of one kind next to each other, as far as what they read and write allows."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence

from symdyn.compiler.tape.evaluate import flat_calls, resolve
from symdyn.compiler.tape.program import BufferKind, Program, Statement
from symdyn.compiler.tape.tape import Tape

Cell = tuple[str, int]
"""A buffer and one scalar of it."""


def ordered_by_kind(program: Program, kinds: Sequence[Hashable]) -> tuple[Statement, ...]:
    """The statements of a program in an order with few changes of kind.

    Parameters
    ----------
    program
        A legal program.
    kinds
        One per statement of its body.

    Returns
    -------
    Statements that could run come in their old order, those of the last one's kind before others. Whatever reads,
    writes or adds to a scalar finds it as before.
    """
    after, waits = _dependencies(program)
    ready: dict[Hashable, list[int]] = defaultdict(list)
    for number, count in enumerate(waits):
        if not count:
            heapq.heappush(ready[kinds[number]], number)
    order: list[int] = []
    kind: Hashable = None
    while len(order) < len(kinds):
        if not ready.get(kind):
            kind = min((numbers[0], known) for known, numbers in ready.items() if numbers)[1]
        number = heapq.heappop(ready[kind])
        order.append(number)
        for later in after[number]:
            waits[later] -= 1
            if not waits[later]:
                heapq.heappush(ready[kinds[later]], later)
    return tuple(program.body[number] for number in order)


def _dependencies(program: Program) -> tuple[list[set[int]], list[int]]:
    """Per statement, those that must come after it, and how many must come before it."""
    tapes = {tape.name: tape for tape in program.tapes}
    tables = {buffer.name: buffer.values for buffer in program.buffers_of(BufferKind.INDEX)}
    after: list[set[int]] = [set() for _ in program.body]
    writer: dict[Cell, int] = {}
    readers: dict[Cell, list[int]] = defaultdict(list)
    for number, statement in enumerate(program.body):
        read, written = _touched(statement, tapes, tables)
        for cell in read:
            if cell in writer:
                after[writer[cell]].add(number)
            readers[cell].append(number)
        for cell in written:
            if cell in writer:
                after[writer[cell]].add(number)
            for reader in readers.pop(cell, ()):
                after[reader].add(number)
            writer[cell] = number
    waits = [0] * len(after)
    for number, later in enumerate(after):
        later.discard(number)
        for one in later:
            waits[one] += 1
    return after, waits


def _touched(
    statement: Statement, tapes: Mapping[str, Tape], tables: Mapping[str, Sequence[float]]
) -> tuple[set[Cell], set[Cell]]:
    """Scalars that a statement reads, and those that it writes or adds to."""
    read: set[Cell] = set()
    written: set[Cell] = set()
    for call, indices in flat_calls([statement], tables):
        tape = tapes[call.tape]
        for ports, addresses, found in ((tape.inputs, call.inputs, read), (tape.outputs, call.outputs, written)):
            for port, address in zip(ports, addresses, strict=True):
                start = resolve(address, tables, indices)
                found.update((address.buffer, start + port.place(index)) for index in range(port.width))
    return read, written
