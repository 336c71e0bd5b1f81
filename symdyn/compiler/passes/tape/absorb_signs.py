"""A minus sign that found no sum to vanish in goes into a constant factor, where it costs nothing."""

from __future__ import annotations

from symdyn.compiler.passes.tape.builder import TapeBuilder, rewrite
from symdyn.compiler.tape.tape import Op, Tape


def absorb_signs(tape: Tape) -> Tape:
    """Replace -(c * x) by (-c) * x where the product has no other use."""
    uses = [0] * len(tape.ops)
    for op in tape.ops:
        for argument in op.args:
            uses[argument] += 1
    for results in tape.results:
        for result in results:
            uses[result] += 1
    single = {
        op.args[0]
        for op in tape.ops
        if op.code == "neg" and uses[op.args[0]] == 1 and tape.ops[op.args[0]].code == "mul"
    }
    negated = iter([op.code == "neg" and op.args[0] in single for op in tape.ops])

    def absorb(builder: TapeBuilder, op: Op) -> int | None:
        if not next(negated):
            return None
        factors = builder.ops[op.args[0]].args
        for constant, other in (factors, factors[::-1]):
            value = builder.literal(constant)
            if value is not None:
                return builder.emit("mul", other, builder.constant(-value))
        return None

    return rewrite(tape, absorb, share=True)
