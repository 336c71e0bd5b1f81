"""Truncated Taylor series in time over any scalar: what carries time derivatives of every order through a recursion.

A series holds normalised coefficients c_k = x^(k) / k!, so products are plain convolutions, without binomials, and
nothing grows like a factorial. Scalars of the inner algebra, and Python numbers, count as constants in time, known to
every order: they mix with series in arithmetic and never shorten a result. What is made of series, such as dual
numbers over them, does its own arithmetic.
Where two series meet, the shorter one decides the order.
An int or float 0 among the coefficients is a structural zero and is never multiplied: over symbols
and mpmath nothing else looks like one, and over floats it spares work without changing a finite result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.scalars.layers import Layered
from symdyn.errors import InternalError


class Series(Layered):
    """Coefficients c_0 .. c_n of ``x(t) = sum c_k t^k``; ``order`` is n.

    A coefficient is computed when it is first asked for, and then kept. Whoever wants one order of a result pays for
    that order alone, given the lower ones (see :meth:`settle`).

    Parameters
    ----------
    coefficients
        At least one scalar of the inner algebra (or number).
    known_rate
        The series of x' [one order lower], where the maker has it: :func:`rate` then costs nothing.
    """

    __slots__ = ("_known", "_make", "_rate")
    layer = None
    __array_ufunc__ = None  # numpy's scalars leave mixed arithmetic to this class

    def __init__(self, coefficients: Sequence[Scalar], known_rate: Series | None = None) -> None:
        self._known: list[Any] = list(coefficients)
        self._make: Callable[[int], Scalar] | None = None
        self._rate = known_rate

    @classmethod
    def on_demand(cls, order: int, make: Callable[[int], Scalar], known_rate: Series | None = None) -> Series:
        """The series whose coefficient k is ``make(k)``, which may ask for lower ones of the same series."""
        series = cls((_UNKNOWN,) * (order + 1), known_rate)
        series._make = make
        return series

    @property
    def order(self) -> int:
        """The highest power of t."""
        return len(self._known) - 1

    @property
    def coefficients(self) -> tuple[Scalar, ...]:
        """All coefficients."""
        return tuple(self.coefficient(k) for k in range(len(self._known)))

    @property
    def leading(self) -> Scalar:
        """The value at t = 0."""
        return self.coefficient(0)

    def settle(self, coefficients: Sequence[Scalar]) -> None:
        """Take the lowest coefficients from elsewhere; they are no longer computed here."""
        self._known[: len(coefficients)] = coefficients

    def coefficient(self, k: int) -> Scalar:
        """Coefficient k."""
        value = self._known[k]
        if value is _UNKNOWN:
            assert self._make is not None
            value = self._known[k] = self._make(k)
        return value

    def __repr__(self) -> str:
        return f"Series({['?' if value is _UNKNOWN else value for value in self._known]!r})"

    def __add__(self, other: Any) -> Series:
        if not isinstance(other, Series):
            if _lies_above(other):
                return NotImplemented
            return Series.on_demand(
                self.order, lambda k: self.coefficient(k) if k else self.coefficient(0) + other, self._rate
            )
        return Series.on_demand(min(self.order, other.order), lambda k: self.coefficient(k) + other.coefficient(k))

    __radd__ = __add__

    def __neg__(self) -> Series:
        return Series.on_demand(self.order, lambda k: -self.coefficient(k), None if self._rate is None else -self._rate)

    def __sub__(self, other: Any) -> Series:
        if not isinstance(other, Series):
            if _lies_above(other):
                return NotImplemented
            return Series.on_demand(
                self.order, lambda k: self.coefficient(k) if k else self.coefficient(0) - other, self._rate
            )
        return Series.on_demand(min(self.order, other.order), lambda k: self.coefficient(k) - other.coefficient(k))

    def __rsub__(self, other: Any) -> Series:
        return Series.on_demand(self.order, lambda k: -self.coefficient(k) if k else other - self.coefficient(0))

    def __mul__(self, other: Any) -> Series:
        if not isinstance(other, Series):
            if _lies_above(other):
                return NotImplemented
            scaled = None if self._rate is None else self._rate * other
            return Series.on_demand(self.order, lambda k: times(self.coefficient(k), other), scaled)
        if self is other:
            return Series.on_demand(self.order, lambda k: square_coefficient(self, k))
        return Series.on_demand(min(self.order, other.order), lambda k: product_coefficient(self, other, k))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Series:
        if _lies_above(other):
            return NotImplemented
        if isinstance(other, Series):
            return _quotient(self, other, min(self.order, other.order))
        if isinstance(other, int | float):  # exact at any precision, where 1 / other would be a rounded double
            return Series.on_demand(
                self.order, lambda k: 0.0 if is_zero(self.coefficient(k)) else self.coefficient(k) / other
            )
        return self.__mul__(1 / other)

    def __rtruediv__(self, other: Any) -> Series:
        return _quotient(Series((other, *(0.0,) * self.order)), self, self.order)


def _lies_above(other: Any) -> bool:
    """Whether an operand that is no series is made of series."""
    return isinstance(other, Layered) and other.layer is not None and other.layer.over_series


class _Unknown:
    """What stands for a coefficient that nobody has asked for yet."""


_UNKNOWN = _Unknown()


def is_zero(x: Scalar) -> bool:
    """Whether a coefficient is a structural zero: a Python number, not a value of the inner algebra that is zero."""
    return isinstance(x, int | float) and x == 0


def times(x: Scalar, y: Scalar) -> Scalar:
    """``x y`` of two coefficients; a structural zero stays one."""
    return 0.0 if is_zero(x) or is_zero(y) else x * y


def product_coefficient(x: Series, y: Series, k: int, first: int = 0) -> Scalar:
    """Coefficient k of a product of series, ``sum x_j y_(k-j)`` for j from ``first`` to k.

    A product that is known to order k - 1 is continued by it at the cost of k + 1 products, or 2 k with
    ``first`` = 1 in a recurrence for y.
    """
    return _sum_of_products((x.coefficient(j), y.coefficient(k - j)) for j in range(first, k + 1))


def square_coefficient(x: Series, k: int, first: int = 0) -> Scalar:
    """Coefficient k of x^2, in half the products; ``first`` leaves out the terms with x_0 .. x_(first-1)."""
    total = times(2, _sum_of_products((x.coefficient(j), x.coefficient(k - j)) for j in range(first, (k + 1) // 2)))
    return total + times(x.coefficient(k // 2), x.coefficient(k // 2)) if k % 2 == 0 and k // 2 >= first else total


def _sum_of_products(pairs: Iterable[tuple[Scalar, Scalar]]) -> Scalar:
    products = [a * b for a, b in pairs if not is_zero(a) and not is_zero(b)]
    total: Scalar = products[0] if products else 0.0
    for term in products[1:]:
        total = total + term
    return total


def _quotient(numerator: Series, divisor: Series, order: int) -> Series:
    """The series a / b from ``a_k = sum b_j q_(k-j)``, with one division by b_0 and products with 1 / b_0."""
    inverse: list[Scalar] = []

    def coefficient(k: int) -> Scalar:
        if k == 0:
            return numerator.coefficient(0) / divisor.coefficient(0)
        if not inverse:
            inverse.append(1 / divisor.coefficient(0))
        return times(numerator.coefficient(k) - product_coefficient(divisor, found, k, first=1), inverse[0])

    found = Series.on_demand(order, coefficient)
    return found


def rate(x: Scalar) -> Scalar:
    """The series of x', one order shorter, ``(k + 1) c_(k+1)``; 0 for what is constant in time.

    Raises
    ------
    InternalError
        The series has order 0, so nothing is known about its rate.
    """
    if not isinstance(x, Series):
        return 0.0
    if x._rate is None:
        if x.order == 0:
            raise InternalError("the rate of a series of order 0 is not known; carry the series one order higher")
        x._rate = Series.on_demand(x.order - 1, lambda k: times(x.coefficient(k + 1), k + 1))
    return x._rate


def append(x: Series, coefficient: Scalar) -> Series:
    """The series with one more coefficient."""
    return Series((*x.coefficients, coefficient))


def top_term(x: Scalar) -> Scalar:
    """The term of the highest order of a series, the lower ones structural zeros; other scalars stay as they are."""
    if not isinstance(x, Series):
        return x
    return Series.on_demand(x.order, lambda k: x.coefficient(k) if k == x.order else 0.0)


def truncated(x: Scalar, order: int) -> Scalar:
    """The series to a lower order; a constant, or a shorter series, stays as it is."""
    if not isinstance(x, Series) or x.order <= order:
        return x
    known = truncated(x._rate, order - 1) if x._rate is not None and order > 0 else None
    return Series.on_demand(order, lambda k: x.coefficient(k), known)
