"""Dense symmetric systems whose rows may depend on each other at some states.

S + E with E = 1e-9 diag(S) is factored in place of S, and

    (S + E) x_k+1 = b + E x_k

is solved three times (the proximal point method), which leaves the equations met where they can be, and of all such
solutions about the least. A row i whose S_ii is below a number that is given for it vanishes (``vanishing``). Its
pivot is then so large that its unknown is zero, whatever is on the right. So no step rests on data, and nothing is
divided by zero.

Where loops have as many rows as coordinates or more, as Bennett's linkage, they move by dimensions alone that make rows
depend on each other wherever loops are closed. At states that are closed but for the error of a step, or for the
decimals of a file, these rows contradict each other by as much. A row that is short there would be scaled up with what
it asks for. So S_ii counts in E as a hundredth of its usual size at least (``vanishing``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import Matrix, Vector

PROXIMAL = 1e-9
"""Of the diagonal of S: what is added to it."""
CORRECTIONS = 2
_FEW = 3
"""Rows up to which scaling the factor takes fewer operations than it saves."""
LEAST, SHORT = "least", "short"
"""Names of the constants, numbered by rows: below which a row vanishes, and the size that is S_ii at least in E."""
_ENDLESS = 2.0**100
"""Beside any pivot of a robot in SI units: 1e30."""


@dataclass(frozen=True, slots=True)
class Guard:
    """What tells of rows whether they vanish: constants of a step, and the sizes that are compared with them.

    Constants have a name that ends with the number of the row; rows without one never vanish. By default ``sizes`` are
    the entries on the diagonal.
    """

    algebra: Algebra
    constants: Mapping[str, Scalar]
    sizes: Vector | None = None
    name: str = LEAST

    def short(self, row: int, entry: Scalar) -> Scalar | None:
        """The entry, or what is taken for one that is less, where a row has such a constant."""
        short = self.constants.get(f"{SHORT}{row}")
        return None if short is None else self.algebra.function("max", entry, short)

    def pivot(self, row: int, entry: Scalar, pivot: Scalar) -> Scalar:
        """The pivot of a row, or one so large where the row vanishes that its unknown does, too."""
        least = self.constants.get(f"{self.name}{row}")
        if least is None:
            return pivot
        size = entry if self.sizes is None else self.sizes[row]
        return self.algebra.select(self.algebra.compare("less", size, least), _ENDLESS, pivot)


@dataclass(frozen=True, slots=True)
class Factor:
    """L D L^T of a symmetric matrix with a little more on its diagonal, which is ``more``.

    ``lower`` are rows of L below that of ones, ``inverse`` is 1 / D. Few rows also have ``scaled``: those of D^-1 L D,
    and ``shares``, which are E / D.
    """

    lower: Matrix
    inverse: Vector
    more: Vector
    scaled: Matrix = ()
    shares: Vector = ()

    @classmethod
    def of(cls, matrix: Matrix, guard: Guard | None = None, more: Vector | None = None) -> Factor:
        """That of a matrix of which the lower triangle is given; by default ``more`` is as the file's head has it."""
        sizes = [row[-1] for row in matrix] if guard is None or guard.sizes is None else guard.sizes
        short = [None if guard is None else guard.short(row, size) for row, size in enumerate(sizes)]
        added = [PROXIMAL * row[-1] for row in matrix] if more is None else list(more)
        added = [own if size is None else PROXIMAL * size for own, size in zip(added, short, strict=True)]
        lower: list[list[Scalar]] = []
        inverse: list[Scalar] = []
        weighed: list[list[Scalar]] = []
        for row, entries in enumerate(matrix):
            scaled: list[Scalar] = []  # L D of this row
            for other in range(row):
                scaled.append(less_products(entries[other], lower[other], scaled))
            own = [x * d for x, d in zip(scaled, inverse, strict=True)]
            plain = more is None and short[row] is None
            pivot = (1.0 + PROXIMAL) * entries[row] if plain else entries[row] + added[row]
            if more is not None and row:  # a square first, for the reciprocal before this one comes late
                pivot = less_products(pivot, own[:-1], scaled[:-1]) - scaled[-1] * scaled[-1] * inverse[-1]
            else:
                pivot = less_products(pivot, own, scaled)
            inverse.append(1.0 / (pivot if guard is None else guard.pivot(row, entries[row], pivot)))
            lower.append(own)
            weighed.append(scaled)
        if more is not None or not 0 < len(matrix) <= _FEW or short[0] is not None:
            return cls(lower, inverse, added)
        shares = [x * d for x, d in zip(added, inverse, strict=True)]
        shares[0] = PROXIMAL / (1.0 + PROXIMAL)  # whatever its pivot is; the unknown of one that vanishes is zero
        return cls(
            lower, inverse, added, [[x * d for x in own] for own, d in zip(weighed, inverse, strict=True)], shares
        )

    @classmethod
    def loaded(cls, scalars: Vector, count: int) -> Factor:
        """That of some rows whose :meth:`scalars` are given."""
        starts = [row * (row - 1) // 2 for row in range(count + 1)]
        lower = [scalars[starts[row] : starts[row + 1]] for row in range(count)]
        rest = scalars[starts[count] :]
        return cls(lower, rest[:count], rest[count:])

    def scalars(self) -> list[Scalar]:
        """All that it is made of: L row by row, 1 / D, and what was added to the diagonal."""
        return [*(x for row in self.lower for x in row), *self.inverse, *self.more]

    def solved_proximal(self, right: Vector) -> list[Scalar]:
        """The solution for the matrix without what was added, as the file's head has it."""
        if self.scaled:
            return self._solved_scaled([x * d for x, d in zip(right, self.inverse, strict=True)])
        found = self.solved(right)
        for _ in range(CORRECTIONS):
            found = self.solved([x + more * own for x, more, own in zip(right, self.more, found, strict=True)])
        return found

    def _solved_scaled(self, right: Vector) -> list[Scalar]:
        """The same, of few rows in fewer operations: with D^-1 b and D^-1 L D in place of b and L."""
        shifted, found = list(right), list(right)
        for correction in range(CORRECTIONS + 1):
            if correction:
                shifted = [x + share * own for x, share, own in zip(right, self.shares, found, strict=True)]
            halved: list[Scalar] = []
            for x, own in zip(shifted, self.scaled, strict=True):
                halved.append(less_products(x, own, halved))
            found = self.finished(halved)
        return found

    def solved(self, right: Vector) -> list[Scalar]:
        """The solution for a right-hand side."""
        return self.finished([x * d for x, d in zip(self.halved(right), self.inverse, strict=True)])

    def halved(self, right: Vector) -> list[Scalar]:
        """L^-1 times a right-hand side."""
        found: list[Scalar] = []
        for row, x in enumerate(right):
            found.append(less_products(x, self.lower[row], found))
        return found

    def finished(self, halved: Vector) -> list[Scalar]:
        """L^-T times that over D."""
        found = list(halved)
        for row in reversed(range(len(found))):
            for other in range(row):
                found[other] = found[other] - self.lower[row][other] * found[row]
        return found


def less_products(x: Scalar, some: Iterable[Scalar], others: Iterable[Scalar]) -> Scalar:
    """X without a sum of products, taken off one by one: what comes last is waited for the least."""
    for own, other in zip(some, others, strict=True):
        x = x - own * other
    return x


def factor_size(count: int) -> int:
    """How many scalars a factor of so many rows is made of."""
    return count * (count - 1) // 2 + 2 * count


def solve_proximal(matrix: Matrix, guard: Guard, right: Vector) -> list[Scalar]:
    """The solution of a symmetric semidefinite system of which the lower triangle is given; see the file's head."""
    return Factor.of(matrix, guard).solved_proximal(right)
