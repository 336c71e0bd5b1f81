"""Instructions that no output needs are dropped."""

from __future__ import annotations

from dataclasses import replace

from symdyn.compiler.tape.tape import Op, Tape


def drop_unused(tape: Tape) -> Tape:
    """Keep what the results rest on, in order."""
    needed = bytearray(len(tape.ops))
    for results in tape.results:
        for result in results:
            needed[result] = 1
    for position in range(len(tape.ops) - 1, -1, -1):
        if needed[position]:
            for argument in tape.ops[position].args:
                needed[argument] = 1
    moved: dict[int, int] = {}
    ops: list[Op] = []
    for position, op in enumerate(tape.ops):
        if needed[position]:
            moved[position] = len(ops)
            ops.append(op.with_args(tuple([moved[argument] for argument in op.args])) if op.args else op)
    kept = tuple(tuple(moved[result] for result in results) for results in tape.results)
    return replace(tape, ops=tuple(ops), results=kept)
