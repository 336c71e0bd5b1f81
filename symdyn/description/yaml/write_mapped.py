"""A body given by its map to the key ``deformable`` of symdyn's YAML, read back to the last bit."""

from __future__ import annotations

from collections.abc import Iterator

from symdyn.description.mapped import Mapped
from symdyn.description.quantities.written import along, flow_key, listed, mapping, number

_ORIGIN = (0.0, 0.0, 0.0)


def mapped_lines(body: Mapped) -> Iterator[str]:
    """Lines ``key: value`` of a body, of what differs from the defaults."""
    yield f"coordinates: {mapping({flow_key(name): unit for name, unit in body.coordinates})}"
    yield f"domain: [{', '.join(listed(ends) for ends in body.domain)}]"
    yield "map:"
    yield from (f"  - {along(text)}" for text in body.map)
    yield f"density: {number(body.density)}"
    yield f"quadrature: [{', '.join(map(str, body.quadrature))}]"
    if body.energy:
        yield f"energy: {along(body.energy)}"
    if body.energy_density:
        yield f"energy_density: {along(body.energy_density)}"
    if body.damping:
        entries = {flow_key(name): number(value) for name, value in zip(body.rows, body.damping, strict=True)}
        yield f"damping: {mapping(entries)}"
    if body.root != _ORIGIN:
        yield f"root: {listed(body.root)}"
    if body.tip is not None:
        yield f"tip: {listed(body.tip)}"
    if body.tip_turns:
        yield "tip_turns: true"
