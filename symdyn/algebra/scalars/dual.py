"""Dual numbers over any scalar: a value with its derivatives along several directions, those that are zero left out.

``f(x + dx) = f(x) + f'(x) dx`` carried through every operation: exact, not differenced. Which derivatives exist follows
from how a number was made, never from its value, so the same operations run for symbols.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.elementary_slopes import elementary_slope
from symdyn.algebra.scalars.layers import Layer, Layered, layer_above, lies_above
from symdyn.errors import InternalError


class Dual(Layered):
    """A value and its derivatives by direction; a missing direction means zero.

    Only an algebra makes them (:meth:`DualAlgebra.dual`), because it knows the ``layer``. A dual number of a layer
    below is a constant here.
    """

    __slots__ = ("layer", "slopes", "value")
    layer: Layer

    def __init__(self, value: Scalar, slopes: Mapping[int, Scalar], layer: Layer) -> None:
        self.value = value
        self.slopes = dict(slopes)
        self.layer = layer

    def slope(self, direction: int) -> Scalar:
        """The derivative along a direction."""
        return self.slopes.get(direction, 0.0)

    def _beside(self, other: Any) -> bool:
        """Whether another operand is of the same layer."""
        return isinstance(other, Dual) and other.layer is self.layer

    def __add__(self, other: Any) -> Any:
        if not self._beside(other):
            if lies_above(other, self.layer):
                return other.__radd__(self)
            return Dual(self.value + other, self.slopes, self.layer)
        slopes = dict(self.slopes)
        for direction, slope in other.slopes.items():
            slopes[direction] = slopes[direction] + slope if direction in slopes else slope
        return Dual(self.value + other.value, slopes, self.layer)

    def __radd__(self, other: Any) -> Any:
        return self + other

    def __neg__(self) -> Dual:
        return Dual(-self.value, {direction: -slope for direction, slope in self.slopes.items()}, self.layer)

    def __sub__(self, other: Any) -> Any:
        if not self._beside(other):
            if lies_above(other, self.layer):
                return other.__rsub__(self)
            return Dual(self.value - other, self.slopes, self.layer)
        slopes = dict(self.slopes)
        for direction, slope in other.slopes.items():
            slopes[direction] = slopes[direction] - slope if direction in slopes else -slope
        return Dual(self.value - other.value, slopes, self.layer)

    def __rsub__(self, other: Any) -> Dual:
        return Dual(other - self.value, {direction: -slope for direction, slope in self.slopes.items()}, self.layer)

    def __mul__(self, other: Any) -> Any:
        if not self._beside(other):
            if lies_above(other, self.layer):
                return other.__rmul__(self)
            slopes = {direction: slope * other for direction, slope in self.slopes.items()}
            return Dual(self.value * other, slopes, self.layer)
        return Dual(self.value * other.value, _weighed(self, other.value, other, self.value), self.layer)

    def __rmul__(self, other: Any) -> Any:
        return self * other

    def __truediv__(self, other: Any) -> Any:
        if not self._beside(other):
            if lies_above(other, self.layer):
                return other.__rtruediv__(self)
            slopes = {direction: slope / other for direction, slope in self.slopes.items()}
            return Dual(self.value / other, slopes, self.layer)
        inverse, quotient = 1.0 / other.value, self.value / other.value
        return Dual(quotient, _weighed(self, inverse, other, -(quotient * inverse)), self.layer)

    def __rtruediv__(self, other: Any) -> Dual:
        inverse = 1.0 / self.value
        return self._chained(other * inverse, -(other * inverse * inverse))

    def _chained(self, value: Scalar, slope: Scalar) -> Dual:
        return Dual(value, {direction: slope * own for direction, own in self.slopes.items()}, self.layer)


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
        self.layer = layer_above(inner)

    def dual(self, value: Scalar, slopes: Mapping[int, Scalar]) -> Dual:
        """A dual number of this algebra, from scalars of the inner one."""
        return Dual(value, slopes, self.layer)

    def is_own(self, x: Scalar) -> bool:
        """Whether a scalar is a dual number of this algebra, not of a layer below and no plain number."""
        return isinstance(x, Dual) and x.layer is self.layer

    def value(self, x: Scalar) -> Scalar:
        """The value of a scalar."""
        return x.value if self.is_own(x) else x

    def slopes(self, x: Scalar) -> Mapping[int, Scalar]:
        """The derivatives of a scalar that may differ from zero."""
        return x.slopes if self.is_own(x) else {}

    def slope(self, x: Scalar, direction: int) -> Scalar:
        """The derivative of a scalar along a direction."""
        return x.slope(direction) if self.is_own(x) else 0.0

    def constant(self, value: float) -> Dual:
        """A number without derivatives."""
        return self.dual(self._inner.constant(value), {})

    def sin_cos(self, x: Scalar) -> tuple[Dual, Dual]:
        """Sine and cosine."""
        at = self._dual(x)
        sine, cosine = self._inner.sin_cos(at.value)
        return at._chained(sine, cosine), at._chained(cosine, -sine)

    def function(self, name: str, *arguments: Scalar) -> Dual:
        """An elementary function by its tape code.

        ``sign`` counts as flat, and ``abs`` has the slope ``sign``; ``max`` and ``min`` have those of what they give.

        Raises
        ------
        InternalError
            There is no rule for a function of that name.
        """
        at, *others = (self._dual(argument) for argument in arguments)
        if others and name not in ("max", "min"):
            raise InternalError(f"function '{name}' has no derivative here; please report the robot that needs it")
        for other in others:
            value = self._inner.function(name, at.value, other.value)
            first, second = (at, other) if name == "min" else (other, at)
            return self.dual(value, self.select(self.compare("less", first, second), at, other).slopes)
        value = self._inner.function(name, at.value)
        if not at.slopes or name == "sign":
            return self.dual(value, {})
        return at._chained(value, elementary_slope(self._inner, name, at.value, value))

    def compare(self, code: str, left: Any, right: Any) -> Any:
        """Truth value of the values."""
        return self._inner.compare(code, self.value(left), self.value(right))

    def select(self, condition: Any, if_true: Any, if_false: Any) -> Any:
        """One of two numbers with its derivatives; of plain numbers a plain one."""
        if not self.is_own(if_true) and not self.is_own(if_false):
            return self._inner.select(condition, if_true, if_false)
        one, other = self._dual(if_true), self._dual(if_false)
        slopes = {
            direction: self._inner.select(condition, one.slope(direction), other.slope(direction))
            for direction in {**one.slopes, **other.slopes}
        }
        return self.dual(self._inner.select(condition, one.value, other.value), slopes)

    def _dual(self, x: Scalar) -> Dual:
        return x if self.is_own(x) else self.dual(x, {})
