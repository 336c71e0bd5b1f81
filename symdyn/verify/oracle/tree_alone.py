"""What a robot's tree would do without its loops, and what these take off: in sum there may be little left, or nothing.

    a = M^-1 f + M^-1 A^T lambda,    lambda = -(A M^-1 A^T)^-1 (A M^-1 f + h)

An error of one rounding in either part of a stays, however small their sum is. Where loops and prescribed rows leave
nothing to move, a is told by A a = -h alone, and forces cancel entirely: of light bodies the parts are large.
"""

from __future__ import annotations

from dataclasses import dataclass

from symdyn.verify.base.dense import Rows, inverse, magnitudes, matrix_product, matrix_sum
from symdyn.verify.base.matrices import transpose
from symdyn.verify.oracle.dependence import BORDERED


@dataclass(frozen=True, slots=True)
class TreeAlone:
    """Magnitudes of M^-1, A M^-1, S^-1 and M^-1 A^T S^-1 in the free rows, with S = A M^-1 A^T."""

    alone: Rows
    pulled: Rows
    shared: Rows
    taken: Rows

    @classmethod
    def of(cls, M: Rows, A: Rows) -> TreeAlone:
        """Those of a mass matrix and slopes of loops, both in free rows."""
        W = inverse(M)
        moved = matrix_product(A, W)
        S = inverse(matrix_product(moved, transpose(A)), *BORDERED)
        taken = transpose(magnitudes(matrix_product(S, moved)))
        return cls(magnitudes(W), magnitudes(moved), magnitudes(S), taken)

    def sizes(self, forces: Rows, errors: Rows) -> Rows:
        """Sizes of the parts of a and of lambda, from columns of those of forces f and of errors h."""
        if not self.pulled:  # no loop holds
            return matrix_product(self.alone, forces)
        missed = matrix_sum(matrix_product(self.pulled, forces), errors)
        found = matrix_sum(matrix_product(self.alone, forces), matrix_product(self.taken, missed))
        return found + matrix_product(self.shared, missed)
