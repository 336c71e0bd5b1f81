"""Places that all lanes of a kernel add to: where there are many, what is added waits for a loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symdyn.compiler.emit.arguments import WIDTH, wrap_items
from symdyn.compiler.emit.c.arrays import Array
from symdyn.compiler.emit.tree.kernel import Access, Kernel, Product

_LEAST = 24
"""Sums from which on they wait for a loop: inverse dynamics of a rod to order 3 has 8 % less code and the same speed.
At order 0, with 18 sums, the loop would take 3 % more time."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Elements of an array that wait for a loop after all other lines, each with so many factors."""

    array: Array
    factors: int
    rows: tuple[int, ...]

    @property
    def name(self) -> str:
        """The array of what waits."""
        return f"{self.array.name}_{'products' if self.factors > 1 else 'sums'}"

    def kept(self, index: int, *factors: str) -> str:
        """The statement that keeps what is added to an element."""
        row = self.rows.index(index)
        return " ".join([f"{self.name}[{row}][{number}] = {factor};" for number, factor in enumerate(factors)])

    def first(self) -> list[str]:
        """Lines that a kernel begins with."""
        listed = wrap_items(map(str, self.rows), WIDTH - 4)
        head = [f"static const unsigned short {self.name}_rows[] = {{", *(f"  {line}" for line in listed), "};"]
        return [*head, f"lanes {self.name}[{len(self.rows)}][{self.factors}];"]

    def last(self) -> list[str]:
        """Lines that a kernel ends with."""
        values = [f"{self.name}[i][{factor}]" for factor in range(self.factors)]
        added = self.array.add_lanes(f"{self.name}_rows[i]", *values)
        return [f"for (size_t i = 0; i < {len(self.rows)}; ++i) {{", f"  {added}", "}"]


def waiting(kernel: Kernel, arrays: Sequence[Array]) -> dict[tuple[int, bool], Waiting]:
    """What waits, by the port that is added to and whether products are."""
    products = {node.at for node in kernel.nodes if isinstance(node, Product)}
    shared = [port for port, array in enumerate(arrays) if array.place.access is Access.SUM]
    rows: dict[tuple[int, bool], list[int]] = {(port, fused): [] for port in shared for fused in (False, True)}
    for store in kernel.stores:
        if store.port in shared:
            rows[store.port, store.value in products].append(store.element)
    return {
        key: Waiting(arrays[key[0]], 1 + key[1], tuple(sorted(own))) for key, own in rows.items() if len(own) >= _LEAST
    }
