"""Where columns, coupling and masses of rods lie, and the sweeps that find them, for algorithms that see tips alone."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import chain, groupby

from symdyn.dynamics.tree import rod_columns as step
from symdyn.dynamics.tree.rod_columns import MOMENTS, ORIGIN, ROOT, ColumnsVariant
from symdyn.dynamics.tree.rod_steps import RodVariant
from symdyn.dynamics.tree.tree_rods import KEPT, TreeRods
from symdyn.model.joints.rod_tip import LANES, POSE, TWIST, chunks_of, masses_at, shape_size
from symdyn.model.model import Model
from symdyn.model.rod import Rod
from symdyn.plan.plan import Access, Binding, Constant, Field, FieldKind, Step, Sweep, Visit
from symdyn.spatial.vectors import transpose

Bodies = Callable[[int], Mapping[str, Constant]]
Made = tuple[Step, Visit]


class TreeRodTips:
    """The rods of a contracted robot, each named by the index of its tip; nothing for others.

    Parameters
    ----------
    model
        The robot.
    rods
        Their steps.
    """

    def __init__(self, model: Model, rods: TreeRods) -> None:
        self._model, self._rods = model, rods
        places = enumerate(rods.rods if model.contracted else ())
        self._tips = {rod.stations[-1]: _Tip(number, rod, variant, rods) for number, (rod, variant) in places}

    def knows(self, index: int) -> bool:
        """Whether a body is such a tip."""
        return index in self._tips

    def pose(self, index: int) -> Access:
        """What the joint of a tip has in place of coordinates: its pose and its columns."""
        return self._tips[index].pose

    def shape(self, index: int) -> Access | None:
        """Coupling and masses of a tip (see ``model.joints.rod_tip``)."""
        return self._tips[index].shape if index in self._tips else None

    def fields(self) -> list[Field]:
        """What :meth:`sweeps` fills, and tables."""
        found = [field for tip in self._tips.values() for field in tip.fields()]
        return [*found, *(self._rods.fields_of("q") if found else [])]

    def sweeps(self, straight: Bodies, bent: Callable[[int], Access], rows: Callable[[int], Access]) -> Iterator[Sweep]:
        """Sweeps that find all this from q.

        Parameters
        ----------
        straight
            The constants of a body of which nothing is bent.
        bent
            Where the moments of a carrier lie.
        rows
            The rows of v of a body.
        """
        if not self._tips:
            return
        yield self._rods.outward(["q"])
        met = {self._model.bodies[index].parent for index in self._model.beams}
        for index, tip in self._tips.items():
            carrier = self._model.bodies[index].parent
            made = [*tip.places(), *tip.columns(), *tip.ends()]
            if carrier >= 0:
                made += tip.weights(straight(carrier), straight(index), bent(carrier), first=carrier not in met)
                met.add(carrier)
            for each, visits in groupby(made, key=lambda item: item[0]):
                run = tuple(visit for _, visit in visits)
                yield Sweep(each, run, vector=run[0].lanes > 1)


class _Tip:
    """One rod: fields of its own, and the visits that fill them. Columns go in chunks, as the lanes of a visit."""

    def __init__(self, number: int, rod: Rod, variant: RodVariant, rods: TreeRods) -> None:
        self._number, self._rod, self._rods = number, rod, rods
        self._body, self._stations = rod.stations[-1], len(rod.tables.steps)
        self._chunks = range(chunks_of(rod.count))
        self._variant = ColumnsVariant(variant, tuple(sorted({(moment, row) for moment, _, row in variant.entries})))
        self.pose = Access(f"rod_tip{number}", 0, POSE + TWIST * LANES * len(self._chunks))
        self.shape = Access(f"rod_shape{number}", 0, shape_size(rod.count))

    def fields(self) -> list[Field]:
        """Of this rod."""
        lanes, number = self._rods.lanes[self._number], self._number
        state, table = FieldKind.STATE, FieldKind.TABLE
        sections = [_section(self._rod, min(lane, self._stations - 1)) for lane in range(lanes)]
        weights = tuple(self._weights())
        columns = ("column", "wrench", "coupling")
        return [
            Field(
                f"rod_section{number}", table, 3, values=tuple(chain.from_iterable(transpose(sections))), lanes=lanes
            ),
            Field(f"rod_place{number}", state, POSE, lanes=lanes),
            Field(f"rod_twists{number}", state, TWIST * len(self._variant.moved), lanes=lanes),
            Field(f"rod_inertia{number}", state, step.INERTIA, lanes=lanes),
            Field(f"rod_weights{number}", table, 1, len(weights) // LANES, values=weights, lanes=LANES),
            *(Field(f"rod_{name}{number}", state, TWIST, len(self._chunks), lanes=LANES) for name in columns),
            Field(f"rod_total{number}", state, step.INERTIA),
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
            for chunk in self._chunks:
                for slot in self._slots(chunk):
                    moment, row = self._variant.moved[slot]
                    for coordinate in range(LANES * chunk, LANES * (chunk + 1)):
                        inside = coordinate < self._rod.count
                        yield self._rod.moment(station, moment, coordinate, row) if inside else 0.0

    def _visit(self, structure: Hashable, bindings: Mapping[str, Binding], lanes: int = 1) -> Visit:
        return Visit(self._body, structure, {}, bindings, lanes)

    def _station(self, name: str, width: int, station: int) -> Access:
        """Scalars of one station."""
        return Access(f"rod_{name}{self._number}", station, width, self._rods.lanes[self._number])

    def _chunk(self, name: str, chunk: int) -> Access:
        """A column each."""
        return Access(f"rod_{name}{self._number}", TWIST * LANES * chunk, TWIST, LANES, 1)

    def places(self) -> Iterator[Made]:
        """Poses of stations one after the other, then what each needs of no other."""
        for station in range(self._stations):
            bindings: dict[str, Binding] = {"step": self._rods.station("q", self._number, station)}
            if station:
                bindings["before"] = self._station("place", POSE, station - 1)
            bindings["place"] = self._station("place", POSE, station)
            yield step.PLACE, self._visit(station == 0, bindings)
        own, variant = self._rods.own, self._variant
        bindings = {
            "kept": own(KEPT, self._number, variant.steps.kept),
            "place": own("rod_place", self._number, POSE),
            "section": own("rod_section", self._number, 3),
            "twists": own("rod_twists", self._number, 6 * len(variant.moved)),
            "inertia": own("rod_inertia", self._number, step.INERTIA),
        }
        yield step.STATION, self._visit(variant, bindings, self._stations)

    def columns(self) -> Iterator[Made]:
        """Columns from station to station, and what they add to coupling and masses."""
        before = 0
        for station in range(self._stations):
            for chunk in self._chunks:
                slots = self._slots(chunk)
                bindings: dict[str, Binding] = {
                    "twists": self._station("twists", TWIST * len(self._variant.moved), station),
                    "weights": Access(f"rod_weights{self._number}", before * LANES, len(slots), LANES, 1),
                    "column": self._chunk("column", chunk),
                }
                before += len(slots)
                yield step.COLUMN, self._visit(slots, bindings, LANES)
            if _section(self._rod, station)[0] == 0.0:
                continue
            for chunk in self._chunks:
                ports = {name: self._chunk(name, chunk) for name in ("column", "wrench", "coupling")}
                yield (
                    step.WRENCH,
                    self._visit(None, {"inertia": self._station("inertia", step.INERTIA, station)} | ports, LANES),
                )
            for row in self._chunks:
                for chunk in range(row + 1):
                    bindings = {
                        "column": self._chunk("column", row),
                        "wrenches": Access(f"rod_wrench{self._number}", TWIST * LANES * chunk, TWIST * LANES),
                        "masses": Access(self.shape.field, masses_at(len(self._chunks), row, chunk), LANES, LANES, 1),
                    }
                    yield step.MASSES, self._visit(None, bindings, LANES)

    def ends(self) -> Iterator[Made]:
        """Pose and columns of the tip."""
        last = self._station("place", POSE, self._stations - 1)
        yield step.POSE_STEP, self._visit(None, {"place": last, "tip": Access(self.pose.field, 0, POSE)})
        for chunk in self._chunks:
            tip = Access(self.pose.field, POSE + TWIST * LANES * chunk, TWIST, LANES, 1)
            yield (
                step.END,
                self._visit(None, {"column": self._chunk("column", chunk), "place": last, "tip": tip}, LANES),
            )

    def weights(
        self, carrier: Mapping[str, Constant], own: Mapping[str, Constant], bent: Access, first: bool
    ) -> Iterator[Made]:
        """What the carrier feels."""
        root = {name: own[name] for name in (*ROOT, *ORIGIN)}
        moments = {name: carrier[name] for name in MOMENTS} if first else {}
        total = Access(f"rod_total{self._number}", 0, step.INERTIA)
        inertia = self._rods.own("rod_inertia", self._number, step.INERTIA)
        yield step.TOTAL, self._visit(None, {"inertia": inertia, "total": total}, self._stations)
        yield step.WEIGHT, Visit(self._body, first, {**root, **moments}, {"total": total, "bent": bent})
        for chunk in self._chunks:
            felt = Access(self.shape.field, TWIST * LANES * chunk, TWIST, LANES, 1)
            ports = {"coupling": self._chunk("coupling", chunk), "felt": felt}
            yield step.COUPLING, Visit(self._body, None, root, ports, LANES)


def _section(rod: Rod, station: int) -> Sequence[float]:
    """Mass and second moments yy and zz of the section at a station."""
    own = rod.tables.steps[station]
    return own.mass, own.inertia[2], own.inertia[1]
