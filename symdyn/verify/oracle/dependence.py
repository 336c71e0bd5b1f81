"""States in which rows of loops hold nothing, or depend on each other, so that no truth can be told there."""

from __future__ import annotations

from mpmath import mp

from symdyn.verify.base.dense import Rows, SingularMatrixError, inverse, matrix_product
from symdyn.verify.base.matrices import transpose

_LEAST = "1e-3"
"""Of the largest singular value of the rows of A, each of length one in the metric of M^-1: below it, rows depend."""

_PROXIMAL, _SOLUTIONS, _LOST = "1e-9", 3, "1e-15"
"""What is added to S = A M^-1 A^T, with ones on its diagonal, how often is solved, and what these may leave.

Of the share of an eigenvalue w of S in multipliers, (1e-9 / (1e-9 + w))^3 is missing after three proximal steps. Where
that is more than nine roundings of double precision, so below w = 1e-4, rows nearly depend: what multipliers lack there
is lost to the method, and not to rounding.
"""

_ROUNDED = "1e-6"
"""Of the terms that a row of A is a sum of: below it, the row is what rounding makes of it."""


def unit_matrix(size: int) -> Rows:
    """The unit matrix."""
    return [[mp.mpf(row == column) for column in range(size)] for row in range(size)]


def refuse_vanishing(A: Rows, A_sizes: Rows) -> None:
    """Refuse rows of A that nothing moves at first order, so that their length is one of rounding.

    Raises
    ------
    SingularMatrixError
        There is one.
    """
    for own, sizes in zip(A, A_sizes, strict=True):
        if mp.norm(own) < mp.mpf(_ROUNDED) * mp.norm(sizes):
            raise SingularMatrixError("a row of the loops nearly vanishes")


def refuse_dependent(M: Rows, A: Rows) -> None:
    """Refuse rows of A that depend on each other in the metric of M^-1, or so nearly that proximal steps fall short.

    Raises
    ------
    SingularMatrixError
        They do.
    """
    if not A:
        return
    S = matrix_product(matrix_product(A, inverse(M)), transpose(A))
    count = range(len(S))
    if any(S[row][row] == 0 for row in count):
        raise SingularMatrixError("a row of the loops is held by no free row")
    lengths = [mp.sqrt(S[row][row]) for row in count]
    scaled = [[S[row][other] / (lengths[row] * lengths[other]) for other in count] for row in count]
    values = mp.eigsy(mp.matrix(scaled), eigvals_only=True)
    added = mp.mpf(_PROXIMAL)
    if min(values) < mp.mpf(_LEAST) ** 2 * max(values) or (added / (added + min(values))) ** _SOLUTIONS > mp.mpf(_LOST):
        raise SingularMatrixError("rows of the loops depend on each other")
