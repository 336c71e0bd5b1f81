"""A tape as text, one instruction a line, with the user's names on inputs; for people, tests and ``symdyn trace``."""

from __future__ import annotations

from collections.abc import Iterator

from symdyn.tape.tape import Tape


def show_op(tape: Tape, position: int) -> str:
    """One instruction, such as ``%12 = mul %3 %7`` or ``%4 = input q[1]  # elbow``."""
    op = tape.ops[position]
    if op.code == "input":
        port = tape.inputs[op.source[0]]
        origin = f"  # {port.origins[op.source[1]]}" if port.origins else ""
        return f"%{position} = input {port.name}[{op.source[1]}]{origin}"
    if op.code == "constant":
        return f"%{position} = {op.literal!r}"
    return f"%{position} = {op.code} {' '.join(f'%{argument}' for argument in op.args)}"


def show_tape(tape: Tape) -> Iterator[str]:
    """All lines of a tape: a head, the instructions, the results."""
    yield f"tape {tape.name} ({tape.dtype})"
    for position in range(len(tape.ops)):
        yield "  " + show_op(tape, position)
    for port, results in zip(tape.outputs, tape.results, strict=True):
        sign = "+=" if port.accumulate else "="
        yield f"  {port.name} {sign} {' '.join(f'%{result}' for result in results)}"


def uses_of(tape: Tape, origin: str) -> tuple[list[int], list[int]]:
    """Positions of the inputs with this origin, and of the instructions that use them directly."""
    inputs = [
        position
        for position, op in enumerate(tape.ops)
        if op.code == "input" and tape.inputs[op.source[0]].origin(op.source[1]) == origin
    ]
    found = set(inputs)
    return inputs, [position for position, op in enumerate(tape.ops) if found.intersection(op.args)]
