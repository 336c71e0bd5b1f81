"""Functions along a beam that are a polynomial per stretch, as series of Legendre polynomials."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import mpmath
import numpy as np
import sympy
from numpy.polynomial import legendre

from symdyn.shapes.formula import X, differentiate
from symdyn.shapes.shape import SHAPE_DIGITS, by_stretch


@dataclass(frozen=True, slots=True)
class LegendreShape:
    """A polynomial per stretch, as a series of Legendre polynomials in u = (2 x - a - b) / (b - a) on [a, b]."""

    ends: tuple[float, ...]
    series: tuple[tuple[float, ...], ...]

    def _bounds(self, stretch: int) -> tuple[float, float]:
        return (self.ends[stretch - 1] if stretch else 0.0), self.ends[stretch]

    def __call__(self, x: Any, derivative: int = 0) -> Any:
        """Value at x, or that of a derivative."""
        if not isinstance(x, mpmath.mpf):
            x = np.asarray(x, dtype=float)
            bounds = np.array((0.0, *self.ends))
            stretch = np.searchsorted(bounds[1:-1], x, side="left")
            start, end = bounds[stretch], bounds[stretch + 1]
            terms = np.moveaxis(_derived(self.ends, self.series, derivative)[stretch], -1, 0)
            return legendre.legval((2.0 * x - start - end) / (end - start), terms, tensor=False)

        def value(stretch: int, inside: Any) -> Any:
            a, b = (mpmath.mpf(bound) for bound in self._bounds(stretch))
            powers = _powers(self.series[stretch], derivative)
            # Powers cancel where Legendre polynomials would not.
            with mpmath.extraprec(4 * len(powers)):
                return mpmath.polyval(powers, (2 * inside - a - b) / (b - a)) * (2 / (b - a)) ** derivative

        return by_stretch(self.ends, x, value)

    def expressions(self, derivative: int = 0) -> tuple[sympy.Expr, ...]:
        """Polynomials in x whose coefficients are exact fractions."""
        pieces = []
        for stretch, series in enumerate(self.series):
            a, b = (sympy.Rational(bound) for bound in self._bounds(stretch))
            u = sympy.Symbol("u")
            polynomial = sum(
                (sympy.Rational(term) * sympy.legendre(k, u) for k, term in enumerate(series)), sympy.Integer(0)
            )
            shifted = sympy.Poly(polynomial, u).compose(sympy.Poly((2 * X - a - b) / (b - a), X)).as_expr()
            pieces.append(differentiate(shifted, derivative))
        return tuple(pieces)


@lru_cache(maxsize=256)
def _derived(ends: tuple[float, ...], series: tuple[tuple[float, ...], ...], derivative: int) -> np.ndarray[Any, Any]:
    """Legendre series of a derivative with respect to x, (stretches, terms)."""
    rows = np.zeros((len(series), max(map(len, series))))
    for row, terms in zip(rows, series, strict=True):
        row[: len(terms)] = terms
    widths = np.diff(np.array((0.0, *ends)))
    return np.asarray(legendre.legder(rows, derivative, axis=1) * (2.0 / widths[:, None]) ** derivative)


@lru_cache(maxsize=4096)
def _powers(series: tuple[float, ...], derivative: int) -> tuple[Any, ...]:
    """A Legendre series, or its derivative, as a polynomial: factors of u^n, ..., u, 1, with SHAPE_DIGITS digits."""
    size = len(series)
    with mpmath.workdps(SHAPE_DIGITS + size):
        total = [mpmath.mpf(0)] * size
        for k, term in enumerate(series):
            for power, factor in _legendre_polynomial(k).items():
                total[power] += mpmath.mpf(term) * factor.numerator / factor.denominator
        for _ in range(derivative):
            total = [power * factor for power, factor in enumerate(total)][1:] or [mpmath.mpf(0)]
        return tuple(reversed(total))


@lru_cache(maxsize=256)
def _legendre_polynomial(k: int) -> dict[int, Fraction]:
    """Factors of the powers of P_k, from k P_k = (2 k - 1) u P_(k-1) - (k - 1) P_(k-2)."""
    if k < 2:
        return {k: Fraction(1)}
    result = {power + 1: Fraction(2 * k - 1, k) * factor for power, factor in _legendre_polynomial(k - 1).items()}
    for power, factor in _legendre_polynomial(k - 2).items():
        result[power] = result.get(power, Fraction(0)) - Fraction(k - 1, k) * factor
    return result
