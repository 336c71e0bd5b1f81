"""Rewrite a tape by a rule, instruction by instruction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from symdyn.compiler.tape.builder import TapeBuilder
from symdyn.compiler.tape.tape import Op, Tape

__all__ = ["Rule", "TapeBuilder", "rewrite"]

Rule = Callable[[TapeBuilder, Op], int | None]
"""``rule(builder, op)``: the position of what replaces an instruction whose arguments are already in the builder, or
None to keep it."""


def rewrite(tape: Tape, rule: Rule, share: bool = False) -> Tape:
    """A tape with every instruction offered to a rule, in order."""
    builder = TapeBuilder(share)
    moved: list[int] = []
    append = builder.append
    for op in tape.ops:
        if op.args:
            args = tuple([moved[argument] for argument in op.args])
            if args != op.args:
                op = Op(op.code, args, op.literal, op.source, op.varying)
        position = rule(builder, op)
        moved.append(append(op) if position is None else position)
    results = tuple(tuple(moved[result] for result in results) for results in tape.results)
    return replace(tape, ops=tuple(builder.ops), results=results)
