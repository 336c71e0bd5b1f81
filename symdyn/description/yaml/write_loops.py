"""Closed loops and couplings to symdyn's YAML, read back to the last bit."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from symdyn.description.external_loads import Site
from symdyn.description.loops import Coupling, Holding, Loop, LoopKind, Z
from symdyn.description.pfaffian import UNITS, Pfaffian
from symdyn.description.robot import RobotDescription
from symdyn.description.yaml.text import flag, flow_key, key, listed, mapping, number, text
from symdyn.description.yaml.words import COUPLING, PFAFFIAN, WORLD
from symdyn.description.yaml.write_acting import site


def loop_lines(robot: RobotDescription) -> Iterator[str]:
    """Lines of all loops of a robot."""
    loops = [own for own in robot.acting if isinstance(own, Holding)]
    deforming = {link.name for link in robot.links if link.deforms}
    if loops:
        yield "loops:"
    for own in loops:
        entries = _loop(own, deforming) if isinstance(own, Loop) else {}
        entries = _coupling(own) if isinstance(own, Coupling) else entries
        entries = _pfaffian(own) if isinstance(own, Pfaffian) else entries
        yield f"{key(own.name, '  ')} {mapping(entries)}"


def _loop(own: Loop, deforming: Collection[str]) -> dict[str, str]:
    ends = (mapping(_end(end, deforming)) for end in own.between)
    entries = {"between": f"[{', '.join(ends)}]", "kind": own.kind.value}
    first, second = own.axes
    if own.kind is LoopKind.UNIVERSAL or first != second:
        entries["axes"] = f"[{listed(first)}, {listed(second)}]"
    elif first != Z:
        entries["axis"] = listed(first)
    if own.kind is LoopKind.DISTANCE:
        entries["distance"] = number(own.distance)
    return entries | ({"close": flag(True)} if own.close else {})


def _end(own: Site, deforming: Collection[str]) -> dict[str, str]:
    return {WORLD: listed(own.point)} if own.grounded else site(own, deforming)


def _coupling(own: Coupling) -> dict[str, str]:
    terms = mapping({flow_key(name): number(factor) for name, factor in own.terms})
    return {"kind": COUPLING, "terms": terms, "offset": number(own.offset)}


def _pfaffian(own: Pfaffian) -> dict[str, str]:
    rows = (mapping({flow_key(name): number(entry) for name, entry in row}) for row in own.rows)
    entries = {"kind": PFAFFIAN, "rows": f"[{', '.join(rows)}]"}
    if own.equals:
        entries["equals"] = listed(own.equals)
    if own.coordinates:
        entries["coordinates"] = mapping({flow_key(name): text(row) for name, row in own.coordinates})
    return entries | ({"unit": own.unit} if own.unit != UNITS[0] else {})
