"""Whether visits of limbs that run side by side find in memory what they found one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from symdyn.plan.plan import Access, Field, FieldKind, Mode
from symdyn.tracing.lanes.limb_places import NotInLanes


class OrderMatters(Exception):  # noqa: N818 -- tells what to try next
    """A visit would find something else if limbs went side by side; ``sweep`` is the number of its sweep."""

    def __init__(self, sweep: int) -> None:
        self.sweep = sweep


@dataclass(frozen=True, slots=True)
class Touched:
    """Places that a visit reads, and those that it writes or adds to."""

    read: tuple[Access, ...]
    written: tuple[tuple[Access, Mode], ...]


class Versions:
    """What places hold, as a number that is made of the visits that have written there."""

    def __init__(self, fields: Sequence[Field]) -> None:
        self.held = {field.name: [0] * field.size for field in fields}

    def read(self, access: Access) -> int:
        """What is there."""
        places = access.places
        return hash(tuple(self.held[access.field][places.start : places.stop : places.step]))

    def write(self, written: Iterable[tuple[Access, Mode]], number: int) -> None:
        """Note what a visit writes and adds to."""
        for access, mode in written:
            held, made, places = self.held[access.field], hash((number, access.field)), access.places
            part = slice(places.start, places.stop, places.step)
            if mode is Mode.WRITE:
                held[part] = [made] * access.count
            else:
                held[part] = [before + made for before in held[part]]


def check_order(
    fields: Sequence[Field], touched: Sequence[Touched], merged: Sequence[Sequence[tuple[int, ...]]]
) -> None:
    """Pass an order of visits in which each finds what it found before.

    Parameters
    ----------
    fields
        Of the plan in lanes.
    touched
        What each visit reads and writes in them, in the order of the plan before.
    merged
        Per sweep, the numbers of the visits that run together.

    Raises
    ------
    OrderMatters
        A sweep whose visits find something else side by side, or write to one place.
    NotInLanes
        An output would hold something else.
    """
    before, after = Versions(fields), Versions(fields)
    is_set = {field.name: bytearray(field.size) for field in fields}
    seen: list[list[int]] = []
    for number, visit in enumerate(touched):
        seen.append([before.read(access) for access in visit.read])
        before.write(visit.written, number)
    for sweep, items in enumerate(merged):
        for numbers in items:
            together = [touched[number] for number in numbers]
            if any([after.read(access) for access in touched[number].read] != seen[number] for number in numbers):
                raise OrderMatters(sweep)
            in_turn = _add_alike(together, is_set) and _sum_in_turn(together)
            if len(numbers) > 1 and (_overwrite(together) or not in_turn):
                raise OrderMatters(sweep)
            for number in numbers:
                after.write(touched[number].written, number)
            for access in (access for visit in together for access, _ in visit.written):
                for place in access.places:
                    is_set[access.field][place] = 1
    if any(before.held[field.name] != after.held[field.name] for field in fields if field.kind is FieldKind.OUTPUT):
        raise NotInLanes


def _ports(together: Sequence[Touched]) -> Iterator[tuple[Mode, list[Access]]]:
    """Per port that is written or added to, where it lies in each lane."""
    for port, (_, mode) in enumerate(together[0].written):
        yield mode, [visit.written[port][0] for visit in together]


def _overwrite(together: Sequence[Touched]) -> bool:
    """Whether several lanes write to one place, so that the last one's value counts."""
    return any(
        len({place for access in lanes for place in access.places}) < sum(access.count for access in lanes)
        for mode, lanes in _ports(together)
        if mode is Mode.WRITE
    )


def _sum_in_turn(together: Sequence[Touched]) -> bool:
    """Whether lanes that add to one place do so by one port: side by side, all lanes of a port precede the next one."""
    adders: dict[tuple[str, int], set[tuple[int, int]]] = {}
    for port, lanes in enumerate(lanes for mode, lanes in _ports(together) if mode is Mode.ADD):
        for lane, access in enumerate(lanes):
            for place in access.places:
                adders.setdefault((access.field, place), set()).add((lane, port))
    return all(1 in {len(set(numbers)) for numbers in zip(*own, strict=True)} for own in adders.values())


def _add_alike(together: Sequence[Touched], is_set: Mapping[str, bytearray]) -> bool:
    """Whether what is added finds a value in all lanes or in none, where it is what sets the place."""
    return all(
        len({is_set[access.field][place] for access in lanes for place in access.places}) < 2
        for mode, lanes in _ports(together)
        if mode is Mode.ADD
    )
