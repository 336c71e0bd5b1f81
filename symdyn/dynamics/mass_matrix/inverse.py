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

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.mass_matrix.crba import mass_matrix_sweeps
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField
from symdyn.dynamics.tree.bindings import Reads, Writes, plan_of
from symdyn.dynamics.tree.branch_rows import CHUNK, BranchRows, pieces, ways_from_root, ways_through
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.contracted import contracted
from symdyn.model.model import Model
from symdyn.plan.compose import places_written
from symdyn.plan.plan import Binding, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit


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


def _weigh(task: str, algebra: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    if task == "root":
        return {"weighed": [algebra.function("sqrt", reads["weight"][0])]}
    return {"weighed": [reads["weight"][0] * reads["entry"][0]]}


def _sum_products(variant: tuple[bool, bool], _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    mirrored, negative = variant
    total: Scalar = 0.0
    for x, y in zip(reads["weighed"], reads["row"], strict=True):
        total = total + x * y
    if negative:
        total = -total
    return {"entry": [total], "mirror": [total]} if mirrored else {"entry": [total]}


TAKE = Step("take_entry", _take, (Port("entry", Mode.READ), Port("taken", Mode.WRITE)))
"""Step: an entry, or zero."""
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
PUSH = Step("invert_row", _factor, (Port("factor", Mode.READ), Port("row", Mode.READ), Port("other", Mode.ADD)))
"""Step, as ``update``: a row times a factor, added to another row."""
_WEIGH = Step("weigh_entry", _weigh, (Port("weight", Mode.READ), Port("entry", Mode.READ), Port("weighed", Mode.WRITE)))
_SUM = Step(
    "sum_products",
    _sum_products,
    (Port("weighed", Mode.READ), Port("row", Mode.READ), Port("entry", Mode.ADD), Port("mirror", Mode.ADD)),
)


def mass_matrix_inverse_sweeps(
    tree: TreePlan, free: Collection[int], output: str = "M_inverse", added: Sequence[Sweep] = ()
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
    added
        Sweeps that add to ``M`` before it is factored.
    """
    out, (rows, fields, sweeps) = MatrixField(output, tree.model.nv), mass_factor_sweeps(tree, free, added)
    fields += [rows.field("weighed")]
    made_sweeps = [
        Sweep(PUSH, tuple(visit for row in rows.ways for visit in _invert_visits(rows, row))),
        Sweep(_WEIGH, tuple(_weigh_visits(rows))),
        *_product_sweeps(rows, out),
    ]
    return fields, [*sweeps, *(sweep for sweep in made_sweeps if sweep.visits)]


def mass_matrix_root_sweeps(
    tree: TreePlan, free: Collection[int], output: str, added: Sequence[Sweep] = ()
) -> tuple[list[Field], list[Sweep]]:
    """Sweeps that fill ``output``, (nv, nv), with W^T of M^-1 = W W^T: row i has what is behind row i on its way.

    W = V D^(-1/2) with V and D as above; arguments are those of :func:`mass_matrix_inverse_sweeps`.
    """
    out, (rows, fields, sweeps) = MatrixField(output, tree.model.nv), mass_factor_sweeps(tree, free, added)
    fields += [Field("root", FieldKind.STATE, max(len(rows.ways), 1))]
    roots = (_visit("root", weight=rows.one("weight", row), weighed=rows.one("root", row)) for row in rows.ways)
    made_sweeps = [
        Sweep(PUSH, tuple(visit for row in rows.ways for visit in _invert_visits(rows, row))),
        Sweep(_WEIGH, tuple(roots), vector=True),
        Sweep(_WEIGH, tuple(_root_visits(rows, out))),
    ]
    return fields, [*sweeps, *(sweep for sweep in made_sweeps if sweep.visits)]


def mass_factor_sweeps(
    tree: TreePlan, free: Collection[int], added: Sequence[Sweep] = ()
) -> tuple[BranchRows, list[Field], list[Sweep]]:
    """Rows by their ways, and fields and sweeps that leave -L_k in ``inverse`` and 1 / D_k in ``weight`` from ``q``.

    ``factor`` has D_k L_k, and ``reciprocal`` -1 / D_k; factors by blocks are made of these.
    Arguments are those of :func:`mass_matrix_inverse_sweeps`.
    """
    whole, ways = MatrixField("M", tree.model.nv), ways_from_root(tree.model, free)
    if added:
        ways = ways_through(ways, (divmod(place, tree.model.nv) for place in places_written(added, "M")))
    rows = BranchRows(ways)
    made, sweeps = mass_matrix_sweeps(tree)
    sweeps = [*sweeps, *added]
    known = places_written(sweeps, "M")
    fields = [replace(field, kind=FieldKind.STATE) if field.name == "M" else field for field in made]
    fields += [rows.field("factor"), rows.field("inverse")]
    fields += [Field(name, FieldKind.STATE, max(len(rows.ways), 1)) for name in ("reciprocal", "weight")]
    found = (
        Sweep(TAKE, tuple(_take_visits(rows, whole, known))),
        Sweep(_FACTOR, tuple(visit for row in reversed(list(rows.ways)) for visit in _factor_visits(rows, row))),
    )
    return rows, fields, [*sweeps, *(sweep for sweep in found if sweep.visits)]


def block_slopes_sweeps(rows: BranchRows, stretches: Iterable[Sequence[int]], made: str, slopes: str) -> list[Sweep]:
    """Sweeps of B = 1 - L of M = L^T H L, with L the identity within each stretch of rows, by position in ``slopes``.

    ``made`` precedes the names of the fields that :func:`mass_factor_sweeps` leaves.
    """
    divided, pushed = list[Visit](), list[Visit]()
    for own in stretches:
        first = len(rows.ways[own[0]]) - 1
        for row in own if first else ():
            *before, _ = rows.ways[row]
            divided += [
                _visit(
                    "slopes",
                    factor=rows.one(f"{made}_reciprocal", row),
                    row=rows.at(f"{made}_factor", row, *piece),
                    slopes=rows.at(slopes, row, *piece),
                )
                for piece in pieces(len(before))
            ]
            pushed += [
                _visit(
                    "update",
                    factor=rows.at(slopes, row, first + place),
                    row=rows.at(slopes, other, *piece),
                    other=rows.at(slopes, row, *piece),
                )
                for place, other in enumerate(before[first:])
                for piece in pieces(first)
            ]
    return [sweep for sweep in (Sweep(_FACTOR, tuple(divided)), Sweep(PUSH, tuple(pushed))) if sweep.visits]


def block_inverse_sweeps(
    rows: BranchRows, stretches: Iterable[Sequence[int]], made: str, out: MatrixField
) -> list[Sweep]:
    """Sweeps of -H^-1 as above, both triangles, from the fields of :func:`mass_matrix_inverse_sweeps`."""
    passes: dict[int, list[Visit]] = {}
    for own in stretches:
        first = len(rows.ways[own[0]]) - 1
        for place, row in enumerate(own):
            for other in own[: place + 1]:
                for number, (start, count) in enumerate(pieces(len(rows.ways[other]) - first)):
                    mirror = {} if row == other else {"mirror": out.entry(other, row)}
                    visit = _visit(
                        (row != other, True),
                        weighed=rows.at(f"{made}_weighed", row, first + start, count),
                        row=rows.at(f"{made}_inverse", other, first + start, count),
                        entry=out.entry(row, other),
                        **mirror,
                    )
                    passes.setdefault(number, []).append(visit)
    return [Sweep(_SUM, tuple(visits)) for visits in passes.values()]


def mass_matrix_inverse_plan(model: Model) -> Plan:
    """The plan of the inverse of M(q), (nv, nv), both triangles.

    Parameters
    ----------
    model
        The robot.
    """
    tree = TreePlan(contracted(model))
    fields, sweeps = mass_matrix_inverse_sweeps(tree, range(model.nv))
    found = Field("M_inverse", FieldKind.OUTPUT, model.nv * model.nv)
    return plan_of("mass_matrix_inverse", tree, sweeps, [*tree.fields(), *fields, found])


def _visit(variant: str | bool | tuple[bool, bool], **bindings: Binding) -> Visit:
    return Visit(-1, variant, {}, bindings)


def _take_visits(rows: BranchRows, whole: MatrixField, known: Collection[int]) -> Iterator[Visit]:
    """Entries of M by position, or zero where bodies of one cluster do not couple."""
    for row, way in rows.ways.items():
        for position, other in enumerate(way):
            entry, taken = whole.entry(row, other), rows.at("factor", row, position)
            yield _visit(True, entry=entry, taken=taken) if entry.offset in known else _visit(False, taken=taken)


def _weigh_visits(rows: BranchRows) -> Iterator[Visit]:
    """Entries of V over the pivots of their columns, position by position."""
    for position in range(rows.depth):
        for row, way in rows.ways.items():
            if position < len(way):
                yield _visit(
                    "weigh",
                    weight=rows.one("weight", way[position]),
                    entry=rows.at("inverse", row, position),
                    weighed=rows.at("weighed", row, position),
                )


def _root_visits(rows: BranchRows, out: MatrixField) -> Iterator[Visit]:
    """Entries of V over the roots of the pivots of their columns, position by position."""
    for position in range(rows.depth):
        for row, way in rows.ways.items():
            if position < len(way):
                yield _visit(
                    "weigh",
                    weight=rows.one("root", way[position]),
                    entry=rows.at("inverse", row, position),
                    weighed=out.entry(way[position], row),
                )


def _factor_visits(rows: BranchRows, row: int) -> Iterator[Visit]:
    """Divide a row by its pivot and take it from the rows before it on its way."""
    *before, _ = rows.ways[row]
    last, reciprocal = len(before), rows.one("reciprocal", row)
    yield _visit(
        "invert",
        pivot=rows.at("factor", row, last),
        reciprocal=reciprocal,
        weight=rows.one("weight", row),
        unit=rows.at("inverse", row, last),
    )
    for piece in pieces(last):
        yield _visit(
            "slopes",
            factor=reciprocal,
            row=rows.at("factor", row, *piece),
            slopes=rows.at("inverse", row, *piece),
        )
    for position, other in enumerate(before):
        for piece in pieces(position + 1):
            yield _visit(
                "update",
                factor=rows.at("inverse", row, position),
                row=rows.at("factor", row, *piece),
                other=rows.at("factor", other, *piece),
            )


def _invert_visits(rows: BranchRows, row: int) -> Iterator[Visit]:
    """V_k from -L_k in its place: each position is read before anything is added to it."""
    for position, other in enumerate(rows.ways[row][:-1]):
        for piece in pieces(position):
            yield _visit(
                "update",
                factor=rows.at("inverse", row, position),
                row=rows.at("inverse", other, *piece),
                other=rows.at("inverse", row, *piece),
            )


def _product_sweeps(rows: BranchRows, out: MatrixField) -> list[Sweep]:
    """The entries of the inverse: of each row with itself, with all rows behind it, and of rows on separate branches.

    Each kind repeats in a way of its own. Neighbours share equally long ways and lie side by side. The pieces of one
    entry depend on each other, so that pieces of other entries come between them. A row with only one row behind it
    has no other entries: its visits are not independent.
    """
    order = list(rows.ways)
    behind = [[(row, other) for row in order if row != other and other in rows.ways[row]] for other in order]
    apart = [
        [(row, other) for other in order[:place] if other not in rows.ways[row]] for place, row in enumerate(order)
    ]
    groups = [([[(row, row) for row in order]], True)]
    for kind in (behind, apart):
        groups += [([pairs for pairs in kind if len(pairs) > 1], True)]
        groups += [([pairs for pairs in kind if len(pairs) == 1], False)]
    return [
        Sweep(_SUM, tuple(visit for pairs in kind for visit in _product_visits(rows, pairs, out)), vector)
        for kind, vector in groups
    ]


def _product_visits(rows: BranchRows, pairs: Sequence[tuple[int, int]], out: MatrixField) -> Iterator[Visit]:
    """The entries of pairs of rows, all of them piece by piece."""
    shared = [rows.shared(row, other) for row, other in pairs]
    for start, _ in pieces(max(shared, default=0)):
        for (row, other), length in zip(pairs, shared, strict=True):
            if start < length:
                piece = (start, min(CHUNK, length - start))
                mirror = {} if row == other else {"mirror": out.entry(other, row)}
                yield _visit(
                    (row != other, False),
                    weighed=rows.at("weighed", row, *piece),
                    row=rows.at("inverse", other, *piece),
                    entry=out.entry(row, other),
                    **mirror,
                )
