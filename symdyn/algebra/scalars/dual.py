"""Dual numbers over any scalar: a value with its derivatives along several directions, those that are zero left out.

``f(x + dx) = f(x) + f'(x) dx`` carried through every operation: exact, not differenced. Which derivatives exist follows
from how a number was made, never from its value, so the same operations run for symbols.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.elementary_slopes import elementary_slope


class Dual:
    """A value and its derivatives by direction; a missing direction means zero."""

    __slots__ = ("slopes", "value")

    def __init__(self, value: Scalar, slopes: Mapping[int, Scalar]) -> None:
        self.value = value
        self.slopes = dict(slopes)

    def slope(self, direction: int) -> Scalar:
        """The derivative along a direction."""
        return self.slopes.get(direction, 0.0)

    def __add__(self, other: Any) -> Dual:
        if not isinstance(other, Dual):
            return Dual(self.value + other, self.slopes)
        slopes = dict(self.slopes)
        for direction, slope in other.slopes.items():
            slopes[direction] = slopes[direction] + slope if direction in slopes else slope
        return Dual(self.value + other.value, slopes)

    __radd__ = __add__

    def __neg__(self) -> Dual:
        return Dual(-self.value, {direction: -slope for direction, slope in self.slopes.items()})

    def __sub__(self, other: Any) -> Dual:
        if not isinstance(other, Dual):
            return Dual(self.value - other, self.slopes)
        slopes = dict(self.slopes)
        for direction, slope in other.slopes.items():
            slopes[direction] = slopes[direction] - slope if direction in slopes else -slope
        return Dual(self.value - other.value, slopes)

    def __rsub__(self, other: Any) -> Dual:
        return Dual(other - self.value, {direction: -slope for direction, slope in self.slopes.items()})

    def __mul__(self, other: Any) -> Dual:
        if not isinstance(other, Dual):
            return Dual(self.value * other, {direction: slope * other for direction, slope in self.slopes.items()})
        return Dual(self.value * other.value, _weighed(self, other.value, other, self.value))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Dual:
        if not isinstance(other, Dual):
            return Dual(self.value / other, {direction: slope / other for direction, slope in self.slopes.items()})
        inverse, quotient = 1.0 / other.value, self.value / other.value
        return Dual(quotient, _weighed(self, inverse, other, -(quotient * inverse)))

    def __rtruediv__(self, other: Any) -> Dual:
        inverse = 1.0 / self.value
        return self._chained(other * inverse, -(other * inverse * inverse))

    def _chained(self, value: Scalar, slope: Scalar) -> Dual:
        return Dual(value, {direction: slope * own for direction, own in self.slopes.items()})


def _weighed(a: Dual, of_a: Scalar, b: Dual, of_b: Scalar) -> dict[int, Scalar]:
    """Slopes ``of_a da + of_b db``."""
    slopes = {direction: of_a * slope for direction, slope in a.slopes.items()}
    for direction, slope in b.slopes.items():
        term = of_b * slope
        slopes[direction] = slopes[direction] + term if direction in slopes else term
    return slopes


class DualAlgebra:
    """Dual numbers over the scalars of another algebra (see :class:`symdyn.algebra.scalars.algebra.Algebra`).

    Only what recursions and expressions use is offered. Truth values have no derivative.
    """

    def __init__(self, inner: Algebra) -> None:
        self._inner = inner

    def constant(self, value: float) -> Dual:
        """A number without derivatives."""
        return Dual(self._inner.constant(value), {})

    def sin_cos(self, x: Dual | float) -> tuple[Dual, Dual]:
        """Sine and cosine."""
        at = _dual(x)
        sine, cosine = self._inner.sin_cos(at.value)
        return at._chained(sine, cosine), at._chained(cosine, -sine)

    def function(self, name: str, *arguments: Dual | float) -> Dual:
        """An elementary function by its tape code.

        ``sign`` counts as flat, and ``abs`` has the slope ``sign``; ``max`` and ``min`` have those of what they give.
        """
        at, *others = (_dual(argument) for argument in arguments)
        for other in others:
            value = self._inner.function(name, at.value, other.value)
            first, second = (at, other) if name == "min" else (other, at)
            slopes = self.select(self.compare("less", first, second), at, other).slopes
            return Dual(value, slopes)
        value = self._inner.function(name, at.value)
        if not at.slopes or name == "sign":
            return Dual(value, {})
        return at._chained(value, elementary_slope(self._inner, name, at.value, value))

    def compare(self, code: str, left: Any, right: Any) -> Any:
        """Truth value of the values."""
        return self._inner.compare(code, _dual(left).value, _dual(right).value)

    def select(self, condition: Any, if_true: Any, if_false: Any) -> Any:
        """One of two numbers with its derivatives; of plain numbers a plain one."""
        if not isinstance(if_true, Dual) and not isinstance(if_false, Dual):
            return self._inner.select(condition, if_true, if_false)
        one, other = _dual(if_true), _dual(if_false)
        slopes = {
            direction: self._inner.select(condition, one.slope(direction), other.slope(direction))
            for direction in {**one.slopes, **other.slopes}
        }
        return Dual(self._inner.select(condition, one.value, other.value), slopes)


def _dual(x: Dual | float) -> Dual:
    return x if isinstance(x, Dual) else Dual(x, {})
