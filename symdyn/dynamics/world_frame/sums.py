"""Plain time derivatives, by Leibniz' rule, of what moves with a body, in the world frame (Ali et al. 2026, app. E).

Every function gives the derivative of one order from those below it, so that one text serves inverse dynamics, where
all orders are known at once, and forward dynamics, which finds them one by one. Lists are indexed by the order; of
twists V, V', .. the k-th derivative of what is fixed in the body needs those to order k - 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.spatial.force import dual_bracket
from symdyn.algebra.spatial.motion import SIZE, bracket
from symdyn.algebra.spatial.symmetric import unpacked, upper
from symdyn.algebra.spatial.vectors import Vector, add, scale, times

Columns = Sequence[Vector]
"""The columns of a joint's 6 x n matrix S, or of a 6 x 6 matrix."""


def weighted(number: int, a: Vector) -> Vector:
    """``number * a``, with no product where the number is one."""
    return a if number == 1 else scale(number, a)


def _carried_rate(
    rule: Callable[[Vector, Vector], list[Scalar]], twists: Sequence[Vector], values: Sequence[Columns], order: int
) -> list[list[Scalar]]:
    """``sum of binom(k - 1, j) rule(V^(j), X^(k - 1 - j))`` for every column X, with k the order."""
    found: list[list[Scalar]] = [[0.0] * SIZE for _ in values[0]]
    for j in range(order):
        twist = weighted(comb(order - 1, j), twists[j])
        found = [add(total, rule(twist, x)) for total, x in zip(found, values[order - 1 - j], strict=True)]
    return found


def screw_rate(twists: Sequence[Vector], screws: Sequence[Columns], order: int) -> list[list[Scalar]]:
    """S^(k) of algorithm 1, ``sum of binom(k - 1, j) ad_V^(j) S^(k - 1 - j)``, for k > 0."""
    return _carried_rate(bracket, twists, screws, order)


def wrench_rate(twists: Sequence[Vector], wrenches: Sequence[Columns], order: int) -> list[list[Scalar]]:
    """The derivative of wrenches (or columns of Ad_C^-T, eq. 70) that are fixed in the body, for k > 0."""
    return _carried_rate(dual_bracket, twists, wrenches, order)


def inertia_rate(twists: Sequence[Vector], inertias: Sequence[Sequence[Scalar]], order: int) -> list[Scalar]:
    """M^(k) of eq. 61 for k > 0; packed, as all of them.

    The matrices are symmetric, so ``M ad`` and ``ad^T M`` are transposes of each other and one of them is enough. Its
    rows are wrenches, each of which goes with the body.
    """
    rows = _carried_rate(dual_bracket, twists, [unpacked(inertia, SIZE) for inertia in inertias], order)
    return [rows[row][column] + rows[column][row] for row, column in upper(SIZE)]


def twist_sum(screws: Sequence[Columns], rates: Sequence[Vector], order: int, first: int = 0) -> list[Scalar]:
    """``sum of binom(k, j) S^(j) v^(k - j)`` from j = ``first``: the joint's share of V^(k), with v the joint's rates.

    From j = 1 it is the bias of eq. 66, which lacks the rate of the highest order.
    """
    found: list[Scalar] = [0.0] * SIZE
    for j in range(first, order + 1):
        for column, rate in zip(screws[j], weighted(comb(order, j), rates[order - j]), strict=True):
            found = add(found, scale(rate, column))
    return found


def momentum_sum(inertias: Sequence[Sequence[Scalar]], twists: Sequence[Vector], order: int, last: int) -> list[Scalar]:
    """``sum of binom(k, j) M^(k - j) V^(j)`` up to j = ``last``: the momentum's derivative (eq. 62) for ``last = k``.

    With ``last = k - 1`` it is the bias of eq. 65, which lacks the twist of the highest order.
    """
    found: list[Scalar] = [0.0] * SIZE
    for j in range(last + 1):
        inertia = unpacked(inertias[order - j], SIZE)
        found = add(found, times(inertia, weighted(comb(order, j), twists[j])))
    return found


def force_sum(screws: Sequence[Columns], wrenches: Sequence[Vector], order: int, last: int) -> list[Scalar]:
    """``sum of binom(k, j) S^(k - j)^T W^(j)`` up to j = ``last``: the joint's force Q^(k) of algorithm 2.

    With ``last = k - 1`` it is the share of eq. 25 that lower orders fix.
    """
    found: list[Scalar] = [0.0] * len(screws[0])
    for j in range(last + 1):
        found = add(found, times(screws[order - j], weighted(comb(order, j), wrenches[j])))
    return found


def at_orders(scalars: Sequence[Scalar], width: int) -> list[list[Scalar]]:
    """Scalars that lie order by order, ``width`` of each."""
    return [list(scalars[start : start + width]) for start in range(0, len(scalars), width)]


def columns_at_orders(scalars: Sequence[Scalar], columns: int) -> list[list[list[Scalar]]]:
    """Matrices of six rows that lie order by order and column by column."""
    return [at_orders(matrix, SIZE) for matrix in at_orders(scalars, SIZE * columns)]


def side_by_side(matrices: Sequence[Columns]) -> list[Scalar]:
    """Inverse of :func:`columns_at_orders`."""
    return [scalar for matrix in matrices for column in matrix for scalar in column]
