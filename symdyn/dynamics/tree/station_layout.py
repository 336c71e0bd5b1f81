"""What sweeps need of a robot's soft links: where the rows of stations lie, and the sweeps before and after.

Bodies given by their map are among them: their stations are points.

Stations are bodies whose joints have rows of their own, in fields named after those of the robot: ``step_0_q`` for
``q`` and the first rod, and so on. An algorithm knows nothing of that. Its plan gets a sweep that fills such a field
before it is first read, and one that leads forces from such a field to the rows of rods after the last one was added.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from symdyn.algebra.spatial.step_pose import stumpff_terms
from symdyn.dynamics.tree.map_steps import MapVariant
from symdyn.dynamics.tree.rod_steps import (
    ROD_FORCE,
    ROD_RESPONSE,
    ROD_STEP,
    ResponseVariant,
    RodVariant,
    SoftVariant,
    rest_name,
)
from symdyn.dynamics.tree.station_rows import (
    inner_name,
    inner_rows,
    is_whole,
    row_width,
    rows_read,
    tabled,
    turned_form,
)
from symdyn.model.mapped import MapBody
from symdyn.model.model import Model
from symdyn.model.rod import Rod, SoftBody
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Sweep, Visit, lane_spacing
from symdyn.plan.transforms.series_places import Form

_TABLE, KEPT = "rod_table", "rod_kept"
ENERGY = "rod_energy"
_Kind = TypeVar("_Kind", bound=SoftBody)


class TreeRods:
    """The soft links of a robot.

    Parameters
    ----------
    model
        The robot.
    derivatives
        How often poses may be differentiated, by time or by coordinates, without a loss of digits.
    """

    def __init__(self, model: Model, derivatives: int) -> None:
        self._model = model
        self.rods = [(rod, soft_variant(rod, derivatives)) for rod in model.rods]
        self.lanes = [lane_spacing(rod.steps) for rod, _ in self.rods]
        stations = (() if model.contracted else rod.stations for rod, _ in self.rods)
        self._place = {body: (row, lane) for row, bodies in enumerate(stations) for lane, body in enumerate(bodies)}

    def fields(self) -> list[Field]:
        """Tables of the rods' numbers, and what their steps keep."""
        found = []
        for row, (rod, variant) in enumerate(self.rods):
            found += [
                tabled(f"{_TABLE}{row}", soft_numbers(rod, variant)),
                Field(f"{KEPT}{row}", FieldKind.STATE, variant.kept, lanes=self.lanes[row]),
            ]
            energy = rod.tables.energy if isinstance(rod, Rod) else None
            if energy is not None:
                found.append(tabled(f"{ENERGY}{row}", energy.points))
        return found

    @property
    def tips(self) -> list[int]:
        """The last station of each."""
        return [rod.stations[-1] for rod, _ in self.rods]

    def rows(self, index: int, field: str) -> Access:
        """The rows of a station in a field of the robot's rows."""
        return self.station(field, *self._place[index])

    def station(self, field: str, rod: int, number: int) -> Access:
        """The same, by the rod and the station's number in it."""
        lanes, (first, count) = self.lanes[rod], self._rows(rod, field, number)
        return Access(inner_name(rod, field), number + first * lanes, count, lanes)

    def owns(self, index: int) -> bool:
        """Whether a body has the rows of a rod, of which the second rates are requested."""
        return any(rod.owner == index for rod, _ in self.rods)

    def of(self, kind: type[_Kind]) -> list[tuple[int, _Kind]]:
        """The soft links of a kind, with their numbers."""
        return [(number, rod) for number, (rod, _) in enumerate(self.rods) if isinstance(rod, kind)]

    def completed(self, sweeps: Sequence[Sweep]) -> Iterator[Sweep]:
        """The sweeps of a plan, and those that fill what stations read and lead on what they are given.

        Parts of the plan that come from other plans may be complete already.
        """
        if not self._place:
            yield from sweeps
            return
        own = (ROD_STEP, ROD_FORCE, ROD_RESPONSE)
        passed = {name for sweep in sweeps if sweep.step is ROD_FORCE for name, _ in inner_rows(sweep, reading=True)}
        written = [
            (place, key)
            for place, sweep in enumerate(sweeps)
            for key in inner_rows(sweep, reading=False)
            if sweep.step not in own and key[0] not in passed
        ]
        last = {name: place for place, (name, _) in written}
        rods = {name: {rod for _, (field, rod) in written if field == name} for name in last}
        met = passed
        for place, sweep in enumerate(sweeps):
            if sweep.step in own:
                met |= {name for name, _ in inner_rows(sweep, reading=False)}
            read = dict.fromkeys(name for name, _ in inner_rows(sweep, reading=True))
            requested = [name for name in read if name not in met and name not in last]
            if requested:
                yield self.outward(requested, *({"v"} & met))
                met |= set(requested)
            yield sweep
            for name in (name for name, end in last.items() if end == place):
                yield self.inward(self.force(rod, self.steps(rod, name), name) for rod in sorted(rods[name]))

    def inner_fields(self, sweeps: Iterable[Sweep]) -> list[Field]:
        """Fields of stations' rows that sweeps use."""
        if not self._place:
            return []
        names = dict.fromkeys(
            name for sweep in sweeps for reading in (True, False) for name, _ in inner_rows(sweep, reading)
        )
        return [field for name in names for field in self.fields_of(name)]

    def fields_of(self, name: str) -> list[Field]:
        """The fields of stations' rows that stand for one of the robot's, one per rod.

        Of points, those that an algorithm passes by have zeros.
        """
        sparse = [rod.aside and not is_whole(variant, name) for rod, variant in self.rods]
        return [
            Field(inner_name(rod, name), FieldKind.STATE, self._width(rod, name), sparse=sparse[rod], lanes=lanes)
            for rod, lanes in enumerate(self.lanes)
        ]

    def forms(self, places: int, rates: int) -> dict[str, tuple[Form, ...]]:
        """Forms of series in the fields of stations' rows, to these orders."""
        orders = {"q": places, "v": rates}
        return {
            inner_name(rod, name): (Form(order + 1),) * self._width(rod, name)
            for rod in range(len(self.rods))
            for name, order in orders.items()
        }

    def turning_forms(self, order: int) -> dict[str, tuple[Form, ...]]:
        """The same where turns are known one order higher than shifts, which are known to ``order``."""
        turning, moving = (Form(order + 2 if order else 1),) * 3, (Form(order + 1),) * 3
        forms = {"q": (*turning * 3, *moving), "v": (*moving, *turning)}
        return {
            inner_name(rod, name): turned_form(variant, form, moving)
            for rod, (_, variant) in enumerate(self.rods)
            for name, form in forms.items()
        }

    def outward(self, requested: Sequence[str], *known: str) -> Sweep:
        """The sweep that fills the fields of stations' rows for these fields of the robot's rows."""
        visits = []
        rates = [name for name in requested if name not in ("q", "v")]
        for row, (rod, variant) in enumerate(self.rods):
            bindings: dict[str, Binding] = {"table": self.table(row), "q": self._of(rod, "q")}
            if rates or "v" in requested:
                bindings["v"] = self._of(rod, "v")
            for name in rates:
                bindings["a"] = self._of(rod, name)
            bindings["pose"] = self.steps(row, "q")
            bindings["kept"] = self.own(KEPT, row, variant.kept)
            if rates or "v" in requested:
                bindings["twist"] = self.steps(row, "v")
            for name in rates:
                bindings["rate"] = self.steps(row, name)
            visits.append(Visit(rod.owner, variant, soft_rests(rod, variant), bindings, rod.steps))
        given = (Field("q", FieldKind.INPUT, self._model.nq),)
        return Sweep(ROD_STEP, tuple(visits), vector=True, fields=given)

    def response(self, found: str, free: Collection[int], power: int, rates: Callable[[str], str] | None) -> Sweep:
        """The sweep that leads accelerations ``found`` (nv,) of the rows in ``free`` to rows of stations.

        Over ``power`` they are added to velocities too: ``rates`` tells in which field, for one of stations' ``v``.
        """
        visits = []
        for row, (rod, variant) in enumerate(self.rods):
            access, moved = self._of(rod, found), self.steps(row, found)
            bindings: dict[str, Binding] = {
                "table": self.table(row),
                "kept": self.own(KEPT, row, variant.kept),
                "found": access,
                "moved": moved,
            }
            if rates is not None:
                bindings["twist"] = replace(moved, field=rates(inner_name(row, "v")))
            own = ResponseVariant(variant, tuple(place in free for place in access.places))
            constants = {} if rates is None else {"power": float(power)}
            visits.append(Visit(rod.owner, own, constants, bindings, rod.steps))
        return Sweep(ROD_RESPONSE, tuple(visits), vector=True)

    @property
    def kept_fields(self) -> list[str]:
        """Fields of what steps keep for the way back."""
        return [f"{KEPT}{row}" for row in range(len(self.rods))]

    def names_of(self, name: str) -> list[str]:
        """The fields of stations' rows that stand for one of the robot's."""
        return [inner_name(rod, name) for rod in range(len(self.rods))]

    def at_rest(self, sweeps: Iterable[Sweep]) -> tuple[list[Sweep], list[str]]:
        """Sweeps of a plan with rods that do not move while q may, and the fields of rates that nobody fills then."""
        left = [self.outward(["q"]) if sweep.step is ROD_STEP else sweep for sweep in sweeps]
        return left, [*self.names_of("v"), *self.names_of("a")]

    def inward(self, visits: Iterable[Visit]) -> Sweep:
        """The sweep of visits that :meth:`force` makes."""
        return Sweep(ROD_FORCE, tuple(visits), vector=True)

    def force(
        self, row: int, wrenches: Access, field: str, column: int = 0, columns: int = 1, station: int | None = None
    ) -> Visit:
        """What leads the wrenches at the stations of a rod to its rows of a field, or of a column of a matrix.

        With ``station``, it is the wrench at that one alone.
        """
        rod, variant = self.rods[row]
        own = self._of(rod, field)
        table, kept = self.table(row), self.own(KEPT, row, variant.kept)
        if station is not None:
            table, kept = (replace(each, offset=station, lane=0) for each in (table, kept))
        bindings: dict[str, Binding] = {
            "table": table,
            "kept": kept,
            "wrench": wrenches,
            "tau": Access(field, own.offset * columns + column, own.count, columns),
        }
        return Visit(rod.owner, variant, {}, bindings, rod.steps if station is None else 1)

    def number(self, index: int) -> tuple[int, int]:
        """The rod that a station is of, and its number in it."""
        return self._place[index]

    def _of(self, rod: SoftBody, field: str) -> Access:
        """The rod's own rows, the same for all its steps."""
        joint = self._model.bodies[rod.owner].joint
        return Access(field, joint.v_index if field != "q" else joint.q_index, rod.count)

    def steps(self, row: int, field: str) -> Access:
        """The rows of all stations of a rod, a lane each."""
        return Access(inner_name(row, field), 0, self._width(row, field), self.lanes[row], 1)

    def _width(self, row: int, field: str) -> int:
        """Scalars of a station of a rod in a field of its rows."""
        return row_width(self.rods[row][1], field)

    def _rows(self, row: int, field: str, number: int) -> tuple[int, int]:
        """Which of them its joint reads: the first, and how many."""
        rod, variant = self.rods[row]
        return rows_read(variant, field, tip=number == rod.steps - 1)

    def places(self, row: int) -> Access:
        """The places of all points of a body given by its map, a lane each."""
        first, count = self._rows(row, "q", 0)
        steps = self.steps(row, "q")
        return replace(steps, offset=first * self.lanes[row], count=count)

    def table(self, row: int) -> Access:
        """The table of a rod, a lane per station."""
        return self.own(_TABLE, row, self.rods[row][1].width)

    def own(self, field: str, row: int, width: int) -> Access:
        """Scalars of a field that each rod has for itself, a lane per station."""
        return Access(f"{field}{row}", 0, width, self.lanes[row], 1)


