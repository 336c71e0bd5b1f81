"""Truncated Taylor series in time over any scalar: what carries time derivatives of every order through a recursion.

A series holds normalised coefficients c_k = x^(k) / k!, so products are plain convolutions, without binomials, and
nothing grows like a factorial. Scalars of the inner algebra, and Python numbers, count as constants in time, known to
every order: they mix with series in arithmetic and never shorten a result. Where two series meet, the shorter one
decides the order. An int or float 0 among the coefficients is a structural zero and is never multiplied: over symbols
and mpmath nothing else looks like one, and over floats it spares work without changing a finite result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symdyn.errors import InternalError
from symdyn.scalars.algebra import Scalar


class Series:
    """Coefficients c_0 .. c_n of ``x(t) = sum c_k t^k``; ``order`` is n. Immutable.

    Parameters
    ----------
    coefficients
        At least one scalar of the inner algebra (or number).
    known_rate
        The series of x' [one order lower], where the maker has it: :func:`rate` then costs nothing.
    """

    __slots__ = ("_rate", "coefficients")
    __array_ufunc__ = None  # numpy's scalars leave mixed arithmetic to this class

    def __init__(self, coefficients: Sequence[Scalar], known_rate: Series | None = None) -> None:
        self.coefficients = tuple(coefficients)
        self._rate = known_rate

    @property
    def order(self) -> int:
        """The highest power of t."""
        return len(self.coefficients) - 1

    @property
    def leading(self) -> Scalar:
        """The value at t = 0."""
        return self.coefficients[0]

    def __repr__(self) -> str:
        return f"Series({list(self.coefficients)!r})"

    def __add__(self, other: Any) -> Series:
        if not isinstance(other, Series):
            return Series((self.coefficients[0] + other, *self.coefficients[1:]), self._rate)
        return Series([x + y for x, y in zip(self.coefficients, other.coefficients, strict=False)])

    __radd__ = __add__

    def __neg__(self) -> Series:
        return Series([-x for x in self.coefficients], None if self._rate is None else -self._rate)

    def __sub__(self, other: Any) -> Series:
        if not isinstance(other, Series):
            return Series((self.coefficients[0] - other, *self.coefficients[1:]), self._rate)
        return Series([x - y for x, y in zip(self.coefficients, other.coefficients, strict=False)])

    def __rsub__(self, other: Any) -> Series:
        return Series((other - self.coefficients[0], *(-x for x in self.coefficients[1:])))

    def __mul__(self, other: Any) -> Series:
        if not isinstance(other, Series):
            scaled = None if self._rate is None else self._rate * other
            return Series([times(x, other) for x in self.coefficients], scaled)
        x, y = self.coefficients, other.coefficients
        orders = range(min(len(x), len(y)))
        if self is other:
            return Series([square_coefficient(x, k) for k in orders])
        return Series([product_coefficient(x, y, k) for k in orders])

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Series:
        if isinstance(other, Series):
            size = min(len(self.coefficients), len(other.coefficients))
            return Series(_quotient(self.coefficients[:size], other.coefficients))
        if isinstance(other, int | float):  # exact at any precision, where 1 / other would be a rounded double
            return Series([0.0 if is_zero(x) else x / other for x in self.coefficients])
        return self.__mul__(1 / other)

    def __rtruediv__(self, other: Any) -> Series:
        return Series(_quotient((other, *(0.0 for _ in self.coefficients[1:])), self.coefficients))


def is_zero(x: Scalar) -> bool:
    """Whether a coefficient is a structural zero: a Python number, not a value of the inner algebra that is zero."""
    return isinstance(x, int | float) and x == 0


def times(x: Scalar, y: Scalar) -> Scalar:
    """``x y`` of two coefficients; a structural zero stays one."""
    return 0.0 if is_zero(x) or is_zero(y) else x * y


def product_coefficient(x: Sequence[Scalar], y: Sequence[Scalar], k: int, first: int = 0) -> Scalar:
    """Coefficient k of a product of series, ``sum x_j y_(k-j)`` for j from ``first`` to k.

    A product that is known to order k - 1 is continued by it at the cost of k + 1 products, or 2 k with
    ``first`` = 1 in a recurrence for y.
    """
    return _sum_of_products(x[first : k + 1], [y[k - j] for j in range(first, k + 1)])


def square_coefficient(x: Sequence[Scalar], k: int, first: int = 0) -> Scalar:
    """Coefficient k of x^2, in half the products; ``first`` leaves out the terms with x_0 .. x_(first-1)."""
    half = (k + 1) // 2
    total = _sum_of_products(x[first:half], [x[k - j] for j in range(first, half)])
    total = times(2, total)
    return total + times(x[k // 2], x[k // 2]) if k % 2 == 0 and k // 2 >= first else total


def _sum_of_products(x: Sequence[Scalar], y: Sequence[Scalar]) -> Scalar:
    products = [a * b for a, b in zip(x, y, strict=True) if not is_zero(a) and not is_zero(b)]
    total: Scalar = products[0] if products else 0.0
    for term in products[1:]:
        total = total + term
    return total


def _quotient(numerator: Sequence[Scalar], divisor: Sequence[Scalar]) -> list[Scalar]:
    """Coefficients of a / b from ``a_k = sum b_j q_(k-j)``, with one division by b_0 and products with 1 / b_0."""
    found = [numerator[0] / divisor[0]]
    inverse = 1 / divisor[0] if len(numerator) > 1 else None
    for k in range(1, len(numerator)):
        found.append(times(numerator[k] - _sum_of_products(divisor[1 : k + 1], found[::-1]), inverse))
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
        x._rate = Series([times(c, k) for k, c in enumerate(x.coefficients) if k > 0])
    return x._rate


def append(x: Series, coefficient: Scalar) -> Series:
    """The series with one more coefficient."""
    return Series((*x.coefficients, coefficient))


def truncated(x: Scalar, order: int) -> Scalar:
    """The series to a lower order; a constant, or a shorter series, stays as it is."""
    if not isinstance(x, Series) or x.order <= order:
        return x
    known = truncated(x._rate, order - 1) if x._rate is not None and order > 0 else None
    return Series(x.coefficients[: order + 1], known)
