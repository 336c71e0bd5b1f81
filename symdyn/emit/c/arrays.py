"""Elements of arrays as C reads and writes them: scalars, and values of lanes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from symdyn.emit.tree.kernel import Access, Place

FIRST_LANE = "lane"
"""The parameter that tells a kernel which lane is its first."""


@dataclass(frozen=True, slots=True)
class Array:
    """The array of a port; ``suffix`` tells functions for so many lanes as it has from those for others."""

    name: str
    place: Place
    suffix: str = ""

    @property
    def varies(self) -> bool:
        """Whether lanes write a value each."""
        return self.place.access is not Access.SCALAR

    def element(self, index: int) -> str:
        """The text of an element, which is one value per lane where lanes have their own."""
        access = self.place.access
        if access is Access.SCALAR or access is Access.SUM:
            return f"{self.name}[{index}]"
        if access is Access.BESIDE:
            return f"lanes_load({self._first(index)})"
        return f"lanes_gather{self.suffix}({self._first(index)}, {self.place.stride}, {FIRST_LANE})"

    def store(self, index: int, value: str) -> str:
        """The statement that sets an element."""
        access = self.place.access
        if access is Access.SCALAR:
            return f"{self.name}[{index}] = {value};"
        if access is Access.BESIDE:
            return f"lanes_store({self._first(index)}, {value});"
        assert access is Access.APART, access
        return f"lanes_scatter{self.suffix}({self._first(index)}, {self.place.stride}, {FIRST_LANE}, {value});"

    def add(self, index: int, value: str) -> str:
        """The statement that adds to an element; of all lanes, one after the other, where these share it."""
        if self.place.access is Access.SCALAR:
            return f"{self.name}[{index}] += {value};"
        if self.place.access is Access.SUM:
            return self.add_lanes(str(index), value)
        return self.store(index, f"{self.element(index)} + {value}")

    def add_product(self, index: int, factors: Sequence[str], fma: str) -> str:
        """The statement that adds a product, with the spelling of a fused multiply-add."""
        if self.place.access is Access.SUM:
            return self.add_lanes(str(index), *factors)
        return self.store(index, fma.format(*factors, self.element(index)))

    def add_lanes(self, index: str, *factors: str) -> str:
        """The statement that adds all lanes of a value, or of the product of two."""
        function = f"lanes_add{'_products' if len(factors) > 1 else ''}{self.suffix}"
        element = f"{self.name}[{index}]"
        return f"{element} = {function}({', '.join([element, *factors, FIRST_LANE])});"

    def _first(self, index: int) -> str:
        place = self.place.stride * index if self.place.access is Access.BESIDE else index
        return f"{self.name} + {place}" if place else self.name


def lanes_suffix(count: int, counts: tuple[int, ...]) -> str:
    """What the functions for so many lanes have behind their names; nothing where a file has no others."""
    return f"_{count}" if len(counts) > 1 else ""


def arrays(names: Iterable[str], places: Iterable[Place], counts: tuple[int, ...]) -> list[Array]:
    """The arrays of ports, in a file whose loops over lanes have ``counts`` of them."""
    return [Array(name, own, lanes_suffix(own.lanes, counts)) for name, own in zip(names, places, strict=True)]
