"""Sums of terms c t^n exp(k t) on the unit interval, with exact products, derivatives and integrals.

Polynomials, sines and cosines, hyperbolic functions and all their products are such sums, with complex c and k. So the
integrals of natural modes of uniform beams and of polynomial shapes have closed forms, evaluated here at mpmath's
working precision.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mpmath


@dataclass(frozen=True, slots=True)
class ExponentialSum:
    """A real function of t in [0, 1]; ``terms`` maps (power n, exponent k) to the factor c."""

    terms: Mapping[tuple[int, Any], Any]

    @classmethod
    def waves(cls, root: Any, coefficients: tuple[Any, Any, Any, Any]) -> ExponentialSum:
        """The combination of exp(-root t), exp(root (t - 1)), cos(root t) and sin(root t)."""
        near, far, cosine, sine = coefficients
        wave = mpmath.mpc(0, root)
        terms = {
            (0, mpmath.mpc(-root)): mpmath.mpc(near),
            (0, mpmath.mpc(root)): mpmath.mpc(far) * mpmath.exp(-root),
            (0, wave): mpmath.mpc(cosine, -sine) / 2,
            (0, -wave): mpmath.mpc(cosine, sine) / 2,
        }
        return cls({key: factor for key, factor in terms.items() if factor})

    @classmethod
    def power(cls, exponent: int) -> ExponentialSum:
        """The power t^exponent."""
        return cls({(exponent, mpmath.mpc(0)): mpmath.mpc(1)})

    def __mul__(self, other: ExponentialSum) -> ExponentialSum:
        """The product."""
        terms: dict[tuple[int, Any], Any] = {}
        for (n, k), c in self.terms.items():
            for (m, j), d in other.terms.items():
                key = (n + m, k + j)
                terms[key] = terms.get(key, 0) + c * d
        return ExponentialSum(terms)

    def minus(self, other: ExponentialSum) -> ExponentialSum:
        """The difference."""
        terms = dict(self.terms)
        for key, factor in other.terms.items():
            terms[key] = terms.get(key, 0) - factor
        return ExponentialSum(terms)

    def times(self, factor: Any) -> ExponentialSum:
        """The multiple by a number."""
        return ExponentialSum({key: factor * c for key, c in self.terms.items()})

    def derivative(self) -> ExponentialSum:
        """The derivative with respect to t."""
        terms: dict[tuple[int, Any], Any] = {}
        for (n, k), c in self.terms.items():
            if k:
                terms[n, k] = terms.get((n, k), 0) + c * k
            if n:
                terms[n - 1, k] = terms.get((n - 1, k), 0) + c * n
        return ExponentialSum(terms)

    def at_zero(self) -> Any:
        """Value at t = 0."""
        return mpmath.fsum(c.real for (n, _), c in self.terms.items() if n == 0)

    def at_one(self) -> Any:
        """Value at t = 1."""
        return mpmath.fsum((c * mpmath.exp(k)).real for (_, k), c in self.terms.items())

    def integral(self) -> Any:
        """Integral over [0, 1]: of t^n exp(k t) it is (exp(k) - n integral t^(n-1) exp(k t)) / k."""
        result = mpmath.mpf(0)
        for (n, k), c in self.terms.items():
            if not k:
                result += c.real / (n + 1)
                continue
            grown = mpmath.exp(k)
            part = (grown - 1) / k
            for power in range(1, n + 1):
                part = (grown - power * part) / k
            result += (c * part).real
        return result
