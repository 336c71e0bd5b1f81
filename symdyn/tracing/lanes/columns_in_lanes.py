"""Plans in which columns that walk to the root go on side by side, four at a time, once they are at one body.

Partial derivatives of an arm send a column of each joint to the root (:mod:`symdyn.dynamics.partials.force_columns`).
From the lowest of four joints on, their columns pass the same joints, so that one vector holds a scalar of all four.
Bodies that start columns in the same way do this side by side too. Columns of the joints that are left, and the steps
between those four joints, stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from symdyn.plan.plan import Access, Field, FieldKind, Mode, Plan, Sweep, Visit

LANES = 4
"""Columns that go side by side: the doubles of a vector of AVX2. Those of AVX-512 would wait for eight joints."""

LEAST = 12
"""Scalars from which on a column goes beside others: one wrench, as for the mass matrix, gains nothing (0.94 to 1.05
of the time on Zen 4), because it takes as long to place it."""

_Row = tuple[str, int]
"""A field and where a column begins in it."""


@dataclass(frozen=True, slots=True)
class _Walk:
    """A sweep in which columns go on from ``read`` to ``written``; ``columns`` are its visits by where they start."""

    sweep: int
    read: str
    written: str
    columns: Mapping[_Row, tuple[int, ...]]


def columns_in_lanes(plan: Plan) -> Plan | None:
    """The plan with columns of walks side by side, or None where it has no four that go on together.

    Each of the four has a place of its own from its start to the root, beside those of the others.
    """
    if any(visit.lanes > 1 for sweep in plan.sweeps for visit in sweep.visits):
        return None
    found = plan
    for number in range(len(plan.sweeps)):
        walk = _walk_of(found, number)
        if walk is not None:
            found = _Beside(found, walk).plan()
    return None if found is plan else found


def _walk_of(plan: Plan, number: int) -> _Walk | None:
    """The walk of a sweep of many visits per body, where each place of a column has one writer and one reader."""
    sweep = plan.sweeps[number]
    ports = [
        (read.name, written.name)
        for read in sweep.step.ports
        for written in sweep.step.ports
        if read.mode is Mode.READ and written.mode is Mode.WRITE
    ]
    if len(sweep.visits) < 2 * LANES or len({visit.body for visit in sweep.visits}) == len(sweep.visits):
        return None
    walks = [_joined(plan, number, *names) for names in ports]
    return next((walk for walk in walks if walk is not None), None)


def _joined(plan: Plan, number: int, read: str, written: str) -> _Walk | None:
    """The walk through two ports, if visits form chains by them."""
    columns: dict[_Row, list[int]] = {}
    start: dict[_Row, _Row] = {}
    for position, visit in enumerate(plan.sweeps[number].visits):
        place, onward = visit.bindings.get(read), visit.bindings.get(written)
        if not isinstance(place, Access) or place.count < LEAST or place.stride != 1:
            return None
        if onward is not None and not _fits(onward, place):
            return None
        row = place.field, place.offset
        first = start.pop(row, row)
        if first == row and first in columns:
            return None
        columns.setdefault(first, []).append(position)
        if isinstance(onward, Access):
            start[onward.field, onward.offset] = first
    starts = {row: _access(plan.sweeps[number].visits[own[0]], read).count for row, own in columns.items()}
    if start or max(map(len, columns.values())) == 1 or not _are_private(plan, number, starts, {read, written}):
        return None
    return _Walk(number, read, written, {row: tuple(own) for row, own in sorted(columns.items())})


def _fits(onward: object, place: Access) -> bool:
    return isinstance(onward, Access) and (onward.count, onward.stride) == (place.count, 1)


def _are_private(plan: Plan, number: int, starts: Mapping[_Row, int], ports: set[str]) -> bool:
    """Whether columns, of so many scalars, are written once before, and nothing else has the fields of the walk."""
    walked = {
        access.field
        for visit in plan.sweeps[number].visits
        for name, access in visit.bindings.items()
        if name in ports and isinstance(access, Access)
    }
    if any(plan.field(field).kind is not FieldKind.STATE or plan.field(field).sparse for field in walked):
        return False
    begun: set[_Row] = set()
    for position, sweep in enumerate(plan.sweeps):
        for visit in sweep.visits:
            if any(isinstance(value, Access) and value.field in walked for value in visit.constants.values()):
                return False
            for name, access in visit.bindings.items():
                if (
                    not isinstance(access, Access)
                    or access.field not in walked
                    or (position == number and name in ports)
                ):
                    continue
                row = access.field, access.offset
                if position >= number or sweep.step.port(name).mode is not Mode.WRITE or row in begun:
                    return False
                if (access.count, access.stride) != (starts.get(row), 1):
                    return False
                begun.add(row)
    return begun == starts.keys()


def _blocks(walk: _Walk) -> list[list[_Row]]:
    """Columns by fours; the last four joints come first, since they have the longest way."""
    rows = list(walk.columns)
    return [rows[end - LANES : end] for end in range(len(rows), LANES - 1, -LANES)]


class _Beside:
    """Puts columns of a walk side by side."""

    def __init__(self, plan: Plan, walk: _Walk) -> None:
        self._plan, self._walk = plan, walk
        self._sweeps = list(plan.sweeps)
        self._fields: list[Field] = []
        self._read: list[Access] = []

    def plan(self) -> Plan:
        """The plan with them, or as it was where none go on together."""
        sweep = self._sweeps[self._walk.sweep]
        if not _writes_once(sweep, (self._walk.written,)):
            return self._plan
        visits: list[Visit | None] = list(sweep.visits)
        laned: list[Visit] = []
        for rows in _blocks(self._walk):
            laned += self._block(rows, visits)
        if not laned:
            return self._plan
        left = [visit for visit in visits if visit is not None]
        self._sweeps[self._walk.sweep] = replace(sweep, visits=(*left, *laned))
        for access in self._read:
            self._transpose(access)
        return replace(self._plan, fields=(*self._plan.fields, *self._fields), sweeps=tuple(self._sweeps))

    def _block(self, rows: Sequence[_Row], visits: list[Visit | None]) -> list[Visit]:
        """The visits of four columns from where they are together; takes those that these stand for away."""
        chains = [self._walk.columns[row] for row in rows]
        count = _access(visits[chains[0][0]], self._walk.read).count
        field = f"{self._walk.read}_beside_{len(self._fields)}"
        places = [Access(field, lane, count, LANES) for lane in range(LANES)]
        placed = {own: self._placed(visits[own], places[lane]) for lane, chain in enumerate(chains) for own in chain}
        laned: list[Visit] = []
        for numbers in zip(*map(reversed, chains), strict=False):
            merged = _merged([placed.pop(own) for own in numbers])
            if merged is None:
                placed |= {own: self._placed(visits[own], places[lane]) for lane, own in enumerate(numbers)}
                break
            laned.insert(0, merged)
            for own in numbers:
                visits[own] = None
        if laned:
            for own, visit in placed.items():
                visits[own] = visit
            self._fields.append(Field(field, FieldKind.STATE, count, lanes=LANES))
            self._start(rows, places)
        return laned

    def _placed(self, visit: Visit | None, place: Access) -> Visit:
        """A step of the walk of a column that stays at a place."""
        assert visit is not None
        own = {name: place for name in (self._walk.read, self._walk.written) if name in visit.bindings}
        return replace(visit, bindings={**visit.bindings, **own})

    def _start(self, rows: Sequence[_Row], places: Sequence[Access]) -> None:
        """Let columns begin at their places, side by side where their bodies are alike."""
        starts = []
        for row, place in zip(rows, places, strict=True):
            number, position, port = self._writer(row)
            visit = self._sweeps[number].visits[position]
            placed = replace(visit, bindings={**visit.bindings, port: place})
            own = self._sweeps[number].visits
            self._sweeps[number] = replace(self._sweeps[number], visits=(*own[:position], placed, *own[position + 1 :]))
            starts.append((number, position))
        number = starts[0][0]
        sweep = self._sweeps[number]
        if len(set(starts)) < LANES or {own for own, _ in starts} != {number} or not _is_free(sweep):
            return
        merged = _merged([sweep.visits[position] for _, position in starts])
        if merged is None:
            return
        kept = [None if (number, at) in starts else visit for at, visit in enumerate(sweep.visits)]
        self._sweeps[number] = replace(sweep, visits=(merged, *(visit for visit in kept if visit is not None)))
        reads = {port.name for port in sweep.step.ports if port.mode is Mode.READ}
        for name, binding in merged.bindings.items():
            if name in reads and isinstance(binding, Access) and binding.lane:
                self._read.append(binding)

    def _writer(self, row: _Row) -> tuple[int, int, str]:
        """Which visit of which sweep writes the start of a column, at which port."""
        return next(
            (number, position, name)
            for number, sweep in enumerate(self._sweeps[: self._walk.sweep])
            for position, visit in enumerate(sweep.visits)
            for name, access in visit.bindings.items()
            if isinstance(access, Access) and (access.field, access.offset) == row
        )

    def _transpose(self, access: Access) -> None:
        """Keep what a visit reads in lanes side by side, in all the plan."""
        field = self._plan.field(access.field)
        if field.kind is not FieldKind.STATE or field.sparse or access.stride != 1 or access.lane < access.count:
            return
        own = f"{field.name}_beside_{len(self._fields)}"
        rows = range(access.offset, access.offset + LANES * access.lane)

        def moved(place: Access) -> Access | None:
            """Where a place is then; None where it is not within one row."""
            lane, start = divmod(place.offset - access.offset, access.lane)
            if place == access:
                return Access(own, start * LANES, place.count, LANES, 1)
            if place.lane or lane < 0 or start + (place.count - 1) * place.stride >= access.count:
                return None
            return Access(own, start * LANES + lane, place.count, place.stride * LANES)

        sweeps = []
        for sweep in self._sweeps:
            visits = []
            for visit in sweep.visits:
                bindings, constants = dict(visit.bindings), dict(visit.constants)
                for places in (bindings, constants):
                    for name, place in places.items():
                        if isinstance(place, Access) and place.field == field.name and _meets(place, rows):
                            new = moved(place)
                            if new is None:
                                return
                            places[name] = new
                visits.append(replace(visit, bindings=bindings, constants=constants))
            sweeps.append(replace(sweep, visits=tuple(visits)))
        self._sweeps = sweeps
        self._fields.append(Field(own, FieldKind.STATE, access.count, lanes=LANES))


def _meets(place: Access, rows: range) -> bool:
    """Whether a place, in its first lane, has a scalar of some rows."""
    return place.places[-1] >= rows.start and place.offset < rows.stop


def _access(visit: Visit | None, port: str) -> Access:
    assert visit is not None
    place = visit.bindings[port]
    assert isinstance(place, Access)
    return place


def _merged(visits: Sequence[Visit]) -> Visit | None:
    """One visit with a lane for each of some, or None where they differ in more than evenly spaced places."""
    first = visits[0]
    if any(
        (own.variant, own.constants, own.bindings.keys()) != (first.variant, first.constants, first.bindings.keys())
        for own in visits
    ):
        return None
    bindings = dict(first.bindings)
    for name, binding in first.bindings.items():
        places = [visit.bindings[name] for visit in visits]
        if all(place == binding for place in places):
            continue
        found = [place for place in places if isinstance(place, Access)]
        apart = {after.offset - before.offset for before, after in pairwise(found)}
        forms = {(place.field, place.count, place.stride) for place in found}
        if len(found) < len(places) or len(apart) > 1 or len(forms) > 1:
            return None
        bindings[name] = replace(found[0], lane=apart.pop())
    return Visit(first.body, first.variant, first.constants, bindings, len(visits))


def _writes_once(sweep: Sweep, apart: Sequence[str] = ()) -> bool:
    """Whether no two visits write or add to one place, but at ports ``apart``, so that their order does not matter."""
    written = [
        (access.field, place)
        for visit in sweep.visits
        for name, access in visit.bindings.items()
        if isinstance(access, Access) and name not in apart and sweep.step.port(name).mode is not Mode.READ
        for place in access.places
    ]
    return len(set(written)) == len(written)


def _is_free(sweep: Sweep) -> bool:
    """Whether visits may run in any order."""
    fields: dict[bool, set[str]] = {True: set(), False: set()}
    for visit in sweep.visits:
        for name, access in visit.bindings.items():
            if isinstance(access, Access):
                fields[sweep.step.port(name).mode is Mode.READ].add(access.field)
    return not fields[True] & fields[False] and _writes_once(sweep)
