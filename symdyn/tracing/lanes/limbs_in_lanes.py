"""Plans whose alike branches run side by side, one per lane: the meaning stays, visits of limbs become one visit."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from symdyn.plan.compose import cleared, clearing
from symdyn.plan.plan import Access, Binding, Constant, Field, FieldKind, Given, Mode, Plan, Step, Sweep, Visit, runs_of
from symdyn.tracing.lanes.limb_order import OrderMatters, Touched, check_order
from symdyn.tracing.lanes.limb_places import Found, Member, NotInLanes, PlaceTracker, accesses_of
from symdyn.tracing.lanes.limbs import MOST_LANES, Limbs, find_limbs, places_of

NUMBERS = "limb_numbers"
"""The table of the numbers that differ from limb to limb."""


def limbs_in_lanes(plan: Plan) -> Plan | None:
    """The plan with its limbs in lanes, or None where it has none that are worth it.

    A visit with ``lanes`` stands for the same visit of each limb. What limbs compute for themselves lies side by side
    in memory, so that one vector instruction loads it; what they read of inputs and write to outputs stays where it is.
    Sweeps of single matrix entries, those that do not treat limbs alike, and visits that have lanes already stay as
    they are, and so do the fields that the latter touch.
    """
    plan = cleared(plan)
    limbs = find_limbs(plan)
    if limbs is None:
        return None
    apart: set[int] = set()
    plain = _touched_in_lanes(plan)
    while True:
        try:
            return _Merger(plan, limbs, apart, plain).plan()
        except OrderMatters as found:
            if found.sweep in apart:
                return None
            apart.add(found.sweep)
        except NotInLanes as found:
            if not found.field or found.field in plain:
                return None
            plain.add(found.field)


@dataclass(frozen=True, slots=True)
class _Merged:
    """Visits that run together, by their numbers in the plan's order: one of the trunk, or one per lane."""

    step: Step
    numbers: tuple[int, ...]


