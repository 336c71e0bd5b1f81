"""Grow a tape instruction by instruction, sharing equal ones; and rewrite a tape by a rule."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace

from symdyn.tape.ops import OPS
from symdyn.tape.tape import Op, Tape


class TapeBuilder:
    """The instructions of a new tape. With ``share``, an instruction equal to an earlier one is that one."""

    def __init__(self, share: bool = False) -> None:
        self.ops: list[Op] = []
        self._share = share
        self._known: dict[object, int] = {}

    def append(self, op: Op) -> int:
        """Position of the instruction."""
        if self._share:
            key = _key(op)
            found = self._known.get(key)
            if found is not None:
                return found
            self._known[key] = len(self.ops)
        self.ops.append(op)
        return len(self.ops) - 1

    def emit(self, code: str, *args: int) -> int:
        """Position of an instruction on earlier ones; it varies where any argument does."""
        varying = code != "lane_sum" and any(self.ops[argument].varying for argument in args)
        return self.append(Op(code, args, varying=varying))

    def constant(self, value: float) -> int:
        """Position of a constant."""
        return self.append(Op("constant", literal=value, varying=False))

    def literal(self, position: int) -> float | None:
        """The value at a position if it is a constant."""
        op = self.ops[position]
        return op.literal if op.code == "constant" else None


def _key(op: Op) -> object:
    if op.code == "constant":  # bits, since 0.0 == -0.0
        return struct.pack("<d", op.literal)
    if op.code == "input":
        return op.source
    args = tuple(sorted(op.args)) if OPS[op.code].commutative else op.args
    return (op.code, args)


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
