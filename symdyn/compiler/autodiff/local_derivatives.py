"""What each instruction contributes to a derivative: its slopes, or the branch that it chooses.

Conventions where a function has no derivative: that of ``abs`` at 0 is 0 and that of ``sign`` is 0 everywhere; ``min``
and ``max`` of equal numbers have the derivative of their second operand, which is the one they return. Comparisons and
truth values have none, so a ``select`` passes on the derivative of the branch taken.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from symdyn.compiler.tape.builder import ArithmeticBuilder

Slope = Callable[[ArithmeticBuilder, int, tuple[int, ...]], int]
"""``slope(builder, result, operands)``: the position of one partial derivative, for positions in the builder."""


def _one(builder: ArithmeticBuilder, _: int, __: tuple[int, ...]) -> int:
    return builder.constant(1.0)


def _minus_one(builder: ArithmeticBuilder, _: int, __: tuple[int, ...]) -> int:
    return builder.constant(-1.0)


def _operand(place: int) -> Slope:
    return lambda builder, y, x: x[place]


def _sum_of_squares(builder: ArithmeticBuilder, x: int, y: int) -> int:
    return builder.sum(builder.product(x, x), builder.product(y, y))


def _one_minus_square(builder: ArithmeticBuilder, x: int) -> int:
    return builder.difference(builder.constant(1.0), builder.product(x, x))


def _one_plus_square(builder: ArithmeticBuilder, x: int) -> int:
    return builder.sum(builder.constant(1.0), builder.product(x, x))


def _reciprocal(builder: ArithmeticBuilder, x: int) -> int:
    return builder.quotient(builder.constant(1.0), x)


def _slope_of_power(builder: ArithmeticBuilder, _: int, x: tuple[int, ...]) -> int:
    power = builder.literal(x[1])
    if power == 1.0:
        return builder.constant(1.0)
    lower = builder.emit("sub", x[1], builder.constant(1.0)) if power is None else builder.constant(power - 1.0)
    return builder.product(x[1], builder.emit("pow", x[0], lower))


SLOPES: dict[str, tuple[Slope, ...]] = {
    "add": (_one, _one),
    "sub": (_one, _minus_one),
    "neg": (_minus_one,),
    "mul": (_operand(1), _operand(0)),
    "div": (
        lambda builder, y, x: _reciprocal(builder, x[1]),
        lambda builder, y, x: builder.negative(builder.product(y, _reciprocal(builder, x[1]))),
    ),
    "fma": (_operand(1), _operand(0), _one),
    "fms": (_operand(1), _operand(0), _minus_one),
    "fnma": (
        lambda builder, y, x: builder.negative(x[1]),
        lambda builder, y, x: builder.negative(x[0]),
        _one,
    ),
    "sqrt": (lambda builder, y, x: builder.quotient(builder.constant(0.5), y),),
    "sin": (lambda builder, y, x: builder.emit("cos", x[0]),),
    "cos": (lambda builder, y, x: builder.negative(builder.emit("sin", x[0])),),
    "sincos": (_one,),  # the pair carries the angle's derivative to its two projections
    "sin_of": (lambda builder, y, x: builder.emit("cos_of", x[0]),),
    "cos_of": (lambda builder, y, x: builder.negative(builder.emit("sin_of", x[0])),),
    "tan": (lambda builder, y, x: _one_plus_square(builder, y),),
    "asin": (lambda builder, y, x: _reciprocal(builder, builder.emit("sqrt", _one_minus_square(builder, x[0]))),),
    "acos": (
        lambda builder, y, x: builder.negative(
            _reciprocal(builder, builder.emit("sqrt", _one_minus_square(builder, x[0])))
        ),
    ),
    "atan": (lambda builder, y, x: _reciprocal(builder, _one_plus_square(builder, x[0])),),
    "atan2": (
        lambda builder, y, x: builder.quotient(x[1], _sum_of_squares(builder, x[0], x[1])),
        lambda builder, y, x: builder.negative(builder.quotient(x[0], _sum_of_squares(builder, x[0], x[1]))),
    ),
    "sinh": (lambda builder, y, x: builder.emit("cosh", x[0]),),
    "cosh": (lambda builder, y, x: builder.emit("sinh", x[0]),),
    "tanh": (lambda builder, y, x: _one_minus_square(builder, y),),
    "exp": (lambda builder, y, x: y,),
    "log": (lambda builder, y, x: _reciprocal(builder, x[0]),),
    "pow": (_slope_of_power, lambda builder, y, x: builder.product(y, builder.emit("log", x[0]))),
    "abs": (lambda builder, y, x: builder.emit("sign", x[0]),),
    "lane_sum": (_one,),  # of one lane
}
"""Per code, the partial derivative by each operand."""

Choice = Callable[[ArithmeticBuilder, tuple[int, ...]], tuple[int, int, int]]
"""``choice(builder, operands)``: position of a condition, and the places of the operands taken if true and if false."""

CHOICES: dict[str, Choice] = {
    "select": lambda builder, x: (x[0], 1, 2),
    "min": lambda builder, x: (builder.emit("less", x[0], x[1]), 0, 1),
    "max": lambda builder, x: (builder.emit("less", x[1], x[0]), 0, 1),
}
"""Codes that return one of their operands: a derivative is chosen, never multiplied by zero."""

CONSTANT_CODES: frozenset[str] = frozenset({"constant", "sign", "less", "less_equal", "equal", "not", "and", "or"})
"""Codes whose derivative is zero wherever it exists."""


def slopes(
    builder: ArithmeticBuilder, code: str, result: int, operands: tuple[int, ...], active: Collection[int]
) -> list[tuple[int, int]]:
    """Pairs (operand, slope) for the operands whose place is in ``active``; an operand that occurs twice comes once."""
    found: dict[int, int] = {}
    for place, operand in enumerate(operands):
        if place in active:
            slope = SLOPES[code][place](builder, result, operands)
            found[operand] = builder.sum(found[operand], slope) if operand in found else slope
    return list(found.items())
