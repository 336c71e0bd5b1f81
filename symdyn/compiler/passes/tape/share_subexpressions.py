"""Equal instructions become one (common subexpressions); operands of commutative ones may be swapped."""

from __future__ import annotations

from symdyn.compiler.passes.tape.builder import rewrite
from symdyn.compiler.tape.tape import Tape


def share_subexpressions(tape: Tape) -> Tape:
    """Share equal instructions."""
    return rewrite(tape, lambda builder, op: None, share=True)
