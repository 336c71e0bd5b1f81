"""Tendons, chambers and actuators to symdyn's YAML, read back to the last bit."""

from __future__ import annotations

from collections.abc import Iterator

from symdyn.description.actuation import Actuation, Driver, JointActuator, RestStrain, Strand
from symdyn.description.yaml.text import along, key, listed, mapping, number, text


def actuation_lines(actuation: Actuation) -> Iterator[str]:
    """Lines of what drives a robot besides motors."""
    if actuation.tendons:
        yield "tendons:"
        for tendon in actuation.tendons:
            parts = [_strand(strand) for strand in tendon.strands]
            several = mapping({"along": f"[{', '.join(parts)}]"})
            yield f"{key(tendon.name, '  ')} {parts[0] if len(parts) == 1 else several}"
    if actuation.chambers:
        yield "chambers:"
        for chamber in actuation.chambers:
            given = {name: along(getattr(chamber, name)) for name in ("area", "moment_y", "moment_z")}
            if chamber.wall:
                given = {"skin": along(chamber.skin), "wall": along(chamber.wall), "angles": listed(chamber.angles)}
            entries = {"link": text(chamber.link), **given, **_span(chamber.start, chamber.end)}
            yield f"{key(chamber.name, '  ')} {mapping(entries)}"
    if any(isinstance(own, JointActuator) for own in actuation.actuators):
        yield "actuators:"
        yield from (f"  - {_driver(own)}" for own in actuation.actuators)
    elif actuation.actuators:
        yield f"actuators: [{', '.join(map(_driver, actuation.actuators))}]"
    if actuation.absent:
        yield "absent_actuators:"
        yield from (f"  - {text(own)}" for own in actuation.absent)


def _driver(own: Driver) -> str:
    if isinstance(own, JointActuator):
        joints = {text(name): number(row[0]) if len(row) == 1 else listed(row) for name, row in own.joints}
        entries = {"name": text(own.name), "joints": mapping(joints)}
        if own.gain != _UNIT:
            entries["gain"] = listed(own.gain) if any(own.gain[1:]) else number(own.gain[0])
        return mapping(entries | ({"bias": listed(own.bias)} if any(own.bias) else {}))
    return mapping({"rest": text(own.of)}) if isinstance(own, RestStrain) else text(own)


_UNIT = (1.0, 0.0, 0.0)


def _strand(strand: Strand) -> str:
    places = {"y": along(strand.y), "z": along(strand.z)}
    return mapping({"link": text(strand.link), **places, **_span(strand.start, strand.end)})


def _span(start: float, end: float) -> dict[str, str]:
    return {"from": number(start), "to": number(end)}
