"""Work in lanes that follows each other: whether it may run as one, lane by lane, or must wait for all lanes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from symdyn.compiler.passes.program.order_calls import Cell
from symdyn.compiler.tape.program import Address, Affine
from symdyn.compiler.tape.tape import Port

Reach = tuple[Cell, int]
"""A scalar in the first lane, and by how much its place advances from lane to lane."""

_Owner = tuple[int, int]
"""A lane and the advance from lane to lane with which it finds a scalar."""

_SHARED, _SUM = (-1, 0), (-2, 0)
"""Owners of a scalar that all lanes read, and of one that all lanes add to."""


class LaneRun:
    """What a run of work in lanes has read and written.

    One value is kept per lane for as long as the run takes. What it has written can therefore be read, and what it has
    read or written can be written, only in the lane and with the advance that were there before; and what all lanes add
    to has its value only after the run. Work that runs once has no such limits.
    """

    def __init__(self, lanes: int) -> None:
        self._lanes = lanes
        self._read: dict[Cell, set[_Owner]] = defaultdict(set)
        self._written: dict[Cell, _Owner] = {}

    def takes(self, reads: Iterable[Reach], writes: Iterable[Reach]) -> bool:
        """Whether work that reads and writes, or adds to, these scalars can join the run; it has joined then."""
        if self._lanes == 1:
            return True
        read = [item for reach in reads for item in self._owners(reach, _SHARED)]
        written = [item for reach in writes for item in self._owners(reach, _SUM)]
        if any(self._written.get(cell, owner) != owner for cell, owner in (*read, *written)):
            return False
        if any(self._read.get(cell, {owner}) != {owner} for cell, owner in written):
            return False
        for cell, owner in read:
            self._read[cell].add(owner)
        self._written.update(written)
        return True

    def _owners(self, reach: Reach, of_all: _Owner) -> Iterator[tuple[Cell, _Owner]]:
        (name, place), stride = reach
        if not stride:
            yield (name, place), of_all
            return
        for lane in range(self._lanes):
            yield (name, place + lane * stride), (lane, stride)


def lane_stride(address: Address) -> int:
    """By how much the address of a call outside of other loops advances from lane to lane."""
    assert isinstance(address, Affine), address
    return address.strides[0] if address.strides else 0


def first_cells(port: Port, address: Address) -> Iterator[Cell]:
    """Scalars of a port, in the first lane."""
    for index in range(port.width):
        yield address.buffer, address.base + port.place(index)
