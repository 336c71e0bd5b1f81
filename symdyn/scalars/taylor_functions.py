"""Elementary functions of truncated Taylor series, each by the differential equation that it solves.

With u the argument and r = u' its rate, every function here satisfies y' = r g where g is y itself, a partner of y, a
square of y, or a function of u that is cheaper than y. Coefficient k of r g gives coefficient k + 1 of y, divided by
k + 1: one convolution per order and function, so the cost grows like the square of the order (Griewank and Walther
2008, section 13.2). The value at t = 0 comes from the inner algebra.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.scalars.taylor import Series, product_coefficient, rate, square_coefficient, times, truncated

EXACT = 2**53
"""Whole numbers up to here are doubles."""

Slopes = Callable[[int, Sequence[Sequence[Scalar]]], Sequence[Scalar]]


def factorial_factors(n: int) -> list[int]:
    """Whole numbers whose product is n!, each small enough to be a double."""
    factors = [1]
    for number in range(2, n + 1):
        if factors[-1] * number < EXACT:
            factors[-1] *= number
        else:
            factors.append(number)
    return factors


def reciprocal(algebra: Algebra, *numbers: int) -> Scalar:
    """One over a product of whole numbers, as precise as the algebra is: a third is no double."""
    share = algebra.constant(1.0)
    for number in numbers:
        share = share / number
    return share


def integral(inner: Algebra, x: Series, start: Scalar) -> Series:
    """The series with rate x and a given value at t = 0, one order longer than x; it remembers its rate."""
    shares = [times(c, reciprocal(inner, k + 1)) for k, c in enumerate(x.coefficients)]
    return Series([start, *shares], x)


def sin_cos(inner: Algebra, u: Series, known: tuple[Series, Series] | None = None) -> tuple[Series, Series]:
    """Sine and cosine, s' = u' c and c' = -u' s; ``known`` are both to a lower order, from where to go on."""
    starts = [[value] for value in inner.sin_cos(u.leading)] if known is None else [x.coefficients for x in known]
    sine, cosine = _solved(inner, u, starts, lambda k, y: (y[1][k], -y[0][k]))
    return sine, cosine


def sinh_cosh(inner: Algebra, u: Series) -> tuple[Series, Series]:
    """Hyperbolic sine and cosine."""
    starts = [[inner.function(name, u.leading)] for name in ("sinh", "cosh")]
    sine, cosine = _solved(inner, u, starts, lambda k, y: (y[1][k], y[0][k]))
    return sine, cosine


def exponential(inner: Algebra, u: Series, start: Scalar) -> Series:
    """The solution of y' = u' y from a given value: exp(u) if that is exp(u_0)."""
    return _solved(inner, u, [[start]], lambda k, y: (y[0][k],))[0]


def tangent(inner: Algebra, u: Series, hyperbolic: bool) -> Series:
    """Tangent, y' = u' (1 + y^2), or the hyperbolic one, y' = u' (1 - y^2)."""
    sign, start = (-1, "tanh") if hyperbolic else (1, "tan")

    def slope(k: int, y: Sequence[Sequence[Scalar]]) -> Sequence[Scalar]:
        square = square_coefficient(y[0], k)
        square = -square if sign < 0 else square
        return (1 + square if k == 0 else square,)

    return _solved(inner, u, [[inner.function(start, u.leading)]], slope)[0]


def _solved(inner: Algebra, u: Series, starts: Sequence[Sequence[Scalar]], slopes: Slopes) -> list[Series]:
    """Series y_i with y_i' = u' g_i, to the order of u, from their first coefficients.

    ``slopes(k, y)`` gives coefficient k of every g_i from coefficients 0 .. k of every y.
    """
    found = [list(start) for start in starts]
    done = len(found[0]) - 1
    rates = rate(u).coefficients if u.order > 0 else ()
    partners: list[list[Scalar]] = [[] for _ in found]
    for k in range(u.order):
        for partner, value in zip(partners, slopes(k, found), strict=True):
            partner.append(value)
        if k >= done:
            share = reciprocal(inner, k + 1)
            for own, partner in zip(found, partners, strict=True):
                own.append(times(product_coefficient(rates, partner, k), share))
    return [Series(own[: u.order + 1]) for own in found]


def root(inner: Algebra, u: Series, known: Series | None = None) -> Series:
    """Square root, from u = y^2; u_0 > 0. ``known`` is the root to a lower order, from where to go on."""
    found = [inner.function("sqrt", u.leading)] if known is None else list(known.coefficients)
    half = 1 / (found[0] + found[0]) if u.order > 0 else None
    for k in range(len(found), u.order + 1):
        found.append(times(u.coefficients[k] - square_coefficient(found, k, first=1), half))
    return Series(found[: u.order + 1])


def power(inner: Algebra, u: Series, exponent: Scalar) -> Series:
    """``u^a`` for a constant a and u_0 not 0, from u y' = a u' y.

    ``k u_0 y_k = sum (a j - (k - j)) u_j y_(k-j)`` for j = 1 .. k.
    """
    found = [inner.function("pow", u.leading, exponent)]
    inverse = 1 / u.leading if u.order > 0 else None
    for k in range(1, u.order + 1):
        weighted = [times(c, exponent * j - (k - j)) for j, c in enumerate(u.coefficients[: k + 1])]
        total = times(product_coefficient(weighted, found, k, first=1), inverse)
        found.append(times(total, reciprocal(inner, k)))
    return Series(found)


def whole_power(u: Series, exponent: int) -> Series:
    """``u^n`` by repeated squaring, n > 0; u_0 may be 0."""
    result: Series | None = None
    while exponent:
        if exponent % 2:
            result = u if result is None else result * u
        exponent //= 2
        if exponent:
            u = u * u
    assert result is not None
    return result


def by_quadrature(inner: Algebra, value: Scalar, u: Series, divisor: Callable[[Series], Series]) -> Series:
    """The function with y' = u' / divisor(u) and the given value at t = 0: logarithm and inverse functions."""
    if u.order == 0:
        return Series([value])
    return integral(inner, rate(u) / divisor(truncated(u, u.order - 1)), value)


def arc_tangent_of_two(inner: Algebra, value: Scalar, y: Series, x: Series) -> Series:
    """The angle of the point (x, y), by (x y' - y x') / (x^2 + y^2), with the given value at t = 0."""
    order = min(x.order, y.order)
    if order == 0:
        return Series([value])
    y, x = truncated(y, order), truncated(x, order)
    below = truncated(y, order - 1), truncated(x, order - 1)
    turned = below[1] * rate(y) - below[0] * rate(x)
    return integral(inner, turned / (below[0] * below[0] + below[1] * below[1]), value)
