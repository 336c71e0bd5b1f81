"""The visits that find columns, coupling and masses of one rod, and the fields that they fill."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.articulated import SIZE, ArticulatedInertia, diagonal
from symdyn.algebra.spatial.rotations import General
from symdyn.algebra.spatial.transform import pose_from
from symdyn.algebra.spatial.vectors import scale, transpose
from symdyn.description.fluid import AddedMass
from symdyn.dynamics.tree import rod_columns as step
from symdyn.dynamics.tree.added_mass_layout import FIELD, STATION, station_of
from symdyn.dynamics.tree.load_entries import Reads, WrenchVariant, entries_at, entries_variant
from symdyn.dynamics.tree.ports import Writes
from symdyn.dynamics.tree.rod_columns import ColumnsVariant, root_of
from symdyn.dynamics.tree.rod_steps import RodVariant
from symdyn.dynamics.tree.soft_tip import Made, ShownStation, SoftTip, TipQuantities, root_constants
from symdyn.dynamics.tree.station_layout import KEPT, TreeRods
from symdyn.dynamics.tree.tree_loads import AXES, OFFSET, BodyLoad
from symdyn.model.joints.rod_tip import LANES, POSE, TWIST_ROWS, masses_at
from symdyn.model.rod import Rod
from symdyn.plan.plan import Access, Binding, Constant, Field, FieldKind, Mode, Port, Step, Visit


def rod_added(variant: WrenchVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per station: the inertia of the fluid about the root, for itself and in sum."""
    masses = scale(constants["share"], entries_at(variant, algebra, [], [], constants, {}))
    place = pose_from(reads["place"])
    found = diagonal(masses).turned(General(place.rotation)).shifted(place.position).entries
    return {"added": found, "total": found}


