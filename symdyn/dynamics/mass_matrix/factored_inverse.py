"""Products with M_FF^-1 = V D^-1 V^T by its sparse factors: x = (V D^-1) (V^T t).

V has the sparsity of the branches (``inverse``). A product with M_FF^-1 itself takes all free rows for each right-hand
side; the factors take, per row, the rows behind it and then those on its way from the root. So zeros of t count once,
and again in what a branch passes to the others.

Both products go by *stretches*: rows that follow each other without a branch, such as a leg. What one stretch adds to
another is a small dense product, one kernel in loops over rows and columns. Columns of t lie side by side, so that the
inner loops become vector instructions. Within a stretch the factors are triangles, cut in halves: a quarter of their
squares is left out, and the zeros in the rest are multiplied, for fewer loops and less code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from symdyn.dynamics.mass_matrix.matrix_product import MatrixField, SumOfProducts, sum_sweeps
from symdyn.dynamics.tree.branch_rows import BranchRows
from symdyn.plan.plan import Access, Field, Sweep

Columns = Mapping[int, Collection[int]]
"""Per column of a right-hand side the rows that are not zero by structure."""

_WHOLE = 3
"""Rows of a stretch up to which its triangle is not cut."""

_WORTH = 0.8
"""Part of the products of M_FF^-1 below which the factors are taken: they also add up what comes from each stretch.

