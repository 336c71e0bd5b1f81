"""The visits that find columns, coupling and masses of one rod, and the fields that they fill."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping
from enum import IntEnum
from itertools import chain

from symdyn.dynamics.tree import rod_columns as step
from symdyn.dynamics.tree.rod_columns import MOMENTS, ORIGIN, ROOT, ColumnsVariant
from symdyn.dynamics.tree.rod_steps import RodVariant
from symdyn.dynamics.tree.tree_rods import KEPT, TreeRods
from symdyn.model.joints.rod_tip import LANES, POSE, TWIST, chunks_of, masses_at, shape_size
from symdyn.model.rod import Rod, SoftBody
from symdyn.plan.plan import Access, Binding, Constant, Field, FieldKind, Step, Visit
from symdyn.spatial.vectors import transpose

Made = tuple[Step, Visit]
"""A visit, and the step that makes it."""


class Asked(IntEnum):
    """What an algorithm asks of rods; each includes those before."""

    COLUMNS = 1
    """Poses and columns of tips."""
    MOMENTA = 2
    """The momenta that columns give to the rods themselves, and the inertia of carriers."""
    MASSES = 3
    """Masses of the columns, and what carriers feel."""


class SoftTip(ABC):
    """One rod or mapped body: its fields, and visits that fill them. Columns go in chunks, as lanes of visits."""

    def __init__(self, number: int, body: SoftBody, rods: TreeRods) -> None:
        self._number, self._rods, self._count = number, rods, body.count
        self._body, self._stations = body.stations[-1], body.steps
        self.chunks = range(chunks_of(body.count))
        self.pose = Access(f"rod_tip{number}", 0, POSE + TWIST * LANES * len(self.chunks))
        self.shape = Access(f"rod_shape{number}", 0, shape_size(body.count))
        self.total = Access(f"rod_total{number}", 0, step.INERTIA)

    @abstractmethod
    def fields(self) -> list[Field]:
        """Of this body."""

    @abstractmethod
    def places(self, asked: Asked) -> Iterator[Made]:
        """Poses of stations, and what each needs of no other."""

    @abstractmethod
    def columns(self, asked: Asked) -> Iterator[Made]:
        """Columns of stations, and what they add to coupling and masses."""

    @abstractmethod
    def ends(self, asked: Asked) -> Iterator[Made]:
        """Pose and columns of the tip."""

    @abstractmethod
    def weights(self) -> Iterator[Made]:
        """The inertia of the body."""

    def _visit(self, structure: Hashable, bindings: Mapping[str, Binding], lanes: int = 1) -> Visit:
        return Visit(self._body, structure, {}, bindings, lanes)

    def _chunk(self, name: str, chunk: int) -> Access:
        """A column each."""
        return Access(f"rod_{name}{self._number}", TWIST * LANES * chunk, TWIST, LANES, 1)

    def chunk(self, chunk: int) -> tuple[int, int, Access, Access, Access]:
        """The first row of a chunk, how many columns are no filling, columns of the tip in two places, and momenta."""
        first, tip = LANES * chunk, Access(self.pose.field, POSE + TWIST * LANES * chunk, TWIST, LANES, 1)
        lanes = min(LANES, self._count - first)
        return first, lanes, self._chunk("end", chunk), tip, self._chunk("coupling", chunk)

    def weighs(
        self, carrier: Mapping[str, Constant], own: Mapping[str, Constant], bent: Access, first: bool
    ) -> Iterator[Made]:
        """What the carrier weighs."""
        moments = {name: carrier[name] for name in MOMENTS} if first else {}
        ports = {"total": self.total, "bent": bent}
        yield step.WEIGHT, Visit(self._body, first, {**_root_constants(own), **moments}, ports)

    def couples(self, own: Mapping[str, Constant]) -> Iterator[Made]:
        """What the carrier feels."""
        for chunk in self.chunks:
            felt = Access(self.shape.field, TWIST * LANES * chunk, TWIST, LANES, 1)
            ports = {"coupling": self._chunk("coupling", chunk), "felt": felt}
            yield step.COUPLING, Visit(self._body, None, _root_constants(own), ports, LANES)


class RodTip(SoftTip):
    """That of a rod.

    ``density`` is where that of its matter lies, if its tables have none.
    """

    def __init__(self, number: int, rod: Rod, variant: RodVariant, rods: TreeRods, density: Access | None) -> None:
        super().__init__(number, rod, rods)
        self._rod, self._density = rod, density
        self._variant = ColumnsVariant(variant, tuple(sorted({(moment, row) for moment, _, row in variant.entries})))

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
            Field(f"rod_twists{number}", state, TWIST * len(self._variant.moved), lanes=lanes),
            Field(f"rod_inertia{number}", state, step.INERTIA, lanes=lanes),
            Field(f"rod_weights{number}", table, 1, len(weights) // LANES, values=weights, lanes=LANES),
            *(Field(f"rod_{name}{number}", state, TWIST, len(self.chunks), lanes=LANES) for name in columns),
            Field(self.total.field, state, step.INERTIA),
            Field(self.pose.field, state, self.pose.count),
            Field(self.shape.field, state, 1, self.shape.count // LANES, sparse=True, lanes=LANES),
        ]

    def _slots(self, chunk: int) -> tuple[int, ...]:
        """Which of the moved (moment, row) any coordinate of a chunk moves."""
        own = range(LANES * chunk, LANES * (chunk + 1))
        entries = self._variant.steps.entries
        moved = {(moment, row) for moment, coordinate, row in entries if coordinate in own}
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

    def places(self, asked: Asked) -> Iterator[Made]:
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
        if asked >= Asked.MOMENTA:
            bindings["section"] = own("rod_section", self._number, 3)
            bindings["inertia"] = own("rod_inertia", self._number, step.INERTIA)
            if self._density is not None:
                bindings["density"] = self._density
        yield step.STATION, self._visit(variant, bindings, self._stations)

    def columns(self, asked: Asked) -> Iterator[Made]:
        """Columns from station to station, and what they add to coupling and masses."""
        before = 0
        for station in range(self._stations):
            aside = self._rod.tables.steps[station].point
            column = "side" if aside else "column"
            for chunk in self.chunks:
                slots = self._slots(chunk)
                bindings: dict[str, Binding] = {
                    "twists": self._station("twists", TWIST * len(self._variant.moved), station),
                    "weights": Access(f"rod_weights{self._number}", before * LANES, len(slots), LANES, 1),
                    "column": self._chunk("column", chunk),
                }
                before += len(slots)
                if aside:
                    bindings["side"] = self._chunk("side", chunk)
                yield step.SIDE if aside else step.COLUMN, self._visit(slots, bindings, LANES)
            if asked < Asked.MOMENTA or self._rod.section(station)[0] == 0.0:
                continue
            for chunk in self.chunks:
                ports = {"column": self._chunk(column, chunk)}
                ports |= {name: self._chunk(name, chunk) for name in ("wrench", "coupling")}
                inertia = self._station("inertia", step.INERTIA, station)
                yield step.WRENCH, self._visit(None, {"inertia": inertia} | ports, LANES)
            for row in self.chunks if asked >= Asked.MASSES else ():
                for chunk in range(row + 1):
                    bindings = {
                        "column": self._chunk(column, row),
                        "wrenches": Access(f"rod_wrench{self._number}", TWIST * LANES * chunk, TWIST * LANES),
                        "masses": Access(self.shape.field, masses_at(len(self.chunks), row, chunk), LANES, LANES, 1),
                    }
                    yield step.MASSES, self._visit(None, bindings, LANES)

    def ends(self, asked: Asked) -> Iterator[Made]:
        """Pose and columns of the tip."""
        last = self._station("place", POSE, self._stations - 1)
        yield step.POSE_STEP, self._visit(None, {"place": last, "tip": Access(self.pose.field, 0, POSE)})
        for number in self.chunks:
            chunk = self.chunk(number)
            tip = chunk[2] if asked is Asked.COLUMNS else chunk[3]
            bindings = {"column": self._chunk("column", number), "place": last, "tip": tip}
            yield step.END, self._visit(None, bindings, LANES)

    def weights(self) -> Iterator[Made]:
        """The inertia of the rod."""
        inertia = self._rods.own("rod_inertia", self._number, step.INERTIA)
        yield step.TOTAL, self._visit(None, {"inertia": inertia, "total": self.total}, self._stations)


def _root_constants(own: Mapping[str, Constant]) -> dict[str, Constant]:
    """Of a tip's constants, those that tell where its root's frame stands in the carrier."""
    return {name: own[name] for name in (*ROOT, *ORIGIN)}
