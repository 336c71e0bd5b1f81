"""Products of matrices whose zeros follow from the tree, as sweeps of independent entries.

An entry is one visit, so that the loops over a row of entries become vector instructions. Columns whose non-zero rows
are the same are treated together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from symdyn.plan import Access, Binding, Mode, Port, Step, Sweep, Visit
from symdyn.scalars.algebra import Algebra, Scalar


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
    sweeps = []
    for runs, columns in groupby(sorted(inner), key=lambda column: _runs(inner[column])):
        together = list(columns)
        if not runs and plus is None:
            continue
        step = _step(len(runs), plus is not None)
        visits = tuple(
            Visit(-1, (len(runs), negative), {}, _bindings(left, right, out, plus, runs, row, column))
            for row in rows
            for column in together
        )
        sweeps.append(Sweep(step, visits, vector=True))
    return sweeps


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


def _step(runs: int, plus: bool) -> Step:
    ports = [Port("plus", Mode.READ)] if plus else []
    for number in range(runs):
        ports += [Port(f"left_{number}", Mode.READ), Port(f"right_{number}", Mode.READ)]
    return Step("product", _entry, (*ports, Port("entry", Mode.WRITE)))


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
