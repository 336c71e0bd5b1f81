"""Places that all lanes of a kernel add to, one after the other, so that sums come out the same at any width."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from symdyn.emit.arguments import WIDTH, wrap_items
from symdyn.emit.statements import Kernel, Place
from symdyn.tape.tape import Tape

FIRST_LANE = "lane"
"""The parameter that tells a kernel which lane is its first."""

_LEAST = 24
"""Sums from which on they wait for a loop: inverse dynamics of a rod to order 3 has 8 % less code and the same speed.
At order 0, with 18 sums, the loop would take 3 % more time."""


@dataclass(frozen=True, slots=True)
class SharedByLanes(Place):
    """One place for all lanes, which may add to it.

    ``suffix`` tells functions for this number of lanes from others. Elements in ``sums`` and ``products`` wait in
    arrays, in this order, for loops after all other lines.
    """

    suffix: str = ""
    sums: tuple[int, ...] = ()
    products: tuple[int, ...] = ()

    def store(self, index: int, sign: str, value: str) -> str:
        """The statement that adds all lanes, or keeps the value."""
        assert sign == "+=", sign
        return self._added(index, self.sums, value)

    def add_product(self, index: int, factors: tuple[str, str], fused: str) -> str:
        """The statement that adds one product per lane, or keeps its factors."""
        return self._added(index, self.products, *factors)

    def first(self) -> list[str]:
        """Lines that a kernel begins with: arrays of what waits."""
        lines = []
        for name, rows, factors in self._waiting():
            listed = wrap_items(map(str, rows), WIDTH - 4)
            lines += [f"static const unsigned short {name}_rows[] = {{", *(f"  {line}" for line in listed), "};"]
            lines.append(f"lanes {name}[{len(rows)}][{factors}];")
        return lines

    def last(self) -> list[str]:
        """Lines that a kernel ends with: loops over what waits."""
        lines = []
        for name, rows, factors in self._waiting():
            values = [f"{name}[i][{factor}]" for factor in range(factors)]
            lines.append(f"for (size_t i = 0; i < {len(rows)}; ++i) {{")
            lines += [f"  {self._sum(f'{self.array}[{name}_rows[i]]', *values)}", "}"]
        return lines

    def _added(self, index: int, waiting: tuple[int, ...], *factors: str) -> str:
        if index not in waiting:
            return self._sum(self.element(index), *factors)
        kept = f"{self.array}_{_NAMES[len(factors)]}[{waiting.index(index)}]"
        return " ".join([f"{kept}[{number}] = {factor};" for number, factor in enumerate(factors)])

    def _sum(self, element: str, *factors: str) -> str:
        function = f"lanes_add{'_products' if len(factors) > 1 else ''}{self.suffix}"
        return f"{element} = {function}({', '.join([element, *factors, FIRST_LANE])});"

    def _waiting(self) -> Iterator[tuple[str, tuple[int, ...], int]]:
        """By kind: the name of its array, the elements that wait, and the values that each keeps."""
        for factors, rows in ((1, self.sums), (2, self.products)):
            if rows:
                yield f"{self.array}_{_NAMES[factors]}", rows, factors


_NAMES = {1: "sums", 2: "products"}


def waiting(tape: Tape, kernel: Kernel, port: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Elements of an output that wait for a loop: sums and products. None where there are few."""
    products = {statement.name for statement in kernel.statements if statement.factors is not None}
    found: tuple[list[int], list[int]] = ([], [])
    for index, value in enumerate(kernel.results[port]):
        found[value in products].append(tape.outputs[port].place(index))
    sums, added = (tuple(sorted(rows)) if len(rows) >= _LEAST else () for rows in found)
    return sums, added