class _Merger:
    """The plan in lanes.

    The sweeps in ``apart``, by number, keep their visits one by one, and the fields in ``plain`` their places.
    """

    def __init__(self, plan: Plan, limbs: Limbs, apart: Collection[int], plain: Collection[str]) -> None:
        self._plan = plan
        self._limbs = limbs
        self._apart = apart
        self._plain = plain
        self._places = places_of(limbs)
        self._visits = [visit for sweep in plan.sweeps for visit in sweep.visits]
        self._found: list[Mapping[str, Found]] = []
        self._numbers: dict[tuple[tuple[float, ...], ...], int] = {}
        self._table: list[float] = []
        self._layouts: dict[str, _Layout] = {}
        self._moved_to: list[dict[str, Access]] = []
        born = [field.lanes for field in plan.fields if field.lanes > 1]
        self._spacing = max(limbs.spacing, min([MOST_LANES, *(lanes & -lanes for lanes in born)]) if born else 1)

    def plan(self) -> Plan:
        """The plan in lanes."""
        merged: list[list[_Merged]] = []
        clears: list[list[Access]] = []
        tracker = PlaceTracker(self._plan, self._plain)
        start = 0
        for number, sweep in enumerate(self._plan.sweeps):
            merged.append(self._merged(sweep, start, number in self._apart))
            self._follow(sweep.step, merged[-1], range(start, start + len(sweep.visits)), tracker)
            clears.append(tracker.to_clear[:])
            tracker.to_clear.clear()
            start += len(sweep.visits)
        if not any(len(item.numbers) > 1 for items in merged for item in items):
            raise NotInLanes
        self._layouts = self._laid_out()
        self._moved_to = [{name: self._moved(item) for name, item in found.items()} for found in self._found]
        fields = self._fields()
        number = 0
        touched: list[Touched] = []
        for sweep in self._plan.sweeps:
            for visit in sweep.visits:
                touched.append(self._touched(sweep.step, visit, number))
                number += 1
        check_order(fields, touched, [[item.numbers for item in items] for items in merged])
        sweeps: list[Sweep] = []
        for sweep, items, unset in zip(self._plan.sweeps, merged, clears, strict=True):
            sweeps += [clearing(self._moved(Found(access)) for access in unset)] if unset else []
            sweeps.append(replace(sweep, visits=tuple(self._visit(item) for item in items)))
        if self._table:
            values = tuple(self._table)
            rows = len(values) // self._spacing
            fields.append(Field(NUMBERS, FieldKind.TABLE, 1, rows, values=values, lanes=self._spacing))
        return replace(self._plan, fields=tuple(fields), sweeps=tuple(sweeps))

    def _merged(self, sweep: Sweep, start: int, apart: bool) -> list[_Merged]:
        """The visits of a sweep in their new order: those of limbs where the first one has them."""
        single = [_Merged(sweep.step, (start + place,)) for place in range(len(sweep.visits))]
        if sweep.vector or apart or any(visit.lanes > 1 for visit in sweep.visits):
            return single
        limbs: dict[tuple[int, int], list[int]] = {}
        for place, visit in enumerate(sweep.visits):
            if visit.body in self._places:
                group, lane, _ = self._places[visit.body]
                limbs.setdefault((group, lane), []).append(place)
        partners: dict[int, tuple[int, ...]] = {}
        for group in range(len(self._limbs.groups)):
            rows = [limbs.get((group, lane), []) for lane in range(self._limbs.lanes)]
            if len({len(row) for row in rows}) > 1:
                return single
            for places in zip(*rows, strict=True):
                if not self._alike([sweep.visits[place] for place in places]):
                    return single
                partners[places[0]] = tuple(start + place for place in places)
        others = {number for numbers in partners.values() for number in numbers[1:]}
        return [
            _Merged(sweep.step, partners.get(place, (start + place,)))
            for place in range(len(sweep.visits))
            if start + place not in others
        ]

    def _alike(self, visits: Sequence[Visit]) -> bool:
        """Whether visits differ in numbers and offsets only."""
        return len({(self._number_in_limb(visit), visit.variant, _form(visit)) for visit in visits}) == 1

    def _number_in_limb(self, visit: Visit) -> int:
        return self._places[visit.body][2]

    def _follow(self, step: Step, items: Sequence[_Merged], numbers: Sequence[int], tracker: PlaceTracker) -> None:
        """Find the places of a sweep's visits, in their old order."""
        members: dict[int, Member] = {}
        for item in items:
            if len(item.numbers) == 1:
                continue
            visits = [self._visits[number] for number in item.numbers]
            shared = [
                name
                for name, binding in visits[0].bindings.items()
                if all(visit.bindings[name] == binding for visit in visits[1:])
            ]
            for lane, number in enumerate(item.numbers):
                members[number] = Member(lane, visits[0], shared)
        self._found += [tracker.places(step, self._visits[number], members.get(number)) for number in numbers]

    def _touched(self, step: Step, visit: Visit, number: int) -> Touched:
        """What a visit reads and writes in the fields of the plan in lanes."""
        if visit.lanes > 1:
            return _touched_by_all(step, visit)
        found = dict(self._moved_to[number])
        written = [(found.pop(name), mode) for name, _, mode in accesses_of(step, visit) if mode is not Mode.READ]
        return Touched(tuple(found.values()), tuple(written))

    def _visit(self, item: _Merged) -> Visit:
        """A visit of the plan in lanes."""
        first, *others = (self._visits[number] for number in item.numbers)
        found = [self._moved_to[number] for number in item.numbers]
        bindings: dict[str, Binding] = {}
        for name, binding in first.bindings.items():
            if isinstance(binding, Given):
                values = [binding.values, *(_values(other.bindings[name]) for other in others)]
                bindings[name] = self._given([tuple(row) for row in zip(*values, strict=True)], binding)
            else:
                bindings[name] = self._merged_access([places[name] for places in found])
        constants: dict[str, Constant] = {}
        differing: list[tuple[str, tuple[float, ...]]] = []
        for name, value in first.constants.items():
            if isinstance(value, Access):
                constants[name] = self._merged_access([places[f"constant:{name}"] for places in found])
                continue
            row = (value, *(_number(other.constants[name]) for other in others))
            constants[name] = value
            if len(set(row)) > 1:
                differing.append((name, row))
        start = self._entry(tuple(row for _, row in differing))
        for place, (name, _) in enumerate(differing):
            constants[name] = Access(NUMBERS, start + place * self._spacing, 1, lane=1)
        return Visit(first.body, first.variant, constants, bindings, len(item.numbers) * first.lanes)

    def _given(self, rows: Sequence[tuple[float, ...]], binding: Given) -> Binding:
        if all(len(set(row)) == 1 for row in rows):
            return binding
        return Access(NUMBERS, self._entry(tuple(rows)), len(rows), self._spacing, 1)

    def _entry(self, rows: tuple[tuple[float, ...], ...]) -> int:
        """The first of the places of some numbers in the table; what fills up a vector is as in the last lane."""
        if rows not in self._numbers:
            self._numbers[rows] = len(self._table)
            for row in rows:
                self._table += [*row, *[row[-1]] * (self._spacing - len(row))]
        return self._numbers[rows]

    def _merged_access(self, moved: Sequence[Access]) -> Access:
        """The places of a port in all lanes, evenly spaced."""
        first = moved[0]
        if len(moved) == 1:
            return first
        lane = moved[1].offset - first.offset
        kind = (first.field, first.count, first.stride)
        for number, other in enumerate(moved):
            same = (other.field, other.count, other.stride) == kind
            if not same or other.offset != first.offset + number * lane:
                raise NotInLanes
        return Access(first.field, first.offset, first.count, first.stride, lane)

    def _moved(self, found: Found) -> Access:
        """Where something lies in the fields of the plan in lanes."""
        access, layout = found.access, self._layouts[found.access.field]
        if not access.count:
            whole = layout.lanes_size and not layout.plain_size
            return Access(_in_lanes(access.field) if whole else access.field, 0, 0)
        if found.is_plain:
            start = layout.plain_start
            return access if not start else Access(access.field, access.offset - start, access.count, access.stride)
        spacing = self._spacing
        offset = (access.offset - layout.lanes_start) * spacing + found.lane
        return Access(_in_lanes(access.field), offset, access.count, access.stride * spacing)

    def _laid_out(self) -> dict[str, _Layout]:
        """Which part of each field stays as it is, and which part the limbs have side by side."""
        ends: dict[tuple[str, bool], tuple[int, int]] = {}
        for places in self._found:
            for found in places.values():
                key, reach = (found.access.field, found.is_plain), found.access.places
                if not reach:
                    continue
                low, high = ends.get(key, (reach[0], reach[0]))
                ends[key] = (min(low, reach[0], reach[-1]), max(high, reach[0], reach[-1]))
        layouts = {}
        for field in self._plan.fields:
            if (field.name, False) not in ends:
                layouts[field.name] = _Layout(0, field.size, 0, 0)
                continue
            low, high = ends[field.name, False]
            start, end = ends.get((field.name, True), (0, -1))
            layouts[field.name] = _Layout(start, end + 1 - start, low, high + 1 - low)
        return layouts

    def _fields(self) -> list[Field]:
        fields = []
        for field in self._plan.fields:
            layout = self._layouts[field.name]
            if not layout.lanes_size:
                fields.append(field)
                continue
            if layout.plain_size:
                fields.append(Field(field.name, field.kind, layout.plain_size))
            fields.append(Field(_in_lanes(field.name), field.kind, layout.lanes_size, lanes=self._spacing))
        return fields


