"""Elementary functions of truncated Taylor series, each by the differential equation that it solves.

With u the argument and r = u' its rate, every function here satisfies y' = r g where g is y itself, a partner of y, a
square of y, or a function of u that is cheaper than y. Coefficient k of r g gives coefficient k + 1 of y, divided by
k + 1: one convolution per order and function, so the cost grows like the square of the order (Griewank and Walther
2008, section 13.2). The value at t = 0 comes from the inner algebra.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.taylor import Series, product_coefficient, rate, square_coefficient, times, truncated

EXACT = 2**53
"""Whole numbers up to here are doubles."""
_SATURATED = 40.0
"""From here on 1 - tanh^2 is below 1e-33. The square of cosh is finite in float32, too."""


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
    return Series.on_demand(
        x.order + 1, lambda k: times(x.coefficient(k - 1), reciprocal(inner, k)) if k else start, known_rate=x
    )


def solution(
    inner: Algebra,
    order: int,
    start: Sequence[Scalar],
    rates: Callable[[int], Sequence[Scalar]],
    divisor: int = 1,
) -> list[Series]:
    """Series y_i with ``divisor * y_i' = g_i``, from their values at t = 0.

    Parameters
    ----------
    inner
        The coefficients' algebra.
    order
        To which the y_i are found.
    start
        Their values at t = 0.
    rates
        ``rates(k)`` are coefficients k of the g_i; they may ask for coefficients 0 .. k of the y_i.
    divisor
        What the g_i are too large by.
    """
    found: dict[int, Sequence[Scalar]] = {}

    def rate_coefficient(place: int, k: int) -> Scalar:
        if k not in found:
            found[k] = rates(k)
        return found[k][place]

    def series(place: int) -> Series:
        def coefficient(k: int) -> Scalar:
            return times(rate_coefficient(place, k - 1), reciprocal(inner, divisor * k)) if k else start[place]

        known = Series.on_demand(order - 1, lambda k: rate_coefficient(place, k)) if divisor == 1 and order else None
        return Series.on_demand(order, coefficient, known)

    return [series(place) for place in range(len(start))]


def sin_cos(inner: Algebra, u: Series) -> tuple[Series, Series]:
    """Sine and cosine, s' = u' c and c' = -u' s."""
    sine, cosine = _led_by(inner, u, inner.sin_cos(u.leading), lambda s, c: (c, -s))
    return sine, cosine


def sinh_cosh(inner: Algebra, u: Series) -> tuple[Series, Series]:
    """Hyperbolic sine and cosine."""
    starts = [inner.function(name, u.leading) for name in ("sinh", "cosh")]
    sine, cosine = _led_by(inner, u, starts, lambda s, c: (c, s))
    return sine, cosine


def exponential(inner: Algebra, u: Series, start: Scalar) -> Series:
    """The solution of y' = u' y from a given value: exp(u) if that is exp(u_0)."""
    return _led_by(inner, u, [start], lambda y: (y,))[0]


def tangent(inner: Algebra, u: Series, hyperbolic: bool) -> Series:
    """Tangent, y' = u' (1 + y^2), or the hyperbolic one, y' = u' (1 - y^2)."""
    start = inner.function("tanh" if hyperbolic else "tan", u.leading)
    return _led_by(inner, u, [start], lambda y: (_bell(inner, u, y) if hyperbolic else 1 + y * y,))[0]


def _bell(inner: Algebra, u: Series, y: Series) -> Series:
    """1 - y^2 for y = tanh u. At t = 0 it is 1 / cosh(u_0)^2: where y is near 1, a difference is rounding alone."""

    def coefficient(k: int) -> Scalar:
        if k:
            return times(-1, square_coefficient(y, k))
        near = inner.function("min", inner.function("max", u.leading, -_SATURATED), _SATURATED)
        height = inner.function("cosh", near)
        return 1.0 / (height * height)

    return Series.on_demand(y.order, coefficient)


def _led_by(
    inner: Algebra, u: Series, starts: Sequence[Scalar], slopes: Callable[..., Sequence[Series]]
) -> list[Series]:
    """Series y_i with y_i' = u' g_i, to the order of u, from their values at t = 0; ``slopes(*y)`` are the g_i."""
    if u.order == 0:
        return [Series([start]) for start in starts]
    found: list[Series] = []
    partners: list[Series] = []

    def rates(k: int) -> list[Scalar]:
        if not partners:
            partners.extend(slopes(*found))
        return [product_coefficient(rate(u), partner, k) for partner in partners]

    found += solution(inner, u.order, starts, rates)
    return found


def root(inner: Algebra, u: Series) -> Series:
    """Square root, from u = y^2; u_0 > 0."""
    half: list[Scalar] = []

    def coefficient(k: int) -> Scalar:
        if k == 0:
            return inner.function("sqrt", u.leading)
        if not half:
            half.append(1 / (found.coefficient(0) + found.coefficient(0)))
        return times(u.coefficient(k) - square_coefficient(found, k, first=1), half[0])

    found = Series.on_demand(u.order, coefficient)
    return found


def power(inner: Algebra, u: Series, exponent: Scalar) -> Series:
    """``u^a`` for a constant a and u_0 not 0, from u y' = a u' y.

    ``k u_0 y_k = sum (a j - (k - j)) u_j y_(k-j)`` for j = 1 .. k.
    """
    inverse: list[Scalar] = []

    def coefficient(k: int) -> Scalar:
        if k == 0:
            return inner.function("pow", u.leading, exponent)
        if not inverse:
            inverse.append(1 / u.leading)
        weighted = Series.on_demand(k, lambda j: times(u.coefficient(j), exponent * j - (k - j)))
        total = times(product_coefficient(weighted, found, k, first=1), inverse[0])
        return times(total, reciprocal(inner, k))

    found = Series.on_demand(u.order, coefficient)
    return found


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
