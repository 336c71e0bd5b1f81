"""Calls that follow each other as one call: what one writes and the next one reads needs no memory.

Calls are joined once, or over the same lanes, as one tape.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from symdyn.compiler.passes.program.flatten import argument_port, inline
from symdyn.compiler.passes.program.lane_runs import LaneRun, Reach, first_cells, lane_stride
from symdyn.compiler.passes.program.order_calls import Cell, ordered_by_kind
from symdyn.compiler.tape.builder import TapeBuilder
from symdyn.compiler.tape.evaluate import flat_calls, resolve
from symdyn.compiler.tape.program import Address, Affine, Buffer, BufferKind, Call, Loop, Program, Statement, call_of
from symdyn.compiler.tape.tape import Op, Port, Tape, places_from_first
from symdyn.interface.signature import Signature

_Group = tuple[str, int]
"""A buffer, and by how much an address advances from lane to lane."""


class JoinedCalls:
    """One tape for calls that follow each other, over the cells of their first lane."""

    def __init__(self, program: Program, buffers: dict[str, Buffer], run: Sequence[Statement]) -> None:
        self._signature: Signature = program.signature
        self._buffers = buffers
        first = run[0]
        self._loop = first if isinstance(first, Loop) else None
        self._lanes = self._loop.lanes if self._loop is not None else 1
        self._builder = TapeBuilder(share=True)
        self._values: dict[Cell, int] = {}
        self._stride: dict[Cell, int] = {}
        self._added: dict[Cell, int] = {}
        self._loads: dict[_Group, dict[int, int]] = defaultdict(dict)
        self._groups: list[_Group] = []
        tapes = {tape.name: tape for tape in program.tapes}
        for statement in run:
            self._append(call_of(statement), tapes)

    def _append(self, call: Call, tapes: dict[str, Tape]) -> None:
        tape = tapes[call.tape]
        arguments = [
            [self._read(cell, lane_stride(address)) for cell in first_cells(port, address)]
            for port, address in zip(tape.inputs, call.inputs, strict=True)
        ]
        results = inline(self._builder, tape, arguments)
        for port, address, made in zip(tape.outputs, call.outputs, results, strict=True):
            stride = lane_stride(address)
            for cell, value in zip(first_cells(port, address), made, strict=True):
                self._stride[cell] = stride
                if not port.accumulate:
                    self._values[cell] = value
                elif self._lanes > 1 and not stride:
                    # All lanes add to one scalar: this is one lane's share, and the call's output adds it.
                    before = self._added.get(cell)
                    self._added[cell] = value if before is None else self._builder.emit("add", before, value)
                else:
                    self._values[cell] = self._builder.emit("add", self._read(cell, stride), value)

    def _read(self, cell: Cell, stride: int) -> int:
        if cell in self._values:
            return self._values[cell]
        (name, place), buffer = cell, self._buffers[cell[0]]
        if buffer.kind is BufferKind.TABLE:
            numbers = {buffer.values[place + lane * stride] for lane in range(self._lanes)}
            if len(numbers) == 1:  # the same number in all lanes
                return self._builder.constant(float(numbers.pop()))
        group = (name, stride)
        if group not in self._groups:
            self._groups.append(group)
        loads = self._loads[group]
        if place not in loads:
            varying = self._lanes == 1 or stride != 0
            source = (self._groups.index(group), place)
            loads[place] = self._builder.append(Op("input", source=source, varying=varying))
        return loads[place]

    def result(self, needed: set[Cell], name: str) -> tuple[Tape, Statement]:
        """The tape and its call; ``needed`` are the scalars of workspace that are read later."""
        order = {argument.name: number for number, argument in enumerate(self._signature.inputs)}
        # Arguments of the function in the order of its signature, then tables and workspace.
        groups = sorted(self._groups, key=lambda group: order.get(group[0], len(order)))
        inputs, addresses = [], []
        element: dict[tuple[int, int], tuple[int, int]] = {}
        for port_number, group in enumerate(groups):
            places = sorted(self._loads[group])
            for index, place in enumerate(places):
                element[self._groups.index(group), place] = (port_number, index)
            inputs.append(self._input(group, places, sum(other[0] == group[0] for other in groups[:port_number])))
            addresses.append(self._address(group, places[0]))
        ops = [op._replace(source=element[op.source]) if op.code == "input" else op for op in self._builder.ops]
        outputs: list[Port] = []
        results: list[tuple[int, ...]] = []
        targets: list[Address] = []
        for (buffer, stride, adds), cells in self._outputs(needed).items():
            places = sorted(cells)
            called = _numbered(buffer, sum(address.buffer == buffer for address in targets))
            outputs.append(Port(called, len(places), accumulate=adds, places=places_from_first(places)))
            results.append(tuple(cells[place] for place in places))
            targets.append(self._address((buffer, stride), places[0]))
        tape = Tape(name, tuple(inputs), tuple(outputs), tuple(ops), tuple(results))
        call = Call(name, tuple(addresses), tuple(targets))
        return tape, call if self._loop is None else replace(self._loop, body=(call,))

    def _outputs(self, needed: set[Cell]) -> dict[tuple[str, int, bool], dict[int, int]]:
        found: dict[tuple[str, int, bool], dict[int, int]] = defaultdict(dict)
        for cell, value in self._values.items():
            (buffer, place), stride = cell, self._stride[cell]
            own = ((buffer, place + lane * stride) for lane in range(self._lanes))
            if self._buffers[buffer].kind is BufferKind.OUT or any(item in needed for item in own):
                found[buffer, stride, False][place] = value
        for (buffer, place), value in self._added.items():
            found[buffer, 0, True][place] = value
        return found

    def _input(self, group: _Group, places: Sequence[int], earlier: int) -> Port:
        """The port of a group, after ``earlier`` ones of the same buffer."""
        name, stride = group
        unit, origins = "", tuple[str, ...]()
        for argument in self._signature.inputs:
            if argument.name == name:
                whole = argument_port(argument)
                unit, origins = whole.unit, tuple(whole.origin(place) for place in places)
        varying = self._lanes == 1 or stride != 0
        return Port(_numbered(name, earlier), len(places), unit, origins, varying, places=places_from_first(places))

    def _address(self, group: _Group, place: int) -> Address:
        return Affine(group[0], place, (group[1],) if self._loop is not None else ())


def _numbered(name: str, earlier: int) -> str:
    """A name for a port of which there are ``earlier`` ones."""
    return f"{name}_{earlier + 1}" if earlier else name


def fused(program: Program) -> Program:
    """The program with its calls outside of loops joined, and those over the same lanes.

    A joined call stores only what something later reads; numbers of tables become constants where all lanes share them.
    Other loops stay as they are, and so do calls over series.

    Parameters
    ----------
    program
        A legal program whose calls outside of loops, and those in loops over lanes, are at fixed places.
    """
    apart = frozenset(tape.name for tape in program.tapes if tape.over_series is not None)
    kinds = [(lanes, 0) if (lanes := _lanes(item, apart)) else (0, number) for number, item in enumerate(program.body)]
    program = replace(program, body=ordered_by_kind(program, kinds))
    runs = list(_runs(program, apart))
    needed = _needed_after(program, runs)
    buffers = {buffer.name: buffer for buffer in program.buffers}
    tapes: list[Tape] = []
    body: list[Statement] = []
    for run, cells in zip(runs, needed, strict=True):
        if _lanes(run[0], apart) is None:
            body += run
            continue
        joined = JoinedCalls(program, buffers, run)
        tape, statement = joined.result(cells, f"part_{len(tapes)}")
        tapes.append(tape)
        body.append(statement)
    looping = [item for item in body if _lanes(item, apart) is None]
    looped = {call.tape for call, _ in flat_calls(looping, _tables(program))}
    kept = tuple(tape for tape in program.tapes if tape.name in looped)
    used = {address.buffer for call in _calls(body) for address in (*call.inputs, *call.outputs)}
    workspace = (BufferKind.WORKSPACE, BufferKind.TABLE)
    remaining = tuple(item for item in program.buffers if item.kind not in workspace or item.name in used)
    return replace(program, buffers=remaining, tapes=(*tapes, *kept), body=tuple(body))


def _lanes(statement: Statement, apart: frozenset[str]) -> int | None:
    """Lanes of a call, or None for other loops and for calls of tapes that stay apart."""
    if isinstance(statement, Call):
        return None if statement.tape in apart else 1
    return statement.lanes if statement.lanes > 1 else None


def _runs(program: Program, apart: frozenset[str]) -> Iterator[list[Statement]]:
    """Calls that can be joined, and other loops one by one."""
    tapes = {tape.name: tape for tape in program.tapes}
    held: list[Statement] = []
    run = LaneRun(1)
    for statement in program.body:
        lanes = _lanes(statement, apart)
        if lanes is None:
            if held:
                yield held
            held = []
            yield [statement]
            continue
        places = _reaches(call_of(statement), tapes)
        if not held or lanes != _lanes(held[0], apart) or not run.takes(*places):
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
