"""3-vectors and 3 x 3 matrices of mpmath reals, and the arithmetic of their truncated Taylor series in time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, reduce
from typing import Any, TypeVar

from mpmath import mp
from mpmath.libmp import mpf_mul, mpf_sum

Real = Any
"""An ``mpmath.mpf`` (mpmath publishes no types)."""
Vector = list[Real]
Matrix = list[list[Real]]
MatrixSeries = list[Matrix]
"""Normalised coefficients: ``series[k]`` is the k-th time derivative divided by k!."""
VectorSeries = list[Vector]

_Left = TypeVar("_Left")
_Right = TypeVar("_Right")
_Product = TypeVar("_Product")


def vector(values: Sequence[Any]) -> Vector:
    """Exact copies of doubles (or mpf) as a vector."""
    return [mp.mpf(value) for value in values]


def identity() -> Matrix:
    """The unit matrix."""
    return [[mp.mpf(row == column) for column in range(3)] for row in range(3)]


def zeros() -> Matrix:
    """The zero matrix."""
    return [[mp.mpf(0)] * 3 for _ in range(3)]


def transpose(a: Matrix) -> Matrix:
    """``A^T``."""
    return [list(column) for column in zip(*a, strict=True)]


def in_rows(entries: Sequence[Real], width: int) -> Matrix:
    """The rows of a matrix whose entries are given row by row."""
    return [list(entries[first : first + width]) for first in range(0, len(entries), width)]


def product(a: Matrix, b: Matrix) -> Matrix:
    """``A B``."""
    columns = transpose(b)
    return [[dot(row, column) for column in columns] for row in a]


def times(a: Matrix, x: Sequence[Real]) -> Vector:
    """``A x``."""
    return [dot(row, x) for row in a]


def add(a: Sequence[Real], b: Sequence[Real]) -> Vector:
    """``a + b``."""
    return [left + right for left, right in zip(a, b, strict=True)]


def subtract(a: Sequence[Real], b: Sequence[Real]) -> Vector:
    """``a - b``."""
    return [left - right for left, right in zip(a, b, strict=True)]


def scale(factor: Real, a: Sequence[Real]) -> Vector:
    """``factor a``."""
    return [factor * value for value in a]


def dot(a: Sequence[Real], b: Sequence[Real]) -> Real:
    """``a . b``, rounded once: the number of ``mp.fdot``, which asks of every factor what it is."""
    try:
        terms = [mpf_mul(left._mpf_, right._mpf_) for left, right in zip(a, b, strict=True)]
    except AttributeError:  # a plain number among them
        return mp.fdot(a, b)
    return mp.make_mpf(mpf_sum(terms, *mp._prec_rounding))


def cross(a: Sequence[Real], b: Sequence[Real]) -> Vector:
    """``a x b``."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def add_matrices(a: Matrix, b: Matrix) -> Matrix:
    """``A + B``."""
    return [add(left, right) for left, right in zip(a, b, strict=True)]


def scale_matrix(factor: Real, a: Matrix) -> Matrix:
    """``factor A``."""
    return [scale(factor, row) for row in a]


def skew(a: Sequence[Real]) -> Matrix:
    """``[a]``, the matrix of ``a x``."""
    zero = mp.mpf(0)
    return [[zero, -a[2], a[1]], [a[2], zero, -a[0]], [-a[1], a[0], zero]]


def axial(a: Matrix) -> Vector:
    """The vector of the skew part of a matrix, the inverse of :func:`skew`."""
    return [(a[2][1] - a[1][2]) / 2, (a[0][2] - a[2][0]) / 2, (a[1][0] - a[0][1]) / 2]


def length(a: Sequence[Real]) -> Real:
    """``|a|``."""
    return mp.sqrt(dot(a, a))


def unit(a: Sequence[Real]) -> Vector:
    """``a / |a|``."""
    return scale(1 / length(a), a)


def nearest_rotation(a: Matrix) -> Matrix:
    """The rotation that a matrix of doubles stands for.

    Newton's iteration for the polar factor, ``R <- R (3 - R^T R) / 2``, doubles the correct digits at each turn; four
    turns carry a matrix that is orthogonal to 1e-6 past fifty digits. Each matrix is met at every state and in every
    difference, and corrected once.
    """
    return [list(row) for row in _nearest_rotation(tuple(map(tuple, a)), mp.prec)]


@lru_cache(maxsize=1000)
def _nearest_rotation(a: tuple[tuple[Real, ...], ...], _bits: int) -> Matrix:
    rotation = [list(row) for row in a]
    for _ in range(4):
        gram = product(transpose(rotation), rotation)
        rotation = product(rotation, add_matrices(scale_matrix(mp.mpf(3) / 2, identity()), scale_matrix(-0.5, gram)))
    return rotation


def _convolved(
    a: Sequence[_Left],
    b: Sequence[_Right],
    product_of: Callable[[_Left, _Right], _Product],
    sum_of: Callable[[_Product, _Product], _Product],
) -> list[_Product]:
    """The coefficients of the product of two series: the sums of ``a_k b_(n - k)`` over k."""
    return [
        reduce(sum_of, (product_of(a[power], b[order - power]) for power in range(order + 1)))
        for order in range(min(len(a), len(b)))
    ]


def series_product(a: MatrixSeries, b: MatrixSeries) -> MatrixSeries:
    """``A(t) B(t)``, cut at the length of the shorter factor."""
    return _convolved(a, b, product, add_matrices)


def series_times(a: MatrixSeries, x: VectorSeries) -> VectorSeries:
    """``A(t) x(t)``, cut at the length of the shorter factor."""
    return _convolved(a, x, times, add)


def series_cross(a: VectorSeries, b: VectorSeries) -> VectorSeries:
    """``a(t) x b(t)``, cut at the length of the shorter factor."""
    return _convolved(a, b, cross, add)


def rate(series: VectorSeries) -> VectorSeries:
    """The time derivative of a vector series, one coefficient shorter."""
    return [scale(power, series[power]) for power in range(1, len(series))]


def rotation_rate(series: MatrixSeries) -> VectorSeries:
    """Angular velocity ``omega(t)`` of a rotation series, from ``[omega] = R' R^T``; one coefficient shorter."""
    derivative = [scale_matrix(power, series[power]) for power in range(1, len(series))]
    turning = series_product(derivative, [transpose(matrix) for matrix in series])
    return [axial(matrix) for matrix in turning]
