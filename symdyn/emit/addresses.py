"""Addresses as index arithmetic, and what back ends ask of a program beyond its legality."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from symdyn.errors import InternalError
from symdyn.signature import PARAMETERS
from symdyn.tape.program import Address, Affine, Buffer, BufferKind, Call, Loop, Program, Statement, Trips
from symdyn.tape.verify import verify_program

ARGUMENT_KINDS = (BufferKind.IN, BufferKind.PARAM, BufferKind.OUT)

_LONG = 150
"""Instructions from which a call costs next to nothing."""

_MANY = 60
"""Places of calls from which copies of a kernel in all of them would outweigh the rest of the code."""

_INDEX_LIMIT = 2**32


def offset_text(base: int, strides: tuple[int, ...]) -> str:
    """``base + sum(stride_k * i_k)`` in C and Python alike; what is subtracted comes last."""
    added = [str(base)] if base > 0 or not any(stride > 0 for stride in strides) else []
    added += [_factor(stride, level) for level, stride in enumerate(strides) if stride > 0]
    taken = [_factor(stride, level) for level, stride in enumerate(strides) if stride < 0]
    taken += [str(-base)] if base < 0 and added[0] != str(base) else []
    return " - ".join([" + ".join(added), *taken])


def _factor(stride: int, level: int) -> str:
    return f"i{level}" if abs(stride) == 1 else f"{abs(stride)} * i{level}"


def runs_text(count: int | Trips, arrays: Mapping[str, str]) -> str:
    """A loop's number of runs in C and Python alike; ``arrays`` holds the names of the index tables."""
    if isinstance(count, int):
        return str(count)
    text = offset_text(count.base, count.strides)
    return f"{arrays[count.index]}[{text}]" if count.index else text


def start_text(address: Address, arrays: Mapping[str, str]) -> str:
    """The element at which a port starts, in C and Python alike; ``arrays`` holds the names of the index tables."""
    text = offset_text(address.base, address.strides)
    if isinstance(address, Affine):
        return text
    found = f"{arrays[address.index]}[{text}]"
    for level, step in enumerate(address.steps):
        if step:
            found += f" {'-' if step < 0 else '+'} {_factor(step, level)}"
    if address.shift:  # after the indices, which are unsigned in C
        found += f" {'-' if address.shift < 0 else '+'} {abs(address.shift)}"
    return found


def tapes_on_shared_buffers(program: Program) -> frozenset[str]:
    """Tapes that write to a buffer which another port of the same call touches: loads must not lag behind stores."""
    shared = set()
    for call, _ in program.calls():
        written = [address.buffer for address in call.outputs]
        if len(set(written)) < len(written) or not set(written).isdisjoint(address.buffer for address in call.inputs):
            shared.add(call.tape)
    return frozenset(shared)


def shared_ports(program: Program) -> dict[str, frozenset[int]]:
    """Per tape, the output ports that write to a buffer which another port of the same call touches."""
    shared: dict[str, frozenset[int]] = {}
    for call, _ in program.calls():
        read = {address.buffer for address in call.inputs}
        written = [address.buffer for address in call.outputs]
        found = {number for number, name in enumerate(written) if name in read or written.count(name) > 1}
        if found:
            shared[call.tape] = shared.get(call.tape, frozenset()) | found
    return shared


def tapes_apart(program: Program) -> frozenset[str]:
    """Long tapes with a single call outside of loops, and tapes that are called in very many places.

    Kernels of independent loops are never among them.
    """
    calls = Counter(call.tape for call, _ in program.calls())
    outside = [item.body[0] if isinstance(item, Loop) and item.lanes > 1 else item for item in program.body]
    once = {statement.tape for statement in outside if isinstance(statement, Call) and calls[statement.tape] == 1}
    long = {tape.name for tape in program.tapes if tape.name in once and len(tape.ops) >= _LONG}
    many = {name for name, places in calls.items() if places >= _MANY}
    return frozenset(long | (many - tapes_in_independent_loops(program.body)))


def tapes_in_independent_loops(statements: tuple[Statement, ...]) -> frozenset[str]:
    """Tapes that some loop of free order calls."""
    found: set[str] = set()
    for statement in statements:
        if isinstance(statement, Loop):
            found |= tapes_in_independent_loops(statement.body)
            if statement.independent:
                found |= {item.tape for item in statement.body if isinstance(item, Call)}
    return frozenset(found)


def check_program(program: Program) -> None:
    """Refuse a program whose generated code could touch memory that is not its own.

    Raises
    ------
    InternalError
        An illegal program (see :func:`symdyn.tape.verify.verify_program`), an argument buffer that disagrees with the
        signature, an output without a buffer, or an index that is no small whole number.
    """
    verify_program(program)
    name, signature = program.signature.function, program.signature
    for buffer in program.buffers:
        if buffer.kind in ARGUMENT_KINDS:
            _check_argument(program, buffer)
        if buffer.kind is BufferKind.INDEX:
            for value in buffer.values:
                if not isinstance(value, int) or not 0 <= value < _INDEX_LIMIT:
                    raise InternalError(
                        f"{name}: index table '{buffer.name}' holds {value!r}, expected a small integer"
                    )
    given = {buffer.name for buffer in program.buffers_of(BufferKind.OUT)}
    for argument in signature.outputs:
        if argument.name not in given and program.stored(argument):
            raise InternalError(f"{name}: no buffer for the output '{argument.name}'")


def _check_argument(program: Program, buffer: Buffer) -> None:
    name, signature = program.signature.function, program.signature
    group = signature.outputs if buffer.kind is BufferKind.OUT else signature.inputs
    sizes = [program.stored(argument) for argument in group if argument.name == buffer.name]
    if sizes != [buffer.size]:
        raise InternalError(f"{name}: buffer '{buffer.name}' has {buffer.size} scalars, the signature says {sizes}")
    if buffer.kind is not BufferKind.OUT and (buffer.kind is BufferKind.PARAM) != (buffer.name == PARAMETERS):
        raise InternalError(f"{name}: run-time parameters, and only they, are called '{PARAMETERS}'")
