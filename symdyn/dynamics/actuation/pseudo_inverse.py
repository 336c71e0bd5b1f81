"""The pseudo-inverse of a few columns: a fixed number of steps, without pivots that decide what is computed.

Columns W become perpendicular one after the other, the longest that is left first (Gram & Schmidt with pivots, each
twice, Giraud et al. 2005): W = Q Q^T W. The rows of S = Q^T W, which are as independent as the columns that count,
become perpendicular in the same way, and what is done to them is done to Q^T too: from S u = Q^T tau comes Z u = P tau
with Z of perpendicular unit rows, and W^+ = Z^T P. Columns are moved past each other by selections, so there is no
branch, and no condition is squared. A column of which no more is left than 1e-13 of all together is what rounding has
made, and does not count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import dot
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.plan.plan import Access, Kernel, Mode, Port, Step, Sweep, Visit

_LEAST = 1e-13
"""Of the size of all columns: how long a turned column is that counts."""


@dataclass(frozen=True, slots=True)
class LeastVariant:
    """Inputs that are found together: how many, and on how many ``rows`` they act."""

    rows: int
    count: int


def begin(variant: LeastVariant, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per group: columns of B, by ``roots`` of weights where there are some, and the sum of all squares."""
    found = [_weighed(column, reads) for column in split(reads["columns"], variant.rows)]
    weighed = [entry for column in found for entry in column]
    return {"weighed": weighed, "unturned": weighed, "total": [dot(weighed, weighed)]}


def longest_first(_: int, algebra: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per pair of columns: the longer one comes first."""
    first, other = reads["first"], reads["other"]
    longer = algebra.compare("less", dot(first, first), dot(other, other))
    both = list(zip(first, other, strict=True))
    return {
        "new_first": [algebra.select(longer, y, x) for x, y in both],
        "new_other": [algebra.select(longer, x, y) for x, y in both],
    }


def unit(rows: int, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per vector: all of it over the length of its first ``rows``; zero where these are what rounding has left."""
    square = dot(reads["own"][:rows], reads["own"][:rows])
    counts = algebra.compare("less", _LEAST**2 * reads["total"][0], square)
    factor = algebra.select(counts, 1.0 / algebra.function("sqrt", algebra.select(counts, square, 1.0)), 0.0)
    return {"new": [factor * entry for entry in reads["own"]]}


def part(rows: int, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per pair of vectors: takes off ``own`` so much of ``unit`` that their first ``rows`` are perpendicular."""
    own, other = reads["own"], reads["unit"]
    along = dot(own[:rows], other[:rows])
    return {"new": [x - along * y for x, y in zip(own, other, strict=True)]}


def across(variant: LeastVariant, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per direction of forces: what each input gives along it, and the direction."""
    own = reads["unit"]
    return {"row": [*(dot(own, column) for column in split(reads["weighed"], variant.rows)), *own]}


def correct(variant: LeastVariant, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per group: what the forces that are left over add to the inputs, and what these take off them."""
    change: list[Scalar] = [0.0] * variant.count
    left = _weighed(reads["left"], reads)
    for own in split(reads["solving"], variant.count + variant.rows):
        share = dot(own[variant.count :], left)
        change = [entry + share * along for entry, along in zip(change, own, strict=False)]
    columns = split(reads["columns"], variant.rows)
    taken = [-dot([column[row] for column in columns], change) for row in range(variant.rows)]
    return {"inputs": change, "taken": taken}


def root(_: None, algebra: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row: the root of its weight."""
    return {"root": [algebra.function("sqrt", reads["weight"][0])]}


def _weighed(rows: Sequence[Scalar], reads: Reads) -> Sequence[Scalar]:
    roots = reads.get("roots")
    return rows if roots is None else [own * row for own, row in zip(roots, rows, strict=True)]


def split(entries: Sequence[Scalar], size: int) -> list[Sequence[Scalar]]:
    """Vectors of a size that follow each other."""
    return [entries[start : start + size] for start in range(0, len(entries), size)]


def _step(name: str, kernel: Kernel, read: tuple[str, ...], written: tuple[str, ...], mode: Mode) -> Step:
    return Step(name, kernel, (*(Port(port, Mode.READ) for port in read), *(Port(port, mode) for port in written)))


BEGIN = _step("begin_inverse", begin, ("columns", "roots"), ("weighed", "unturned", "total"), Mode.WRITE)
_LONGEST = _step("longest_first", longest_first, ("first", "other"), ("new_first", "new_other"), Mode.WRITE)
_PART = _step("take_part_off", part, ("own", "unit"), ("new",), Mode.WRITE)
_UNIT = _step("make_unit", unit, ("own", "total"), ("new",), Mode.WRITE)
_ACROSS = _step("inputs_along", across, ("weighed", "unit"), ("row",), Mode.WRITE)
CORRECT = _step("find_inputs", correct, ("columns", "solving", "left", "roots"), ("inputs", "taken"), Mode.ADD)
ROOT = _step("root_of_weight", root, ("weight",), ("root",), Mode.WRITE)


def solving_sweeps(variant: LeastVariant, name: str) -> Iterator[Sweep]:
    """Sweeps that make ``solving<name>``, rows of Z and P, of what :data:`BEGIN` made of the columns."""
    m, n = variant.rows, variant.count
    total = Access(f"total{name}", 0, 1)
    columns = [Access(f"unturned{name}", place * m, m) for place in range(n)]
    rows = [Access(f"solving{name}", place * (n + m), n + m) for place in range(min(m, n))]
    weighed = Access(f"weighed{name}", 0, m * n)

    def sweep(made: Step, own: object, *bindings: dict[str, Access]) -> Iterator[Sweep]:
        if bindings:
            yield Sweep(made, tuple(Visit(-1, own, {}, {**each}) for each in bindings))

    for place in range(len(rows)):
        first, before, after = columns[place], columns[:place], columns[place + 1 :]
        pairs = ({"first": first, "other": at, "new_first": first, "new_other": at} for at in after)
        yield from sweep(_LONGEST, m, *pairs)
        yield from sweep(_PART, m, *({"own": first, "unit": at, "new": first} for at in before))
        yield from sweep(_UNIT, m, {"own": first, "total": total, "new": first})
        yield from sweep(_PART, m, *({"own": at, "unit": first, "new": at} for at in after))
    directions = zip(columns, rows, strict=False)
    yield from sweep(_ACROSS, variant, *({"weighed": weighed, "unit": at, "row": row} for at, row in directions))
    for place, row in enumerate(rows):
        yield from sweep(_PART, n, *({"own": row, "unit": at, "new": row} for at in 2 * rows[:place]))
        yield from sweep(_UNIT, n, {"own": row, "total": total, "new": row})
