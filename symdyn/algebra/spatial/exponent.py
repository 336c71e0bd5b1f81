"""The exponent of one step along a rod, from moments of the strain over the step, with any number of its rates.

Frames along a rod obey ``X' = X xi`` with the strain xi = (v; omega) per metre. Over a step X_far = X_near exp(Omega),
where Omega is a Magnus expansion: brackets of few moments of the strain, which are linear in it. With one, two or three
moments the expansion is of order 2, 4 or 6 in the step's length:

    b_1
    b_1 + ad(b_1) b_2
    b_1 + 5/6 b_3 + 5/3 ad(U) W,    U = b_1 + b_3 / 2 + K,  W = b_2 + ad(b_1) (b_3 - K) / 60,  K = ad(b_1) b_2

(Blanes & Moan 2006, whose brackets are for ``X' = xi X``). :mod:`symdyn.algebra.spatial.magnus` says which moments
these are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import comb

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.taylor_functions import reciprocal
from symdyn.algebra.spatial.force import dual_bracket
from symdyn.algebra.spatial.motion import bracket
from symdyn.algebra.spatial.vectors import Vector, add, scale, subtract

Rates = Sequence[Vector]
"""A vector, its rate, the rate of that, and so on."""


def exponent(algebra: Algebra, moments: Sequence[Vector]) -> list[Scalar]:
    """Omega (6,) of one, two or three moments b_i (6,); lengths in m, angles in rad."""
    (found,) = exponent_rates(algebra, [[moment] for moment in moments])
    return found


def exponent_rates(algebra: Algebra, moments: Sequence[Rates]) -> list[list[Scalar]]:
    """Omega, Omega', Omega'' .. from as many rates of every moment."""
    if len(moments) == 1:
        return [list(rate) for rate in moments[0]]
    first, second = moments[:2]
    bent = _brackets(first, second)
    if len(moments) == 2:
        return _added(first, bent)
    third = moments[2]
    twice = _brackets(first, _less(third, bent))
    right = _added(second, _scaled(reciprocal(algebra, 60), twice))
    left = _added(_added(first, _scaled(0.5, third)), bent)
    linear = _added(first, _scaled(5.0 * reciprocal(algebra, 6), third))
    return _added(linear, _scaled(5.0 * reciprocal(algebra, 3), _brackets(left, right)))


def exponent_transpose(algebra: Algebra, moments: Sequence[Vector], wrench: Vector) -> list[list[Scalar]]:
    """``(dOmega / db_i)^T g``, for each moment a wrench (6,) that does the same work on it as g does on Omega."""
    if len(moments) == 1:
        return [list(wrench)]
    if len(moments) == 2:
        first, second = moments
        return [add(wrench, dual_bracket(second, wrench)), _negated(dual_bracket(first, wrench))]
    # Reverse mode by hand, from the outer bracket inwards: of_x is the wrench on x. The transpose of a bracket ad(a) b
    # takes a wrench g to dual_bracket(b, g) on a, and to -dual_bracket(a, g) on b.
    first, second, third = moments
    bent = bracket(first, second)
    rest = subtract(third, bent)
    sixtieth = reciprocal(algebra, 60)
    right = add(second, scale(sixtieth, bracket(first, rest)))
    left = add(add(first, scale(0.5, third)), bent)
    of_product = scale(5.0 * reciprocal(algebra, 3), wrench)
    of_left = dual_bracket(right, of_product)
    of_right = _negated(dual_bracket(left, of_product))
    of_twice = scale(sixtieth, of_right)
    of_rest = _negated(dual_bracket(first, of_twice))
    of_bent = subtract(of_left, of_rest)
    return [
        add(add(wrench, of_left), add(dual_bracket(rest, of_twice), dual_bracket(second, of_bent))),
        subtract(of_right, dual_bracket(first, of_bent)),
        add(add(scale(5.0 * reciprocal(algebra, 6), wrench), scale(0.5, of_left)), of_rest),
    ]


def _brackets(a: Rates, b: Rates) -> list[list[Scalar]]:
    """``ad(a) b`` and its rates, by Leibniz' rule."""
    return [
        reduce(add, [bracket(_times(comb(order, k), a[k]), b[order - k]) for k in reversed(range(order + 1))])
        for order in range(len(a))
    ]


def _times(count: int, a: Vector) -> Vector:
    return a if count == 1 else scale(float(count), a)


def _added(a: Rates, b: Rates) -> list[list[Scalar]]:
    return [add(x, y) for x, y in zip(a, b, strict=True)]


def _less(a: Rates, b: Rates) -> list[list[Scalar]]:
    return [subtract(x, y) for x, y in zip(a, b, strict=True)]


def _scaled(factor: Scalar, a: Rates) -> list[list[Scalar]]:
    return [scale(factor, x) for x in a]


def _negated(a: Vector) -> list[Scalar]:
    return [-x for x in a]
