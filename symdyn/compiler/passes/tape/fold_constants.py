"""Instructions on constants alone become constants, in the arithmetic of Python's doubles."""

from __future__ import annotations

import math
from collections.abc import Callable

from symdyn.compiler.passes.tape.builder import TapeBuilder, rewrite
from symdyn.compiler.tape.tape import Op, Tape

_EXACT: dict[str, Callable[..., float]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b if b else math.nan,
    "neg": lambda a: -a,
    "sqrt": lambda a: math.sqrt(a) if a >= 0.0 else math.nan,
    "abs": abs,
}
"""Correctly rounded everywhere; library functions are folded too, to the build machine's accuracy."""
_LIBRARY: dict[str, Callable[..., float]] = {
    name: getattr(math, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "tanh", "exp")
}


def fold_constants(tape: Tape) -> Tape:
    """Fold what is known, unless the result would not be finite."""
    return rewrite(tape, _fold)


def _fold(builder: TapeBuilder, op: Op) -> int | None:
    function = _EXACT.get(op.code) or _LIBRARY.get(op.code)
    if function is None or not op.args:
        return None
    values = [builder.literal(argument) for argument in op.args]
    if None in values:
        return None
    try:
        folded = float(function(*values))
    except (ValueError, OverflowError):
        return None
    return builder.constant(folded) if math.isfinite(folded) else None
