"""What makes a Tape or a Program legal; run between passes in tests, and once on every program that is emitted.

A loop over lanes is legal where its runs may go side by side, and vectors find their scalars in place.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from symdyn.compiler.tape.evaluate import flat_calls, resolve
from symdyn.compiler.tape.ops import BOOLEAN_OPERANDS, OPS
from symdyn.compiler.tape.program import (
    Address,
    Affine,
    Buffer,
    BufferKind,
    Call,
    Gather,
    Loop,
    Program,
    Statement,
    Trips,
    dot,
    has_trips,
    inner_runs,
    lane_loops,
)
from symdyn.compiler.tape.tape import Op, Port, Tape
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


_WRITABLE = (BufferKind.OUT, BufferKind.WORKSPACE)


def _require(condition: bool, where: str, what: str) -> None:
    if not condition:
        raise InternalError(f"{where}: {what}; please report this with the robot file")


def verify_tape(tape: Tape) -> Tape:
    """Return the tape if it is legal.

    Every argument is an earlier instruction; operand counts and types (number, truth value, sine-cosine pair) fit the
    table of operations; inputs lie within their ports; literals are finite; a uniform result has uniform arguments
    unless it is a lane sum; results fill the output ports; a product is added to one place and has no other use.

    Raises
    ------
    InternalError
        The first breach, with its position.
    """
    for position, op in enumerate(tape.ops):
        where = f"tape '{tape.name}', instruction {position} ({op.code})"
        _require(op.code in OPS, where, "unknown code")
        info = OPS[op.code]
        _require(len(op.args) == info.operands, where, f"expected {info.operands} arguments, got {len(op.args)}")
        _require(all(0 <= argument < position for argument in op.args), where, "an argument is not an earlier one")
        arguments = [tape.ops[argument] for argument in op.args]
        _check_types(op, arguments, where)
        if op.code == "constant":
            _require(math.isfinite(op.literal), where, f"constant {op.literal} is not finite")
        elif op.code == "input":
            port, element = op.source
            _require(0 <= port < len(tape.inputs), where, f"input port {port} does not exist")
            _require(0 <= element < tape.inputs[port].width, where, f"element {element} lies outside its port")
        elif op.code != "lane_sum" and not op.varying:
            _require(not any(argument.varying for argument in arguments), where, "uniform from varying")
        elif op.code == "lane_sum":
            _require(not op.varying, where, "a lane sum is uniform")
    _require(len(tape.results) == len(tape.outputs), f"tape '{tape.name}'", "one result list per output port")
    for port_info, results in zip(tape.outputs, tape.results, strict=True):
        where = f"tape '{tape.name}', output '{port_info.name}'"
        _require(len(results) == port_info.width, where, f"expected {port_info.width} results, got {len(results)}")
        for result in results:
            _require(0 <= result < len(tape.ops), where, f"result {result} does not exist")
            kind = _kind(tape.ops[result])
            _require(
                kind == "number" or (kind == "product" and port_info.accumulate), where, "a result is not a number"
            )
    added = Counter(result for port in tape.results for result in port if tape.ops[result].code == "product")
    _require(all(number == 1 for number in added.values()), f"tape '{tape.name}'", "a product is added twice")
    return tape


def _kind(op: Op) -> str:
    if op.code in ("sincos", "product"):
        return "pair" if op.code == "sincos" else op.code
    return "truth" if OPS[op.code].boolean else "number"


def _check_types(op: Op, arguments: list[Op], where: str) -> None:
    for place, argument in enumerate(arguments):
        expected = "number"
        if op.code in ("sin_of", "cos_of"):
            expected = "pair"
        elif op.code in BOOLEAN_OPERANDS or (op.code == "select" and place == 0):
            expected = "truth"
        _require(_kind(argument) == expected, where, f"argument {place} is a {_kind(argument)}, expected a {expected}")


def verify_program(program: Program) -> Program:
    """Return the program if it is legal.

    All its tapes are; names are unique; no loop has a negative number of runs; every call binds each port inside a
    buffer it may read or write, at every loop index; nothing is read, or added to, before it is written; loops over
    lanes are what they say (:func:`verify_lanes`); every output is written.

    Raises
    ------
    InternalError
        The first breach.
    """
    names = [buffer.name for buffer in program.buffers] + [tape.name for tape in program.tapes]
    _require(len(set(names)) == len(names), "program", "names of buffers and tapes are not unique")
    tapes = {tape.name: verify_tape(tape) for tape in program.tapes}
    buffers = {buffer.name: buffer for buffer in program.buffers}
    indexing = {buffer.name: buffer.values for buffer in program.buffers_of(BufferKind.INDEX)}
    for buffer in program.buffers_of(BufferKind.TABLE, BufferKind.INDEX):
        _require(len(buffer.values) == buffer.size, f"buffer '{buffer.name}'", "its values do not fill it")
    written = {name: bytearray(buffer.size) for name, buffer in buffers.items()}
    _check_trips(program.body, indexing, [()])
    for call, indices in flat_calls(program.body, indexing):
        _require(call.tape in tapes, "program", f"tape '{call.tape}' does not exist")
        tape = tapes[call.tape]
        fits = len(call.inputs) == len(tape.inputs) and len(call.outputs) == len(tape.outputs)
        _require(fits, f"call of '{call.tape}'", "expected one address per port")
        ports = [(port, address, False) for port, address in zip(tape.inputs, call.inputs, strict=True)]
        ports += [(port, address, True) for port, address in zip(tape.outputs, call.outputs, strict=True)]
        for port, address, writes in ports:
            fault = _fault(port, address, writes, indices, buffers, written)
            if fault:
                _require(False, f"call of '{call.tape}' at {indices}, port '{port.name}'", fault)
    verify_lanes(program)
    for buffer in program.buffers_of(BufferKind.OUT):
        _require(all(written[buffer.name]), f"output '{buffer.name}'", "not all of it is written")
    return program


def _fault(
    port: Port,
    address: Address,
    writes: bool,
    indices: tuple[int, ...],
    buffers: Mapping[str, Buffer],
    written: Mapping[str, bytearray],
) -> str:
    """What is wrong with a port's binding when a call runs, or nothing; notes what is ``written``."""
    buffer = buffers.get(address.buffer)
    if buffer is None:
        return f"buffer '{address.buffer}' does not exist"
    start = address.base + dot(address.strides, indices)
    if isinstance(address, Gather):
        index = buffers.get(address.index)
        if index is None or index.kind is not BufferKind.INDEX:
            return "gather needs an index buffer"
        if not 0 <= start < len(index.values):
            return f"entry {start} lies outside its index table"
        start = int(index.values[start]) + address.shift + dot(address.steps, indices)
    flags = written[address.buffer]
    if not 0 <= start <= len(flags) - port.extent:
        return f"element {start} lies outside '{buffer.name}'"
    if buffer.kind not in _WRITABLE:
        return f"'{buffer.name}' is read-only" if writes else ""
    places = [start + place for place in port.places] or range(start, start + port.width)
    if (not writes or port.accumulate) and not all(flags[place] for place in places):
        return f"'{buffer.name}' is used before it is written"
    if writes:
        for place in places:
            flags[place] = 1
    return ""


def _check_trips(
    statements: Sequence[Statement], tables: Mapping[str, Sequence[float]], runs: Sequence[tuple[int, ...]]
) -> None:
    """Numbers of runs that depend on indices are at least 0 and lie in their tables, wherever the loop is reached."""
    for loop in statements:
        if not isinstance(loop, Loop):
            continue
        if isinstance(loop.count, Trips):
            for indices in runs:
                _check_count(loop.count, tables, indices)
        if has_trips(loop.body):
            _check_trips(loop.body, tables, list(inner_runs(loop, tables, runs)))


def _check_count(count: Trips, tables: Mapping[str, Sequence[float]], indices: tuple[int, ...]) -> None:
    where = f"number of runs at {indices}"
    if count.index:
        _require(count.index in tables, where, f"'{count.index}' is no index table")
        entry = count.base + dot(count.strides, indices)
        _require(0 <= entry < len(tables[count.index]), where, f"entry {entry} lies outside its index table")
    _require(count.at(tables, indices) >= 0, where, "it is negative")
