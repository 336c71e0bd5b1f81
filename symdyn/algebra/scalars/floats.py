"""Python floats as scalars: the recursion run directly, and the reference of every evaluator.

Arithmetic, fused multiply-adds and sines and cosines are those of generated C, to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from symdyn.interface.sine_cosine import EVEN, FARTHEST, ODD, QUARTER, TO_WHOLE, TURNS_PER_RADIAN


def _sign(x: float) -> float:
    return float(x > 0.0) - float(x < 0.0)


def _fma(a: float, b: float, c: float) -> float:
    if math.isinf(c) and math.isfinite(a) and math.isfinite(b):
        return c  # whatever the product would be if it were rounded
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
        return a * b + c
    a_over, a_under = a.as_integer_ratio()
    b_over, b_under = b.as_integer_ratio()
    c_over, c_under = c.as_integer_ratio()
    under = a_under * b_under
    exact = a_over * b_over * c_under + c_over * under
    try:
        return exact / (under * c_under) if exact else a * b + c  # whole numbers are divided with one rounding
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
}


def _rounded_twice(a: float, b: float, c: float) -> float:
    return a * b + c


class FloatAlgebra:
    """IEEE double arithmetic (see :class:`symdyn.algebra.scalars.algebra.Algebra`).

    Parameters
    ----------
    fused
        Whether a fused multiply-add is rounded once, as in C for processors that have one, or twice, as in C for
        the others.
    """

    def __init__(self, fused: bool = True) -> None:
        self._fma: Callable[[float, float, float], float] = _fma if fused else _rounded_twice

    def constant(self, value: float) -> float:
        """The number itself."""
        return float(value)

    def sin_cos(self, x: float) -> tuple[float, float]:
        """Sine and cosine, by the operations of ``c/sine_cosine_terms.c.jinja`` in their order."""
        if not abs(x) <= FARTHEST:
            return (math.sin(x), math.cos(x)) if math.isfinite(x) else (math.nan, math.nan)
        fma = self._fma
        turns = fma(x, TURNS_PER_RADIAN, TO_WHOLE) - TO_WHOLE
        first = fma(-turns, QUARTER[0], x)
        second = fma(-turns, QUARTER[1], first)
        r = fma(-turns, QUARTER[2], second)
        rest = fma(-turns, QUARTER[2], second - r) + fma(-turns, QUARTER[1], first - second)
        z = r * r
        odd, even = ODD[-1], EVEN[-1]
        for k in range(len(ODD) - 2, -1, -1):
            odd, even = fma(z, odd, ODD[k]), fma(z, even, EVEN[k])
        half = 0.5 * z
        near = 1.0 - half
        s = r + fma(r * z, odd, rest * near)
        c = near + (((1.0 - near) - half) + fma(z * z, even, -(r * rest)))
        quadrant = int(turns) & 3
        sine, cosine = (c, s) if quadrant & 1 else (s, c)
        return (-sine if quadrant & 2 else sine), (-cosine if (quadrant + 1) & 2 else cosine)

    def function(self, name: str, *arguments: float) -> float:
        """An elementary function; where C gives NaN or an infinity, so does this."""
        if name == "fma":
            return self._fma(*arguments)
        if name in ("sin", "cos"):
            return self.sin_cos(*arguments)[name == "cos"]
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