def soft_variant(body: SoftBody, derivatives: int) -> SoftVariant:
    """What is structural about the steps of a body whose poses may be differentiated so often."""
    return MapVariant(body.tables.formulas) if isinstance(body, MapBody) else rod_variant(body, derivatives)


def soft_numbers(body: SoftBody, variant: SoftVariant) -> list[Sequence[float]]:
    """The rows of its table."""
    if isinstance(variant, RodVariant):
        assert isinstance(body, Rod)
        return [numbers_at(body, variant, step) for step in range(body.steps)]
    assert isinstance(body, MapBody)
    return list(body.tables.columns)


def soft_rests(body: SoftBody, variant: SoftVariant) -> dict[str, float]:
    """Constants that all its steps share."""
    return rests_of(body, variant) if isinstance(body, Rod) and isinstance(variant, RodVariant) else {}


def rod_variant(rod: Rod, derivatives: int) -> RodVariant:
    """What is structural about the steps of a rod whose poses may be differentiated so often."""
    steps, moments = range(len(rod.moments)), range(len(rod.moments[0].reference))
    entries = tuple(
        (moment, coordinate, row)
        for moment in moments
        for coordinate in range(rod.count)
        for row in rod.tables.moved[coordinate]
        if any(rod.moment(step, moment, coordinate, row) != 0.0 for step in steps)
    )
    varying = tuple(
        (moment, row)
        for moment in moments
        for row in range(6)
        if len({own.reference[moment][row] for own in rod.moments}) > 1
    )
    return RodVariant(
        len(moments), rod.count, stumpff_terms(rod.turn, derivatives), entries, varying, rod.turn, rod.thins
    )


def numbers_at(rod: Rod, variant: RodVariant, step: int) -> list[float]:
    """The row of a step in the rod's table."""
    rests = (rod.moments[step].reference[moment][row] for moment, row in variant.varying)
    found = [*(rod.moment(step, *entry) for entry in variant.entries), *rests]
    if not variant.thins:
        return found
    stretch = rod.stretch(step)
    return [*found, *rod.tables.steps[step].across, *(stretch[row] for row in variant.thins)]


def rests_of(rod: Rod, variant: RodVariant) -> dict[str, float]:
    """Entries of b* that all steps share."""
    rest, shared = rod.moments[0].reference, set(variant.rest_names())
    places = ((moment, row) for moment in range(variant.moments) for row in range(6))
    return {name: rest[moment][row] for moment, row in places if (name := rest_name(moment, row)) in shared}
