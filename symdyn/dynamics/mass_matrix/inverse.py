"""The inverse of the mass matrix, or of its block of free rows, by sparse factorisation along the branches.

Rows of separate branches do not couple, so that M = L^T D L has the sparsity of the tree: row k of L holds only the
rows between the root and k (Featherstone 2008, section 6.5). Its inverse V keeps that pattern, and

    V_k = e_k - sum_j L_kj V_j,      (M^-1)_jk = sum_i V_ji V_ki / D_i

over the rows i on the way from the root that j and k share. Every row is stored by position on its way, so that what
two rows share is the start of both, and equal positions of neighbouring rows lie side by side: the sums of a stretch of
rows are one vector loop. For chains of up to some fifteen rows this costs less than articulated inertia and wrenches
carried along the tree (Carpentier 2018); beyond it the sums, O(n depth^2), outweigh the tree's O(n depth).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from symdyn.dynamics.mass_matrix.crba import mass_matrix_sweeps
from symdyn.dynamics.tree.branch_rows import CHUNK, BranchRows, pieces, ways_from_root
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.model import Model
from symdyn.plan import Access, Binding, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit, places_written
from symdyn.scalars.algebra import Algebra, Scalar

Reads = Mapping[str, Sequence[Scalar]]
Writes = Mapping[str, Sequence[Scalar]]


def _take(present: bool, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    return {"taken": reads["entry"] if present else [0.0]}


def _factor(task: str, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """One of: -1 / D_k and 1 / D_k; -L_k from M_k; M_j less L_kj times the start of M_k."""
    match task:
        case "invert":
            weight = 1.0 / reads["pivot"][0]
            return {"reciprocal": [-weight], "weight": [weight], "unit": [1.0]}
        case "slopes":
            return {"slopes": [reads["factor"][0] * entry for entry in reads["row"]]}
    return {"other": [reads["factor"][0] * entry for entry in reads["row"]]}


def _weigh(_: str, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    return {"weighed": [reads["weight"][0] * reads["entry"][0]]}


def _sum_products(mirrored: bool, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    total: Scalar = 0.0
    for x, y in zip(reads["weighed"], reads["row"], strict=True):
        total = total + x * y
    return {"entry": [total], "mirror": [total]} if mirrored else {"entry": [total]}


_TAKE = Step("take_entry", _take, (Port("entry", Mode.READ), Port("taken", Mode.WRITE)))
_FACTOR = Step(
    "factor_row",
    _factor,
    (
        Port("pivot", Mode.READ),
        Port("factor", Mode.READ),
        Port("row", Mode.READ),
        Port("reciprocal", Mode.WRITE),
        Port("weight", Mode.WRITE),
        Port("unit", Mode.WRITE),
        Port("slopes", Mode.WRITE),
        Port("other", Mode.ADD),
    ),
)
_INVERT = Step("invert_row", _factor, (Port("factor", Mode.READ), Port("row", Mode.READ), Port("other", Mode.ADD)))
_WEIGH = Step("weigh_entry", _weigh, (Port("weight", Mode.READ), Port("entry", Mode.READ), Port("weighed", Mode.WRITE)))
_SUM = Step(
    "sum_products",
    _sum_products,
    (Port("weighed", Mode.READ), Port("row", Mode.READ), Port("entry", Mode.ADD), Port("mirror", Mode.ADD)),
)


def mass_matrix_inverse_sweeps(
    tree: TreePlan, free: Collection[int], output: str = "M_inverse"
) -> tuple[list[Field], list[Sweep]]:
    """Sweeps that fill the rows and columns of free rows of v in ``output``, (nv, nv), from ``q``.

    What is not written, rows and columns of the others and entries between separate trees, is zero.

    Parameters
    ----------
    tree
        The robot; it may be regrouped.
    free
        Rows of v of the block that is inverted.
    output
        The field's name; it is declared by the caller.
    """
    size = tree.model.nv
    rows = BranchRows(ways_from_root(tree.model, free))
    made, sweeps = mass_matrix_sweeps(tree)
    known = places_written(sweeps, "M")
    fields = [replace(field, kind=FieldKind.STATE) if field.name == "M" else field for field in made]
    fields += [rows.field("factor"), rows.field("inverse"), rows.field("weighed")]
    fields += [Field(name, FieldKind.STATE, max(len(rows.ways), 1)) for name in ("reciprocal", "weight")]
    take = [
        _take_visit(rows, row, position, Access("M", row * size + other, 1) if row * size + other in known else None)
        for row, way in rows.ways.items()
        for position, other in enumerate(way)
    ]
    order = list(rows.ways)
    factor = [visit for row in reversed(order) for visit in _factor_visits(rows, row)]
    invert = [visit for row in order for visit in _invert_visits(rows, row)]
    weigh = [
        _weigh_visit(rows, row, position)
        for position in range(rows.depth)
        for row in order
        if position < len(rows.ways[row])
    ]
    made_sweeps = [
        Sweep(_TAKE, tuple(take)),
        Sweep(_FACTOR, tuple(factor)),
        Sweep(_INVERT, tuple(invert)),
        Sweep(_WEIGH, tuple(weigh)),
        *_product_sweeps(rows, output, size),
    ]
    return fields, [*sweeps, *(sweep for sweep in made_sweeps if sweep.visits)]


def mass_matrix_inverse_plan(model: Model) -> Plan:
    """The plan of the inverse of M(q), (nv, nv), both triangles.

    Parameters
    ----------
    model
        The robot.
    """
    tree = TreePlan(model)
    fields, sweeps = mass_matrix_inverse_sweeps(tree, range(model.nv))
    return Plan(
        "mass_matrix_inverse",
        (
            Field("q", FieldKind.INPUT, model.nq),
            *tree.fields(),
            *fields,
            Field("M_inverse", FieldKind.OUTPUT, model.nv * model.nv),
        ),
        (*tree.binding_sweeps(), *sweeps),
        tuple(body.name for body in model.bodies),
        model.parent,
    )


def _take_visit(rows: BranchRows, row: int, position: int, entry: Access | None) -> Visit:
    """An entry of M by position, or zero where bodies of one cluster do not couple."""
    taken: dict[str, Binding] = {"taken": rows.at("factor", row, position)}
    return Visit(-1, entry is not None, {}, taken if entry is None else {"entry": entry, **taken})


def _weigh_visit(rows: BranchRows, row: int, position: int) -> Visit:
    """An entry of V over the pivot of its column."""
    weight = rows.one("weight", rows.ways[row][position])
    entry, weighed = rows.at("inverse", row, position), rows.at("weighed", row, position)
    return Visit(-1, "weigh", {}, {"weight": weight, "entry": entry, "weighed": weighed})


def _factor_visits(rows: BranchRows, row: int) -> Iterator[Visit]:
    """Divide a row by its pivot and take it from the rows before it on its way."""
    way = rows.ways[row]
    last = len(way) - 1
    reciprocal = rows.one("reciprocal", row)
    yield Visit(
        -1,
        "invert",
        {},
        {
            "pivot": rows.at("factor", row, last),
            "reciprocal": reciprocal,
            "weight": rows.one("weight", row),
            "unit": rows.at("inverse", row, last),
        },
    )
    for start, count in pieces(last):
        yield Visit(
            -1,
            "slopes",
            {},
            {
                "factor": reciprocal,
                "row": rows.at("factor", row, start, count),
                "slopes": rows.at("inverse", row, start, count),
            },
        )
    for position in range(last):
        for start, count in pieces(position + 1):
            yield Visit(
                -1,
                "update",
                {},
                {
                    "factor": rows.at("inverse", row, position),
                    "row": rows.at("factor", row, start, count),
                    "other": rows.at("factor", way[position], start, count),
                },
            )


def _invert_visits(rows: BranchRows, row: int) -> Iterator[Visit]:
    """V_k from -L_k in its place: each position is read before anything is added to it."""
    for position, other in enumerate(rows.ways[row][:-1]):
        for start, count in pieces(position):
            yield Visit(
                -1,
                "update",
                {},
                {
                    "factor": rows.at("inverse", row, position),
                    "row": rows.at("inverse", other, start, count),
                    "other": rows.at("inverse", row, start, count),
                },
            )


def _product_sweeps(rows: BranchRows, output: str, size: int) -> Iterator[Sweep]:
    """The entries of the inverse: of each row with itself, with all rows behind it, and of rows on separate branches.

    Each kind repeats in a way of its own. Neighbours share equally long ways and lie side by side. Pieces of one entry
    are kept apart by those of other entries, which are summed with them at once; where there are no others, in a row
    with the only one behind it, nothing is independent.
    """
    order = list(rows.ways)
    behind = [[(row, other) for row in order if row != other and other in rows.ways[row]] for other in order]
    apart = [
        [(row, other) for other in order[:place] if other not in rows.ways[row]] for place, row in enumerate(order)
    ]
    yield _product_sweep(rows, [[(row, row) for row in order]], output, size)
    yield _product_sweep(rows, [pairs for pairs in behind if len(pairs) > 1], output, size)
    yield _product_sweep(rows, [pairs for pairs in behind if len(pairs) == 1], output, size, vector=False)
    yield _product_sweep(rows, [pairs for pairs in apart if len(pairs) > 1], output, size)
    yield _product_sweep(rows, [pairs for pairs in apart if len(pairs) == 1], output, size, vector=False)


def _product_sweep(
    rows: BranchRows, groups: Sequence[Sequence[tuple[int, int]]], output: str, size: int, vector: bool = True
) -> Sweep:
    """The entries of groups of pairs of rows, each group piece by piece."""
    visits = []
    for pairs in groups:
        shared = [rows.shared(row, other) for row, other in pairs]
        visits += [
            _product_visit(rows, row, other, (start, min(CHUNK, length - start)), output, size)
            for start in range(0, max(shared, default=0), CHUNK)
            for (row, other), length in zip(pairs, shared, strict=True)
            if start < length
        ]
    return Sweep(_SUM, tuple(visits), vector)


def _product_visit(rows: BranchRows, row: int, other: int, piece: tuple[int, int], output: str, size: int) -> Visit:
    """The share of some positions in the entry of two rows."""
    bindings: dict[str, Binding] = {
        "weighed": rows.at("weighed", row, *piece),
        "row": rows.at("inverse", other, *piece),
        "entry": Access(output, row * size + other, 1),
    }
    if row != other:
        bindings["mirror"] = Access(output, other * size + row, 1)
    return Visit(-1, row != other, {}, bindings)
