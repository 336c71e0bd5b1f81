"""Vectors and matrices as plain sequences of scalars.

No function looks at a scalar's value: structural zeros are dropped by the symbolic algebra, not here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add as plus

from symdyn.algebra.scalars.algebra import Scalar

Vector = Sequence[Scalar]
Matrix = Sequence[Sequence[Scalar]]


def add(a: Vector, b: Vector) -> list[Scalar]:
    """``a + b``."""
    return [x + y for x, y in zip(a, b, strict=True)]


def subtract(a: Vector, b: Vector) -> list[Scalar]:
    """``a - b``."""
    return [x - y for x, y in zip(a, b, strict=True)]


def scale(factor: Scalar, a: Vector) -> list[Scalar]:
    """``factor * a``."""
    return [factor * x for x in a]


def dot(a: Vector, b: Vector) -> Scalar:
    """``a . b`` of vectors of one length; zero where they are empty."""
    if len(a) == 3:  # most are: written out, they take a seventh of the time
        return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    products = [x * y for x, y in zip(a, b, strict=True)]
    return reduce(plus, products) if products else 0.0


def cross(a: Vector, b: Vector) -> list[Scalar]:
    """``a x b`` of vectors of three."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def times(matrix: Matrix, a: Vector) -> list[Scalar]:
    """``matrix a``."""
    return [dot(row, a) for row in matrix]


def transpose(matrix: Matrix) -> list[list[Scalar]]:
    """The transpose."""
    return [list(column) for column in zip(*matrix, strict=True)]


def product(a: Matrix, b: Matrix) -> list[list[Scalar]]:
    """``a b``."""
    columns = transpose(b)
    return [[dot(row, column) for column in columns] for row in a]


def skew(a: Vector) -> list[list[Scalar]]:
    """``[a]``, with ``[a] b = a x b``."""
    return [[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]]


def matrix_from(entries: Sequence[Scalar]) -> list[list[Scalar]]:
    """Nine row-major scalars as a matrix."""
    return [list(entries[3 * row : 3 * row + 3]) for row in range(3)]


def entries_of(matrix: Matrix) -> list[Scalar]:
    """A matrix as nine row-major scalars."""
    return [entry for row in matrix for entry in row]
