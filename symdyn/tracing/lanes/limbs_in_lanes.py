"""Plans whose alike branches run side by side, one per lane: the meaning stays, visits of limbs become one visit.

Visits of limbs that differ in numbers and offsets only, so that they can run side by side.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from symdyn.plan.compose import cleared, clearing
from symdyn.plan.plan import Access, Binding, Constant, Field, FieldKind, Given, Mode, Plan, Step, Sweep, Visit, runs_of
from symdyn.tracing.lanes.limb_fields import LimbFields
from symdyn.tracing.lanes.limb_order import OrderMatters, Touched, check_order
from symdyn.tracing.lanes.limb_places import Found, Member, NotInLanes, PlaceTracker, accesses_of
from symdyn.tracing.lanes.limbs import MOST_LANES, Limbs, Place, find_limbs, places_of


def merged_visits(sweep: Sweep, limbs: Limbs, places: dict[int, Place]) -> list[tuple[int, ...]] | None:
    """The visits of a sweep, by their numbers in it, in a new order: those of limbs where the first one has them.

    Parameters
    ----------
    sweep
        Of the plan before.
    limbs, places
        The limbs, and where each of their bodies stands.

    Returns
    -------
    One number for a visit of the trunk, one per lane where visits run together; None where limbs are not treated alike.
    """
    own: dict[tuple[int, int], list[int]] = {}
    for number, visit in enumerate(sweep.visits):
        if visit.body in places:
            group, lane, _ = places[visit.body]
            own.setdefault((group, lane), []).append(number)
    partners: dict[int, tuple[int, ...]] = {}
    for group in range(len(limbs.groups)):
        rows = [own.get((group, lane), []) for lane in range(limbs.lanes)]
        if len({len(row) for row in rows}) > 1:
            return None
        for numbers in zip(*rows, strict=True):
            if not _alike([sweep.visits[number] for number in numbers], places):
                return None
            partners[numbers[0]] = numbers
    others = {number for numbers in partners.values() for number in numbers[1:]}
    return [partners.get(number, (number,)) for number in range(len(sweep.visits)) if number not in others]


def _alike(visits: Sequence[Visit], places: dict[int, Place]) -> bool:
    """Whether visits differ in numbers and offsets only."""
    return len({(places[visit.body][2], visit.variant, _form(visit)) for visit in visits}) == 1


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


class _Table:
    """The numbers that differ from limb to limb, each for all lanes; what fills up a vector is as in the last lane."""

    def __init__(self, spacing: int) -> None:
        self._spacing = spacing
        self._starts: dict[tuple[tuple[float, ...], ...], int] = {}
        self._values: list[float] = []

    def entry(self, rows: tuple[tuple[float, ...], ...]) -> int:
        """The first of the places of some numbers."""
        if rows not in self._starts:
            self._starts[rows] = len(self._values)
            for row in rows:
                self._values += [*row, *[row[-1]] * (self._spacing - len(row))]
        return self._starts[rows]

    def fields(self) -> list[Field]:
        """The table, if it holds any."""
        values, rows = tuple(self._values), len(self._values) // self._spacing
        return [Field(NUMBERS, FieldKind.TABLE, 1, rows, values=values, lanes=self._spacing)] if values else []


class _Merger:
    """The plan in lanes.

    The sweeps in ``apart``, by number, keep their visits one by one, and the fields in ``plain`` their places.
    """

    def __init__(self, plan: Plan, limbs: Limbs, apart: Collection[int], plain: Collection[str]) -> None:
        self._plan = plan
        self._limbs = limbs
        self._apart = apart
        self._plain = plain
        self._bodies = places_of(limbs)
        self._visits = [visit for sweep in plan.sweeps for visit in sweep.visits]
        self._found: list[Mapping[str, Found]] = []
        self._moved: list[dict[str, Access]] = []
        born = [field.lanes for field in plan.fields if field.lanes > 1]
        spacing = max(limbs.spacing, min([MOST_LANES, *(lanes & -lanes for lanes in born)]) if born else 1)
        self._spacing = spacing
        self._table = _Table(spacing)

    def plan(self) -> Plan:
        """The plan in lanes."""
        merged: list[list[tuple[int, ...]]] = []
        clears: list[list[Access]] = []
        tracker = PlaceTracker(self._plan, self._plain)
        start = 0
        for number, sweep in enumerate(self._plan.sweeps):
            merged.append(self._merged(sweep, start, number in self._apart))
            self._follow(sweep.step, merged[-1], range(start, start + len(sweep.visits)), tracker)
            clears.append(tracker.to_clear[:])
            tracker.to_clear.clear()
            start += len(sweep.visits)
        if not any(len(numbers) > 1 for items in merged for numbers in items):
            raise NotInLanes
        self._refuse_crossing(merged)
        laid_out = LimbFields(self._plan, (one for found in self._found for one in found.values()), self._spacing)
        self._moved = [{name: laid_out.access(one) for name, one in found.items()} for found in self._found]
        fields = laid_out.fields()
        steps = [sweep.step for sweep in self._plan.sweeps for _ in sweep.visits]
        check_order(fields, [self._touched(step, number) for number, step in enumerate(steps)], merged)
        sweeps: list[Sweep] = []
        for sweep, items, unset in zip(self._plan.sweeps, merged, clears, strict=True):
            sweeps += [clearing(laid_out.access(Found(access)) for access in unset)] if unset else []
            sweeps.append(replace(sweep, visits=tuple(self._visit(numbers) for numbers in items)))
        return replace(self._plan, fields=(*fields, *self._table.fields()), sweeps=tuple(sweeps))

    def _refuse_crossing(self, merged: Sequence[Sequence[tuple[int, ...]]]) -> None:
        """Raise OrderMatters for a sweep in which a limb reads or writes what lies in another limb's lane."""
        for sweep, items in enumerate(merged):
            for numbers in (own for own in items if len(own) > 1):
                for lane, number in enumerate(numbers):
                    if any(one.lane not in (-1, lane) for one in self._found[number].values()):
                        raise OrderMatters(sweep)

    def _merged(self, sweep: Sweep, start: int, apart: bool) -> list[tuple[int, ...]]:
        """The visits of a sweep in their new order, by their numbers in the plan: those that run together as one."""
        found = None
        if not (sweep.vector or apart or any(visit.lanes > 1 for visit in sweep.visits)):
            found = merged_visits(sweep, self._limbs, self._bodies)
        found = found or [(place,) for place in range(len(sweep.visits))]
        return [tuple(start + place for place in places) for places in found]

    def _follow(
        self, step: Step, items: Sequence[tuple[int, ...]], numbers: Sequence[int], tracker: PlaceTracker
    ) -> None:
        """Find the places of a sweep's visits, in their old order."""
        members: dict[int, Member] = {}
        for together in items:
            if len(together) == 1:
                continue
            visits = [self._visits[number] for number in together]
            shared = [
                name
                for name, binding in visits[0].bindings.items()
                if all(visit.bindings[name] == binding for visit in visits[1:])
            ]
            for lane, number in enumerate(together):
                members[number] = Member(lane, visits[0], shared)
        self._found += [tracker.places(step, self._visits[number], members.get(number)) for number in numbers]

    def _touched(self, step: Step, number: int) -> Touched:
        """What a visit reads and writes in the fields of the plan in lanes."""
        visit = self._visits[number]
        if visit.lanes > 1:
            return _touched_by_all(step, visit)
        found = dict(self._moved[number])
        written = [(found.pop(name), mode) for name, _, mode in accesses_of(step, visit) if mode is not Mode.READ]
        return Touched(tuple(found.values()), tuple(written))

    def _visit(self, numbers: Sequence[int]) -> Visit:
        """A visit of the plan in lanes."""
        first, *others = (self._visits[number] for number in numbers)
        found = [self._moved[number] for number in numbers]
        bindings: dict[str, Binding] = {}
        for name, binding in first.bindings.items():
            if isinstance(binding, Given):
                values = [binding.values, *(_values(other.bindings[name]) for other in others)]
                bindings[name] = self._given([tuple(row) for row in zip(*values, strict=True)], binding)
            else:
                bindings[name] = self._access_of([places[name] for places in found])
        constants: dict[str, Constant] = {}
        differing: list[tuple[str, tuple[float, ...]]] = []
        for name, value in first.constants.items():
            if isinstance(value, Access):
                constants[name] = self._access_of([places[f"constant:{name}"] for places in found])
                continue
            row = (value, *(_number(other.constants[name]) for other in others))
            constants[name] = value
            if len(set(row)) > 1:
                differing.append((name, row))
        start = self._table.entry(tuple(row for _, row in differing))
        for place, (name, _) in enumerate(differing):
            constants[name] = Access(NUMBERS, start + place * self._spacing, 1, lane=1)
        return Visit(first.body, first.variant, constants, bindings, len(numbers) * first.lanes)

    def _given(self, rows: Sequence[tuple[float, ...]], binding: Given) -> Binding:
        if all(len(set(row)) == 1 for row in rows):
            return binding
        return Access(NUMBERS, self._table.entry(tuple(rows)), len(rows), self._spacing, 1)

    def _access_of(self, moved: Sequence[Access]) -> Access:
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


def _values(binding: Binding) -> tuple[float, ...]:
    assert isinstance(binding, Given), binding
    return binding.values


def _number(constant: Constant) -> float:
    assert isinstance(constant, float), constant
    return constant
