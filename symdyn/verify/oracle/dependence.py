"""States in which rows of loops hold nothing, or depend on each other, so that no truth can be told there."""

from __future__ import annotations

from collections.abc import Sequence

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

_SHARE = "1e-3"
"""Of the largest share in a combination of rows that vanishes: rows that are named."""
_ROUNDED = "1e-6"
"""Of the terms that a row of A is a sum of: below it, the row is what rounding makes of it."""


BORDERED = (
    "the matrix of the equations with loops",
    "accelerations or multipliers are not determined; look whether rows of the loops depend on each other",
)
"""What is said of the equations of motion and of loops together where they are singular."""


def unit_matrix(size: int) -> Rows:
    """The unit matrix."""
    return [[mp.mpf(row == column) for column in range(size)] for row in range(size)]


_UNDETERMINED = "its multipliers are not determined; give its loop a kind that leaves these rows free, or leave it out"


def refuse_vanishing(A: Rows, A_sizes: Rows, names: Sequence[str]) -> None:
    """Refuse rows of A that nothing moves at first order, so that their length is one of rounding.

    Raises
    ------
    SingularMatrixError
        There is one; its name is told.
    """
    for name, own, sizes in zip(names, A, A_sizes, strict=True):
        if mp.norm(own) < mp.mpf(_ROUNDED) * mp.norm(sizes):
            raise SingularMatrixError(f"row '{name}' of the loops is zero but for rounding", _UNDETERMINED)


def refuse_dependent(M: Rows, A: Rows, names: Sequence[str], what: str = "rows {} of the loops") -> None:
    """Refuse rows of A that depend on each other in the metric of M^-1, or so nearly that proximal steps fall short.

    Parameters
    ----------
    M, A
        In the rows of v that count.
    names, what
        Of the rows of A, and what stands around them in the message.

    Raises
    ------
    SingularMatrixError
        They do.
    """
    if not A:
        return
    S = matrix_product(matrix_product(A, inverse(M)), transpose(A))
    count = range(len(S))
    for row in count:
        if S[row][row] == 0:
            raise SingularMatrixError(f"{what.format(repr(names[row]))} move with no row that is free", _UNDETERMINED)
    lengths = [mp.sqrt(S[row][row]) for row in count]
    scaled = [[S[row][other] / (lengths[row] * lengths[other]) for other in count] for row in count]
    values, vectors = mp.eigsy(mp.matrix(scaled))
    least, added = min(values), mp.mpf(_PROXIMAL)
    if least < mp.mpf(_LEAST) ** 2 * max(values) or (added / (added + least)) ** _SOLUTIONS > mp.mpf(_LOST):
        shares = [abs(vectors[row, list(values).index(least)]) for row in count]
        meant = [f"'{names[row]}'" for row in count if shares[row] > mp.mpf(_SHARE) * max(shares)]
        raise SingularMatrixError(f"{what.format(', '.join(meant))} depend on each other", _UNDETERMINED)
