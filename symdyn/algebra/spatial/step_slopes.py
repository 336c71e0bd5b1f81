"""Derivatives of one step along a rod by its exponent, in closed form (see ``spatial.step_pose``).

Let Omega depend on a parameter s as well as on time, and omega = dOmega/ds. With eta = D omega, the twist that the far
frame gets by s, order of differentiation does not matter (Maurer and Cartan):

    dX/ds = X eta,    dnu/ds = eta' + ad(nu) eta,    dnu'/ds = eta'' + ad(nu') eta + ad(nu) eta'

and for a move of Omega' by omega and of Omega'' by 2 omega', which is what a move of a rate does,

    dnu = eta,    dnu' = 2 eta' + ad(nu) eta.

D and its rates are matrices over dual numbers: the column of a turn, (H e; G e), tells that of a shift, (G e; 0).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import NamedTuple

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.exponential import stumpff
from symdyn.algebra.spatial.motion import bracket
from symdyn.algebra.spatial.vectors import Vector, add, dot, scale, subtract

ENTRIES = 18
"""Scalars of a matrix over dual numbers: the columns (H e; G e) of three turns."""

Dual = tuple[Scalar, Scalar]
"""A scalar, and its derivative along y."""
_UNITS = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0])


class Coefficients(NamedTuple):
    """c_2 and c_3 of the squared angle with their rates, their derivatives by half the squared angle, and all c_k."""

    c2: list[Dual]
    c3: list[Dual]
    slopes: tuple[Dual, Dual]
    functions: tuple[Scalar, ...]


def coefficients(algebra: Algebra, omega: Sequence[Vector], terms: int, widest: float) -> Coefficients:
    """Of Omega and as many rates as are given, up to two; ``terms`` and ``widest`` as in ``step_pose``."""
    y, x = omega[0][:3], omega[0][3:]
    c = stumpff(algebra, dot(x, x), max(terms - 2, 1), highest=9, largest=widest * widest)
    along = dot(x, y)
    # d c_k / d(s / 2) = k c_(k+2) - c_(k+1)
    twos = (c[2], 2.0 * c[4] - c[3], 8.0 * c[6] - 5.0 * c[5] + c[4], 48.0 * c[8] - 33.0 * c[7] + 9.0 * c[6] - c[5])
    threes = (
        c[3],
        3.0 * c[5] - c[4],
        15.0 * c[7] - 7.0 * c[6] + c[5],
        105.0 * c[9] - 57.0 * c[8] + 12.0 * c[7] - c[6],
    )
    found = []
    for own in (twos, threes):
        value, first, second = ((own[k], along * own[k + 1]) for k in range(3))
        rates = [value]
        if len(omega) > 1:
            speed = _dot(omega[0], omega[1])
            rates.append(_product(first, speed))
        if len(omega) > 2:
            growth = _sum(_dot(omega[1], omega[1]), _dot(omega[0], omega[2]))
            rates.append(_sum(_product(second, _product(speed, speed)), _product(first, growth)))
        found.append((rates, first))
    (c2, first2), (c3, first3) = found
    return Coefficients(c2, c3, (first2, first3), c)


def tangents(omega: Sequence[Vector], own: Coefficients) -> list[list[Scalar]]:
    """D and its rates, as many as Omega has: the columns of three turns each, one after the other."""
    found: list[list[Scalar]] = [[] for _ in omega]
    for unit in _UNITS:
        turn = [0.0, 0.0, 0.0, *unit]
        once = [bracket(rate, turn) for rate in omega]
        twice = [_leibniz([(omega[i], once[k - i]) for i in range(k + 1)], k) for k in range(len(omega))]
        for k, entries in enumerate(found):
            total: Vector = turn if k == 0 else [0.0] * 6
            for i in range(k + 1):
                part = subtract(_weighed(own.c3[i], twice[k - i]), _weighed(own.c2[i], once[k - i]))
                total = add(total, scale(float(comb(k, i)), part) if 0 < i < k else part)
            entries += total
    return found


def applied(matrix: Vector, motion: Vector) -> list[Scalar]:
    """A matrix of :func:`tangents` times a motion (v; omega)."""
    linear: Vector = [0.0] * 3
    angular: Vector = [0.0] * 3
    for place in range(3):
        column = matrix[6 * place : 6 * place + 6]
        angular = add(angular, scale(motion[3 + place], column[3:]))
        linear = add(linear, add(scale(motion[3 + place], column[:3]), scale(motion[place], column[3:])))
    return [*linear, *angular]


def _leibniz(factors: Sequence[tuple[Vector, Vector]], order: int) -> Vector:
    total: Vector = [0.0] * 6
    for place, (left, right) in enumerate(factors):
        part = bracket(left, right)
        total = add(total, scale(float(comb(order, place)), part) if 0 < place < order else part)
    return total


def _dot(a: Vector, b: Vector) -> Dual:
    return dot(a[3:], b[3:]), dot(a[:3], b[3:]) + dot(a[3:], b[:3])


def _product(a: Dual, b: Dual) -> Dual:
    return a[0] * b[0], a[0] * b[1] + a[1] * b[0]


def _sum(a: Dual, b: Dual) -> Dual:
    return a[0] + b[0], a[1] + b[1]


def _weighed(c: Dual, motion: Vector) -> list[Scalar]:
    return [*add(scale(c[0], motion[:3]), scale(c[1], motion[3:])), *scale(c[0], motion[3:])]
