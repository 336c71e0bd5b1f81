"""Grow a tape instruction by instruction, sharing equal ones."""

from __future__ import annotations

import struct

from symdyn.compiler.tape.ops import OPS
from symdyn.compiler.tape.tape import Op

_bits = struct.Struct("<d").pack
_COMMUTATIVE = frozenset(code for code, kind in OPS.items() if kind.commutative)


class TapeBuilder:
    """The instructions of a new tape. With ``share``, an instruction equal to an earlier one is that one."""

    def __init__(self, share: bool = False) -> None:
        self.ops: list[Op] = []
        self._share = share
        self._known: dict[object, int] = {}

    def append(self, op: Op) -> int:
        """Position of the instruction."""
        position = len(self.ops)
        if self._share:
            found = self._known.setdefault(_key(op), position)
            if found != position:
                return found
        self.ops.append(op)
        return position

    def emit(self, code: str, *args: int) -> int:
        """Position of an instruction on earlier ones; it varies where any argument does."""
        ops = self.ops
        varying = code != "lane_sum" and True in [ops[argument].varying for argument in args]
        return self.append(Op(code, args, 0.0, (0, 0), varying))

    def constant(self, value: float) -> int:
        """Position of a constant."""
        return self.append(Op("constant", literal=value, varying=False))

    def literal(self, position: int) -> float | None:
        """The value at a position if it is a constant."""
        op = self.ops[position]
        return op.literal if op.code == "constant" else None


def _key(op: Op) -> object:
    code, args = op.code, op.args
    if code == "constant":  # bits, since 0.0 == -0.0
        return _bits(op.literal)
    if code == "input":
        return op.source
    if code in _COMMUTATIVE and args[0] > args[1]:
        return (code, (args[1], args[0]))
    return (code, args)


class ArithmeticBuilder(TapeBuilder):
    """A builder whose arithmetic leaves out zeros and ones, as structural zeros of a derivative ask for.

    Products with zero vanish, which is right for finite factors; sums with zero, products with one and double signs are
    not written.
    """

    def __init__(self) -> None:
        super().__init__(share=True)

    def sum(self, x: int, y: int) -> int:
        """Position of x + y."""
        if self.literal(x) == 0.0:
            return y
        if self.literal(y) == 0.0:
            return x
        if self.ops[y].code == "neg":
            return self.difference(x, self.ops[y].args[0])
        if self.ops[x].code == "neg":
            return self.difference(y, self.ops[x].args[0])
        left, right = self.literal(x), self.literal(y)
        if left is not None and right is not None and left == -right:
            return self.constant(0.0)
        return self.emit("add", x, y)

    def difference(self, x: int, y: int) -> int:
        """Position of x - y."""
        if x == y:
            return self.constant(0.0)
        if self.literal(y) == 0.0:
            return x
        if self.literal(x) == 0.0:
            return self.negative(y)
        return self.emit("sub", x, y)

    def negative(self, x: int) -> int:
        """Position of -x."""
        value = self.literal(x)
        if value is not None:
            return self.constant(-value if value else 0.0)
        return self.ops[x].args[0] if self.ops[x].code == "neg" else self.emit("neg", x)

    def product(self, x: int, y: int) -> int:
        """Position of x * y."""
        for factor, other in ((x, y), (y, x)):
            value = self.literal(factor)
            if value == 0.0:
                return self.constant(0.0)
            if value == 1.0:
                return other
            if value == -1.0:
                return self.negative(other)
        return self.emit("mul", x, y)

    def quotient(self, x: int, y: int) -> int:
        """Position of x / y."""
        if self.literal(x) == 0.0:
            return self.constant(0.0)
        return x if self.literal(y) == 1.0 else self.emit("div", x, y)

    def choice(self, condition: int, if_true: int, if_false: int) -> int:
        """Position of one of two values."""
        return if_true if if_true == if_false else self.emit("select", condition, if_true, if_false)
