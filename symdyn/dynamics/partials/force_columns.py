"""Every column of every joint sends its wrenches to the root, and each joint on the way reads its matrix entries.

The equations are those of ``composite_wrenches``. Wrenches go from body frame to body frame, 12 operations per turn
about z and 4 per component of an offset, because in body frames S is a unit vector and its rates have two or three
entries. One frame for all bodies would need no such steps, but 11 operations per product and some 250 per body to bring
twists and wrenches there: about as many in all for arms, legs and humanoids, and fewer only where chains are longer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.force import wrench_in_parent
from symdyn.dynamics.partials.composite_motion import INERTIAS, LOADS, momenta, twists
from symdyn.dynamics.partials.composite_wrenches import (
    Carried,
    CarriedVariant,
    carried_from,
    carried_size,
    columns_at,
    entries,
    own_entries,
    sent_by,
)
from symdyn.dynamics.partials.motion_derivatives import Purpose
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, read, step, write
from symdyn.dynamics.tree.body_variant import frame_in_parent
from symdyn.dynamics.tree.places import POSE, WRENCH, Columns, Place, Rows
from symdyn.dynamics.tree.strided_ports import Pieces, scalars_at
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.bind import ROTATION, TRANSLATION
from symdyn.plan.plan import Access, Binding, Constant, Field, Sweep


def spread_columns(variant: CarriedVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step at a body: what each of its columns carries to the root, and the joint's own blocks."""
    columns = columns_at(variant, constants, reads)
    sent = [sent_by(variant, column, reads) for column in columns]
    writes: dict[str, Sequence[Scalar]] = {}
    for place, column in enumerate(columns):
        if variant.onward:
            writes[f"carried{place}"] = sent[place][0].scalars()
        row = [own_entries(column, carried, met) for carried, met in sent]
        writes |= {f"{matrix}{place}": [entry[matrix] for entry in row] for matrix in variant.matrices}
    return writes


