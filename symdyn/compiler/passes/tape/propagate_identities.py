"""Zeros, ones and signs: x + 0, x * 1, x * 0, x - x, and minus signs moved to where they cost nothing.

x * 0 becomes 0, which is right for all finite x, and 0 / x becomes 0, which is right for all but 0; a NaN or infinity
put into a structurally unused input is not spread.
"""

from __future__ import annotations

from collections.abc import Callable

from symdyn.compiler.passes.tape.builder import TapeBuilder, rewrite
from symdyn.compiler.tape.tape import Op, Tape


def propagate_identities(tape: Tape) -> Tape:
    """Apply the identities to every instruction, in order."""
    takes_sign = _sign_takers(tape)
    offered = iter(takes_sign)

    def simplify(builder: TapeBuilder, op: Op) -> int | None:
        free = next(offered)
        rule = _RULES.get(op.code)
        if rule is not None:
            return rule(builder, *op.args)
        signed = _SIGNED.get(op.code)
        return signed(builder, free, *op.args) if signed is not None else None

    return rewrite(tape, simplify, share=True)


def _sign_takers(tape: Tape) -> list[bool]:
    """Per instruction, whether a minus sign on its value would be free.

    It is where every use is a sum, a difference or a sign, or a product or quotient that can pass the sign on.
    """
    free = [True] * len(tape.ops)
    for results in tape.results:
        for result in results:
            free[result] = False
    for position in range(len(tape.ops) - 1, -1, -1):
        op = tape.ops[position]
        if op.code in ("add", "sub", "neg") or (op.code in ("mul", "div") and free[position]):
            continue
        for argument in op.args:
            free[argument] = False
    return free


def _negated(builder: TapeBuilder, position: int) -> int | None:
    """The operand of a negation at this position."""
    op = builder.ops[position]
    return op.args[0] if op.code == "neg" else None


def _neg(builder: TapeBuilder, x: int) -> int | None:
    op = builder.ops[x]
    if op.code == "neg":
        return op.args[0]
    if op.code == "sub":
        return builder.emit("sub", op.args[1], op.args[0])
    value = builder.literal(x)
    return builder.constant(-value) if value is not None else None


def _negation(builder: TapeBuilder, x: int) -> int:
    simpler = _neg(builder, x)
    return builder.emit("neg", x) if simpler is None else simpler


def _add(builder: TapeBuilder, free: bool, x: int, y: int) -> int | None:
    if builder.literal(x) == 0.0:
        return y
    if builder.literal(y) == 0.0:
        return x
    chosen = _chosen(builder, x, y)
    if chosen is None:
        chosen = _chosen(builder, y, x)
    if chosen is not None:
        return chosen
    minus_x, minus_y = _negated(builder, x), _negated(builder, y)
    if minus_x is not None and minus_y is not None and free:
        return builder.emit("neg", builder.emit("add", minus_x, minus_y))
    if minus_y is not None:
        return builder.emit("sub", x, minus_y)
    if minus_x is not None:
        return builder.emit("sub", y, minus_x)
    return None


def _chosen(builder: TapeBuilder, x: int, y: int) -> int | None:
    """One selection for the sum of x or 0, and 0 or y, by one condition: how CasADi writes a selection."""
    one, other = builder.ops[x], builder.ops[y]
    if one.code != "select" or other.code != "select":
        return None
    condition, contrary = one.args[0], builder.ops[other.args[0]]
    if contrary.code != "not" or contrary.args != (condition,):
        return None
    zeros = all(builder.literal(own.args[2]) == 0.0 for own in (one, other))
    return builder.emit("select", condition, one.args[1], other.args[1]) if zeros else None


def _sub(builder: TapeBuilder, free: bool, x: int, y: int) -> int | None:
    if x == y:
        return builder.constant(0.0)
    if builder.literal(y) == 0.0:
        return x
    if builder.literal(x) == 0.0:
        return _negation(builder, y)
    minus_x, minus_y = _negated(builder, x), _negated(builder, y)
    if minus_x is not None and minus_y is not None:
        return builder.emit("sub", minus_y, minus_x)
    if minus_y is not None:
        return builder.emit("add", x, minus_y)
    if minus_x is not None and free:
        return builder.emit("neg", builder.emit("add", minus_x, y))
    return None


def _mul(builder: TapeBuilder, free: bool, x: int, y: int) -> int | None:
    for factor, other in ((x, y), (y, x)):
        value = builder.literal(factor)
        if value == 0.0:
            return builder.constant(0.0)
        if value == 1.0:
            return other
        if value == -1.0:
            return _negation(builder, other)
        if (
            value is not None and value < 0.0 and free
        ):  # a negative constant is a positive one and a sign that can travel
            return builder.emit("neg", builder.emit("mul", other, builder.constant(-value)))
    minus_x, minus_y = _negated(builder, x), _negated(builder, y)
    both = minus_x is not None and minus_y is not None
    if (minus_x is None and minus_y is None) or not (both or free):
        return None
    left, right = (x if minus_x is None else minus_x), (y if minus_y is None else minus_y)
    product = builder.emit("mul", left, right)
    return product if both else builder.emit("neg", product)


def _div(builder: TapeBuilder, free: bool, x: int, y: int) -> int | None:
    if builder.literal(x) == 0.0:
        return builder.constant(0.0)
    if builder.literal(y) == 1.0:
        return x
    if builder.literal(y) == -1.0:
        return _negation(builder, x)
    minus_x, minus_y = _negated(builder, x), _negated(builder, y)
    both = minus_x is not None and minus_y is not None
    if (minus_x is None and minus_y is None) or not (both or free):
        return None
    quotient = builder.emit("div", x if minus_x is None else minus_x, y if minus_y is None else minus_y)
    return quotient if both else builder.emit("neg", quotient)


def _select(builder: TapeBuilder, condition: int, if_true: int, if_false: int) -> int | None:
    return if_true if if_true == if_false else None


_RULES: dict[str, Callable[..., int | None]] = {"neg": _neg, "select": _select}
"""Never more expensive."""
_SIGNED: dict[str, Callable[..., int | None]] = {"add": _add, "sub": _sub, "mul": _mul, "div": _div}
"""These may put a minus sign on their value, which is done only where it is free."""
