"""Floats that know what rounding may have left of them: running error analysis.

A result that is zero but for rounding must be compared with what was summed, not with itself. Each number therefore
carries the size of its error in units of the roundoff u, to first order: with x (1 + d) after every operation and for
every number that is given,

    e(x + y)^2 = e(x)^2 + e(y)^2 + (x + y)^2,    e(x y)^2 = (y e(x))^2 + (x e(y))^2 + (x y)^2

Errors count as independent, so that squares are added (Higham, *Accuracy and stability of numerical algorithms*, 2002,
sections 2.8 and 3.3). What is left of two numbers of size s that cancel has the error s, whatever its value. So
``size``, the larger one of value and error, is the size that a result would have if nothing cancelled.
"""

from __future__ import annotations

import math
from typing import Any

from symdyn.algebra.scalars.elementary_slopes import elementary_slope
from symdyn.algebra.scalars.floats import FloatAlgebra


class Rounded:
    """A float, and its error in units of the roundoff."""

    __slots__ = ("error", "value")

    def __init__(self, value: float, error: float) -> None:
        self.value, self.error = value, error

    @property
    def size(self) -> float:
        """How large it would be if nothing had cancelled."""
        return max(abs(self.value), self.error)

    def __add__(self, other: Any) -> Rounded:
        y = _rounded(other)
        value = self.value + y.value
        return Rounded(value, math.hypot(self.error, y.error, value))

    __radd__ = __add__

    def __neg__(self) -> Rounded:
        return Rounded(-self.value, self.error)

    def __sub__(self, other: Any) -> Rounded:
        return self + -_rounded(other)

    def __rsub__(self, other: Any) -> Rounded:
        return _rounded(other) + -self

    def __mul__(self, other: Any) -> Rounded:
        y = _rounded(other)
        value = self.value * y.value
        return Rounded(value, math.hypot(self.error * y.value, self.value * y.error, value))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Rounded:
        y = _rounded(other)
        value = self.value / y.value
        return Rounded(value, math.hypot(self.error / y.value, value / y.value * y.error, value))

    def __rtruediv__(self, other: Any) -> Rounded:
        return _rounded(other) / self


def _rounded(x: Rounded | float) -> Rounded:
    """A number; one that is given is as near to what it stands for as rounding allows."""
    return x if isinstance(x, Rounded) else Rounded(x, abs(x))


class RoundedAlgebra:
    """Floats with their errors (see :class:`symdyn.algebra.scalars.algebra.Algebra`)."""

    def __init__(self) -> None:
        self._floats = FloatAlgebra()

    def constant(self, value: float) -> Rounded:
        """The number, rounded once."""
        return _rounded(float(value))

    def sin_cos(self, x: Rounded | float) -> tuple[Rounded, Rounded]:
        """Sine and cosine."""
        at = _rounded(x)
        sine, cosine = self._floats.sin_cos(at.value)
        return (
            Rounded(sine, math.hypot(cosine * at.error, sine)),
            Rounded(cosine, math.hypot(sine * at.error, cosine)),
        )

    def function(self, name: str, *arguments: Rounded | float) -> Rounded:
        """An elementary function of one argument by its tape code."""
        (at,) = map(_rounded, arguments)
        value = self._floats.function(name, at.value)
        if name == "sign":
            return Rounded(value, 0.0)
        if value == 0.0 and name == "sqrt":  # where it has no slope
            return Rounded(value, math.sqrt(at.error))
        slope = elementary_slope(self._floats, name, at.value, value)
        return Rounded(value, math.hypot(slope * at.error, value))

    def compare(self, code: str, left: Rounded | float, right: Rounded | float) -> bool:
        """Truth of a comparison of the values."""
        return self._floats.compare(code, _rounded(left).value, _rounded(right).value)

    def select(self, condition: bool, if_true: Any, if_false: Any) -> Any:
        """One of two numbers."""
        return if_true if condition else if_false
