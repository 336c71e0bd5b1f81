"""Integrals in closed form, where every factor is a sum of exponentials times powers on the whole beam."""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from typing import cast

import mpmath
import sympy

from symdyn.shapes.exponential_sum import ExponentialSum
from symdyn.shapes.formula import X
from symdyn.shapes.shape import FormulaShape, NaturalShape, Shape, ShapeFromHub

_DIGITS = 40
_MAX_DEGREE = 40


def exact_integral(length: float, *factors: tuple[Shape, int]) -> float | None:
    """Integral over the beam of a product of shapes or their derivatives, or None where it has no closed form here.

    Natural modes of uniform beams and polynomials have one; stretches and other formulas are left to quadrature.
    """
    with mpmath.workdps(_DIGITS):
        product = ExponentialSum.power(0)
        for shape, derivative in factors:
            terms = _terms(cast(Hashable, shape), derivative)
            if terms is None:
                return None
            product = product * terms
        return float(product.integral() * length)


@lru_cache(maxsize=1024)
def _terms(shape: Hashable, derivative: int) -> ExponentialSum | None:
    """The derivative as a function of t = x / length."""
    if isinstance(shape, ShapeFromHub):
        mode = _terms(cast(Hashable, shape.mode), derivative)
        if mode is None or derivative > 1:
            return mode
        line = ExponentialSum.power(1 - derivative).times(shape.turn * mpmath.mpf(shape.ends[-1]) ** (1 - derivative))
        return mode.minus(line)
    if isinstance(shape, NaturalShape):
        result = ExponentialSum.waves(shape.root, shape.coefficients)
        for _ in range(derivative):
            result = result.derivative()
        return result.times(mpmath.mpf(shape.length) ** -derivative)
    if isinstance(shape, FormulaShape) and len(set(shape.pieces)) == 1:
        (formula,) = set(shape.expressions(derivative))
        if formula.is_polynomial(X) and _degree_bound(formula) <= _MAX_DEGREE:
            length = sympy.Rational(shape.ends[-1])
            monomials = sympy.Poly(formula, X).terms()
            return ExponentialSum(
                {
                    (power, mpmath.mpc(0)): mpmath.mpc(mpmath.mpmathify(sympy.N(factor * length**power, _DIGITS)))
                    for (power,), factor in monomials
                    if factor
                }
            )
    return None


def _degree_bound(polynomial: sympy.Expr) -> int:
    """No less than the degree in x, without multiplying out."""
    if not polynomial.has(X):
        return 0
    if polynomial == X:
        return 1
    degrees = [_degree_bound(argument) for argument in polynomial.args]
    if polynomial.is_Add:
        return max(degrees)
    return sum(degrees) if polynomial.is_Mul else degrees[0] * int(polynomial.args[1])
