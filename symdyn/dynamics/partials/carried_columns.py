"""Every column of every joint sends its wrenches to the root, and each joint on the way reads its matrix entries.

The equations are those of ``carried_wrenches``. Wrenches go from body frame to body frame, 12 operations per turn about
z and 4 per component of an offset, because in body frames S is a unit vector and its rates have two or three entries.
One frame for all bodies would need no such steps, but 11 operations per product and some 250 per body to bring twists
and wrenches there: about as many in all for arms, legs and humanoids, and fewer only where chains are longer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symdyn.dynamics.partials.carried_wrenches import (
    Carried,
    CarriedVariant,
    carried_from,
    carried_size,
    columns_at,
    entries,
    own_entries,
    sent_by,
)
from symdyn.dynamics.partials.composite_motion import column_starts, composite, twists
from symdyn.dynamics.partials.varied_motion import Purpose
from symdyn.dynamics.tree.tree import TreePlan, frame_in_parent
from symdyn.model.bind import ROTATION, TRANSLATION
from symdyn.model.joints import MOST_ROWS, JointModel
from symdyn.plan import Access, Binding, Field, FieldKind, Mode, Port, Step, Sweep, Visit
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.force import wrench_in_parent

Reads = Mapping[str, Sequence[Scalar]]
Writes = Mapping[str, Sequence[Scalar]]


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
        if variant.shared:
            above, beneath = met[0][matrix]
            writes[f"{matrix}_shared"] = [above + beneath]
        else:
            writes[f"{matrix}_column"] = [entry[matrix][0] for entry in met]
            writes[f"{matrix}_row"] = [entry[matrix][1] for entry in met]
    return writes


_MATRICES = ("dq", "dv", "da", "C")
_SPREAD = Step(
    "spread_columns",
    spread_columns,
    (
        *(Port(name, Mode.READ) for name in ("inertia", "momentum", "wrench", "load", "twists", "own_pose")),
        *(Port(f"carried{place}", Mode.WRITE) for place in range(MOST_ROWS)),
        *(Port(f"{matrix}{place}", Mode.ADD) for matrix in _MATRICES for place in range(MOST_ROWS)),
    ),
)
_CARRY = Step(
    "carry_column",
    carry_column,
    (
        *(Port(name, Mode.READ) for name in ("carried", "pose", "twists", "own_pose")),
        Port("own_carried", Mode.WRITE),
        *(Port(f"{matrix}_{part}", Mode.ADD) for matrix in _MATRICES for part in ("column", "row", "shared")),
    ),
)


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
    size = carried_size(purpose, tree.external == "world" and purpose is Purpose.PARTIALS)
    starts = column_starts(tree)
    fields = [
        Field("columns", FieldKind.STATE, size, starts[-1]),
        Field("carried", FieldKind.STATE, size, tree.depth_rows),
    ]
    spread = tuple(_spread_visit(tree, purpose, matrices, starts, index) for index in tree.links)
    walks = tuple(
        visit
        for index in tree.links
        for place in range(tree.v(index).count)
        for visit in _walk(tree, purpose, matrices, starts, index, place)
    )
    return fields, [Sweep(_SPREAD, spread), *([Sweep(_CARRY, walks)] if walks else [])]


def _variant(
    tree: TreePlan,
    purpose: Purpose,
    matrices: Mapping[str, str],
    index: int,
    through: JointModel | None = None,
    shared: bool = False,
) -> CarriedVariant:
    own = tree.variant(index)
    loaded = tree.external == "world" and purpose is Purpose.PARTIALS
    return CarriedVariant(purpose, own.kind, own.mimic, loaded, tuple(matrices), own.transmits, through, shared)


def _spread_visit(
    tree: TreePlan, purpose: Purpose, matrices: Mapping[str, str], starts: Sequence[int], index: int
) -> Visit:
    variant = _variant(tree, purpose, matrices, index)
    rows, first, nv = tree.v(index), starts[index], tree.model.nv
    size = carried_size(purpose, variant.loaded)
    bindings: dict[str, Binding] = {**composite(tree, purpose, index), "twists": twists(tree, purpose, starts, index)}
    if variant.kind.posed:
        bindings["own_pose"] = tree.pose(index)
    for place, row in enumerate(rows.places):
        if variant.onward:
            bindings[f"carried{place}"] = Access("columns", size * (first + place), size)
        for matrix, field in matrices.items():
            bindings[f"{matrix}{place}"] = Access(field, row * nv + rows.offset, rows.count)
    return Visit(index, variant, tree.constants(index, ("pitch", "multiplier")), bindings)


def _walk(
    tree: TreePlan, purpose: Purpose, matrices: Mapping[str, str], starts: Sequence[int], start: int, place: int
) -> list[Visit]:
    """Steps from a body to the root with one of its columns."""
    bodies, nv = tree.model.bodies, tree.model.nv
    size = carried_size(purpose, tree.external == "world" and purpose is Purpose.PARTIALS)
    column = tree.v(start).offset + place
    held = Access("columns", size * (starts[start] + place), size)
    visits = []
    through, above = start, bodies[start].parent
    while above >= 0:
        rows = tree.v(above)
        shared = rows.offset == tree.v(start).offset
        variant = _variant(tree, purpose, matrices, above, through=bodies[through].joint.kind, shared=shared)
        bindings: dict[str, Binding] = {
            "carried": held,
            "pose": tree.pose(through),
            "twists": twists(tree, purpose, starts, above),
        }
        if variant.kind.posed:
            bindings["own_pose"] = tree.pose(above)
        if variant.onward:
            held = tree.along_path("carried", size, above)
            bindings["own_carried"] = held
        for matrix, field in matrices.items():
            if shared:
                bindings[f"{matrix}_shared"] = Access(field, column * nv + column, 1)
            else:
                bindings[f"{matrix}_column"] = Access(field, rows.offset * nv + column, rows.count, nv)
                bindings[f"{matrix}_row"] = Access(field, column * nv + rows.offset, rows.count)
        constants = tree.constants(through, (*ROTATION, *TRANSLATION))
        constants |= tree.constants(above, ("pitch", "multiplier"))
        visits.append(Visit(above, variant, constants, bindings))
        through, above = above, bodies[above].parent
    return visits
