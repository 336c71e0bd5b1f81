"""Truncated Taylor series in mpmath, as plain lists of coefficients, and vectors and matrices of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mpmath import mp

Series = list[Any]
"""Coefficients of 1, t, t^2 .."""
Vector = list[Series]
Matrix = list[list[Series]]


def times(a: Series, b: Series) -> Series:
    """A product, cut to the shorter factor."""
    return [mp.fdot(a[: k + 1], b[k::-1]) for k in range(min(len(a), len(b)))]


def rate(a: Series) -> Series:
    """The derivative, one coefficient shorter."""
    return [k * x for k, x in enumerate(a)][1:]


def integral(a: Series, start: Any) -> Series:
    """The integral, one coefficient longer."""
    return [mp.mpf(start), *(x / (k + 1) for k, x in enumerate(a))]


def sine_cosine(angle: Series) -> tuple[Series, Series]:
    """Both, from s' = c x' and c' = -s x'."""
    sine, cosine, slope = [mp.sin(angle[0])], [mp.cos(angle[0])], rate(angle)
    for k in range(1, len(angle)):
        sine.append(mp.fdot(cosine, slope[k - 1 :: -1]) / k)
        cosine.append(-mp.fdot(sine[:k], slope[k - 1 :: -1]) / k)
    return sine, cosine


def hyperbolic_tangent(x: Series) -> Series:
    """From y' = (1 - y^2) x'."""
    found, slope = [mp.tanh(x[0])], rate(x)
    for k in range(1, len(x)):
        rest = [-value for value in times(found, found)]
        rest[0] += 1
        found.append(mp.fdot(rest, slope[k - 1 :: -1]) / k)
    return found


def constant(values: Sequence[Any], length: int) -> Vector:
    """A vector that does not move."""
    return [[mp.mpf(value), *[mp.mpf(0)] * (length - 1)] for value in values]


def constant_matrix(rows: Sequence[Sequence[Any]], length: int) -> Matrix:
    """A matrix that does not move."""
    return [constant(row, length) for row in rows]


def plus(*terms: Vector) -> Vector:
    """A sum, cut to the shortest."""
    return [[mp.fsum(x) for x in zip(*parts, strict=False)] for parts in zip(*terms, strict=True)]


def scaled(factor: Any, a: Vector) -> Vector:
    """A vector times a number."""
    return [[factor * x for x in part] for part in a]


def cross(a: Vector, b: Vector) -> Vector:
    """A vector product."""
    pairs = ((1, 2), (2, 0), (0, 1))
    return [[x - y for x, y in zip(times(a[i], b[j]), times(a[j], b[i]), strict=True)] for i, j in pairs]


def dot(a: Vector, b: Vector) -> Series:
    """A scalar product."""
    return [mp.fsum(x) for x in zip(*(times(x, y) for x, y in zip(a, b, strict=True)), strict=True)]


def turned(R: Matrix, x: Vector) -> Vector:
    """R x."""
    return [dot(row, x) for row in R]


def product(A: Matrix, B: Matrix) -> Matrix:
    """A B."""
    columns = transposed(B)
    return [[dot(row, column) for column in columns] for row in A]


def transposed(A: Matrix) -> Matrix:
    """A^T."""
    return [list(column) for column in zip(*A, strict=True)]


def about(axis: Vector, angle: Series) -> Matrix:
    """A turn about a constant unit axis u: (1 - c) u u^T + c + s [u]."""
    s, c = sine_cosine(angle)
    lean = [-x for x in c]
    lean[0] += 1
    x, y, z = (part[0] for part in axis)
    skew = ((0, -z, y), (z, 0, -x), (-y, x, 0))
    return [
        [
            [a * b * l + (c[k] if i == j else 0) + skew[i][j] * s[k] for k, l in enumerate(lean)]  # noqa: E741
            for j, b in enumerate((x, y, z))
        ]
        for i, a in enumerate((x, y, z))
    ]


def turning(start: Sequence[Sequence[Any]], omega: Vector, *, fixed_axes: bool = False) -> Matrix:
    """The rotation that leaves ``start`` by R' = R [omega], or by R' = [omega] R in fixed axes."""
    rows: Matrix = [[[value] for value in row] for row in (zip(*start, strict=True) if fixed_axes else start)]
    for k in range(1, len(omega[0]) + 1):
        for row in rows:  # of R^T in fixed axes, which turns at -omega
            grown = cross(row, scaled(-1 if fixed_axes else 1, omega))
            for entry, more in zip(row, grown, strict=True):
                entry.append(more[k - 1] / k)
    return transposed(rows) if fixed_axes else rows
