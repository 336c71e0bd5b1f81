"""What lies behind the last lane in buffers with lanes: whether it is always a number before vectors load it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from symdyn.compiler.tape.evaluate import resolve
from symdyn.compiler.tape.program import Affine, BufferKind, Call, Program, Statement, lane_loops

_Tables = Mapping[str, Sequence[float]]


def unfilled(program: Program) -> frozenset[str]:
    """Buffers behind whose last lane a loop over lanes would find what nobody has put there.

    Loops over lanes fill up the vectors that they write with what follows from copies of the last lane. What runs once
    leaves those places alone, unless it writes them itself.
    """
    spacing = {buffer.name: buffer.lanes for buffer in program.buffers if buffer.lanes > 1}
    if len({*spacing.values(), *(loop.lanes for loop in lane_loops(program.body))}) < 2:
        return frozenset()  # no lane is left over
    tables = {buffer.name: buffer.values for buffer in program.buffers_of(BufferKind.INDEX)}
    tapes = {tape.name: tape for tape in program.tapes}
    filled = {
        buffer.name: bytearray([buffer.kind is BufferKind.TABLE]) * buffer.size
        for buffer in program.buffers
        if buffer.name in spacing
    }
    found: set[str] = set()
    for call, indices, lanes in _in_order(program.body, tables, ()):
        tape = tapes[call.tape]
        reads = list(zip(tape.inputs, call.inputs, strict=True))
        writes = list(zip(tape.outputs, call.outputs, strict=True))
        reads += [(port, address) for port, address in writes if port.accumulate]
        for ports, sets in ((reads, False), (writes, True)):
            for port, address in ports:
                if address.buffer not in spacing or (lanes == 1 and not sets):
                    continue
                flags, start = filled[address.buffer], resolve(address, tables, indices)
                steps = address.strides if isinstance(address, Affine) else address.steps
                whole = spacing[address.buffer] if lanes > 1 and steps and steps[-1] else 1
                for place in (start + port.place(index) for index in range(port.width)):
                    if sets:
                        flags[place : place + whole] = b"\1" * whole
                    elif not all(flags[place : place + whole]):
                        found.add(address.buffer)
    return frozenset(found)


def _in_order(
    statements: Sequence[Statement], tables: _Tables, indices: tuple[int, ...]
) -> Iterator[tuple[Call, tuple[int, ...], int]]:
    """Calls as they run, those of a loop over lanes once, at its first lane, with the number of lanes."""
    for statement in statements:
        if isinstance(statement, Call):
            yield statement, indices, 1
        elif statement.lanes > 1:
            (call,) = statement.body
            assert isinstance(call, Call)
            yield call, (*indices, 0), statement.lanes
        else:
            count = statement.count if isinstance(statement.count, int) else statement.count.at(tables, indices)
            for index in range(count):
                yield from _in_order(statement.body, tables, (*indices, index))
