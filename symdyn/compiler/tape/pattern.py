"""How matrices are stored by columns: which of their entries, and where those of a row-major array go."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product


@dataclass(frozen=True, slots=True)
class Pattern:
    """The stored entries of a matrix of ``rows`` by ``columns``.

    ``entries`` holds them in the order in which they lie in memory: entry (i, j) as the number ``j rows + i``, growing.
    """

    rows: int
    columns: int
    entries: tuple[int, ...]

    @classmethod
    def of(cls, rows: int, columns: int, entries: Iterable[int]) -> Pattern:
        """The pattern of some entries in any order."""
        return cls(rows, columns, tuple(sorted(entries)))

    @classmethod
    def dense(cls, rows: int, columns: int) -> Pattern:
        """Every entry."""
        return cls(rows, columns, tuple(range(rows * columns)))

    @property
    def size(self) -> int:
        """Number of stored entries."""
        return len(self.entries)

    @property
    def is_dense(self) -> bool:
        """Whether every entry is stored."""
        return self.size == self.rows * self.columns

    @property
    def starts(self) -> tuple[int, ...]:
        """Where each column begins among the stored entries, and where the last one ends."""
        counts = [0] * self.columns
        for entry in self.entries:
            counts[entry // self.rows] += 1
        found = [0]
        for count in counts:
            found.append(found[-1] + count)
        return tuple(found)

    @property
    def row_numbers(self) -> tuple[int, ...]:
        """The row of each stored entry."""
        return tuple(entry % self.rows for entry in self.entries)


@dataclass(frozen=True, slots=True)
class Stored:
    """A matrix of ``rows`` by ``columns`` that is stored by columns: scalar k of ``buffer`` is its entry ``to[k]``."""

    buffer: str
    rows: int
    columns: int
    to: tuple[int, ...]

    @classmethod
    def matrix(cls, buffer: str, rows: int, columns: int, transposed: bool = False) -> Stored:
        """A row-major matrix of ``rows`` by ``columns`` as it is, or its transpose."""
        if transposed:
            return cls(buffer, columns, rows, tuple(range(rows * columns)))
        return cls(buffer, rows, columns, tuple(j * rows + i for i, j in product(range(rows), range(columns))))


def matrix_shape(shape: Sequence[int]) -> tuple[int, int]:
    """Rows and columns of an argument as one matrix: all axes but the last are stacked; a vector is a column."""
    rows = 1
    for extent in shape[:-1] if len(shape) > 1 else shape:
        rows *= extent
    return rows, shape[-1] if len(shape) > 1 else 1
