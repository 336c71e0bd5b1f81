"""Where the blocks of ``block_elimination`` lie, for all tips of a robot that are eliminated so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from symdyn.algebra.spatial.rotations import Identity
from symdyn.dynamics.elements.tip import tip_numbers
from symdyn.dynamics.forward_dynamics.block_elimination import COLUMN, LANES
from symdyn.dynamics.forward_dynamics.block_steps import BlockVariant, Chunk, block_columns, block_masses
from symdyn.model.joints import JointPose
from symdyn.model.model import Model
from symdyn.plan.plan import Access, Field, FieldKind

COLUMNS, MASSES, REST, SOLVED = "block_columns", "block_masses", "block_rest", "block_solved"
PASSING = (REST, SOLVED)
"""Fields of a solution, which a plan over time series carries from order to order."""
_PLAIN = frozenset({"block_inertia", "block_lower", "block_pivots", "block_drive", "block_moved", SOLVED})
"""Fields without lanes."""


def block_chunks(rows: Sequence[int]) -> tuple[int, tuple[Chunk, ...]]:
    """Rows in as few chunks as their lanes allow, and the rows of each that is full."""
    count = -(-len(rows) // LANES)
    size = -(-len(rows) // count) if count else 0
    return size, tuple(tuple(rows[start : start + size]) for start in range(0, len(rows), size or 1))


@dataclass(frozen=True, slots=True)
class BlockPlace:
    """The blocks of one tip: places in fields of those that come before, by field."""

    variant: BlockVariant
    starts: dict[str, int]

    @property
    def free(self) -> range:
        """Chunks of free rows."""
        return range(len(self.variant.free))

    @property
    def prescribed(self) -> range:
        """Chunks of prescribed rows."""
        return range(len(self.variant.free), len(self.variant.chunks))

    @property
    def base(self) -> int:
        """The chunk of the parent's directions, behind all others."""
        return len(self.variant.chunks)

    def behind(self, chunk: int) -> range:
        """The chunks that feel it when the free rows of a chunk give way."""
        return range(chunk + 1, self.base + self.variant.transmits)

    def rows(self, chunk: int) -> int:
        """Rows of a chunk, those of the unit matrix included."""
        if chunk == self.base:
            return COLUMN
        return self.variant.size if chunk in self.free else len(self.variant.chunks[chunk])

    def blocks(self) -> Iterator[tuple[int, int]]:
        """The blocks of K: chunks of rows and of columns."""
        for column in self.free:
            yield from ((row, column) for row in (column, *self.behind(column)))
        if self.variant.transmits:
            yield from ((self.base, column) for column in self.prescribed)
        if self.variant.moves:
            yield self.base, self.base

    def entries(self, row: int, column: int) -> Access:
        """A block of K, a lane per row."""
        start = 0
        for block in self.blocks():
            if block == (row, column):
                break
            start += self.rows(block[1])
        return self.lanes("block_entries", start, self.rows(column))

    def masses(self, row: int, column: int) -> Access:
        """A block of D_0."""
        before = sum(min(number + 1, len(self.free)) for number in range(row)) + column
        return self.lanes(MASSES, before * self.variant.size, self.variant.size)

    def factor(self, row: int, column: int) -> Access:
        """A block of L below the diagonal."""
        before = sum(len(self.behind(other)) for other in range(column)) + row - column - 1
        return self.lanes("block_factor", before * self.variant.size, self.variant.size)

    def scaled(self, row: int) -> Access:
        """The same of -L E, for the chunk of columns at hand."""
        return self.lanes("block_scaled", row * self.variant.size, self.variant.size)

    def lanes(self, field: str, start: int, count: int) -> Access:
        """Scalars of a field with lanes, one per lane."""
        return Access(field, (self.starts[field] + start) * LANES, count, LANES, 1)

    def plain(self, field: str, start: int, count: int) -> Access:
        """Scalars of a field without lanes."""
        return Access(field, self.starts[field] + start, count)

    def lower(self, chunk: int) -> Access:
        """L of a block on the diagonal, below its own diagonal."""
        count = self.variant.size * (self.variant.size - 1) // 2
        return self.plain("block_lower", chunk * count, count)

    def per_row(self, field: str, chunk: int) -> Access:
        """A scalar per free row of a chunk."""
        return self.plain(field, chunk * self.variant.size, self.variant.size)

    def rest(self, chunk: int) -> Access:
        """What is left of the rows of a chunk, without the lanes that fill it up."""
        return Access(REST, self.lanes(REST, chunk, 1).offset, self.rows(chunk))

    def pivot(self, row: int) -> Access:
        """-1 over a free row's pivot."""
        return self.plain("block_pivots", self._number(row), 1)

    def joint_force_residual(self, row: int) -> Access:
        """What the inward half of a solution leaves for a row."""
        prescribed = [own for chunk in self.variant.prescribed for own in chunk]
        if row in prescribed:
            return self.plain("block_drive", len(self.free) * self.variant.size + prescribed.index(row), 1)
        return self.plain("block_drive", self._number(row), 1)

    def _number(self, row: int) -> int:
        """A free row among those of all chunks."""
        chunk = next(number for number, rows in enumerate(self.variant.free) if row in rows)
        return chunk * self.variant.size + self.variant.free[chunk].index(row)

    def sizes(self) -> dict[str, int]:
        """Scalars, or whole chunks of lanes, that the tip takes of each field."""
        variant, free = self.variant, len(self.free)
        size, chunks = variant.size, len(variant.chunks)
        return {
            COLUMNS: COLUMN * chunks,
            MASSES: size * sum(min(number + 1, free) for number in range(chunks)),
            "block_inertia": COLUMN**2,
            "block_wrenches": COLUMN * free,
            "block_carried": COLUMN if variant.transmits else 0,
            "block_entries": sum(self.rows(column) for _, column in self.blocks()),
            "block_scaled": size * (chunks + variant.transmits),
            "block_factor": size * sum(len(self.behind(chunk)) for chunk in self.free),
            "block_lower": free * size * (size - 1) // 2 + (size == 1),  # no scalar, but a place for it
            "block_pivots": free * size,
            REST: chunks + variant.transmits,
            SOLVED: free * size,
            "block_drive": free * size + sum(map(len, variant.prescribed)),
            "block_moved": free * size,
        }


def whole(access: Access) -> Access:
    """All lanes of an access, one after the other, for what shares them."""
    return Access(access.field, access.offset, access.count * LANES)


def block_fields(model: Model, bodies: Mapping[int, BlockPlace]) -> list[Field]:
    """State of the blocks, and tables of what is constant in them; ``bodies`` maps tips to their places."""
    if not bodies:
        return []
    totals: dict[str, int] = {}
    for place in bodies.values():
        for name, size in place.sizes().items():
            totals[name] = totals.get(name, 0) + size
    tables: dict[str, list[float]] = {COLUMNS: [], MASSES: []}
    for body, place in bodies.items():
        if place.variant.straight:
            tip, numbers = place.variant.tip, tip_numbers(model.bodies[body])
            tables[COLUMNS] += block_columns(place.variant, tip.columns(JointPose(Identity(), None), numbers))
            tables[MASSES] += block_masses(place.variant, tip.own_mass(numbers, {}))
    fields = []
    for name, size in totals.items():
        values = tuple(map(float, tables.get(name, ())))
        owner = FieldKind.TABLE if values else FieldKind.STATE
        fields += [Field(name, owner, 1, size, False, values, 1 if name in _PLAIN else LANES)] if size else []
    return fields
