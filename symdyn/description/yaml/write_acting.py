"""What acts on a robot from outside to symdyn's YAML, read back to the last bit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from symdyn.description.acting import AXES, Acting, Buoyancy, Drag, Site, Wrench
from symdyn.description.robot import Attachment
from symdyn.description.yaml.text import key, listed, mapping, number, text


def acting_lines(acting: Iterable[Acting]) -> Iterator[str]:
    """Lines of all that acts on a robot."""
    acting = tuple(acting)
    wrenches = [own for own in acting if isinstance(own, Wrench)]
    if wrenches:
        yield "loads:"
        yield from (f"{key(own.name, '  ')} {mapping(_wrench(own))}" for own in wrenches)
    yield from _fluid([own for own in acting if isinstance(own, Buoyancy | Drag)])


def _fluid(immersed: list[Buoyancy | Drag]) -> Iterator[str]:
    """The fluid, with a mapping for each link in it."""
    if not immersed:
        return
    bodies: dict[str, dict[str, str]] = {}
    for own in immersed:
        entries = bodies.setdefault(own.site.link, {})
        if own.site.point != Site().point:
            entries["center"] = listed(own.site.point)
        if isinstance(own, Drag):
            entries["drag"] = listed(own.entries)
        elif not own.along:
            entries["volume"] = number(own.volume)
    yield "fluid:"
    densities = [own.density for own in immersed if isinstance(own, Buoyancy)]
    yield f"  density: {number(densities[0] if densities else 0.0)}"
    scales = [own.velocity_scale for own in immersed if isinstance(own, Drag)]
    if scales:
        yield f"  velocity_scale: {number(scales[0])}"
    yield "  bodies:"
    yield from (f"{key(link, '    ')} {mapping(entries)}" for link, entries in bodies.items())


def site(own: Site) -> dict[str, str]:
    """A place."""
    if own.frame:
        return {"frame": text(own.frame)}
    found = {"link": text(own.link)}
    if own.at is not Attachment.TIP:
        found["at"] = own.at.value if isinstance(own.at, Attachment) else number(own.at)
    return found | ({"point": listed(own.point)} if own.point != Site().point else {})


def _wrench(own: Wrench) -> dict[str, str]:
    parts = {"force": listed(own.entries[:3]), "moment": listed(own.entries[3:])}
    entries = site(own.site) | ({"per_length": listed(own.entries)} if own.per_length else parts)
    return entries | ({"axes": own.axes} if own.axes != AXES[0] else {})
