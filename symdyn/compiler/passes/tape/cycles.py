"""How long results take, for passes that order instructions."""

from __future__ import annotations

from symdyn.compiler.tape.ops import FUSED
from symdyn.compiler.tape.tape import Op

_CYCLES = {
    **dict.fromkeys(("input", "constant", "sin_of", "cos_of"), 0),
    **dict.fromkeys(("add", "sub", "mul", "product", *FUSED), 4),
    "neg": 1,
    "div": 14,
    "sqrt": 20,
    **dict.fromkeys(("sin", "cos", "sincos"), 60),
}

_OTHER = 20


def cycles(op: Op) -> int:
    """Cycles until a result is there, on processors of today; their ratios matter, not their size."""
    return _CYCLES.get(op.code, _OTHER)
