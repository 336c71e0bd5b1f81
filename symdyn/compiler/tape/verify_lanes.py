"""What makes a loop over lanes legal: its runs may go side by side, and vectors find their scalars in place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from symdyn.compiler.tape.evaluate import resolve
from symdyn.compiler.tape.program import (
    Address,
    Affine,
    Buffer,
    BufferKind,
    Call,
    Loop,
    Program,
    Statement,
    inner_runs,
    lane_loops,
)
from symdyn.compiler.tape.tape import Port, Tape
from symdyn.errors import InternalError

_Cell = tuple[str, int]
_Tables = Mapping[str, Sequence[float]]


def verify_lanes(program: Program) -> None:
    """Pass a legal program whose loops over lanes are what they say.

    Such a loop has one call, and as many runs as lanes. Nothing that one lane writes or adds to is read or written by
    another one, at any index of the loops around. In a buffer with lanes, scalars begin at whole groups of them and lie
    next to each other; all loops that write theirs there have as many lanes, so that none writes over another one's.

    Raises
    ------
    InternalError
        The first breach.
    """
    loops = lane_loops(program.body)
    if not loops:
        return
    buffers = {buffer.name: buffer for buffer in program.buffers}
    tapes = {tape.name: tape for tape in program.tapes}
    tables = {buffer.name: buffer.values for buffer in program.buffers_of(BufferKind.INDEX)}
    counts: dict[str, int] = {}
    for loop in loops:
        if loop.count != loop.lanes or len(loop.body) != 1 or not isinstance(loop.body[0], Call):
            raise InternalError(f"a loop over {loop.lanes} lanes is no single call that runs as often")
    for loop, indices in _reached(program.body, tables, [()]):
        call = loop.body[0]
        assert isinstance(call, Call)
        tape = tapes[call.tape]
        ports = [(port, address, False) for port, address in zip(tape.inputs, call.inputs, strict=True)]
        ports += [(port, address, True) for port, address in zip(tape.outputs, call.outputs, strict=True)]
        for port, address, writes in ports:
            buffer = buffers[address.buffer]
            if writes and _beside(address, buffer) and counts.setdefault(buffer.name, loop.lanes) != loop.lanes:
                raise InternalError(f"loops over {counts[buffer.name]} and {loop.lanes} lanes in '{buffer.name}'")
            _check_places(port, address, buffer, resolve(address, tables, (*indices, 0)), loop.lanes)
        _check_apart(loop, indices, tapes, tables)


def _reached(
    statements: Sequence[Statement], tables: _Tables, runs: Sequence[tuple[int, ...]]
) -> Iterator[tuple[Loop, tuple[int, ...]]]:
    """Loops over lanes, with the indices of all loops around."""
    for statement in statements:
        if isinstance(statement, Loop) and statement.lanes > 1:
            for indices in runs:
                yield statement, indices
        elif isinstance(statement, Loop):
            yield from _reached(statement.body, tables, list(inner_runs(statement, tables, runs)))


def _lane_step(address: Address) -> int:
    steps = address.strides if isinstance(address, Affine) else address.steps
    return steps[-1] if steps else 0


def _beside(address: Address, buffer: Buffer) -> bool:
    """Whether lanes find scalars of their own in a buffer with lanes."""
    return buffer.lanes > 1 and _lane_step(address) != 0


def _check_places(port: Port, address: Address, buffer: Buffer, start: int, lanes: int) -> None:
    if not _beside(address, buffer):
        return
    if _lane_step(address) != 1 or any((start + port.place(index)) % buffer.lanes for index in range(port.width)):
        raise InternalError(f"port '{port.name}' does not find the lanes of '{buffer.name}' next to each other")
    if lanes > buffer.lanes:
        raise InternalError(f"{lanes} lanes do not fit into '{buffer.name}', which has {buffer.lanes}")


def _check_apart(loop: Loop, indices: tuple[int, ...], tapes: Mapping[str, Tape], tables: _Tables) -> None:
    call = loop.body[0]
    assert isinstance(call, Call)
    tape = tapes[call.tape]
    writers: dict[_Cell, int] = {}
    adders: dict[_Cell, set[int]] = {}
    twice: set[_Cell] = set()
    for lane in range(loop.lanes):
        for port, address in zip(tape.outputs, call.outputs, strict=True):
            for cell in _cells(port, address, (*indices, lane), tables):
                if port.accumulate:
                    before = adders.setdefault(cell, set())
                    if lane in before:
                        twice.add(cell)
                    before.add(lane)
                elif writers.setdefault(cell, lane) != lane:
                    raise InternalError(f"lanes of '{tape.name}' write to one place, {cell}")
    if any(len(adders[cell]) > 1 for cell in twice):  # lanes side by side would add in another order than in turn
        raise InternalError(f"lanes of '{tape.name}' add twice to a place that others add to")
    if not writers.keys().isdisjoint(adders):
        raise InternalError(f"lanes of '{tape.name}' write and add to {sorted(writers.keys() & adders)[0]}")
    for lane in range(loop.lanes):
        for port, address in zip(tape.inputs, call.inputs, strict=True):
            for cell in _cells(port, address, (*indices, lane), tables):
                if writers.get(cell, lane) != lane or not adders.get(cell, set()) <= {lane}:
                    raise InternalError(f"lane {lane} of '{tape.name}' reads {cell}, which another one changes")


def _cells(port: Port, address: Address, indices: tuple[int, ...], tables: _Tables) -> Iterator[_Cell]:
    start = resolve(address, tables, indices)
    for index in range(port.width):
        yield address.buffer, start + port.place(index)
