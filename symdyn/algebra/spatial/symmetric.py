"""Symmetric matrices of any size, stored as their entries on and above the diagonal, and their L D L^T factors."""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.spatial.vectors import Matrix, Vector, dot, times


def packed_size(size: int) -> int:
    """Number of entries on and above the diagonal."""
    return size * (size + 1) // 2


def upper(size: int) -> list[tuple[int, int]]:
    """Row and column of the entries on and above the diagonal, row by row."""
    return [(row, column) for row in range(size) for column in range(row, size)]


def packed(matrix: Matrix) -> list[Scalar]:
    """Entries on and above the diagonal, row by row."""
    return [matrix[row][column] for row, column in upper(len(matrix))]


def unpacked(entries: Sequence[Scalar], size: int) -> list[list[Scalar]]:
    """The full matrix."""
    found: list[list[Scalar]] = [[0.0] * size for _ in range(size)]
    for (row, column), entry in zip(upper(size), entries, strict=True):
        found[row][column] = found[column][row] = entry
    return found


def combined(columns: Sequence[Vector], factors: Vector, size: int) -> list[Scalar]:
    """``sum of columns times factors``, of length ``size``; zero where there are no columns."""
    return [dot([column[row] for column in columns], factors) for row in range(size)]


def congruence(matrix: Sequence[Scalar], columns: Sequence[Vector]) -> list[Scalar]:
    """``X^T A X`` of a symmetric A (packed) for the columns of X, packed."""
    size = len(columns[0])
    full = unpacked(matrix, size)
    images = [times(full, column) for column in columns]
    return [dot(columns[row], images[column]) for row, column in upper(len(columns))]


def ldl_factor(entries: Sequence[Scalar], size: int) -> list[Scalar]:
    """Factors of a positive definite matrix A = L D L^T (both packed).

    Returns
    -------
    Packed by rows of L^T: 1 / D on the diagonal, L below it (seen from L).
    """
    full = unpacked(entries, size)
    lower: list[list[Scalar]] = [[0.0] * size for _ in range(size)]
    scaled: list[list[Scalar]] = [[0.0] * size for _ in range(size)]  # L D
    inverse: list[Scalar] = []
    for column in range(size):
        for row in range(column, size):
            rest = full[row][column]
            for known in range(column):
                rest = rest - lower[column][known] * scaled[row][known]
            scaled[row][column] = rest
        inverse.append(1.0 / scaled[column][column])
        for row in range(column + 1, size):
            lower[row][column] = scaled[row][column] * inverse[column]
    return [inverse[row] if row == column else lower[column][row] for row, column in upper(size)]


def ldl_solve(factor: Sequence[Scalar], right: Vector) -> list[Scalar]:
    """The x with ``A x = right``, from :func:`ldl_factor`."""
    size = len(right)
    full = unpacked(factor, size)
    found = list(right)
    for row in range(size):
        for known in range(row):
            found[row] = found[row] - full[row][known] * found[known]
    found = [full[row][row] * found[row] for row in range(size)]
    for row in reversed(range(size)):
        for known in range(row + 1, size):
            found[row] = found[row] - full[row][known] * found[known]
    return found
