"""Rows of matrices that have the sparsity of the tree, stored by position on their way from the root."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import takewhile

from symdyn.model.model import Model
from symdyn.plan.plan import Access, Field, FieldKind

CHUNK = 16
"""Most scalars of a row that one visit treats, so that deep trees need no larger kernels."""


def ways_from_root(model: Model, free: Collection[int]) -> dict[int, tuple[int, ...]]:
    """Per free row of v the free rows that it couples with on the way from the root, itself last.

    Rows come in an order in which each follows those before it on its way. Rows of one cluster couple with each other.
    """
    cluster_of = {body: place for place, cluster in enumerate(model.clusters) for body in cluster.bodies}
    reached: list[tuple[int, ...]] = []
    ways: dict[int, tuple[int, ...]] = {}
    for place, cluster in enumerate(model.clusters):
        above = next(
            model.bodies[body].parent for body in cluster.bodies if cluster_of.get(model.bodies[body].parent) != place
        )
        rotor = not any(model.bodies[body].joint.kind.has_frame for body in cluster.bodies)
        way = () if above < 0 or rotor else reached[cluster_of[above]]
        for row in cluster.velocity_rows:
            if row in free:
                way = (*way, row)
                ways[row] = way
        reached.append(way)
    return ways


def ways_through(ways: Mapping[int, tuple[int, ...]], coupled: Iterable[tuple[int, int]]) -> dict[int, tuple[int, ...]]:
    """The ways on which rows lie that also couple as given: those of the elimination tree of all (Liu 1990).

    Rows keep their order. Where nothing couples that does not lie on one way already, nothing changes.
    """
    place = {row: number for number, row in enumerate(ways)}
    before = {row: set(way[:-1]) for row, way in ways.items()}
    more = [pair for pair in coupled if pair[0] in place and pair[1] in place and pair[0] != pair[1]]
    if all(other in before[row] or row in before[other] for row, other in more):
        return dict(ways)
    for row, other in more:
        later, earlier = (row, other) if place[row] > place[other] else (other, row)
        before[later].add(earlier)
    above: dict[int, int] = {}
    for row in reversed(list(ways)):
        if before[row]:
            parent = max(before[row], key=place.__getitem__)
            above[row] = parent
            before[parent] |= before[row] - {parent}
    found: dict[int, tuple[int, ...]] = {}
    for row in ways:
        found[row] = (*(found[above[row]] if row in above else ()), row)
    return found


class BranchRows:
    """Fields of rows by position on their way from the root: a row of the field per position, a column per row of v."""

    def __init__(self, ways: Mapping[int, tuple[int, ...]]) -> None:
        self.ways = ways
        self.place = {row: place for place, row in enumerate(ways)}
        self.depth = max((len(way) for way in ways.values()), default=1)

    def field(self, name: str) -> Field:
        """State for all rows."""
        return Field(name, FieldKind.STATE, max(len(self.ways), 1), self.depth)

    def at(self, field: str, row: int, position: int, count: int = 1) -> Access:
        """Scalars of a row from a position on."""
        return Access(field, len(self.ways) * position + self.place[row], count, len(self.ways) if count > 1 else 1)

    def across(self, field: str, row: int, position: int, count: int) -> Access:
        """The scalars at one position of a row and of those after it."""
        return Access(field, len(self.ways) * position + self.place[row], count)

    def one(self, field: str, row: int) -> Access:
        """The scalar of a row in a field with one per row."""
        return Access(field, self.place[row], 1)

    def shared(self, row: int, other: int) -> int:
        """How many rows two ways have in common."""
        pairs = zip(self.ways[row], self.ways[other], strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def pieces(count: int) -> Iterator[tuple[int, int]]:
    """(start, count) of the pieces of a row, the whole ones first."""
    for start in range(0, count, CHUNK):
        yield start, min(CHUNK, count - start)
