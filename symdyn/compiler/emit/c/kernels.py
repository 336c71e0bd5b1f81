"""Kernels as lines of C, with one value per name or one per lane.

Places that all lanes of a kernel add to: where there are many, what is added waits for a loop. Of the others, four
neighbours are added to at once, so that vectors are turned once and not taken apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from symdyn.compiler.emit.arguments import WIDTH, wrap_items
from symdyn.compiler.emit.c.arrays import TILE, Array, arrays
from symdyn.compiler.emit.c.dialect import DIALECTS
from symdyn.compiler.emit.c.lanes_dialect import LANES
from symdyn.compiler.emit.c.unit import functions_of
from symdyn.compiler.emit.printing.kernel_printer import KernelPrinter
from symdyn.compiler.emit.tree.kernel import Access, Kernel, Kind, Load, Product, Store

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


@dataclass(slots=True)
class Tile:
    """Neighbouring elements that all lanes add to, and what is added, as far as it is known."""

    array: Array
    first: int
    values: dict[int, str] = field(default_factory=dict)

    def added(self, index: int, value: str) -> list[str]:
        """Keep what is added to an element; the statement that adds all of them, once none is missing."""
        self.values[index] = value
        if len(self.values) < TILE:
            return []
        return [self.array.add_tile(self.first, *(self.values[self.first + number] for number in range(TILE)))]


def tiles(
    kernel: Kernel, arrays: Sequence[Array], waiting: Collection[tuple[int, bool]]
) -> dict[tuple[int, int], Tile]:
    """The tiles of elements that wait for no loop, by port and element."""
    products = {node.at for node in kernel.nodes if isinstance(node, Product)}
    found: dict[tuple[int, int], Tile] = {}
    for port, array in enumerate(arrays):
        if array.place.access is not Access.SUM or (port, False) in waiting:
            continue
        left = {store.element for store in kernel.stores if store.port == port and store.value not in products}
        for first in sorted(left):
            own = range(first, first + TILE)
            if left.issuperset(own):
                left.difference_update(own)
                found |= dict.fromkeys(((port, element) for element in own), Tile(array, first))
    return found


class CPrinter(KernelPrinter):
    """The statements and stores of a kernel.

    A store follows its value, so that the value needs no register any longer, but the ports in ``late`` are stored to
    at the end, because loads may still need what is there. Products are added where they lie. ``names`` are those of
    the arrays of inputs and outputs, ``counts`` the numbers of lanes of the file's loops over them.
    """

    def __init__(
        self,
        kernel: Kernel,
        names: tuple[Sequence[str], Sequence[str]],
        scalar: str,
        late: frozenset[int] = frozenset(),
        counts: tuple[int, ...] = (),
    ) -> None:
        super().__init__(kernel, DIALECTS[scalar], LANES[scalar])
        self.inputs = arrays(names[0], kernel.inputs, counts)
        self.outputs = arrays(names[1], kernel.outputs, counts)
        self.late = late
        self.products: dict[int, Product] = {}
        self.postponed: set[Store] = set()
        self.stores: dict[int, list[Store]] = defaultdict(list)
        for store in kernel.stores:
            if store.port not in late:
                self.stores[store.value].append(store)
        # Where loads may lag behind, sums would come in another order than the places that they add to want.
        self.waiting = {} if late else waiting(kernel, self.outputs)
        self.tiles = tiles(kernel, self.outputs, self.waiting)

    def print(self) -> list[str]:
        """The lines of the kernel's body."""
        for own in self.waiting.values():
            self.lines += own.first()
        self.print_nodes()
        for store in self.kernel.stores:
            if store.port in self.late or store.value in self.stores or store in self.postponed:
                self._store(store)
        for own in self.waiting.values():
            self.lines += own.last()
        return self.lines

    @property
    def needs(self) -> frozenset[str]:
        """The functions and macros that the lines call."""
        return functions_of(self.used).union(*(array.called for array in (*self.inputs, *self.outputs)))

    def declare(
        self, at: int, name: str, value: str, kind: Kind, varying: bool, reads: Sequence[int] = (), note: str = ""
    ) -> None:
        """One constant, and the stores of its value."""
        self.lines.append(f"const {self.dialects[varying].types[kind]} {name} = {value};{note}")
        if at in self.stores:
            self._store_value(at, varying)

    def note(self, text: str) -> str:
        """A comment at the end of a line."""
        return f" /* {text} */"

    def load(self, node: Load) -> str:
        """The text of an element of an input."""
        return self.inputs[node.port].element(node.element)

    def _product(self, node: Product) -> None:
        self.products[node.at] = node
        if node.at in self.stores:
            self._store_value(node.at, True)

    def _store_value(self, at: int, varying: bool) -> None:
        """Store a value where it goes; one that is given to each lane first waits until the end."""
        for store in self.stores.pop(at):
            if varying or not self.outputs[store.port].varies:
                self._store(store)
            else:
                self.postponed.add(store)

    def _store(self, store: Store) -> None:
        array, product = self.outputs[store.port], self.products.get(store.value)
        varying = array.varies or (product is not None and product.varying)
        texts = [self.operand(position, varying) for position in (product.args if product else (store.value,))]
        kept = self.waiting.get((store.port, product is not None))
        if product is None and (tile := self.tiles.get((store.port, store.element))) is not None:
            self.lines += tile.added(store.element, *texts)
            return
        if kept is not None:
            line = kept.kept(store.element, *texts)
        elif array.place.access is Access.SUM:
            assert store.accumulate, store
            line = array.add_lanes(str(store.element), *texts)
        elif product is not None:
            fused = self.spelled(self.dialects[varying].operations["fma"], *texts, array.element(store.element))
            line = array.store(store.element, fused)
        elif store.accumulate:
            line = array.add(store.element, *texts)
        else:
            line = array.store(store.element, *texts)
        self.lines.append(line)
