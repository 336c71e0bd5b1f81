"""Calls that follow each other as one call: what one writes and the next one reads needs no memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from symdyn.compiler.passes.program.joined_calls import JoinedCalls
from symdyn.compiler.passes.program.lane_runs import LaneRun, Reach, first_cells, lane_stride
from symdyn.compiler.passes.program.order_calls import Cell, ordered_by_kind
from symdyn.compiler.tape.evaluate import flat_calls, resolve
from symdyn.compiler.tape.program import BufferKind, Call, Program, Statement, call_of
from symdyn.compiler.tape.tape import Tape


def fused(program: Program) -> Program:
    """The program with its calls outside of loops joined, and those over the same lanes.

    A joined call stores only what something later reads; numbers of tables become constants where all lanes share them.
    Other loops stay as they are.

    Parameters
    ----------
    program
        A legal program whose calls outside of loops, and those in loops over lanes, are at fixed places.
    """
    kinds = [(lanes, 0) if (lanes := _lanes(item)) else (0, number) for number, item in enumerate(program.body)]
    program = replace(program, body=ordered_by_kind(program, kinds))
    runs = list(_runs(program))
    needed = _needed_after(program, runs)
    buffers = {buffer.name: buffer for buffer in program.buffers}
    tapes: list[Tape] = []
    body: list[Statement] = []
    for run, cells in zip(runs, needed, strict=True):
        if _lanes(run[0]) is None:
            body += run
            continue
        joined = JoinedCalls(program, buffers, run)
        tape, statement = joined.result(cells, f"part_{len(tapes)}")
        tapes.append(tape)
        body.append(statement)
    looped = {call.tape for call, _ in flat_calls([item for item in body if _lanes(item) is None], _tables(program))}
    kept = tuple(tape for tape in program.tapes if tape.name in looped)
    used = {address.buffer for call in _calls(body) for address in (*call.inputs, *call.outputs)}
    workspace = (BufferKind.WORKSPACE, BufferKind.TABLE)
    remaining = tuple(item for item in program.buffers if item.kind not in workspace or item.name in used)
    return replace(program, buffers=remaining, tapes=(*tapes, *kept), body=tuple(body))


def _lanes(statement: Statement) -> int | None:
    """Lanes of a call, or None for other loops."""
    if isinstance(statement, Call):
        return 1
    return statement.lanes if statement.lanes > 1 else None


def _runs(program: Program) -> Iterator[list[Statement]]:
    """Calls that can be joined, and other loops one by one."""
    tapes = {tape.name: tape for tape in program.tapes}
    held: list[Statement] = []
    run = LaneRun(1)
    for statement in program.body:
        lanes = _lanes(statement)
        if lanes is None:
            if held:
                yield held
            held = []
            yield [statement]
            continue
        places = _reaches(call_of(statement), tapes)
        if not held or lanes != _lanes(held[0]) or not run.takes(*places):
            if held:
                yield held
            held, run = [], LaneRun(lanes)
            run.takes(*places)
        held.append(statement)
    if held:
        yield held


def _reaches(call: Call, tapes: dict[str, Tape]) -> tuple[list[Reach], list[Reach]]:
    """What a call reads, and what it writes or adds to, in its first lane."""
    tape = tapes[call.tape]
    read, written = (
        [
            (cell, lane_stride(address))
            for port, address in zip(ports, addresses, strict=True)
            for cell in first_cells(port, address)
        ]
        for ports, addresses in ((tape.inputs, call.inputs), (tape.outputs, call.outputs))
    )
    return read, written


def _tables(program: Program) -> dict[str, Sequence[float]]:
    return {buffer.name: buffer.values for buffer in program.buffers_of(BufferKind.INDEX)}


def _calls(statements: Iterable[Statement]) -> Iterator[Call]:
    for statement in statements:
        if isinstance(statement, Call):
            yield statement
        else:
            yield from _calls(statement.body)


def _needed_after(program: Program, runs: Sequence[Sequence[Statement]]) -> list[set[Cell]]:
    """Per run, the scalars of workspace that a later one reads or adds to."""
    tapes, tables = {tape.name: tape for tape in program.tapes}, _tables(program)
    needed: set[Cell] = set()
    found: list[set[Cell]] = []
    for run in reversed(runs):
        found.append(set(needed))
        for call, indices in flat_calls(run, tables):
            tape = tapes[call.tape]
            ports = [*zip(tape.inputs, call.inputs, strict=True)]
            ports += [item for item in zip(tape.outputs, call.outputs, strict=True) if item[0].accumulate]
            for port, address in ports:
                start = resolve(address, tables, indices)
                needed.update((address.buffer, start + port.place(index)) for index in range(port.width))
    return found[::-1]
