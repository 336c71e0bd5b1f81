"""Products of matrices whose zeros follow from the tree, as sweeps of independent entries.

An entry is one visit, so that the loops over a row of entries become vector instructions. Columns whose non-zero rows
are the same are treated together, and stretches of columns with as many of them are loops of one kernel. Long sums
are made of pieces, all entries piece by piece, or the kernels would be as long as the robot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, product

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.plan.plan import Access, Binding, Mode, Port, Step, Sweep, Visit

_LONGEST = 48
"""Products of a sum that are one kernel."""

_PIECE = 16
"""Products of a kernel that adds a piece of a longer sum."""


@dataclass(frozen=True, slots=True)
class MatrixField:
    """A row-major matrix in a field."""

    field: str
    columns: int

    def entry(self, row: int, column: int) -> Access:
        """One entry."""
        return Access(self.field, row * self.columns + column, 1)

    def row(self, row: int, start: int, count: int) -> Access:
        """Part of a row."""
        return Access(self.field, row * self.columns + start, count)

    def column(self, column: int, start: int, count: int) -> Access:
        """Part of a column."""
        return Access(self.field, start * self.columns + column, count, self.columns)


@dataclass(frozen=True, slots=True)
class Transposed(MatrixField):
    """The transpose of a row-major matrix with that many columns."""

    def entry(self, row: int, column: int) -> Access:
        """One entry."""
        return Access(self.field, column * self.columns + row, 1)

    def row(self, row: int, start: int, count: int) -> Access:
        """Part of a row."""
        return Access(self.field, start * self.columns + row, count, self.columns)

    def column(self, column: int, start: int, count: int) -> Access:
        """Part of a column."""
        return Access(self.field, column * self.columns + start, count)


@dataclass(frozen=True, slots=True)
class Block(MatrixField):
    """A block of a row-major matrix with that many columns, whose first entry lies at ``start``."""

    start: int

    def entry(self, row: int, column: int) -> Access:
        """One entry."""
        return Access(self.field, self.start + row * self.columns + column, 1)

    def row(self, row: int, start: int, count: int) -> Access:
        """Part of a row."""
        return Access(self.field, self.start + row * self.columns + start, count)

    def column(self, column: int, start: int, count: int) -> Access:
        """Part of a column."""
        return Access(self.field, self.start + start * self.columns + column, count, self.columns)


def product_sweeps(
    left: MatrixField,
    right: MatrixField,
    out: MatrixField,
    rows: Sequence[int],
    inner: Mapping[int, Sequence[int]],
    plus: MatrixField | None = None,
    negative: bool = False,
) -> list[Sweep]:
    """Sweeps of ``out[i, j] = plus[i, j] + sum_k left[i, k] right[k, j]`` or its negative without ``plus``.

    Parameters
    ----------
    left, right, out, plus
        The matrices; ``out`` shares no entries with the others.
    rows
        Rows i of the result.
    inner
        Per column j of the result, the k that count: where ``right[k, j]`` is not zero by structure. A column that is
        absent is not written.
    negative
        Whether the sign of the product is turned.
    """
    made: dict[tuple[tuple[int, ...], ...], list[list[Visit]]] = {}
    for runs, columns in groupby(sorted(inner), key=lambda column: _runs(inner[column])):
        together, pieces = list(columns), _pieces(runs)
        if len(pieces) == 1:
            entries = list(product(rows, together))
        else:  # dense columns are few, and not alike: some have zeros that kernels know of
            entries = [(row, column) for column in together for row in rows]
        if not runs and plus is None:
            continue
        shape = tuple(tuple(count for _, count in piece) for piece in pieces)
        sums = made.setdefault(shape, [[] for _ in pieces])
        for number, piece in enumerate(pieces):
            variant = (len(piece), negative)
            start = plus if number == 0 else None
            sums[number] += [
                Visit(-1, variant, {}, _bindings(left, right, out, start, piece, *entry)) for entry in entries
            ]
    return [
        Sweep(
            _step(max(map(len, shape)), plus is not None, len(sums) > 1),
            tuple(visit for visits in sums for visit in visits),
            vector=len(sums) == 1 or len(sums[0]) > 1,
        )
        for shape, sums in made.items()
    ]


def _pieces(runs: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """The runs of a sum as they are, or of a long one in pieces that are added up."""
    if sum(count for _, count in runs) <= _LONGEST:
        return [list(runs)]
    return [[(start + first, min(_PIECE, count - first))] for start, count in runs for first in range(0, count, _PIECE)]


def _runs(numbers: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """(start, count) of the stretches of consecutive numbers."""
    found: list[list[int]] = []
    for number in sorted(numbers):
        if found and number == found[-1][0] + found[-1][1]:
            found[-1][1] += 1
        else:
            found.append([number, 1])
    return tuple((start, count) for start, count in found)


def _bindings(
    left: MatrixField,
    right: MatrixField,
    out: MatrixField,
    plus: MatrixField | None,
    runs: Sequence[tuple[int, int]],
    row: int,
    column: int,
) -> dict[str, Binding]:
    bindings: dict[str, Binding] = {"entry": out.entry(row, column)}
    if plus is not None:
        bindings["plus"] = plus.entry(row, column)
    for number, (start, count) in enumerate(runs):
        bindings[f"left_{number}"] = left.row(row, start, count)
        bindings[f"right_{number}"] = right.column(column, start, count)
    return bindings


def _step(runs: int, plus: bool, adds: bool) -> Step:
    ports = [Port("plus", Mode.READ)] if plus else []
    for number in range(runs):
        ports += [Port(f"left_{number}", Mode.READ), Port(f"right_{number}", Mode.READ)]
    return Step("product", _entry, (*ports, Port("entry", Mode.ADD if adds else Mode.WRITE)))


def _entry(
    variant: tuple[int, bool], _: Algebra, __: Mapping[str, Scalar], reads: Mapping[str, Sequence[Scalar]]
) -> Mapping[str, Sequence[Scalar]]:
    runs, negative = variant
    total: Scalar = 0.0
    for number in range(runs):
        for a, b in zip(reads[f"left_{number}"], reads[f"right_{number}"], strict=True):
            total = total + a * b
    if negative:
        total = -total
    return {"entry": [reads["plus"][0] + total if "plus" in reads else total]}