def carry_column(variant: CarriedVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step of a walk: what a column carries goes through a joint to the parent, whose columns meet it."""
    assert variant.through is not None
    x_pc = frame_in_parent(constants, variant.through.placed(reads["pose"]))
    below = carried_from(variant, reads["carried"])
    carried = Carried(
        tuple(wrench_in_parent(x_pc, wrench) for wrench in below.wrenches),
        tuple(x_pc.rotate(couple) for couple in below.couples),
    )
    writes: dict[str, Sequence[Scalar]] = {"own_carried": carried.scalars()} if variant.onward else {}
    met = [entries(variant, column, carried) for column in columns_at(variant, constants, reads)]
    for matrix in variant.matrices:
        column, row = zip(*(entry[matrix] for entry in met), strict=True)
        writes[f"{matrix}_column"] = [x + row[n] if n in variant.shared else x for n, x in enumerate(column)]
        if len(variant.shared) < len(row):
            writes[f"{matrix}_row"] = [x for n, x in enumerate(row) if n not in variant.shared]
    return writes


class Leg(NamedTuple):
    """A step of a walk: one of the columns of body ``start`` comes ``through`` a body to the one ``above``."""

    start: int
    place: int
    through: int
    above: int

    def row(self, tree: TreePlan) -> int:
        """The row of v that the column belongs to."""
        return tree.joint(self.start).v_places[self.place]

    def met(self, tree: TreePlan) -> Sequence[int]:
        """The rows of v at its upper end."""
        return tree.joint(self.above).v_places


def _legs(tree: TreePlan, start: int) -> Iterator[Leg]:
    """Walks of the columns of a body, one after the other."""
    for place in range(len(tree.joint(start).v_places)):
        through, above = start, tree.model.bodies[start].parent
        while above >= 0:
            yield Leg(start, place, through, above)
            through, above = above, tree.model.bodies[above].parent


def _own_row(tree: TreePlan, body: int, field: str) -> list[Access | Pieces] | None:
    rows = tree.joint(body).v_places
    return [scalars_at(field, rows, row * tree.model.nv) for row in rows] if field else None


def _met(part: str) -> Place:
    """Entries that a column meets at a body, above the diagonal or below it; those on it have both in the first."""

    def at(tree: TreePlan, leg: Leg, field: str) -> Access | Pieces | None:
        rows, own, nv = leg.met(tree), leg.row(tree), tree.model.nv
        if field and part == "column":
            return scalars_at(field, rows, own, nv)
        others = [row for row in rows if row != own] if own in rows else rows
        return scalars_at(field, others, own * nv) if field and others else None

    return Place("", at)


def _at_above(place: Place) -> Place:
    return Place(place.field, lambda tree, leg, field: place.at(tree, leg.above, field))


_MATRICES = ("dq", "dv", "da", "C")
_PARTS = ("column", "row")


def carried_column_sweeps(
    tree: TreePlan, purpose: Purpose, matrices: Mapping[str, str]
) -> tuple[list[Field], list[Sweep]]:
    """Sweeps that fill (nv, nv) matrices from what :func:`composite_motion_sweeps` left.

    Entries between separate branches are left alone.

    Parameters
    ----------
    tree, purpose
        As there.
    matrices
        The field for each matrix that is wanted: ``dq``, ``dv`` and ``da`` of partials, or ``C``.
    """
    loaded = purpose.loads(tree)
    size = carried_size(purpose, loaded)
    columns, carried, answers = Columns("columns", size), Rows("carried", size, on_path=True), twists(purpose)

    def variant(tree: TreePlan, body: int) -> CarriedVariant:
        own = tree.variant(body)
        return CarriedVariant(purpose, own.kind, loaded, tuple(matrices), own.transmits)

    def on_the_way(tree: TreePlan, leg: Leg) -> CarriedVariant:
        through = tree.joint(leg.through).kind
        shared = tuple(place for place, row in enumerate(leg.met(tree)) if row == leg.row(tree))
        return replace(variant(tree, leg.above), through=through, shared=shared)

    def below_leg(tree: TreePlan, leg: Leg, field: str) -> Binding:
        if leg.through != leg.start:
            return carried.of(tree, leg.through)
        return Access(columns.field, size * (tree.first_column[leg.start] + leg.place), size)

    def constants(tree: TreePlan, leg: Leg) -> dict[str, Constant]:
        passed = tree.constants(leg.through, (*ROTATION, *TRANSLATION))
        return passed | tree.constants(leg.above, tree.joint(leg.above).kind.column_constants)

    spread = step(
        spread_columns,
        constants=lambda b: b.kind.column_constants,
        variant=variant,
        name="",
        body=lambda tree, body: body,
        inertia=read(INERTIAS.own),
        momentum=read(momenta(purpose).own),
        wrench=read(WRENCH.own.where(purpose.accelerates)),
        load=read(LOADS.own.where(purpose.loads)),
        twists=read(answers),
        own_pose=read(POSE, when=lambda b: b.kind.posed),
        carried=write(columns.each, when=lambda b: b.onward),
        **{matrix: add_to(Place("", _own_row, per_row=True)) for matrix in _MATRICES},
    )
    carry = step(
        carry_column,
        constants=lambda b: (),
        variant=on_the_way,
        name="",
        body=lambda tree, leg: leg.above,
        carried=read(Place(carried.field, below_leg)),
        pose=read(Place("pose", lambda tree, leg, field: tree.pose(leg.through))),
        twists=read(_at_above(answers)),
        own_pose=read(_at_above(POSE), when=lambda b: b.kind.posed),
        own_carried=write(_at_above(carried.own), when=lambda b: b.onward),
        **{f"{matrix}_{part}": add_to(_met(part)) for matrix in _MATRICES for part in _PARTS},
    )
    into = {f"{matrix}_{part}": field for matrix, field in matrices.items() for part in _PARTS}
    legs = [leg for index in tree.links for leg in _legs(tree, index)]
    sweeps = [
        spread.over(tree, tree.links, variant=None, more=None, **matrices),
        carry.over(tree, legs, variant=None, more=constants, **into),
    ]
    fields = [field for place in (columns.each, carried.own) if (field := place.declared(tree, place.field))]
    return fields, [sweep for sweep in sweeps if sweep.visits]
