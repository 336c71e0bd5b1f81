"""Python floats as scalars: the recursion run directly, and the reference of every evaluator."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction


def _sign(x: float) -> float:
    return float(x > 0.0) - float(x < 0.0)


def _fma(a: float, b: float, c: float) -> float:
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
        return a * b + c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    try:
        return float(exact) if exact else a * b + c
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def _sinh(x: float) -> float:
    try:
        return math.sinh(x)
    except OverflowError:
        return math.copysign(math.inf, x)


def _log(x: float) -> float:
    return math.log(x) if x else -math.inf


def _pow(x: float, y: float) -> float:
    odd = math.isfinite(y) and y % 2.0 == 1.0
    if x == 0.0 and y < 0.0:
        return math.copysign(math.inf, x) if odd else math.inf
    try:
        return math.pow(x, y)
    except OverflowError:
        return -math.inf if x < 0.0 and odd else math.inf


_FUNCTIONS: dict[str, Callable[..., float]] = {
    **{name: getattr(math, name) for name in ("sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2")},
    **{name: getattr(math, name) for name in ("cosh", "tanh", "exp")},
    "sinh": _sinh,
    "log": _log,
    "pow": _pow,
    "abs": abs,
    "sign": _sign,
    "min": lambda a, b: a if a < b else b,
    "max": lambda a, b: a if a > b else b,
    "fma": _fma,
}


class FloatAlgebra:
    """IEEE double arithmetic (see :class:`symdyn.scalars.algebra.Algebra`)."""

    def constant(self, value: float) -> float:
        """The number itself."""
        return float(value)

    def sin_cos(self, x: float) -> tuple[float, float]:
        """Sine and cosine."""
        return math.sin(x), math.cos(x)

    def function(self, name: str, *arguments: float) -> float:
        """An elementary function; where C gives NaN or an infinity, so does this."""
        try:
            return _FUNCTIONS[name](*arguments)
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf

    def compare(self, code: str, left: float, right: float) -> bool:
        """Truth of a comparison."""
        return left < right if code == "less" else left <= right if code == "less_equal" else left == right

    def select(self, condition: bool, if_true: float, if_false: float) -> float:
        """One of two values."""
        return if_true if condition else if_false
