"""Products of matrices whose zeros follow from the tree, as sweeps of independent entries.

An entry is one visit, so that the loops over a row of entries become vector instructions. Columns whose non-zero rows
are the same are treated together, and stretches of columns with as many of them are loops of one kernel. Long sums
are made of pieces, all entries piece by piece, or the kernels would be as long as the robot.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
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
    sums = []
    for runs, columns in groupby(sorted(inner), key=lambda column: _runs(inner[column])):
        if not runs and plus is None:
            continue
        together = list(columns)
        if sum(count for _, count in runs) <= _LONGEST:
            entries = list(product(rows, together))
        else:  # dense columns are few, and not alike: some have zeros that kernels know of
            entries = [(row, column) for column in together for row in rows]
        sums += [
            SumOfProducts(
                out.entry(row, column),
                tuple((left.row(row, *run), right.column(column, *run)) for run in runs),
                None if plus is None else plus.entry(row, column),
            )
            for row, column in entries
        ]
    return sum_sweeps(sums, negative)


@dataclass(frozen=True, slots=True)
class SumOfProducts:
    """An entry of a product: stretches of a row and of a column, and what is added to their products."""

    entry: Access
    stretches: tuple[tuple[Access, Access], ...]
    plus: Access | None = None


def sum_sweeps(sums: Iterable[SumOfProducts], negative: bool = False, adds: bool = False) -> list[Sweep]:
    """Sweeps that write independent sums, or with ``adds`` add them to what is there; those alike are one sweep.

    Either all of them have a ``plus`` or none. ``negative`` turns the sign of the products.
    """
    made: dict[tuple[tuple[int, ...], ...], list[list[Visit]]] = {}
    for own in sums:
        pieces = _pieces(own.stretches)
        shape = tuple(tuple(left.count for left, _ in piece) for piece in pieces)
        visits = made.setdefault(shape, [[] for _ in pieces])
        for number, piece in enumerate(pieces):
            plus = own.plus if number == 0 else None
            visits[number].append(Visit(-1, (len(piece), negative), {}, _bindings(own.entry, plus, piece)))
    with_plus = any("plus" in pieces[0][0].bindings for pieces in made.values())
    return [
        Sweep(
            _step(max(map(len, shape)), with_plus, adds or len(pieces) > 1),
            tuple(visit for visits in pieces for visit in visits),
            vector=len(pieces) == 1 or len(pieces[0]) > 1,
        )
        for shape, pieces in made.items()
    ]


def _pieces(stretches: Sequence[tuple[Access, Access]]) -> list[Sequence[tuple[Access, Access]]]:
    """The stretches of a sum as they are, or of a long one in pieces that are added up."""
    if sum(left.count for left, _ in stretches) <= _LONGEST:
        return [stretches]
    return [
        [(_part(left, first), _part(right, first))]
        for left, right in stretches
        for first in range(0, left.count, _PIECE)
    ]


def _part(access: Access, first: int) -> Access:
    """A piece of an access."""
    count = min(_PIECE, access.count - first)
    return replace(access, offset=access.offset + first * access.stride, count=count)


def _runs(numbers: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """(start, count) of the stretches of consecutive numbers."""
    found: list[list[int]] = []
    for number in sorted(numbers):
        if found and number == found[-1][0] + found[-1][1]:
            found[-1][1] += 1
        else:
            found.append([number, 1])
    return tuple((start, count) for start, count in found)


def _bindings(entry: Access, plus: Access | None, stretches: Sequence[tuple[Access, Access]]) -> dict[str, Binding]:
    bindings: dict[str, Binding] = {"entry": entry}
    if plus is not None:
        bindings["plus"] = plus
    for number, (left, right) in enumerate(stretches):
        bindings[f"left_{number}"], bindings[f"right_{number}"] = left, right
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
