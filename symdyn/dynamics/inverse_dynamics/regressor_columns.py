"""Columns of the regressor: how many there are, the walks that fill those of bodies, and those of soft links.

A soft link is as heavy as its density says. It has one column: what the sections at all its stations, of density 1,
ask together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.inverse_dynamics.rnea import INWARD
from symdyn.dynamics.tree.bindings import Reads, Writes, read, step, write
from symdyn.dynamics.tree.body_variant import BodyVariant
from symdyn.dynamics.tree.places import WRENCH, Place
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.mapped import MapBody
from symdyn.model.rod import Rod
from symdyn.plan.plan import Access, Binding, Constant, Field, FieldKind, Sweep, Visit

PARAMETERS = 10
"""Columns of a body."""


def regressor_columns(tree: TreePlan) -> int:
    """Columns of Y: ten per public body, and one per soft link."""
    return PARAMETERS * len(tree.model.body_names) + len(tree.rods.rods)


class Reader(NamedTuple):
    """A step of the walk of a body's wrenches: joint ``here`` reads them, ``through`` is the one passed, or -1."""

    start: int
    through: int
    here: int


def readers_of(tree: TreePlan) -> Iterator[Reader]:
    """From every body whose parameters have columns to the root."""
    bodies = tree.model.bodies
    for start in (index for index in tree.links if bodies[index].row is not None):
        through, here = -1, start
        while here >= 0:
            yield Reader(start, through, here)
            through, here = here, bodies[here].parent


def section_of(tree: TreePlan, index: int) -> dict[str, Constant]:
    """What a station weighs per unit of density: its mass, and its second moments in y and in z."""
    if not tree.joint(index).inner:
        return {}
    row, number = tree.rods.number(index)
    rod, _ = tree.rods.rods[row]
    names = ("section_mass", "section_yy", "section_zz")
    return {name: value / rod.density for name, value in zip(names, rod.section(number), strict=True)}


def section_wrench(tree: TreePlan, index: int, field: str) -> Binding | None:
    """Where the wrench of a station's section lies."""
    if not section_of(tree, index):
        return None
    return Access(_of_rod("wrench", tree.rods.number(index)[0]), WRENCH.width * index, WRENCH.width)


def shares_of(tree: TreePlan, index: int, first: int) -> list[Binding]:
    """Where a station's rows of the columns from ``first`` on lie, before they are led to the rod's coordinates."""
    rod, number = tree.rods.number(index)
    lanes, shares, rows = tree.rods.lanes[rod], _of_rod("shares", rod), len(tree.joint(index).coordinates.v)
    return [Access(shares, (rows * first + n) * lanes + number, PARAMETERS, rows * lanes) for n in range(rows)]


def _of_rod(name: str, rod: int) -> str:
    return f"rod_{name}{rod}"


def density_sweeps(tree: TreePlan, readers: Iterable[Reader]) -> tuple[list[Field], list[Sweep]]:
    """Sweeps that lead what stations read to the coordinates of rods, and the columns of densities."""
    width, bodies, lanes = regressor_columns(tree), tree.model.bodies, tree.rods.lanes
    fields: list[Field] = []
    visits: list[Visit] = []
    walks: list[Sweep] = []
    for number, (rod, _) in enumerate(tree.rods.rods):
        shares, wrench, tau = (_of_rod(name, number) for name in ("shares", "wrench", "density"))
        rows, tip = len(tree.joint(rod.stations[-1]).coordinates.v), rod.steps - 1
        behind = [bodies[item.start].row for item in readers if item.here == rod.stations[-1]]
        for row in behind:
            assert row is not None
            for column in range(PARAMETERS * row, PARAMETERS * (row + 1)):
                passed = Access(shares, rows * column * lanes[number], rows, lanes[number], 1)
                if isinstance(rod, MapBody):  # of its points the tip alone passes wrenches on
                    alone = replace(passed, offset=passed.offset + tip, lane=0)
                    visits.append(tree.rods.force(number, alone, "Y", column, width, tip))
                else:
                    visits.append(tree.rods.force(number, passed, "Y", column, width))
        path = list(reversed(rod.stations))
        while bodies[path[-1]].parent >= 0:
            path.append(bodies[path[-1]].parent)
        walks += [
            INWARD.over(tree, path, _unburdened, wrench=wrench, parent_wrench=wrench, tau=tau),
            _TAKE.over(tree, [DensityRow(tau, row, width - len(lanes) + number) for row in _rows(tree, path)]),
        ]
        fields += [
            # Points aside of a rod pass nothing on.
            Field(shares, FieldKind.STATE, rows, width, sparse=isinstance(rod, Rod) and rod.aside, lanes=lanes[number]),
            Field(wrench, FieldKind.STATE, WRENCH.width, len(bodies)),
            Field(tau, FieldKind.STATE, tree.model.nv),
        ]
    return fields, [*([tree.rods.inward(visits)] if visits else []), *walks]


class DensityRow(NamedTuple):
    """An entry of the column of a density: ``row`` of the forces in ``field``."""

    field: str
    row: int
    column: int


def _rows(tree: TreePlan, path: Iterable[int]) -> list[int]:
    """Rows of v of the joints and rods on a path."""
    owners = {station: rod.owner for rod, _ in tree.rods.rods for station in rod.stations}
    return sorted({row for index in path for row in tree.joint(owners.get(index, index)).v_places})


def _unburdened(tree: TreePlan, index: int) -> BodyVariant:
    own = tree.variant(index)
    return BodyVariant(own.kind, transmits=own.transmits)


def take(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row of v: an entry of a column."""
    return {"entry": reads["force"]}


def _entry(tree: TreePlan, item: DensityRow, field: str) -> Access:
    return Access(field, item.row * regressor_columns(tree) + item.column, 1)


_TAKE = step(
    take,
    name="take_density",
    variant=lambda tree, item: None,
    body=lambda tree, item: -1,
    force=read(Place("force", lambda tree, item, field: Access(item.field, item.row, 1))),
    entry=write(Place("Y", _entry)),
)
