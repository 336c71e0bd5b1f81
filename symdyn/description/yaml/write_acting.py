"""What acts on a robot from outside to symdyn's YAML, read back to the last bit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from symdyn.description.acting import AXES, Acting, Site, Wrench
from symdyn.description.robot import Attachment
from symdyn.description.yaml.text import key, listed, mapping, number, text


def acting_lines(acting: Iterable[Acting]) -> Iterator[str]:
    """Lines of all that acts on a robot."""
    wrenches = [own for own in acting if isinstance(own, Wrench)]
    if wrenches:
        yield "loads:"
        yield from (f"{key(own.name, '  ')} {mapping(_wrench(own))}" for own in wrenches)


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
