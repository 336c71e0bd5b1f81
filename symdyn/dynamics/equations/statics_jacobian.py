"""How what is left of the forces on a robot at rest changes, and how the errors of its loops do.

The recursion runs on dual numbers, along body-frame moves of q and along the multipliers. Slopes of the forces of
actuators are in closed form. For rows whose position is prescribed the unknown is the reaction force; its column is -1
on the diagonal.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.actuation import steps
from symdyn.dynamics.actuation.actuation_map import column_sweeps, driving_fields
from symdyn.dynamics.actuation.input_slopes import slope_sweeps
from symdyn.dynamics.equations.statics_residual import held_statics_plan
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField
from symdyn.dynamics.partials.tangent_partials import along_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.dynamics.tree.rod_moments_apart import moments_apart
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.model import Model
from symdyn.plan.compose import places_written
from symdyn.plan.plan import Access, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit

_MOVED, _B = "_by_moves", "B"


def hold(_: None, __: Algebra, ___: Mapping[str, Scalar], ____: Reads) -> Writes:
    """Step per prescribed row: how what is left changes with the row's own force."""
    return {"slope": [-1.0]}


_HOLD = Step("hold_row", hold, (Port("slope", Mode.WRITE),))


def statics_jacobian_plan(
    model: Model, external: str = "", driven: bool = False, prescribed: Collection[int] = ()
) -> Plan:
    """The plan of (q[, u][, lambda][, f_ext][, p]) -> dr_dx[, dr_dlambda, de_dx][, dr_du].

    Parameters
    ----------
    model, external, driven, prescribed
        As for ``statics_residual.statics_residual_plan``; tau plays no part.
    """
    tree, count, loop_rows = TreePlan(model, external), model.nv, len(model.loop_row_names)
    plan = moments_apart(tree.rods, held_statics_plan(model, external))
    free = [row for row in range(count) if row not in prescribed]
    sizes = {"dr": count, "de": loop_rows} if loop_rows else {"dr": count}
    moved = {name: f"{name}{_MOVED if prescribed else '_dx'}" for name in sizes}
    fields, sweeps = along_sweeps(tree, plan, "q", {name[1:]: field for name, field in moved.items()}, {})
    fields = [
        *(field for field in plan.fields if field.kind is FieldKind.INPUT),
        *fields,
        *(Field(f"{name}_dx", FieldKind.OUTPUT, size * count) for name, size in sizes.items()),
    ]
    if prescribed:
        fields += [Field(moved[name], FieldKind.STATE, count, size, sparse=True) for name, size in sizes.items()]
    if driven:
        slopes = slope_sweeps(model, {row: row for row in range(count)}, moved["dr"], rates="")
        columns = column_sweeps(model, _B, rates=False)
        inputs = len(model.actuator_inputs)
        sweeps += [*slopes, *columns, _opposed(sorted(places_written(columns, _B)))]
        fields += [
            Field("u", FieldKind.INPUT, inputs),
            *driving_fields(model, [*slopes, *columns], fields),
            Field(_B, FieldKind.STATE, inputs, count, sparse=True),
            Field("dr_du", FieldKind.OUTPUT, inputs * count),
        ]
    if loop_rows:
        more, pulled = along_sweeps(tree, plan, "lambda", {"r": "dr_dlambda"}, {})
        fields += [*more, Field("dr_dlambda", FieldKind.OUTPUT, loop_rows * count)]
        sweeps += pulled
    if prescribed:
        sweeps += [_copied(moved, sizes, free, count), _held(sorted(prescribed), count)]
    named = {field.name: field for field in fields}
    made = tuple(sweep for sweep in sweeps if sweep.visits)
    return Plan("statics_jacobian", tuple(named.values()), made, plan.bodies, plan.parent)


def _opposed(places: Sequence[int]) -> Sweep:
    visits = (Visit(-1, None, {}, {"given": Access(_B, at, 1), "needed": Access("dr_du", at, 1)}) for at in places)
    return Sweep(steps.OPPOSED, tuple(visits), vector=True)


def _copied(moved: Mapping[str, str], sizes: Mapping[str, int], free: Sequence[int], count: int) -> Sweep:
    """The sweep that takes the columns of rows that move to the results."""
    visits = []
    for name, size in sizes.items():
        source, target = MatrixField(moved[name], count), MatrixField(f"{name}_dx", count)
        for column in free:
            at = {"source": source.column(column, 0, size), "column": target.column(column, 0, size)}
            visits.append(Visit(-1, None, {}, at))
    return Sweep(steps.COPY, tuple(visits))


def _held(prescribed: Sequence[int], count: int) -> Sweep:
    target = MatrixField("dr_dx", count)
    return Sweep(_HOLD, tuple(Visit(-1, None, {}, {"slope": target.entry(row, row)}) for row in prescribed))
