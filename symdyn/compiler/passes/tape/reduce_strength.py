"""Cheaper instructions of the same value: small powers as products, division by a power of two as a product."""

from __future__ import annotations

import math

from symdyn.compiler.passes.tape.builder import TapeBuilder, rewrite
from symdyn.compiler.tape.tape import Op, Tape


def reduce_strength(tape: Tape) -> Tape:
    """Replace pow(x, 0.5 | 1 | 2 | 3), and x / 2^k, which are exact or better rounded."""
    return rewrite(tape, _reduce)


def _reduce(builder: TapeBuilder, op: Op) -> int | None:
    if op.code == "pow":
        x, power = op.args[0], builder.literal(op.args[1])
        if power == 1.0:
            return x
        if power == 0.5:
            return builder.emit("sqrt", x)
        if power == 2.0:
            return builder.emit("mul", x, x)
        if power == 3.0:
            return builder.emit("mul", builder.emit("mul", x, x), x)
    if op.code == "div":
        divisor = builder.literal(op.args[1])
        if divisor is not None and divisor != 0.0 and abs(math.frexp(divisor)[0]) == 0.5:
            reciprocal = 1.0 / divisor
            if math.isfinite(reciprocal):
                return builder.emit("mul", op.args[0], builder.constant(reciprocal))
    return None
