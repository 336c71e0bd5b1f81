"""What makes a Tape or a Program legal; run between passes in tests, and once on every program that is emitted."""

from __future__ import annotations

import math

from symdyn.errors import InternalError
from symdyn.tape.evaluate import flat_calls, resolve
from symdyn.tape.ops import BOOLEAN_OPERANDS, OPS
from symdyn.tape.program import BufferKind, Gather, Program
from symdyn.tape.tape import Op, Tape

_WRITABLE = (BufferKind.OUT, BufferKind.WORKSPACE)


def _require(condition: bool, where: str, what: str) -> None:
    if not condition:
        raise InternalError(f"{where}: {what}; please report this with the robot file")


def verify_tape(tape: Tape) -> Tape:
    """Return the tape if it is legal.

    Every argument is an earlier instruction; operand counts and types (number, truth value, sine-cosine pair) fit the
    table of operations; inputs lie within their ports; literals are finite; a uniform result has uniform arguments
    unless it is a lane sum; results fill the output ports.

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
            _require(_kind(tape.ops[result]) == "number", where, "a result is not a number")
    return tape


def _kind(op: Op) -> str:
    return "pair" if op.code == "sincos" else "truth" if OPS[op.code].boolean else "number"


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

    All its tapes are; names are unique; every call binds each port inside a buffer it may read or write, at every loop
    index; nothing is read, or added to, before it is written; every output is written.

    Raises
    ------
    InternalError
        The first breach.
    """
    names = [buffer.name for buffer in program.buffers] + [tape.name for tape in program.tapes]
    _require(len(set(names)) == len(names), "program", "names of buffers and tapes are not unique")
    tapes = {tape.name: verify_tape(tape) for tape in program.tapes}
    buffers = {buffer.name: buffer for buffer in program.buffers}
    values = {name: buffer.values for name, buffer in buffers.items()}
    for buffer in program.buffers_of(BufferKind.TABLE, BufferKind.INDEX):
        _require(len(buffer.values) == buffer.size, f"buffer '{buffer.name}'", "its values do not fill it")
    written = {name: bytearray(buffer.size) for name, buffer in buffers.items()}
    for call, indices in flat_calls(program.body):
        _require(call.tape in tapes, "program", f"tape '{call.tape}' does not exist")
        tape = tapes[call.tape]
        fits = len(call.inputs) == len(tape.inputs) and len(call.outputs) == len(tape.outputs)
        _require(fits, f"call of '{call.tape}'", "expected one address per port")
        ports = [(port, address, False) for port, address in zip(tape.inputs, call.inputs, strict=True)]
        ports += [(port, address, True) for port, address in zip(tape.outputs, call.outputs, strict=True)]
        for port, address, writes in ports:
            where = f"call of '{call.tape}' at {indices}, port '{port.name}'"
            _require(address.buffer in buffers, where, f"buffer '{address.buffer}' does not exist")
            buffer = buffers[address.buffer]
            if isinstance(address, Gather):
                index = buffers.get(address.index)
                _require(index is not None and index.kind is BufferKind.INDEX, where, "gather needs an index buffer")
            start = resolve(address, values, indices)
            _require(0 <= start <= buffer.size - port.extent, where, f"element {start} lies outside '{buffer.name}'")
            _require(not writes or buffer.kind in _WRITABLE, where, f"'{buffer.name}' is read-only")
            flags = written[buffer.name]
            if buffer.kind in _WRITABLE and (not writes or port.accumulate):
                ready = all(flags[start + port.place(index)] for index in range(port.width))
                _require(ready, where, f"'{buffer.name}' is used before it is written")
            if writes:
                for element in range(port.width):
                    flags[start + port.place(element)] = 1
    for buffer in program.buffers_of(BufferKind.OUT):
        _require(all(written[buffer.name]), f"output '{buffer.name}'", "not all of it is written")
    return program
