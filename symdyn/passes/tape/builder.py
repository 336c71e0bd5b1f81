"""Rewrite a tape by a rule, instruction by instruction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from symdyn.tape.builder import TapeBuilder
from symdyn.tape.tape import Op, Tape

__all__ = ["Rule", "TapeBuilder", "rewrite"]

Rule = Callable[[TapeBuilder, Op], int | None]
"""``rule(builder, op)``: the position of what replaces an instruction whose arguments are already in the builder, or
None to keep it."""


def rewrite(tape: Tape, rule: Rule, share: bool = False) -> Tape:
    """A tape with every instruction offered to a rule, in order."""
    builder = TapeBuilder(share)
    moved: list[int] = []
    for op in tape.ops:
        placed = op.with_args(tuple([moved[argument] for argument in op.args])) if op.args else op
        position = rule(builder, placed)
        moved.append(builder.append(placed) if position is None else position)
    results = tuple(tuple(moved[result] for result in results) for results in tape.results)
    return replace(tape, ops=tuple(builder.ops), results=results)
