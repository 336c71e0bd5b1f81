"""What calls of kernels touch, and which kernels are worth a function of their own."""

from __future__ import annotations

from collections import Counter

from symdyn.compiler.tape.evaluate import flat_calls, resolve
from symdyn.compiler.tape.program import BufferKind, Call, Loop, Program, Statement, lane_loops
from symdyn.compiler.tape.tape import Port

_Reach = tuple[str, Port, int]
"""A port, its buffer, and where in it the port begins."""

_LONG = 150
"""Instructions from which a call costs next to nothing."""

_MANY = 60
"""Places of calls from which copies of a kernel in all of them would outweigh the rest of the code."""


_LARGE = 8_000
"""Instructions of all kernels together from which compilers work longer on one long function than on many short ones:
``state_jacobian`` of the robot with seven joints and a soft cone takes gcc 0.6 of the time with kernels apart, and
the call takes as long (gcc 12.2, AVX2)."""

_SHORT = 40
"""Instructions of the kernels that are joined all the same."""


def tapes_on_shared_buffers(program: Program) -> frozenset[str]:
    """Tapes that write to a buffer which another port of the same call touches: loads must not lag behind stores."""
    shared = set()
    for call, _ in program.calls():
        written = [address.buffer for address in call.outputs]
        if len(set(written)) < len(written) or not set(written).isdisjoint(address.buffer for address in call.inputs):
            shared.add(call.tape)
    return frozenset(shared)


def shared_ports(program: Program) -> dict[str, frozenset[int]]:
    """Per tape, the output ports that write to a place which another port of the same call touches, in any run of it.

    Of a tape over series they are all those that write to such a buffer, because its vectors are longer than a series.
    Lanes run at once: ports that add to one place share it, even in different lanes.
    """
    shared = dict.fromkeys(tapes_on_shared_buffers(program), frozenset[int]())
    tapes = {tape.name: tape for tape in program.tapes if tape.name in shared}
    tables = {buffer.name: buffer.values for buffer in program.buffers_of(BufferKind.INDEX)}
    lanes = {call.tape for loop in lane_loops(program.body) for call in loop.body if isinstance(call, Call)}
    added: dict[tuple[int, tuple[int, ...], str, int], int] = {}
    for call, indices in flat_calls(program.body, tables):
        tape = tapes.get(call.tape)
        if tape is None or len(shared[tape.name]) == len(tape.outputs):
            continue
        whole = tape.over_series is not None
        reads, writes = (
            [
                (address.buffer, port, 0 if whole else resolve(address, tables, indices))
                for port, address in zip(ports, addresses, strict=True)
            ]
            for ports, addresses in ((tape.inputs, call.inputs), (tape.outputs, call.outputs))
        )
        shared[tape.name] |= {
            number
            for number, own in enumerate(writes)
            if any(_meet(own, other, whole) for other in (*reads, *writes[:number], *writes[number + 1 :]))
        }
        for number, (buffer, port, start) in enumerate(writes if tape.name in lanes else ()):
            for index in range(port.width if port.accumulate else 0):
                first = added.setdefault((id(call), indices[:-1], buffer, start + port.place(index)), number)
                shared[tape.name] |= {first, number} if first != number else set()
    return {name: ports for name, ports in shared.items() if ports}


def _meet(one: _Reach, other: _Reach, whole: bool) -> bool:
    """Whether two ports have a place in common, or for the ``whole`` of their buffers, lie in one."""
    (buffer, port, start), (beside, second, begin) = one, other
    if buffer != beside or whole:
        return buffer == beside
    if start + port.extent <= begin or begin + second.extent <= start:
        return False
    places = {start + port.place(index) for index in range(port.width)}
    return any(begin + second.place(index) in places for index in range(second.width))


def tapes_apart(program: Program) -> frozenset[str]:
    """Long tapes with a single call outside of loops, and tapes that are called in very many places.

    In a large program all are apart but short ones. Kernels of independent loops are never among them.
    """
    calls = Counter(call.tape for call, _ in program.calls())
    outside = [item.body[0] if isinstance(item, Loop) and item.lanes > 1 else item for item in program.body]
    once = {statement.tape for statement in outside if isinstance(statement, Call) and calls[statement.tape] == 1}
    long = {tape.name for tape in program.tapes if tape.name in once and len(tape.ops) >= _LONG}
    many = {name for name, places in calls.items() if places >= _MANY}
    if sum(len(tape.ops) for tape in program.tapes) >= _LARGE:
        many |= {tape.name for tape in program.tapes if len(tape.ops) >= _SHORT}
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
