"""An instruction as text, with the user's name on inputs, and who uses an input; for ``symdyn trace``."""

from __future__ import annotations

from symdyn.compiler.tape.tape import Tape


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


def uses_of(tape: Tape, origin: str) -> tuple[list[int], list[int]]:
    """Positions of the inputs with this origin, and of the instructions that use them directly."""
    inputs = [
        position
        for position, op in enumerate(tape.ops)
        if op.code == "input" and tape.inputs[op.source[0]].origin(op.source[1]) == origin
    ]
    found = set(inputs)
    return inputs, [position for position, op in enumerate(tape.ops) if found.intersection(op.args)]
