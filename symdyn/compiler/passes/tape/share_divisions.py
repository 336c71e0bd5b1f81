"""Divisions by one divisor become its reciprocal and products: one slow instruction where there were several.

x (1 / y) is rounded twice where x / y is rounded once, so a quotient may be off by one more unit roundoff. The
reciprocal must be a normal number, which it is for 2^-1022 <= |y| <= 2^1022 in doubles. CasADi turns x (1 / y) into
x / y, so that a reciprocal that an algorithm means to share has to be found again here.
"""

from __future__ import annotations

from collections import Counter

from symdyn.compiler.passes.tape.builder import TapeBuilder, rewrite
from symdyn.compiler.passes.tape.drop_unused import drop_unused
from symdyn.compiler.tape.tape import Op, Tape


def share_divisions(tape: Tape) -> Tape:
    """Replace x / y by x (1 / y) where at least two quotients have the divisor y, unless it is a constant."""
    tape = drop_unused(tape)  # a quotient that nothing needs is no reason for a reciprocal
    divisors = Counter(op.args[1] for op in tape.ops if op.code == "div")
    shared = iter([op.code == "div" and divisors[op.args[1]] > 1 for op in tape.ops])

    def divide(builder: TapeBuilder, op: Op) -> int | None:
        if not next(shared) or builder.literal(op.args[1]) is not None:
            return None
        numerator, divisor = op.args
        reciprocal = builder.emit("div", builder.constant(1.0), divisor)
        match builder.literal(numerator):
            case 1.0:
                return reciprocal
            case -1.0:
                return builder.emit("neg", reciprocal)
        return builder.emit("mul", numerator, reciprocal)

    return rewrite(tape, divide, share=True)
