"""Plans put together: names kept apart, places cleared, places written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from symdyn.plan.plan import Access, Field, FieldKind, Given, Mode, Plan, Port, Step, Sweep, Visit


def cleared(plan: Plan) -> Plan:
    """The plan with a first sweep that sets to zero what no visit writes of outputs and sparse fields.

    Where all lanes of a visit add to a place that nothing has set yet, a sweep before it sets that place to zero.
    """
    plan = _with_sums_begun(plan)
    untouched = {
        field.name: bytearray(b"\1" * field.size)
        for field in plan.fields
        if field.kind is FieldKind.OUTPUT or field.sparse
    }
    for sweep in plan.sweeps:
        written = [port.name for port in sweep.step.ports if port.mode is not Mode.READ]
        for visit in sweep.visits:
            for name in written:
                access = visit.bindings.get(name)
                if isinstance(access, Access) and access.field in untouched:
                    for lane in range(visit.lanes):
                        for place in access.places:
                            untouched[access.field][place + lane * access.lane] = 0
    visits: dict[int, list[Visit]] = {size: [] for size in _CLEAR_SIZES}
    for name, flags in untouched.items():
        for start, count in _runs(flags):
            for size in _CLEAR_SIZES:
                while count >= size:
                    visits[size].append(_clearing(Access(name, start, size)))
                    start, count = start + size, count - size
    sweeps = tuple(Sweep(_CLEAR, tuple(found), vector=True) for found in visits.values() if found)
    return replace(plan, sweeps=(*sweeps, *plan.sweeps)) if sweeps else plan


def _with_sums_begun(plan: Plan) -> Plan:
    if not any(visit.lanes > 1 for sweep in plan.sweeps for visit in sweep.visits):
        return plan
    is_set = {field.name: bytearray(field.size) for field in plan.fields}
    sweeps: list[Sweep] = []
    for sweep in plan.sweeps:
        begun: list[Access] = []
        modes = {port.name: port.mode for port in sweep.step.ports}
        for visit in sweep.visits:
            for name, access in visit.bindings.items():
                if not isinstance(access, Access) or modes[name] is Mode.READ:
                    continue
                flags = is_set[access.field]
                if modes[name] is Mode.ADD and visit.lanes > 1 and not access.lane:
                    begun += [Access(access.field, place, 1) for place in access.places if not flags[place]]
                for run in range(visit.lanes if access.lane else 1):
                    for place in access.places:
                        flags[place + run * access.lane] = 1
        sweeps += [clearing(begun), sweep] if begun else [sweep]
    return replace(plan, sweeps=tuple(sweeps))


def begun_alike(plan: Plan) -> Plan:
    """The plan with a sweep before each that would add to some scalars of a port for the first time, and not to others.

    It sets those to zero. Loops need ports of which all scalars are set, or none.
    """
    begun = {field.name: bytearray(field.size) for field in plan.fields}
    sweeps: list[Sweep] = []
    for sweep in plan.sweeps:
        unlike: list[Access] = []
        modes = {port.name: port.mode for port in sweep.step.ports}
        for visit in sweep.visits:
            for name, access in visit.bindings.items():
                if isinstance(access, Access) and modes[name] is not Mode.READ:
                    flags, places = begun[access.field], set(_lying(access, visit.lanes))
                    new = sorted(place for place in places if not flags[place])
                    if modes[name] is Mode.ADD and len(new) < len(places):
                        unlike += [Access(access.field, place, 1) for place in new]
                    for place in new:
                        flags[place] = 1
        sweeps += [clearing(unlike), sweep] if unlike else [sweep]
    return replace(plan, sweeps=tuple(sweeps))


def clearing(accesses: Iterable[Access]) -> Sweep:
    """A sweep that sets places to zero."""
    return Sweep(_CLEAR, tuple(map(_clearing, accesses)))


def _clearing(access: Access) -> Visit:
    return Visit(-1, access.count, {}, {"entries": access})


def places_written(sweeps: Iterable[Sweep], field: str) -> set[int]:
    """Places of a field that some visits write or add to, in any lane."""
    found: set[int] = set()
    for sweep in sweeps:
        ports = [port.name for port in sweep.step.ports if port.mode is not Mode.READ]
        for visit in sweep.visits:
            for access in map(visit.bindings.get, ports):
                if isinstance(access, Access) and access.field == field:
                    for lane in range(visit.lanes if access.lane else 1):
                        found.update(place + lane * access.lane for place in access.places)
    return found


def outputs_as_state(fields: Iterable[Field]) -> list[Field]:
    """Fields of an algorithm whose results another one reads: outputs are state, zero where nothing is written."""
    return [replace(own, kind=FieldKind.STATE, sparse=True) if own.kind is FieldKind.OUTPUT else own for own in fields]


def kept_apart(
    fields: Sequence[Field],
    sweeps: Sequence[Sweep],
    prefix: str,
    shared: Collection[str],
    linked: Mapping[str, str] = MappingProxyType({}),
) -> tuple[list[Field], list[Sweep]]:
    """An algorithm with ``prefix`` before the names of its state fields, for use beside another one in a plan.

    Fields in ``shared`` keep their names, as do inputs, outputs, and fields that only others declare. ``linked`` gives
    inputs and outputs the names of fields that the caller declares. The sweeps declare none themselves.
    """
    names = {
        field.name: f"{prefix}_{field.name}"
        for field in fields
        if field.kind is FieldKind.STATE and field.name not in shared
    } | dict(linked)

    kept = [replace(field, name=names.get(field.name, field.name)) for field in fields if field.name not in linked]
    return kept, renamed(sweeps, names)


def vanishing(
    fields: Iterable[Field], sweeps: Iterable[Sweep], names: Collection[str]
) -> tuple[list[Field], list[Sweep]]:
    """An algorithm in which some fields are zero: nobody writes them, and who reads them is given zeros."""

    def zeros(place: Any) -> Any:
        return Given((0.0,) * place.count) if isinstance(place, Access) and place.field in names else place

    kept = []
    for sweep in sweeps:
        writes = [port.name for port in sweep.step.ports if port.mode is not Mode.READ]
        visits = [
            replace(visit, bindings={port: zeros(place) for port, place in visit.bindings.items()})
            for visit in sweep.visits
            if not any(getattr(visit.bindings.get(port), "field", "") in names for port in writes)
        ]
        if visits:
            kept.append(replace(sweep, visits=tuple(visits)))
    return [field for field in fields if field.name not in names], kept


def renamed(
    sweeps: Iterable[Sweep], names: Mapping[str, str], starts: Mapping[str, int] = MappingProxyType({})
) -> list[Sweep]:
    """The sweeps on fields of other names, in which they begin at ``starts``; they declare none themselves."""

    def moved(place: Any, _: int) -> Any:
        if not isinstance(place, Access) or place.field not in names:
            return place
        return replace(place, field=names[place.field], offset=place.offset + starts.get(place.field, 0))

    return [replace(sweep, fields=()) for sweep in _rebound(sweeps, moved)]


@dataclass(frozen=True, slots=True)
class Placement:
    """The block of a row-major matrix that takes the place of a field with a matrix of ``width`` columns.

    The block begins at ``start`` of ``field``, whose rows have ``columns`` entries.
    """

    width: int
    field: str
    columns: int
    start: int

    def access(self, place: Access, lanes: int) -> Access | None:
        """The same entries within the block, or None where they are not evenly spaced there."""

        def at(entry: int) -> int:
            return self.start + entry // self.width * self.columns + entry % self.width

        first = at(place.offset)
        stride = at(place.offset + place.stride) - first if place.count > 1 else 1
        lane = at(place.offset + place.lane) - first if place.lane else 0
        moved = Access(self.field, first, place.count, stride, lane)
        alike = all(
            at(entry + k * place.lane) == there + k * lane
            for k in range(lanes if place.lane else 1)
            for entry, there in zip(place.places, moved.places, strict=True)
        )
        return moved if alike else None


def placed(plan: Plan, placements: Mapping[str, Placement]) -> Plan | None:
    """The plan with matrices of fields in blocks of larger ones, which it declares already.

    None where a visit takes entries of one that are not evenly spaced in its block.
    """
    uneven = False

    def moved(place: Any, lanes: int) -> Any:
        nonlocal uneven
        if not isinstance(place, Access) or place.field not in placements:
            return place
        found = placements[place.field].access(place, lanes)
        uneven = uneven or found is None
        return found

    sweeps = tuple(_rebound(plan.sweeps, moved))
    fields = tuple(field for field in plan.fields if field.name not in placements)
    return None if uneven else replace(plan, fields=fields, sweeps=sweeps)


def _rebound(sweeps: Iterable[Sweep], moved: Callable[[Any, int], Any]) -> list[Sweep]:
    """The sweeps with other places in their visits, by what each is and how many lanes the visit has."""
    made = []
    for sweep in sweeps:
        visits = [
            replace(
                visit,
                constants={name: moved(value, visit.lanes) for name, value in visit.constants.items()},
                bindings={name: moved(binding, visit.lanes) for name, binding in visit.bindings.items()},
            )
            for visit in sweep.visits
        ]
        made.append(replace(sweep, visits=tuple(visits)))
    return made


def wanted(plan: Plan) -> Plan:
    """The plan without visits that no output rests on; state that none of the others touches is left out.

    Who adds to several places needs what is there in all of them, or in none.
    """
    asked = {field.name: bytearray(field.size) for field in plan.fields}
    for field in plan.fields_of(FieldKind.OUTPUT):
        asked[field.name] = bytearray(b"\1" * field.size)
    sweeps: list[Sweep] = []
    for sweep in reversed(plan.sweeps):
        modes = {port.name: port.mode for port in sweep.step.ports}
        kept = []
        for visit in reversed(sweep.visits):
            places = [(modes[name], place) for name, place in visit.bindings.items() if isinstance(place, Access)]
            given = [place for mode, place in places if mode is not Mode.WRITE]
            made = [place for mode, place in places if mode is not Mode.READ]
            if not any(asked[place.field][at] for place in made for at in _lying(place, visit.lanes)):
                continue
            kept.append(visit)
            constants = (place for place in visit.constants.values() if isinstance(place, Access))
            for place in (*given, *constants):
                for at in _lying(place, visit.lanes):
                    asked[place.field][at] = 1
        if kept:
            sweeps.append(replace(sweep, visits=tuple(reversed(kept))))
    touched = {
        place.field
        for sweep in sweeps
        for visit in sweep.visits
        for place in (*visit.bindings.values(), *visit.constants.values())
        if isinstance(place, Access)
    }
    outside = (FieldKind.INPUT, FieldKind.OUTPUT)
    fields = tuple(field for field in plan.fields if field.kind in outside or field.name in touched)
    return replace(plan, fields=fields, sweeps=tuple(reversed(sweeps)))


def _lying(place: Access, lanes: int) -> Iterator[int]:
    """Positions of the scalars in the field, of all lanes."""
    for lane in range(lanes if place.lane else 1):
        for at in place.places:
            yield at + lane * place.lane


def _runs(flags: bytearray) -> Iterator[tuple[int, int]]:
    """(start, count) of the stretches of set flags."""
    start = flags.find(1)
    while start >= 0:
        end = flags.find(0, start)
        end = len(flags) if end < 0 else end
        yield start, end - start
        start = flags.find(1, end)


def _zeros(size: Any, _: Any, __: Mapping[str, Any], ___: Mapping[str, Sequence[Any]]) -> Mapping[str, Sequence[Any]]:
    return {"entries": [0.0] * size}


_CLEAR = Step("clear", _zeros, (Port("entries", Mode.WRITE),))
_CLEAR_SIZES = (32, 8, 2, 1)
"""Scalars that one visit clears: few kernels, and few visits for the large blocks between the branches of a tree."""
