"""Steps of ``limb_multipliers``: per loop, and for the rows of the solution that loops share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import Vector, add, dot, subtract
from symdyn.dynamics.loops.constraint_activation import ACTIVE, with_ones
from symdyn.dynamics.loops.proximal import PROXIMAL, Factor, Guard, less_products
from symdyn.dynamics.tree.bindings import Reads, Writes


@dataclass(frozen=True, slots=True)
class SharedVariant:
    """How many rows loops share, and whether this is the last correction."""

    count: int
    last: bool


Entries = list[dict[int, Scalar]]
"""Entries of half-solutions by rows of a loop and numbers of its places."""


@dataclass(frozen=True, slots=True)
class GroupVariant:
    """What is structural about a loop.

    ``whitened`` tells per row the numbers of the places with an entry, ``free`` which places are free, and ``shared``
    per row that loops share the number of its place here, or -1.
    """

    whitened: tuple[tuple[int, ...], ...]
    free: tuple[bool, ...]
    shared: tuple[int, ...]
    stabilised: bool

    def entries(self, scalars: Vector) -> Entries:
        """Those of a loop."""
        read = iter(scalars)
        return [{number: next(read) for number in row} for row in self.whitened]


def factor_group(variant: GroupVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per loop: L d L^T = K + E, L^-1 b, and what both leave to shared rows."""
    entries, free = variant.entries(reads["whitened"]), [number for number, free in enumerate(variant.free) if free]
    alone = [number for number in free if number not in variant.shared]
    weighed = [
        {number: reads[f"weight{number}"][0] * row[number] for number in free if number in row} for row in entries
    ]
    block = [[_product(own, other, alone) for other in entries[: row + 1]] for row, own in enumerate(weighed)]
    diagonal = [_product(own, other, free) for own, other in zip(weighed, entries, strict=True)]
    if ACTIVE in reads:
        block = with_ones(algebra, reads, (0,) * len(block), block)
    factor = Factor.of(block, Guard(algebra, constants, diagonal), [PROXIMAL * x for x in diagonal])
    drives = {number: reads[f"joint_force_residual{number}"][0] for number in alone}
    right = []
    for row, own in enumerate(weighed):
        desired = _product(own, drives, alone) - reads["acceleration"][row]
        if variant.stabilised:
            desired = desired - constants["rate"] * reads["rate"][row] - constants["stiffness"] * reads["error"][row]
        right.append(desired)
    columns = [factor.halved([row.get(number, 0.0) for row in entries]) for number in variant.shared]
    scaled_columns = [[x * d for x, d in zip(column, factor.inverse, strict=True)] for column in columns]
    halved = factor.halved(right)
    return {
        "factor": factor.scalars(),
        "scaled_columns": [x for column in scaled_columns for x in column],
        "right": halved,
        "coupling": [dot(own, columns[other]) for row, own in enumerate(scaled_columns) for other in range(row + 1)],
        "sum": [dot(own, halved) for own in scaled_columns],
    }


def solve_group(variant: GroupVariant, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per loop: x where y changes, and what remains: L^-1 E dx, and what it and x leave to shared rows."""
    factor, scaled_columns, update, found = _solved(variant, reads)
    right = factor.halved([more * x for more, x in zip(factor.more, update, strict=True)])
    entries = variant.entries(reads["whitened"])
    moved = [
        sum((row[number] * x for row, x in zip(entries, found, strict=True) if number in row), 0.0)
        for number in variant.shared
    ]
    return {
        "next": right,
        "found": found,
        "sum": [dot(own, right) + x for own, x in zip(scaled_columns, moved, strict=True)],
    }


def finish_group(variant: GroupVariant, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per loop: its multipliers, and what they change of the drives."""
    found, entries = _solved(variant, reads)[3], variant.entries(reads["whitened"])
    changes: dict[str, list[Scalar]] = {}
    for number in range(len(variant.free)):
        if number in variant.shared:
            continue
        parts = [(row[number], x) for row, x in zip(entries, found, strict=True) if number in row]
        changes[f"total{number}"] = [-1.0 * dot([half for half, _ in parts], [x for _, x in parts])]
    return {"found": found, **changes}


def factor_shared(count: int, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step: the factor of C, y, and what the second equation leaves of y and s."""
    sums, pivots, drives = iter(reads["coupling"]), *_of_shared(count, reads)
    matrix = [[next(sums) for _ in range(row + 1)] for row in range(count)]
    for row in range(count):
        matrix[row][row] = matrix[row][row] - pivots[row]
    factor = Factor.of(matrix, more=[0.0] * count)
    update = factor.solved(subtract(reads["sum"], drives))
    return {"factor": factor.scalars(), "update": update, "left": _left(pivots, update, drives)}


def solve_shared(variant: SharedVariant, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step: how y changes, what the second equation then leaves, and at last the drives: s - H x = -y / D."""
    pivots, drives = _of_shared(variant.count, reads)
    update = Factor.loaded(reads["factor"], variant.count).solved(reads["sum"])
    found = add(reads["before"], update)
    if not variant.last:
        return {"update": update, "found": found, "left": _left(pivots, found, drives)}
    return {"update": update, **{f"total{row}": [pivots[row] * y] for row, y in enumerate(found)}}


def _of_shared(count: int, reads: Reads) -> tuple[list[Scalar], list[Scalar]]:
    """-1 / D and s."""
    pivots, drives = ([reads[f"{name}{row}"][0] for row in range(count)] for name in ("pivot", "joint_force_residual"))
    return pivots, drives


def _left(pivots: Vector, found: Vector, drives: Vector) -> list[Scalar]:
    """-y / D - s, to which limbs add H x."""
    return [pivot * y - s for pivot, y, s in zip(pivots, found, drives, strict=True)]


def _solved(variant: GroupVariant, reads: Reads) -> tuple[Factor, Sequence[Vector], Vector, Vector]:
    """The factor, what shared rows feel of each row, dx and x."""
    count = len(variant.whitened)
    factor = Factor.loaded(reads["factor"], count)
    scaled_columns = [
        reads["scaled_columns"][start : start + count] for start in range(0, len(reads["scaled_columns"]), count)
    ]
    halved = zip(reads["right"], factor.inverse, strict=True)
    update = factor.finished(
        [
            less_products(x * d, [own[row] for own in reversed(scaled_columns)], reversed(reads["update"]))
            for row, (x, d) in enumerate(halved)
        ]
    )
    before = reads.get("before", [0.0] * count)
    return factor, scaled_columns, update, [x + y for x, y in zip(before, update, strict=True)]


def _product(weighed: Mapping[int, Scalar], other: Mapping[int, Scalar], among: Sequence[int]) -> Scalar:
    both = [number for number in among if number in weighed and number in other]
    return dot([weighed[number] for number in both], [other[number] for number in both]) if both else 0.0
