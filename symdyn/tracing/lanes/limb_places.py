"""Where the values of limbs lie, followed visit by visit in the order of a plan.

Limbs may use the same scratch one after the other. In lanes each needs its own, so that what a limb has written is
known by its lane and by the place that the first limb uses for it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from symdyn.plan.plan import Access, FieldKind, Mode, Plan, Step, Visit


class NotInLanes(Exception):  # noqa: N818 -- no error: such a plan stays as it is
    """Limbs of this plan share something in a way that lanes cannot; ``field`` is where, if it may stay as it is."""

    def __init__(self, field: str = "") -> None:
        self.field = field


@dataclass(frozen=True, slots=True)
class Found:
    """Where something lies: in its field as before (``lane`` -1), or in a lane, at the first limb's ``access``."""

    access: Access
    lane: int = -1

    @property
    def is_plain(self) -> bool:
        """Whether it lies in its field as before."""
        return self.lane < 0


@dataclass(frozen=True, slots=True)
class Member:
    """A visit as one lane of a group sees it.

    ``first`` is the same visit of the first limb, and ``shared`` names the ports that lie in one place for all limbs.
    """

    lane: int
    first: Visit
    shared: Collection[str]


class PlaceTracker:
    """Walks over visits in the plan's order, and remembers who wrote what; fields in ``plain`` stay as they are."""

    def __init__(self, plan: Plan, plain: Collection[str] = ()) -> None:
        self._plain = plain
        self._kinds = {field.name: field.kind for field in plan.fields}
        self._held: dict[str, list[tuple[int, int] | None]] = {field.name: [None] * field.size for field in plan.fields}
        self._touched = {field.name: bytearray(field.size) for field in plan.fields}
        self.to_clear: list[Access] = []
        """Plain places to which limbs are the first to add, since this was emptied last."""

    def places(self, step: Step, visit: Visit, member: Member | None = None) -> Mapping[str, Found]:
        """Where the ports of a visit lie; constants that a step has computed have ``constant:`` before their names."""
        found = {
            f"constant:{name}": self._read(value)
            for name, value in visit.constants.items()
            if isinstance(value, Access)
        }
        ports = list(accesses_of(step, visit))
        found |= {name: self._read(access) for name, access, mode in ports if mode is Mode.READ}
        found |= {
            name: self._written(name, access, mode, member) for name, access, mode in ports if mode is not Mode.READ
        }
        return found

    def _read(self, access: Access) -> Found:
        places = access.places
        found = self._held[access.field][places.start : places.stop : places.step]
        inside = [item for item in found if item is not None]
        if not inside:
            return Found(access)
        lanes = {lane for lane, _ in inside}
        if len(inside) < len(found) or len(lanes) > 1:
            raise NotInLanes(access.field)
        return Found(_evenly(access.field, [place for _, place in inside]), lanes.pop())

    def _written(self, name: str, access: Access, mode: Mode, member: Member | None) -> Found:
        held, touched = self._held[access.field], self._touched[access.field]
        before = sum(touched[place] for place in access.places)
        for place in access.places:
            touched[place] = 1
        if mode is Mode.ADD and before:
            if before < access.count:
                raise NotInLanes(access.field)
            return self._read(access)
        adds_to_one = mode is Mode.ADD and member is not None and name in member.shared
        stays = self._kinds[access.field] is not FieldKind.STATE or access.field in self._plain
        if member is None or adds_to_one or stays:
            if adds_to_one:
                self.to_clear.append(access)
            for place in access.places:
                held[place] = None
            return Found(access)
        first = member.first.bindings[name]
        assert isinstance(first, Access)
        for place, first_place in zip(access.places, first.places, strict=True):
            held[place] = (member.lane, first_place)
        return Found(first, member.lane)


def accesses_of(step: Step, visit: Visit) -> Iterator[tuple[str, Access, Mode]]:
    """The ports of a visit that lie in fields."""
    for port in step.ports:
        access = visit.bindings.get(port.name)
        if isinstance(access, Access):
            yield port.name, access, port.mode


def _evenly(field: str, places: Sequence[int]) -> Access:
    stride = places[1] - places[0] if len(places) > 1 else 1
    if any(place != places[0] + number * stride for number, place in enumerate(places)):
        raise NotInLanes(field)
    return Access(field, places[0], len(places), stride)
