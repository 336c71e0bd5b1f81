"""The sine and the cosine of one angle become a pair, so that a back end evaluates both at once."""

from __future__ import annotations

from collections import defaultdict

from symdyn.compiler.passes.tape.builder import TapeBuilder, rewrite
from symdyn.compiler.tape.tape import Op, Tape


def pair_sincos(tape: Tape) -> Tape:
    """Replace sin(x) and cos(x), where both occur, by the two parts of one ``sincos``."""
    wanted: dict[int, set[str]] = defaultdict(set)
    for op in tape.ops:
        if op.code in ("sin", "cos"):
            wanted[op.args[0]].add(op.code)
    paired = {position for position, op in enumerate(tape.ops) if op.code in ("sin", "cos")}
    paired = {position for position in paired if len(wanted[tape.ops[position].args[0]]) == 2}
    offered = iter(range(len(tape.ops)))

    def pair(builder: TapeBuilder, op: Op) -> int | None:
        if next(offered) not in paired:
            return None
        return builder.emit(f"{op.code}_of", builder.emit("sincos", op.args[0]))

    return rewrite(tape, pair, share=True)
