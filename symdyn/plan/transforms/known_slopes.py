"""Which slopes of the scalars of a plan can differ from zero, and which of their places hold something old."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from symdyn.plan.plan import Access

NONE: frozenset[int] = frozenset()
"""No direction: the slopes of a constant."""


class KnownSlopes:
    """What is known of slopes along a number of directions, visit by visit in the order of a plan."""

    def __init__(self, directions: int) -> None:
        self._directions = range(directions)
        self._slopes: dict[tuple[str, int], frozenset[int]] = {}
        self._told: dict[tuple[str, int, int], bool] = {}
        """Per (field, place, direction) whether the slope's place, once written, still tells the truth."""

    def at(self, access: Access) -> list[frozenset[int]]:
        """The directions of each scalar of an access."""
        return [self._slopes.get((access.field, place), NONE) for place in access.places]

    def cleared(self, access: Access, direction: int) -> list[Access]:
        """The scalars of which the slope is zero, but its place holds nothing or something old: to be cleared now."""
        level = [place for place, slopes in zip(access.places, self.at(access), strict=True) if direction not in slopes]
        found = [place for place in level if not self._told.get((access.field, place, direction))]
        self._told |= {(access.field, place, direction): True for place in found}
        return [Access(access.field, place, 1) for place in found]

    def written(
        self, access: Access, slopes: Sequence[frozenset[int]], adds: bool, begun: bool = False
    ) -> list[tuple[int, Access]]:
        """Note the slopes that a visit writes or adds; the directions and scalars whose places are to be cleared first.

        What is written without a slope leaves an old one in its place. A visit adds to all its places or sets them
        all: where one holds something, those that hold nothing are cleared too. With ``begun``, sums have to be there
        before anything is added to them.
        """
        sloped, found = NONE.union(*slopes), []
        held = {
            direction
            for direction in sloped
            if begun or any((access.field, place, direction) in self._told for place in access.places)
        }
        for direction, place in product(self._directions, access.places):
            key = (access.field, place, direction)
            if direction in sloped:
                if adds and direction in held and not self._told.get(key):
                    found.append((direction, Access(access.field, place, 1)))
                self._told[key] = True
            elif not adds and key in self._told:
                self._told[key] = False
        before = self.at(access) if adds else [NONE] * access.count
        both = (own | held for own, held in zip(slopes, before, strict=True))
        self._slopes |= {(access.field, place): own for place, own in zip(access.places, both, strict=True)}
        return found