@dataclass(frozen=True, slots=True)
class _Layout:
    """Parts of a field: the first plain place and the number of them, and the same of the first limb's places."""

    plain_start: int
    plain_size: int
    lanes_start: int
    lanes_size: int


def _touched_in_lanes(plan: Plan) -> set[str]:
    """Fields that have lanes, or that visits with lanes touch."""
    places = (
        place
        for sweep in plan.sweeps
        for visit in sweep.visits
        if visit.lanes > 1
        for place in (*visit.bindings.values(), *visit.constants.values())
    )
    found = {field.name for field in plan.fields if field.lanes > 1}
    return found | {place.field for place in places if isinstance(place, Access)}


def _touched_by_all(step: Step, visit: Visit) -> Touched:
    """What all lanes of a visit read and write."""
    ports = [(access, mode) for run in runs_of(visit) for _, access, mode in accesses_of(step, run)]
    read = [access for access, mode in ports if mode is Mode.READ]
    read += [value for run in runs_of(visit) for value in run.constants.values() if isinstance(value, Access)]
    return Touched(tuple(read), tuple((access, mode) for access, mode in ports if mode is not Mode.READ))


def _in_lanes(field: str) -> str:
    return f"{field}_lanes"


def _form(visit: Visit) -> object:
    """What is equal in visits that can run side by side."""
    return (
        tuple((name, isinstance(value, Access)) for name, value in visit.constants.items()),
        tuple(
            (name, len(binding.values), 0)
            if isinstance(binding, Given)
            else (name, binding.field, binding.count, binding.stride)
            for name, binding in visit.bindings.items()
        ),
    )


def _values(binding: Binding) -> tuple[float, ...]:
    assert isinstance(binding, Given), binding
    return binding.values


def _number(constant: Constant) -> float:
    assert isinstance(constant, float), constant
    return constant
