"""Elements of arrays as C reads and writes them: scalars, and values of lanes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from symdyn.compiler.emit.tree.kernel import Access, Place

FIRST_LANE = "lane"
"""The parameter that tells a kernel which lane is its first."""

WIDTH = "WIDTH"
"""Lanes of a vector."""

TILE = 4
"""Neighbouring elements to which all lanes are added at once."""

_SIDE_BY_SIDE = (Access.BESIDE, Access.CLOSE)


@dataclass(frozen=True, slots=True)
class Array:
    """The array of a port; ``suffix`` tells functions for so many lanes as it has from those for others.

    ``called`` holds the functions that its texts called so far.
    """

    name: str
    place: Place
    suffix: str = ""
    called: set[str] = field(default_factory=set)

    @property
    def varies(self) -> bool:
        """Whether lanes write a value each."""
        return self.place.access is not Access.SCALAR

    def element(self, index: int) -> str:
        """The text of an element, which is one value per lane where lanes have their own."""
        access = self.place.access
        if access is Access.SCALAR or access is Access.SUM:
            return f"{self.name}[{index}]"
        if access in _SIDE_BY_SIDE:
            return self._call("lanes_load", self._first(index))
        return self._call(f"lanes_gather{self.suffix}", self._first(index), str(self.place.stride), FIRST_LANE)

    def store(self, index: int, value: str) -> str:
        """The statement that sets an element."""
        access = self.place.access
        if access is Access.SCALAR:
            return f"{self.name}[{index}] = {value};"
        if access in _SIDE_BY_SIDE:
            return self._call("lanes_store", self._first(index), value) + ";"
        assert access is Access.APART, access
        function, stride = f"lanes_scatter{self.suffix}", str(self.place.stride)
        return self._call(function, self._first(index), stride, FIRST_LANE, value) + ";"

    def add(self, index: int, value: str) -> str:
        """The statement that adds to an element."""
        if self.place.access is Access.SCALAR:
            return f"{self.name}[{index}] += {value};"
        return self.store(index, f"{self.element(index)} + {value}")

    def add_lanes(self, index: str, *factors: str) -> str:
        """The statement that adds all lanes of a value, or of the product of two, one after the other."""
        function = f"lanes_add{'_products' if len(factors) > 1 else ''}{self.suffix}"
        element = f"{self.name}[{index}]"
        return f"{element} = {self._call(function, element, *factors, FIRST_LANE)};"

    def add_tile(self, index: int, *values: str) -> str:
        """The statement that adds all lanes of ``TILE`` values to as many neighbours, each as :meth:`add_lanes`."""
        self.called.update(("lanes_load", "lanes_store"))
        return self._call(f"lanes_add_tile{self.suffix}", self._first(index), *values, FIRST_LANE) + ";"

    def _call(self, function: str, *arguments: str) -> str:
        self.called.add(function)
        return f"{function}({', '.join(arguments)})"

    def _first(self, index: int) -> str:
        place: int | str = index
        if self.place.access is Access.BESIDE:
            place = self.place.stride * index
        elif self.place.access is Access.CLOSE and index:
            place = f"{WIDTH} * {index}"
        return f"{self.name} + {place}" if place else self.name


def lanes_suffix(count: int, counts: tuple[int, ...]) -> str:
    """What the functions for so many lanes have behind their names; nothing where a file has no others."""
    return f"_{count}" if len(counts) > 1 else ""


def arrays(names: Iterable[str], places: Iterable[Place], counts: tuple[int, ...]) -> list[Array]:
    """The arrays of ports, in a file whose loops over lanes have ``counts`` of them."""
    return [Array(name, own, lanes_suffix(own.lanes, counts)) for name, own in zip(names, places, strict=True)]