def rod_added_weight(_: None, __: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per rod: the inertia of the fluid, added to the carrier's."""
    return {"carrier": ArticulatedInertia(reads["total"]).seen_from_parent(root_of(constants)).entries}


ADDED = Step("rod_added", rod_added, (Port("place", Mode.READ), Port("added", Mode.WRITE), Port("total", Mode.ADD)))
WEIGHT = Step("rod_added_weight", rod_added_weight, (Port("total", Mode.READ), Port("carrier", Mode.ADD)))


_PLACED = frozenset((*OFFSET, *AXES, STATION))
"""Constants of a load that say where it is: a station knows."""


class RodTip(SoftTip):
    """That of a rod.

    ``density`` is where that of its matter lies, if its tables have none. ``added`` is the fluid that moves with its
    stations.
    """

    def __init__(
        self,
        number: int,
        rod: Rod,
        variant: RodVariant,
        rods: TreeRods,
        density: Access | None,
        added: Sequence[BodyLoad] = (),
    ) -> None:
        super().__init__(number, rod, rods)
        self._rod, self._density = rod, density
        self._added = {station_of(own): own for own in added}
        self._added_total = Access(f"rod_added_total{number}", 0, SIZE)
        self._entries = (*variant.entries, *((variant.moments, coordinate, 0) for coordinate in variant.thins))
        self._variant = ColumnsVariant(variant, tuple(sorted({(moment, row) for moment, _, row in self._entries})))
        self._ends = {station: f"rod_end{number}_{station}" for _, station in rod.shown}
        for body, station in rod.shown:
            self.shown[body] = ShownStation(self, self._station("place", POSE, station), self._ends[station])

    def fields(self) -> list[Field]:
        """Of this rod."""
        lanes, number = self._rods.lanes[self._number], self._number
        state, table = FieldKind.STATE, FieldKind.TABLE
        sections = [self._rod.section(min(lane, self._stations - 1)) for lane in range(lanes)]
        weights = tuple(self._weights())
        aside = ("side",) if self._rod.aside else ()
        columns = ("column", "wrench", "coupling", "end", *aside)
        return [
            Field(
                f"rod_section{number}", table, 3, values=tuple(chain.from_iterable(transpose(sections))), lanes=lanes
            ),
            Field(f"rod_place{number}", state, POSE, lanes=lanes),
            Field(f"rod_twists{number}", state, TWIST_ROWS * len(self._variant.moved), lanes=lanes),
            Field(f"rod_inertia{number}", state, step.INERTIA, lanes=lanes),
            Field(f"rod_weights{number}", table, 1, len(weights) // LANES, values=weights, lanes=LANES),
            *(Field(f"rod_{name}{number}", state, TWIST_ROWS, len(self.chunks), lanes=LANES) for name in columns),
            *(Field(name, state, TWIST_ROWS, len(self.chunks), lanes=LANES) for name in self._ends.values()),
            *(self._added_fields() if self._added else ()),
            Field(self.total.field, state, step.INERTIA),
            Field(self.pose.field, state, self.pose.count),
            Field(self.shape.field, state, 1, self.shape.count // LANES, sparse=True, lanes=LANES),
        ]

    def _added_fields(self) -> Iterator[Field]:
        yield Field(f"rod_added{self._number}", FieldKind.STATE, SIZE, lanes=self._rods.lanes[self._number])
        yield Field(self._added_total.field, FieldKind.STATE, SIZE)

    def _slots(self, chunk: int) -> tuple[int, ...]:
        """Which of the moved (moment, row) any coordinate of a chunk moves."""
        own = range(LANES * chunk, LANES * (chunk + 1))
        moved = {(moment, row) for moment, coordinate, row in self._entries if coordinate in own}
        return tuple(place for place, at in enumerate(self._variant.moved) if at in moved)

    def _weights(self) -> Iterator[float]:
        """Station by station and chunk by chunk, per slot and coordinate."""
        for station in range(self._stations):
            for chunk in self.chunks:
                for slot in self._slots(chunk):
                    moment, row = self._variant.moved[slot]
                    for coordinate in range(LANES * chunk, LANES * (chunk + 1)):
                        inside = coordinate < self._rod.count
                        yield self._rod.moment(station, moment, coordinate, row) if inside else 0.0

    def _station(self, name: str, width: int, station: int) -> Access:
        """Scalars of one station."""
        return Access(f"rod_{name}{self._number}", station, width, self._rods.lanes[self._number])

    def places(self, requested: TipQuantities) -> Iterator[Made]:
        """Poses of stations one after the other, then what each needs of no other."""
        for station in range(self._stations):
            bindings: dict[str, Binding] = {"step": self._rods.station("q", self._number, station)}
            before = self._rod.tables.before(station)
            if before >= 0:
                bindings["before"] = self._station("place", POSE, before)
            bindings["place"] = self._station("place", POSE, station)
            yield step.PLACE, self._visit(before < 0, bindings)
        own, variant = self._rods.own, self._variant
        bindings = {
            "kept": own(KEPT, self._number, variant.steps.kept),
            "place": own("rod_place", self._number, POSE),
            "twists": own("rod_twists", self._number, 6 * len(variant.moved)),
        }
        if requested >= TipQuantities.MOMENTA:
            bindings["section"] = own("rod_section", self._number, 3)
            bindings["inertia"] = own("rod_inertia", self._number, step.INERTIA)
            if self._density is not None:
                bindings["density"] = self._density
        yield step.STATION, self._visit(variant, bindings, self._stations)
        for station, load in self._added.items() if requested >= TipQuantities.MASSES else ():
            assert isinstance(load.load, AddedMass)
            known = {name: value for name, value in load.constants.items() if name not in _PLACED}
            ports: dict[str, Binding] = {
                "place": self._station("place", POSE, station),
                "added": self._station("added", SIZE, station),
                "total": self._added_total,
            }
            yield ADDED, Visit(self._body, entries_variant(load.load), known, ports)

    def columns(self, requested: TipQuantities) -> Iterator[Made]:
        """Columns from station to station, and what they add to coupling and masses."""
        before = 0
        for station in range(self._stations):
            aside = self._rod.tables.steps[station].point
            bare = self._rod.section(station)[0] == 0.0 and station not in self._added
            if aside and bare:  # it tells a radius, and weighs nothing
                before += sum(len(self._slots(chunk)) for chunk in self.chunks)
                continue
            column = "side" if aside else "column"
            for chunk in self.chunks:
                slots = self._slots(chunk)
                bindings: dict[str, Binding] = {
                    "twists": self._station("twists", TWIST_ROWS * len(self._variant.moved), station),
                    "weights": Access(f"rod_weights{self._number}", before * LANES, len(slots), LANES, 1),
                    "column": self._chunk("column", chunk),
                }
                before += len(slots)
                if aside:
                    bindings["side"] = self._chunk("side", chunk)
                yield step.SIDE if aside else step.COLUMN, self._visit(slots, bindings, LANES)
            if station in self._ends:
                yield from self._end(station, TipQuantities.COLUMNS, self._ends[station])
            if requested < TipQuantities.MOMENTA or bare:
                continue
            for chunk in self.chunks:
                ports = {"column": self._chunk(column, chunk)}
                ports |= {name: self._chunk(name, chunk) for name in ("wrench", "coupling")}
                weighed: dict[str, Binding] = {"inertia": self._station("inertia", step.INERTIA, station)}
                if requested >= TipQuantities.MASSES and station in self._added:
                    weighed["added"] = self._station("added", SIZE, station)
                yield step.WRENCH, self._visit(None, weighed | ports, LANES)
            for row in self.chunks if requested >= TipQuantities.MASSES else ():
                for chunk in range(row + 1):
                    bindings = {
                        "column": self._chunk(column, row),
                        "wrenches": Access(f"rod_wrench{self._number}", TWIST_ROWS * LANES * chunk, TWIST_ROWS * LANES),
                        "masses": Access(self.shape.field, masses_at(len(self.chunks), row, chunk), LANES, LANES, 1),
                    }
                    yield step.MASSES, self._visit(None, bindings, LANES)

    def ends(self, requested: TipQuantities) -> Iterator[Made]:
        """Pose and columns of the tip."""
        last = self._station("place", POSE, self._stations - 1)
        yield step.POSE_STEP, self._visit(None, {"place": last, "tip": Access(self.pose.field, 0, POSE)})
        yield from self._end(self._stations - 1, requested)

    def _end(self, station: int, requested: TipQuantities, field: str = "") -> Iterator[Made]:
        """The columns of a station, at its origin."""
        place = self._station("place", POSE, station)
        for number in self.chunks:
            _, _, alone, beside, _ = self.chunk(number)
            tip = alone if requested is TipQuantities.COLUMNS else beside
            tip = replace(tip, field=field or tip.field)
            bindings = {"column": self._chunk("column", number), "place": place, "tip": tip}
            yield step.END, self._visit(None, bindings, LANES)

    def weighs_added(self, own: Mapping[str, Constant], carrier: int) -> Iterator[Made]:
        """What the carrier weighs more for fluid."""
        if self._added:
            ports = {"total": self._added_total, "carrier": Access(FIELD, SIZE * carrier, SIZE)}
            yield WEIGHT, Visit(self._body, None, root_constants(own), ports)

    def weights(self) -> Iterator[Made]:
        """The inertia of the rod."""
        inertia = self._rods.own("rod_inertia", self._number, step.INERTIA)
        yield step.TOTAL, self._visit(None, {"inertia": inertia, "total": self.total}, self._stations)
