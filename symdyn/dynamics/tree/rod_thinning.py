"""Sections that get thinner as their rod stretches: mass points that shift by a function of the strain at the station.

With the relative stretch s = 1 + c . q there (``shapes.thinning``), a point at d = (y, z) of the section at rest stands
at d / sqrt(s), so that the first moment of strain over the step aside to it has

    b = d s^(-1/2),    b' = d f s',    b'' = d (f' s'^2 + f s''),    f = -1/2 s^(-3/2)

in its rows across, and the shares g of forces there add c (f d . g) to those of coordinates. Steps along the rod have
d = 0 and c = 0. A row of the rod's table ends with d, then c of the coordinates that count.
"""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import Vector, dot
from symdyn.dynamics.tree.ports import Reads

Pair = list[Scalar]


def thin_numbers(thins: Sequence[int]) -> int:
    """How many numbers of a row of the table say this, for the coordinates that make sections thinner."""
    return 2 + len(thins) if thins else 0


def thinned(thins: Sequence[int], algebra: Algebra, own: Vector, reads: Reads) -> tuple[dict[str, Pair], Pair]:
    """Per port of q, v and a what the first moment has across; and f d, by which it changes with s."""
    across, columns = own[:2], own[2:]
    rates = {port: dot(columns, [reads[port][row] for row in thins]) for port in "qva" if port in reads}
    inverse = algebra.constant(1.0) / (1.0 + rates["q"])
    factor = algebra.function("sqrt", inverse)
    slope = -0.5 * (factor * inverse)
    found = {"q": [factor * entry for entry in across]}
    if "v" in rates:
        found["v"] = [slope * rates["v"] * entry for entry in across]
    if "a" in rates:
        bend = -1.5 * (slope * inverse)
        found["a"] = [(bend * (rates["v"] * rates["v"]) + slope * rates["a"]) * entry for entry in across]
    return found, [slope * entry for entry in across]


def followed(thins: Sequence[int], table: Vector, kept: Vector, found: Sequence[Scalar]) -> Pair:
    """The first moment's accelerations across by those of coordinates, from what a step keeps."""
    rate = dot(table[-len(thins) :], [found[row] for row in thins])
    return [rate * slope for slope in kept[-2:]]


def add_thinning(thins: Sequence[int], table: Vector, kept: Vector, share: Vector, force: list[Scalar]) -> None:
    """Add what the share of a wrench in the first moment does to the stretch."""
    pull = dot(kept[-2:], share[1:3])
    for row, column in zip(thins, table[-len(thins) :], strict=True):
        force[row] = force[row] + column * pull
