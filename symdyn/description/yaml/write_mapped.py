"""A body given by its map to the key ``deformable`` of symdyn's YAML, read back to the last bit."""

from __future__ import annotations

from collections.abc import Iterator

from symdyn.description.mapped import MAPS, Mapped
from symdyn.description.quantities.written import flow_key, lines, mapping, number


def mapped_lines(body: Mapped) -> Iterator[str]:
    """Lines ``key: value`` of a body, of what differs from the defaults."""
    entries = MAPS.written(body)
    if body.damping:
        named = zip(body.rows, body.damping, strict=True)
        entries["damping"] = mapping({flow_key(name): number(value) for name, value in named})
    yield from lines(entries)
