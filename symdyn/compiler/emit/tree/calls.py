"""What calls of kernels touch, and which kernels are worth a function of their own."""

from __future__ import annotations

from collections import Counter

from symdyn.compiler.tape.program import Call, Loop, Program, Statement

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
