"""What acts in a step with rigid contacts at a fixed velocity w after it and fixed impulses y: plans to differentiate.

    c = J w + s,    J^T y    of the rows,        h D (w - v) + h^2 K w    of what is stiff

Velocities of rows have what compliance adds, but not where impacts are solved one after another: there each solution of
the law has impulses of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.contacts.problem import ELASTIC, LOSSY, impacts_of, stiff_slopes
from symdyn.dynamics.contacts.rows import COMPLIANCE, GAP, JACOBIAN, SHIFT, rows_plan
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField, Transposed, product_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes, plan_of
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.contact_layout import SLOT_ROWS
from symdyn.model.model import Model
from symdyn.plan.compose import places_written, wanted
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit

C, EXERTED, STIFF = "c", "exerted", "stiff"


def rows_at_end(model: Model, support: Mapping[int, Sequence[int]], apart: Collection[int]) -> Plan:
    """The plan of q, v, h, w, y[, p] -> c, J^T y, bound, by the columns of each row of J.

    Rows of the slots ``apart`` are left out. Where impacts are solved one after another, ``c_before``, ``restitution``
    and ``compliance`` are outputs too.
    """
    plan, nv, rows = rows_plan(model, "pressed", law=True, fixed=True), model.nv, model.contact_layout.count
    in_turn = bool(impacts_of(model))
    inner = {JACOBIAN, GAP, SHIFT, COMPLIANCE} - ({COMPLIANCE} if in_turn else set())
    fields = [
        replace(field, kind=FieldKind.STATE, sparse=True) if field.name in inner else field for field in plan.fields
    ]
    fields += [Field("w", FieldKind.INPUT, nv), Field("y", FieldKind.INPUT, rows)]
    fields += [Field("closing", FieldKind.STATE, rows), Field(C, FieldKind.OUTPUT, rows)]
    fields.append(Field(EXERTED, FieldKind.OUTPUT, nv))
    slopes, closing = Transposed(JACOBIAN, nv), MatrixField(C if in_turn else "closing", rows)
    kept = {row: columns for row, columns in support.items() if row // len(SLOT_ROWS) not in apart}
    sweeps = [
        *plan.sweeps,
        *product_sweeps(MatrixField("w", nv), slopes, closing, [0], kept, MatrixField(SHIFT, rows)),
        *([] if in_turn else [_give_way(kept)]),
        *product_sweeps(
            MatrixField("y", rows), MatrixField(JACOBIAN, nv), MatrixField(EXERTED, nv), [0], columns_of(kept)
        ),
    ]
    return wanted(replace(plan, fields=tuple(fields), sweeps=tuple(sweeps)))


def stiff_at_end(tree: TreePlan, model: Model) -> Plan | None:
    """The plan of q, v, w, h[, p] -> h D (w - v) + h^2 K w; None where nothing is stiff."""
    fields, sweeps = stiff_slopes(tree, model)
    nv = model.nv
    visits = list(_stiff_visits(sweeps, nv))
    if not visits:
        return None
    sizes = {"q": model.nq, "v": nv, "w": nv, "h": 1}
    whole = [
        *(Field(name, FieldKind.INPUT, size) for name, size in sizes.items()),
        *(field for field in fields if field.name not in sizes),
        *(Field(name, FieldKind.STATE, nv, nv, sparse=True) for name in (ELASTIC, LOSSY)),
        Field(STIFF, FieldKind.OUTPUT, nv),
    ]
    return plan_of("stiff", tree, [*sweeps, Sweep(_RESIST, tuple(visits))], whole, tree.parameter_sweeps())


def columns_of(known: Mapping[int, Sequence[int]]) -> dict[int, list[int]]:
    """Per column that is not zero by structure its rows, from the columns of each row."""
    found: dict[int, list[int]] = {}
    for row, columns in known.items():
        for column in columns:
            found.setdefault(column, []).append(row)
    return dict(sorted(found.items()))


def give_way(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row: its velocity with what compliance lets an impulse close."""
    return {"c": [reads["closing"][0] + reads["compliance"][0] * reads["y"][0]]}


def resist(symmetric: bool, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per entry of K or D: half of what it gives to its row, and half to that of its mirror image."""
    h, slope = reads["h"][0], reads["slope"][0]
    if "v_row" in reads:
        row, column = (reads[f"w_{end}"][0] - reads[f"v_{end}"][0] for end in ("row", "column"))
        factor = h * slope
    else:
        row, column = reads["w_row"][0], reads["w_column"][0]
        factor = h * h * slope
    if symmetric:
        return {"entry": [factor * row]}
    return {"entry": [0.5 * factor * column], "mirror": [0.5 * factor * row]}


def kernel_step(
    name: str, kernel: object, read: Sequence[str], written: Sequence[str], mode: Mode = Mode.WRITE
) -> Step:
    """The step of a kernel, with ports that it reads and ports that it writes or adds to."""
    ports = (*(Port(port, Mode.READ) for port in read), *(Port(port, mode) for port in written))
    return Step(name, kernel, ports)  # type: ignore[arg-type]


_GIVE_WAY = kernel_step("give_way", give_way, ("closing", "compliance", "y"), ("c",))
_RESIST = kernel_step(
    "resist", resist, ("h", "slope", "w_row", "w_column", "v_row", "v_column"), ("entry", "mirror"), Mode.ADD
)


def _give_way(rows: Iterable[int]) -> Sweep:
    names = {"closing": "closing", "compliance": COMPLIANCE, "y": "y", "c": C}
    visits = (Visit(-1, None, {}, {port: Access(field, row, 1) for port, field in names.items()}) for row in rows)
    return Sweep(_GIVE_WAY, tuple(visits))


def _stiff_visits(filled: Sequence[Sweep], nv: int) -> Iterator[Visit]:
    for field, moves in ((ELASTIC, ("w",)), (LOSSY, ("w", "v"))):
        for place in sorted(places_written(filled, field)):
            row, column = divmod(place, nv)
            bindings: dict[str, Binding] = {"h": Access("h", 0, 1), "slope": Access(field, place, 1)}
            bindings |= {f"{name}_row": Access(name, row, 1) for name in moves}
            bindings |= {f"{name}_column": Access(name, column, 1) for name in moves}
            bindings["entry"] = Access(STIFF, row, 1)
            if row != column:
                bindings["mirror"] = Access(STIFF, column, 1)
            yield Visit(-1, row == column, {}, bindings)
