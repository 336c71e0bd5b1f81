"""Cut a plan into pieces for the split layout, and find what each piece must leave behind for the later ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from symdyn.algebra.scalars.casadi_sx import CasadiAlgebra
from symdyn.compiler.passes.program.lane_runs import LaneRun, Reach
from symdyn.compiler.tape.tape import Port
from symdyn.plan.plan import Access, FieldKind, Mode, Plan, Step, Sweep, Visit
from symdyn.plan.run import run_visit
from symdyn.tracing.split.series import on_series
from symdyn.tracing.unrolled.from_casadi import trace_casadi
from symdyn.tracing.unrolled.structure import lane_places

PIECE_OPERATIONS = 700
"""Instructions of a straight-line piece, counted before zeros vanish.

GCC's time grows faster than the length of a function: 20 000 operations take 7.4 s in one function and 2.0 s in pieces
of 500, whose code is 3 to 7 % faster too. Forward dynamics of a 7-DoF arm in ns, by length: 350 243, 500 230, 700 219,
1000 223; of a quadruped: 479, 458, 446, 431; of a 38-DoF humanoid: 1361, 1353, 1362, 1380.
"""

LOOPS_FROM = 300
"""Visits in a plan's ``vector`` sweeps from which these become loops; fewer are straight-line code, where zeros vanish.

