"""Solutions of M_FF x = -t by the sparse factors of stretches, M_FF = L^T H L.

A *stretch* is rows that follow each other without a branch, such as a leg. L is the identity within each stretch, and
H has one symmetric block per stretch: the inertia that its joints feel of all that is behind them (Featherstone 2008,
section 6.5, by blocks). With B = 1 - L, whose rows have entries for all rows above their stretch,

    z_s = t_s + sum_{r behind s} B_rs^T z_r,    x_s = -H_s^-1 z_s + sum_{r above s} B_sr x_r.

M_FF^-1 itself takes all free rows for each right-hand side; here zeros of t count once, and again in what a branch
passes to the others. Columns of t lie side by side, so that the inner loops become vector instructions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from symdyn.dynamics.mass_matrix.inverse import TAKE, block_inverse_sweeps, block_slopes_sweeps
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField, SumOfProducts, sum_sweeps
from symdyn.dynamics.tree.branch_rows import BranchRows
from symdyn.plan.plan import Access, Field, FieldKind, Sweep, Visit

Columns = Mapping[int, Collection[int]]
"""Per column of a right-hand side the rows that are not zero by structure."""

_WORTH = 0.9
"""Part of the products of M_FF^-1 below which the factors are taken: they also add up what comes from each level.

For forward dynamics' derivatives a quadruped's take 0.75 of them, a humanoid's 0.62, and those of two short arms on a
free base 0.89.
"""


@dataclass(frozen=True, slots=True, eq=False)  # a hash of fields would visit all paths through those behind
class _Stretch:
    """Rows one after the other without a branch, how many stretches are before them, and those behind them."""

    rows: tuple[int, ...]
    level: int
    behind: tuple[_Stretch, ...]


class FactoredInverse:
    """The factors of M_FF in fields.

    Parameters
    ----------
    rows
        The free rows by their ways from the root.
    made
        What precedes the names of the fields that
        :func:`symdyn.dynamics.mass_matrix.inverse.mass_matrix_inverse_sweeps` fills.
    """

    def __init__(self, rows: BranchRows, made: str) -> None:
        self._rows, self._made, self._slopes = rows, made, "stretch_slopes"
        self._stretches = _stretches(rows)
        self._deepest = max((own.level for own in self._stretches), default=0)
        self.inverse = MatrixField("stretch_inverse", max(rows.ways, default=0) + 1)
        """-H^-1, a block per stretch."""

    def saves(self, columns: Columns) -> bool:
        """Whether the factors take clearly fewer products than M_FF^-1 does, for such right-hand sides."""
        nowhere = MatrixField("", 1)
        system = _System(self._rows, self._slopes, nowhere, nowhere, nowhere, nowhere, self._not_zero(columns))
        sums = [own for passed in self._passes(system) for own in passed]
        products = sum(left.count for own in sums for left, _ in own.stretches)
        ways = self._rows.ways
        beside = Counter(way[0] for way in ways.values())  # M^-1 has no entries between trees that stand apart
        return products < _WORTH * sum(beside[ways[row][0]] for own in columns.values() for row in own)

    def entries(self) -> list[int]:
        """Places of the entries of -H^-1 in its field."""
        return [
            self.inverse.entry(row, other).offset for own in self._stretches for row in own.rows for other in own.rows
        ]

    def factors(self) -> tuple[list[Field], list[Sweep]]:
        """Fields and sweeps of B and of -H^-1."""
        stretches = [own.rows for own in self._stretches]
        side = self.inverse.columns
        return [
            self._rows.field(self._slopes),
            Field(self.inverse.field, FieldKind.STATE, side, side, sparse=True),
        ], [
            *block_slopes_sweeps(self._rows, stretches, self._made, self._slopes),
            *block_inverse_sweeps(self._rows, stretches, self._made, self.inverse),
        ]

    def sweeps(
        self, right: MatrixField, columns: Columns, half: MatrixField, out: MatrixField, inverse: MatrixField
    ) -> list[Sweep]:
        """Sweeps of x = -M_FF^-1 t.

        Parameters
        ----------
        right, columns
            The right-hand sides t, and their rows that are not zero.
        half
            Gets z where it is not t; zero where nothing is written.
        out
            Gets x in its free rows, where it is not zero by structure.
        inverse
            Of the blocks: ``self.inverse``, or a multiple of it.
        """
        system = _System(self._rows, self._slopes, right, half, out, inverse, self._not_zero(columns))
        taken = (
            Visit(-1, True, {}, {"entry": right.entry(row, column), "taken": half.entry(row, column)})
            for own in self._stretches
            if own.behind
            for row in own.rows
            for column in sorted(columns)
            if row in columns[column]
        )
        made = [Sweep(TAKE, tuple(taken), vector=True)]
        made += [sweep for passed in self._passes(system) for sweep in sum_sweeps(passed, adds=True)]
        return [sweep for sweep in made if sweep.visits]

    def _passes(self, system: _System) -> Iterator[list[SumOfProducts]]:
        """Sums that do not need each other: into z from the tips on, and into x from the root on."""
        for level in range(self._deepest, 0, -1):
            behind = [(own, [other for other in own.behind if other.level == level]) for own in self._stretches]
            for place in range(max(len(others) for _, others in behind)):
                yield [
                    part
                    for own, others in behind
                    if place < len(others)
                    for part in system.gathered(own, others[place])
                ]
        for level in range(1 + self._deepest):  # what is spread comes first, because it has all columns
            stretches = [own for own in self._stretches if own.level == level]
            yield [part for own in stretches for part in system.spread(own)]
            yield [part for own in stretches for part in system.solved(own)]

    def _not_zero(self, columns: Columns) -> dict[_Stretch, dict[int, Sequence[int]]]:
        """Rows of z that are not zero, per stretch and column."""
        found: dict[_Stretch, dict[int, Sequence[int]]] = {}
        for own in self._stretches:
            for column in sorted(columns):
                rows = set(columns[column])
                if any(rows.intersection(other.rows) for other in own.behind):
                    found.setdefault(own, {})[column] = own.rows
                elif rows.intersection(own.rows):
                    found.setdefault(own, {})[column] = sorted(rows.intersection(own.rows))
        return found


@dataclass(frozen=True, slots=True)
class _System:
    """The fields of B, t, z, x and -H^-1, and the rows of z that are not zero, per stretch and column."""

    rows: BranchRows
    slopes: str
    right: MatrixField
    half: MatrixField
    out: MatrixField
    inverse: MatrixField
    known: Mapping[_Stretch, Mapping[int, Sequence[int]]]

    def gathered(self, own: _Stretch, behind: _Stretch) -> Iterator[SumOfProducts]:
        """What a stretch behind adds to rows of z."""
        z, known = self._z(behind), self.known.get(behind, {})
        for row in own.rows:
            position = len(self.rows.ways[row]) - 1
            for column, rows in known.items():
                yield _sum(
                    self.half.entry(row, column),
                    [
                        (self.rows.across(self.slopes, run[0], position, run[1]), z.column(column, *run))
                        for run in _runs(rows)
                    ],
                )

    def solved(self, own: _Stretch) -> Iterator[SumOfProducts]:
        """-H^-1 z of a stretch."""
        z = self._z(own)
        for row in own.rows:
            for column, rows in self.known.get(own, {}).items():
                yield _sum(
                    self.out.entry(row, column),
                    [(self.inverse.row(row, *run), z.column(column, *run)) for run in _runs(rows)],
                )

    def spread(self, own: _Stretch) -> Iterator[SumOfProducts]:
        """What the rows above a stretch add to its rows of x."""
        ways = self.rows.ways
        columns = next((found for other, found in self.known.items() if ways[own.rows[0]][0] == other.rows[0]), {})
        runs = _runs(ways[own.rows[0]][:-1])
        for row in own.rows:
            left = [self.rows.at(self.slopes, row, len(ways[start]) - 1, count) for start, count in runs]
            for column in columns if runs else ():
                right = [self.out.column(column, *run) for run in runs]
                yield _sum(self.out.entry(row, column), zip(left, right, strict=True))

    def _z(self, own: _Stretch) -> MatrixField:
        return self.half if own.behind else self.right


def _sum(entry: Access, pairs: Iterable[tuple[Access, Access]]) -> SumOfProducts:
    return SumOfProducts(entry, tuple(pairs))


def _runs(rows: Sequence[int]) -> list[tuple[int, int]]:
    """(start, count) of what follows each other among rows."""
    found: list[tuple[int, int]] = []
    for row in rows:
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
