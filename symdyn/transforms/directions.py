"""Directions of derivatives in groups that run side by side, one per lane: where their slopes lie."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from symdyn.plan.plan import Access, Field, FieldKind, Mode, Port, Step, Sweep, Visit

FEW_DIRECTIONS = 8
"""Directions from which they go in lanes; fewer are written one by one.

Partial derivatives of inverse dynamics, one by one and in lanes: ns with vectors of 64 and of 32 bytes, and kB of
machine code. A flexible link with 8 rows of v 634 / 200, 728 / 322, 41 / 20; with 9 759 / 283, 869 / 536, 47 / 28; an
arm of flexible links with 15 3190 / 1480 with vectors of 64 bytes, 178 / 79; two links with 26 6915 / 1990, 411 / 126.
"""


class Groups:
    """Directions in groups of eight, of which the last may be filled up by directions of which all slopes are zero.

    Parameters
    ----------
    name
        What the names of fields begin with.
    directions
        How many there are.
    """

    lanes = 8

    def __init__(self, name: str, directions: int) -> None:
        self._units = f"{name}_directions"
        self._directions = directions
        self.count = -(-directions // self.lanes)

    def access(self, access: Access, size: int, group: int) -> Access:
        """Where a group's slopes lie of scalars of a field that holds ``size`` of them."""
        start = (group * size + access.offset) * self.lanes
        return Access(access.field, start, access.count, access.stride * self.lanes, 1)

    def units(self, access: Access, group: int) -> Access:
        """The slopes of the directions themselves."""
        return self.access(Access(self._units, access.offset, access.count, access.stride), self._directions, group)

    def fields(self, sizes: Mapping[str, int]) -> list[Field]:
        """State for the slopes of fields, by name and size, and the table of the directions' own."""
        units = tuple(
            float(place == self.lanes * group + lane)
            for group in range(self.count)
            for place in range(self._directions)
            for lane in range(self.lanes)
        )
        found = [Field(self._units, FieldKind.TABLE, self._directions, self.count, values=units, lanes=self.lanes)]
        return found + [
            Field(name, FieldKind.STATE, size, self.count, lanes=self.lanes) for name, size in sizes.items()
        ]

    def gathered(self, slopes: str, jacobian: str, wanted: Sequence[Collection[int]]) -> Iterator[Sweep]:
        """Sweeps that lead slopes to a Jacobian, (m, n); ``wanted`` tells per row the groups that are there."""
        for group in range(self.count):
            first = group * self.lanes
            lanes = min(self.lanes, self._directions - first)
            visits = [
                Visit(
                    -1,
                    None,
                    {},
                    {
                        "slope": self.access(Access(slopes, row, 1), len(wanted), group),
                        "entry": Access(jacobian, row * self._directions + first, 1, lane=1),
                    },
                    lanes,
                )
                for row, groups in enumerate(wanted)
                if group in groups
            ]
            if visits:
                yield Sweep(_GATHER, tuple(visits))


def _gather(_: Any, __: Any, ___: Any, reads: Mapping[str, Sequence[Any]]) -> Mapping[str, Sequence[Any]]:
    return {"entry": list(reads["slope"])}


_GATHER = Step("gather_slopes", _gather, (Port("slope", Mode.READ), Port("entry", Mode.WRITE)))