A humanoid's take 0.6 of them, and forward dynamics' derivatives 0.6 to 0.8 of the time; a quadruped's take 0.9.
"""

_Part = tuple[Sequence[int], Sequence[int]]
"""Rows of a product, and the rows that are summed over."""
_Rows = Mapping[int, frozenset[int]]
"""Per column the rows that are not zero."""


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Rows one after the other without a branch, how many stretches are before them, and those behind them."""

    rows: tuple[int, ...]
    level: int
    behind: tuple[_Stretch, ...]

    @property
    def two_parts(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The rows in two parts, of which the first may be empty."""
        half = len(self.rows) // 2 if len(self.rows) > _WHOLE else 0
        return self.rows[:half], self.rows[half:]


class FactoredInverse:
    """The factors of M_FF^-1 in fields.

    Parameters
    ----------
    rows
        The free rows by their ways from the root.
    inverse, weighed
        Fields of V and V D^-1, as :func:`symdyn.dynamics.mass_matrix.inverse.mass_matrix_inverse_sweeps` fills them.
    """

    def __init__(self, rows: BranchRows, inverse: str, weighed: str) -> None:
        self._rows, self._inverse, self._weighed = rows, inverse, weighed
        stretches = _stretches(rows)
        self._gathering = [[part for own in stretches for part in _upper(own)]]
        for place in range(max((len(own.behind) for own in stretches), default=0)):
            self._gathering.append([(own.rows, own.behind[place].rows) for own in stretches if place < len(own.behind)])
        self._spreading: list[list[_Part]] = []
        for level in range(1 + max((own.level for own in stretches), default=0)):
            self._spreading.append([part for own in stretches if own.level == level for part in _lower(own)])

    def saves(self, columns: Columns) -> bool:
        """Whether the factors take clearly fewer products than their product does, for such right-hand sides."""
        wanted, reached = self._not_zero(columns)
        gathered = sum(
            len(reached[column].intersection(rows)) * len(wanted[column].intersection(over))
            for parts in self._gathering
            for rows, over in parts
            for column in wanted
        )
        spread = sum(
            len(rows) * len(own.intersection(over))
            for parts in self._spreading
            for rows, over in parts
            for own in reached.values()
        )
        ways = self._rows.ways
        beside = Counter(way[0] for way in ways.values())  # M^-1 has no entries between trees that stand apart
        return gathered + spread < _WORTH * sum(beside[ways[row][0]] for own in wanted.values() for row in own)

    def filled(self, field: Field) -> Field:
        """A field of the plan; those of the factors with zeros beside the triangles."""
        return replace(field, sparse=True, alike=True) if field.name in (self._inverse, self._weighed) else field

    def sweeps(
        self, right: MatrixField, columns: Columns, half: MatrixField, out: MatrixField, negative: bool = False
    ) -> list[Sweep]:
        """Sweeps of x = M_FF^-1 t, or of its negative.

        Parameters
        ----------
        right, columns
            The right-hand sides t, and their rows that are not zero.
        half
            Gets V^T t; zero where nothing is written.
        out
            Gets x in its free rows, where it is not zero by structure.
        negative
            Whether the sign is turned.
        """
        wanted, reached = self._not_zero(columns)
        made = []
        for parts in self._gathering:
            made += sum_sweeps(self._gathered(parts, right, half, wanted, reached), adds=True)
        for parts in self._spreading:
            made += sum_sweeps(self._spread(parts, half, out, reached), negative, adds=True)
        return made

    def _not_zero(self, columns: Columns) -> tuple[_Rows, _Rows]:
        """Rows of t and of V^T t that are not zero."""
        wanted = {column: frozenset(columns[column]) for column in sorted(columns) if columns[column]}
        ways = self._rows.ways
        return wanted, {
            column: frozenset(row for other in own for row in ways[other]) for column, own in wanted.items()
        }

    def _gathered(
        self, parts: Sequence[_Part], right: MatrixField, half: MatrixField, wanted: _Rows, reached: _Rows
    ) -> Iterator[SumOfProducts]:
        """Sums of rows of V^T t."""
        for rows, over in parts:
            for row, column in product(rows, wanted):
                runs = _runs(over, wanted[column]) if row in reached[column] else []
                position = len(self._rows.ways[row]) - 1
                left = [self._rows.across(self._inverse, start, position, count) for start, count in runs]
                if runs:
                    yield _sum(half.entry(row, column), left, right, column, runs)

    def _spread(
        self, parts: Sequence[_Part], half: MatrixField, out: MatrixField, reached: _Rows
    ) -> Iterator[SumOfProducts]:
        """Sums of rows of x."""
        for rows, over in parts:
            for row, column in product(rows, reached):
                runs = _runs(over, reached[column])
                left = [
                    self._rows.at(self._weighed, row, len(self._rows.ways[start]) - 1, count) for start, count in runs
                ]
                if runs:
                    yield _sum(out.entry(row, column), left, half, column, runs)


def _sum(
    entry: Access, left: Sequence[Access], right: MatrixField, column: int, runs: Sequence[tuple[int, int]]
) -> SumOfProducts:
    return SumOfProducts(entry, tuple(zip(left, (right.column(column, *run) for run in runs), strict=True)))


def _upper(own: _Stretch) -> list[_Part]:
    """The parts of V^T within a stretch."""
    first, last = own.two_parts
    return [(first, own.rows), (last, last)] if first else [(last, last)]


def _lower(own: _Stretch) -> list[_Part]:
    """The parts of V D^-1 with the columns of a stretch, the rows behind it included."""
    first, last = own.two_parts
    whole = ([*last, *(row for other in own.behind for row in other.rows)], own.rows)
    return [(first, first), whole] if first else [whole]


def _runs(rows: Sequence[int], wanted: frozenset[int]) -> list[tuple[int, int]]:
    """(start, count) of what follows each other among wanted rows."""
    found: list[tuple[int, int]] = []
    for row in rows:
        if row in wanted:
            follows = found and row == sum(found[-1])
            found[-1:] = [(found[-1][0], found[-1][1] + 1)] if follows else [*found[-1:], (row, 1)]
    return found


def _stretches(rows: BranchRows) -> list[_Stretch]:
    """All stretches; rows of one follow each other in v and in the fields of their ways."""
    after: dict[int, list[int]] = {}
    for row, way in rows.ways.items():
        after.setdefault(way[-2] if len(way) > 1 else -1, []).append(row)

    def made(row: int, level: int) -> list[_Stretch]:
        own = [row]
        while len(after.get(own[-1], ())) == 1 and _next(rows, own[-1]) == after[own[-1]][0]:
            own.append(after[own[-1]][0])
        behind = [stretch for other in after.get(own[-1], ()) for stretch in made(other, level + 1)]
        return [_Stretch(tuple(own), level, tuple(behind)), *behind]

    return [stretch for root in after.get(-1, ()) for stretch in made(root, 0)]


def _next(rows: BranchRows, row: int) -> int:
    """The row that follows in v, if it does in the fields too."""
    return row + 1 if rows.place.get(row + 1) == rows.place[row] + 1 else -1
