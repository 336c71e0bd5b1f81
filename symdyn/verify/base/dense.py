"""Dense linear algebra over mpmath reals, of any size: rows in lists, no structure used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mpmath import mp

from symdyn.errors import VerificationError
from symdyn.verify.base.matrices import Real, dot


class SingularMatrixError(VerificationError):
    """Equations of a state that have no solution, or several; ``remedy`` says what to change about the robot."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what)
        self.remedy = remedy


_MASSLESS = "accelerations do not exist; give every moving link a mass, or its joint an armature"

Rows = list[list[Real]]


def zero_matrix(rows: int, columns: int) -> Rows:
    """A matrix of zeros."""
    return [[mp.mpf(0)] * columns for _ in range(rows)]


def matrix_product(a: Rows, b: Rows) -> Rows:
    """``A B``."""
    columns = list(zip(*b, strict=True))
    return [[dot(row, column) for column in columns] for row in a]


def matrix_times(a: Rows, x: Sequence[Real]) -> list[Real]:
    """``A x``."""
    return [dot(row, x) for row in a]


def magnitudes(a: Rows) -> Rows:
    """``|A|``, entry by entry."""
    return [[abs(value) for value in row] for row in a]


def negative(a: Rows) -> Rows:
    """``-A``."""
    return [[-value for value in row] for row in a]


def matrix_sum(a: Rows, b: Rows) -> Rows:
    """``A + B``."""
    return [[x + y for x, y in zip(left, right, strict=True)] for left, right in zip(a, b, strict=True)]


def block(a: Rows, rows: Iterable[int], columns: Sequence[int]) -> Rows:
    """Some rows and columns of a matrix."""
    return [[a[row][column] for column in columns] for row in rows]


def flat(a: Rows) -> list[Real]:
    """Entries row by row."""
    return [value for row in a for value in row]


def inverse(a: Rows, name: str = "the mass matrix", remedy: str = _MASSLESS) -> Rows:
    """``A^-1`` by Gauss and Jordan with row pivoting.

    Parameters
    ----------
    a
        A.
    name, remedy
        What is said of A where it has no inverse.

    Raises
    ------
    SingularMatrixError
        A matrix that is singular to working precision.
    """
    size = len(a)
    work = [[*row, *(mp.mpf(place == index) for place in range(size))] for index, row in enumerate(a)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda row: abs(work[row][column]))
        if abs(work[pivot][column]) <= mp.eps * max(abs(value) for value in a[column]):
            raise SingularMatrixError(f"{name} is singular", remedy)
        work[column], work[pivot] = work[pivot], work[column]
        factor = 1 / work[column][column]
        leading = work[column] = [factor * value for value in work[column]]
        for row in range(size):
            share = work[row][column]
            if row != column and share:
                work[row] = [value - share * lead for value, lead in zip(work[row], leading, strict=True)]
    return [row[size:] for row in work]


def solution_scales(sizes: Rows, inverse_of_a: Rows, x: Rows, right: Rows) -> Rows:
    """``|A^-1| (S |x| + |b|)``: what the error of a solution of ``A x = b`` is measured against.

    One relative rounding of every term of the coefficients of A and of b moves x by at most u times this (Skeel 1979;
    Higham 2002, section 7.2), so no algorithm in working precision can promise less. The measure does not change when
    rows of A are scaled, as they are by a choice of units.

    Parameters
    ----------
    sizes
        S, for each coefficient of A the absolute sizes of the terms that it is a sum of; at least |A|.
    inverse_of_a
        The inverse of the matrix.
    x
        Columns of solutions.
    right
        Absolute sizes of the terms that the columns of b are sums of.
    """
    terms = matrix_sum(matrix_product(sizes, magnitudes(x)), right)
    return matrix_product(magnitudes(inverse_of_a), terms)