Those with lanes are always loops: their kernels are as long as a piece, and there is one of a kind.
"""

Flags = dict[str, bytearray]
"""A flag per scalar of each field."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Visits that become one straight-line tape, or (``vector``) one sweep that becomes loops.

    All visits of a straight line have as many ``lanes``. They may run ``on_series``, each scalar a whole one.
    """

    visits: tuple[tuple[Step, Visit], ...]
    vector: Sweep | None = None
    on_series: bool = False

    @property
    def lanes(self) -> int:
        """Lanes in which the tape runs."""
        return self.visits[0][1].lanes


def pieces_of(plan: Plan, series: bool = False) -> tuple[Piece, ...]:
    """Pieces in the order of the plan, each of about ``PIECE_OPERATIONS``, and what lanes can do by themselves.

    With ``series``, sweeps that run on whole series are one piece.
    """
    found: list[Piece] = []
    gathered: list[tuple[Step, Visit]] = []
    run = LaneRun(1)
    cost, known = 0, {}
    loops = sum(len(sweep.visits) for sweep in plan.sweeps if sweep.vector) >= LOOPS_FROM
    for sweep in plan.sweeps:
        if sweep.vector and (loops or sweep.looped or any(visit.lanes > 1 for visit in sweep.visits)):
            if gathered:
                found.append(Piece(tuple(gathered)))
            found.append(Piece(tuple((sweep.step, visit) for visit in sweep.visits), sweep))
            gathered, cost = [], 0
            continue
        if series and on_series(sweep):
            own = tuple((sweep.step, visit) for visit in sweep.visits)
            if gathered:
                found.append(Piece(tuple(gathered)))
                gathered, cost = [], 0
            if found and found[-1].on_series:
                own = (*found.pop().visits, *own)
            found.append(Piece(own, on_series=True))
            continue
        for visit in sweep.visits:
            key = (sweep.step.name, visit.variant, tuple(visit.bindings))
            if key not in known:
                known[key] = _instructions(sweep.step, visit)
            places = _reaches(sweep.step, visit)
            is_full = cost + known[key] > PIECE_OPERATIONS
            if not gathered or is_full or gathered[-1][1].lanes != visit.lanes or not run.takes(*places):
                found += [Piece(tuple(gathered))] if gathered else []
                gathered, cost, run = [], 0, LaneRun(visit.lanes)
                run.takes(*places)
            gathered.append((sweep.step, visit))
            cost += known[key]
    if gathered:
        found.append(Piece(tuple(gathered)))
    return tuple(found)


def _reaches(step: Step, visit: Visit) -> tuple[list[Reach], list[Reach]]:
    """What a visit reads, and what it writes or adds to, in its first lane."""
    read, written = (
        [((access.field, place), access.lane) for access in accesses for place in access.places]
        for accesses in (read_by(step, visit), (access for _, access in written_by(step, visit)))
    )
    return read, written


def _instructions(step: Step, visit: Visit) -> int:
    """Instructions of a visit on symbols."""
    algebra = CasadiAlgebra()
    symbols: list[Any] = []
    results: list[Any] = []

    def read(access: Access, place: int) -> Any:
        symbols.extend(algebra.symbols(access.field, 1))
        return symbols[-1]

    def write(access: Access, place: int, value: Any, adds: bool) -> None:
        results.append(value)

    run_visit(step, visit, algebra, read, write)
    tape = trace_casadi("counted", [(Port("reads", len(symbols)), symbols)], [(Port("writes", len(results)), results)])
    return sum(tape.counts().values())


def live_after(plan: Plan, pieces: Sequence[Piece]) -> list[Flags]:
    """Per piece, the scalars of state and output that a later piece reads or adds to before it sets them anew."""
    kinds = (FieldKind.STATE, FieldKind.OUTPUT)
    live = {field.name: bytearray(field.size) for kind in kinds for field in plan.fields_of(kind)}
    sets_first = _first_touches(plan, pieces, live)
    found: list[Flags] = []
    for piece, firsts in zip(reversed(pieces), reversed(sets_first), strict=True):
        found.append({name: bytearray(flags) for name, flags in live.items()})
        for (step, visit), first in zip(reversed(piece.visits), reversed(firsts), strict=True):
            for port_name, access in written_by(step, visit):
                flag = 0 if port_name in first else 1
                for place in all_places(access, visit.lanes):
                    live[access.field][place] = flag
            for access in read_by(step, visit):
                if access.field in live:
                    for place in all_places(access, visit.lanes):
                        live[access.field][place] = 1
    return found[::-1]


def _first_touches(plan: Plan, pieces: Sequence[Piece], fields: Flags) -> list[list[frozenset[str]]]:
    """Per piece and visit, the ports that set their place instead of adding to what is there."""
    touched = {name: bytearray(len(flags)) for name, flags in fields.items()}
    found = []
    for piece in pieces:
        firsts = []
        for step, visit in piece.visits:
            setting = set()
            for port_name, access in written_by(step, visit):
                if step.port(port_name).mode is Mode.WRITE or not touched[access.field][access.offset]:
                    setting.add(port_name)
                for place in all_places(access, visit.lanes):
                    touched[access.field][place] = 1
            firsts.append(frozenset(setting))
        found.append(firsts)
    return found


def written_by(step: Step, visit: Visit) -> Iterator[tuple[str, Access]]:
    """Ports that a visit writes or adds to, with their places."""
    for port in step.ports:
        access = visit.bindings.get(port.name)
        if port.mode is not Mode.READ and isinstance(access, Access):
            yield port.name, access


def read_by(step: Step, visit: Visit) -> Iterator[Access]:
    """Places that a visit reads."""
    for port in step.ports:
        access = visit.bindings.get(port.name)
        if port.mode is Mode.READ and isinstance(access, Access):
            yield access
    yield from (value for value in visit.constants.values() if isinstance(value, Access))


def all_places(access: Access, lanes: int) -> list[int]:
    """The places of an access in all lanes."""
    return [own for place in access.places for own in lane_places(access, place, lanes)]


def fields_in_memory(pieces: Sequence[Piece]) -> frozenset[str]:
    """Fields that must lie in memory whole, known numbers included.

    These are the ones that loops use, that several lanes add to, and that lanes read otherwise than they were written:
    a known number of one lane is none in all of them.
    """
    found: set[str] = set()
    written: dict[str, set[tuple[int, int]]] = defaultdict(set)
    read: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for piece in pieces:
        for step, visit in piece.visits:
            writes = list(written_by(step, visit))
            if piece.vector is not None or piece.on_series:
                found.update(access.field for access in (*read_by(step, visit), *(access for _, access in writes)))
                continue
            for name, access in writes:
                written[access.field].add((visit.lanes, access.lane))
                if visit.lanes > 1 and step.port(name).mode is Mode.ADD:
                    if access.lane:
                        read[access.field].add((visit.lanes, access.lane))
                    else:
                        found.add(access.field)
            for access in read_by(step, visit):
                if access.lane:
                    read[access.field].add((visit.lanes, access.lane))
    found.update(field for field, ways in read.items() if written[field] and len(ways | written[field]) > 1)
    return frozenset(found)
