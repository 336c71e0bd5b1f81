"""How a body given by its map weighs, for algorithms that see it as one body: sums over its points, side by side.

With r_k the place of a point of mass m_k in the link's frame and J_k its columns,

    D = sum m_k J_k^T J_k,    U = sum m_k (J_k; r_k x J_k),    I_0 = sum m_k (1, r_k, r_k r_k^T)

are the mass matrix of the body's coordinates, the wrenches that they ask of the carrier, and the inertia that the
carrier feels; as ``rod_columns`` has them of a rod, and in the same fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.rotations import IDENTITY
from symdyn.algebra.spatial.vectors import cross, dot, entries_of, matrix_from, scale, times
from symdyn.dynamics.tree import rod_columns
from symdyn.dynamics.tree.map_steps import PLACE, MapVariant, columns_kept
from symdyn.dynamics.tree.ports import Reads, Writes
from symdyn.dynamics.tree.soft_tip import Made, SoftTip, TipQuantities
from symdyn.dynamics.tree.station_layout import KEPT, TreeRods
from symdyn.model.joints.rod_tip import LANES, POSE, TWIST_ROWS, masses_at, shape_size
from symdyn.model.mapped import MapBody
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Mode, Port, Step, lane_spacing

_UPPER = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


@dataclass(frozen=True, slots=True)
class MassVariant:
    """How many coordinates there are, in how many chunks, and whether their masses are requested."""

    count: int
    chunks: int
    masses: bool
    rates: int = PLACE
    """Scalars that a point keeps per coordinate."""


def map_masses(variant: MassVariant, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per body: what each point adds to inertia, coupling and masses."""
    (mass,), place, columns = reads["mass"], reads["place"], columns_kept(reads["kept"], variant.rates)
    if "density" in reads:
        mass = reads["density"][0] * mass
    first = scale(mass, place)
    seconds = [first[row] * place[column] for row, column in _UPPER]
    momenta = [scale(mass, column) for column in columns]
    coupling: list[Scalar] = [0.0] * (TWIST_ROWS * LANES * variant.chunks)
    for row, momentum in enumerate(momenta):
        start = row // LANES * TWIST_ROWS * LANES + row % LANES
        coupling[start : start + TWIST_ROWS * LANES : LANES] = [*momentum, *cross(place, momentum)]
    writes: dict[str, Sequence[Scalar]] = {"total": [mass, *first, *seconds], "coupling": coupling}
    if variant.masses:
        skipped = TWIST_ROWS * LANES * variant.chunks
        masses: list[Scalar] = [0.0] * (shape_size(variant.count) - skipped)
        for i in range(variant.count):
            for j in range(i + 1):
                entry = dot(columns[i], momenta[j])
                for row, column in {(i, j), (j, i)} if i // LANES == j // LANES else {(i, j)}:
                    start = masses_at(variant.chunks, row // LANES, column // LANES) - skipped
                    masses[start + column % LANES * LANES + row % LANES] = entry
        writes["masses"] = masses
    return writes


def map_end(filling: bool, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per body and column: how it moves the tip, or what fills a chunk up."""
    still = [0.0] * PLACE
    if "turn" in reads:
        kept = reads["kept"]
        return {"column": [*kept[2 * PLACE :], *times(matrix_from(reads["turn"]), kept[PLACE : 2 * PLACE])]}
    return {"column": [*(still if filling else reads["kept"]), *still]}


def map_pose(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per body: the pose of its tip, whose axes are the link's where they do not turn."""
    place = reads["place"]
    return {"tip": [*(entries_of(IDENTITY) if len(place) == PLACE else ()), *place]}


_MASSES = Step(
    "map_masses",
    map_masses,
    (
        *(Port(name, Mode.READ) for name in ("mass", "place", "kept", "density")),
        *(Port(name, Mode.ADD) for name in ("total", "coupling", "masses")),
    ),
)
_END = Step("map_end", map_end, (Port("kept", Mode.READ), Port("turn", Mode.READ), Port("column", Mode.WRITE)))
_POSE = Step("map_pose", map_pose, (Port("place", Mode.READ), Port("tip", Mode.WRITE)))


class MapTip(SoftTip):
    """That of a body given by its map; its coordinates' lanes are filled up with zeros."""

    def __init__(self, number: int, body: MapBody, rods: TreeRods, density: Access | None) -> None:
        super().__init__(number, body, rods)
        self._points, self._density = self._stations - 1, density
        self._spacing = lane_spacing(self._points)
        self._rates = MapVariant(body.tables.formulas).rates
        self._weights = [body.section(min(lane, self._points - 1))[0] for lane in range(self._spacing)]

    def fields(self) -> list[Field]:
        """Of this body."""
        number, state = self._number, FieldKind.STATE
        return [
            Field(f"map_mass{number}", FieldKind.TABLE, 1, values=tuple(self._weights), lanes=self._spacing),
            *(
                Field(f"rod_{name}{number}", state, TWIST_ROWS, len(self.chunks), lanes=LANES)
                for name in ("coupling", "end")
            ),
            Field(self.total.field, state, rod_columns.INERTIA),
            Field(self.pose.field, state, self.pose.count),
            Field(self.shape.field, state, 1, self.shape.count // LANES, sparse=True, lanes=LANES),
        ]

    def places(self, requested: TipQuantities) -> Iterator[Made]:
        """None: steps have found them."""
        yield from ()

    def columns(self, requested: TipQuantities) -> Iterator[Made]:
        """What points add to inertia, coupling and masses."""
        if requested < TipQuantities.MOMENTA:
            return
        rods, chunks = self._rods, len(self.chunks)
        width = TWIST_ROWS * LANES * chunks
        bindings: dict[str, Binding] = {
            "mass": Access(f"map_mass{self._number}", 0, 1, self._spacing, 1),
            "place": rods.places(self._number),
            "kept": rods.own(KEPT, self._number, self._rates * self._count),
            "total": self.total,
            "coupling": Access(f"rod_coupling{self._number}", 0, width),
        }
        if self._density is not None:
            bindings["density"] = self._density
        if requested >= TipQuantities.MASSES:
            bindings["masses"] = Access(self.shape.field, width, self.shape.count - width)
        variant = MassVariant(self._count, chunks, requested >= TipQuantities.MASSES, self._rates)
        yield _MASSES, self._visit(variant, bindings, self._points)

    def ends(self, requested: TipQuantities) -> Iterator[Made]:
        """Pose and columns of the tip, the last point."""
        last, lanes = self._points, self._rods.lanes[self._number]
        place = self._rods.station("q", self._number, last)
        yield _POSE, self._visit(None, {"place": place, "tip": Access(self.pose.field, 0, POSE)})
        for number in self.chunks:
            row, own, alone, beside, _ = self.chunk(number)
            tip = alone if requested is TipQuantities.COLUMNS else beside
            for lane in range(LANES):
                bindings: dict[str, Binding] = {"column": Access(tip.field, tip.offset + lane, TWIST_ROWS, LANES)}
                if lane < own:
                    kept = last + self._rates * (row + lane) * lanes
                    bindings["kept"] = Access(f"{KEPT}{self._number}", kept, self._rates, lanes)
                    if self._rates > PLACE:
                        bindings["turn"] = replace(place, count=place.count - PLACE)
                yield _END, self._visit(lane >= own, bindings)

    def weights(self) -> Iterator[Made]:
        """None: they are found with the columns."""
        yield from ()
