"""The matrix of one Newton step of an implicit integrator, which moves q, v and a together.

    S = c_a dR/da + c_v dR/dv + c_q dR/dq

for the residual R, where q moves along the directions of v. Rigid robots have closed forms of the three
(``partials.inverse_dynamics``). Else one tangent along all three moves does: with a direction x,

    q(h) = q + N(q) c_q x h,    v(h) = v + c_v x h,    a(h) = a + c_a x h

With loops this is bordered by the slopes A of their errors: R moves by S x - A^T y with multipliers lambda(h) =
lambda + y h, and errors by c_q A x. Rows of loops that do not hold have ones on the diagonal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import add, scale
from symdyn.dynamics.actuation.actuation_map import driving_fields
from symdyn.dynamics.actuation.input_slopes import slope_sweeps
from symdyn.dynamics.elements.listed import load_sweeps
from symdyn.dynamics.equations.implicit_residual import needed_plan
from symdyn.dynamics.equations.problem import Problem
from symdyn.dynamics.loops.constraint_activation import ACTIVE, holds, one_if_off, switches_of
from symdyn.dynamics.loops.constraints import constraint_jacobian_plan
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField
from symdyn.dynamics.partials.inverse_dynamics import PartialFields, inverse_dynamics_partials_sweeps, refuse_jumps
from symdyn.dynamics.tree.bindings import Reads, Writes, plan_of
from symdyn.dynamics.tree.rod_moments_apart import moments_apart
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.joints import JointModel
from symdyn.model.model import Model
from symdyn.plan.compose import clearing, kept_apart, places_written, renamed
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Kernel, Mode, Plan, Port, Step, Sweep, Visit
from symdyn.plan.transforms.tangent import tangent_sweeps

FACTORS, MATRIX = "c", "S"
"""The input (c_q, c_v, c_a), and the output."""
_MOVES, _STILL, _SLOPES, _ERRORS = "moves", "no_moves", "slopes", "slopes_of_errors"
_DRIVEN, _RATED = "driven_slopes", "driven_slopes_of_rates"


def implicit_jacobian_plan(model: Model, external: str = "", driven: bool = False) -> Plan:
    """The plan of (q, v, a, tau or u[, lambda], c[, f_ext][, p]) -> S, (nv, nv), or bordered, (nv + m, nv + m).

    Parameters
    ----------
    model
        The robot.
    external
        Axes of f_ext, whose components are held fixed: body, world, or empty.
    driven
        Whether inputs u of actuators are given in place of tau.

    Raises
    ------
    ModelError
        A joint whose friction jumps with the sign of its velocity.
    """
    tree, count = TreePlan(model, external), model.nv
    refuse_jumps(tree)
    loop_rows = Problem(model, range(count), "tau", external, looped=True).rows
    sizes = {"q": model.nq, "v": count, "a": count, **({"lambda": loop_rows} if loop_rows else {}), FACTORS: 3}
    sizes["u" if driven else "tau"] = len(model.actuator_inputs) if driven else count
    out, width = MatrixField(MATRIX, count + loop_rows), max(count, 1)
    resisting = slope_sweeps(model, {row: row for row in range(count)}, _DRIVEN, rates=_RATED) if driven else []
    fields = [
        *(Field(name, FieldKind.INPUT, size) for name, size in sizes.items()),
        *tree.fields(),
        Field(MATRIX, FieldKind.OUTPUT, (count + loop_rows) ** 2),
    ]
    # Where columns of the base are no unit vectors, one tangent takes a fifth fewer operations than three closed forms.
    turned = any(joint.kind.own_axes != joint.kind for joint in model.independent_joints)
    if loop_rows or model.has_moving_inertia or load_sweeps(tree) or turned:
        made, sweeps = _tangent(tree)
        parts = {"whole": _SLOPES}
    else:
        slopes = PartialFields("slope_q", "slope_v", "slope_a")
        made, sweeps = inverse_dynamics_partials_sweeps(tree, slopes)
        parts = {"by_q": slopes.dq, "by_v": slopes.dv, "by_a": slopes.da}
    parts |= {part: name for part, name in (("driven", _DRIVEN), ("rated", _RATED)) if places_written(resisting, name)}
    sweeps = [*sweeps, *resisting]
    fields += [*made, *(Field(name, FieldKind.STATE, width, count, sparse=True) for name in parts.values())]
    fields += driving_fields(model, resisting, fields)
    sweeps = [*sweeps, _summed(sweeps, parts, count, out)]
    if loop_rows:
        plan = constraint_jacobian_plan(model)
        more, steep = kept_apart(plan.fields, plan.sweeps, "steep", (), {"A": _ERRORS})
        fields += [*more, Field(_ERRORS, FieldKind.STATE, width, max(loop_rows, 1), sparse=True)]
        sweeps += [*steep, _border(steep, count, out), open_rows_sweep(model, out)]
    return plan_of("implicit_jacobian", tree, sweeps, fields)


def _tangent(tree: TreePlan) -> tuple[list[Field], list[Sweep]]:
    """Fields and sweeps of S along moves of q, v and a at once, but for what inputs of actuators do."""
    model, count = tree.model, tree.model.nv
    needed = moments_apart(tree.rods, needed_plan(model, tree.external))
    rows = {"q": model.nq, "v": count, "a": count}
    visits = []
    for joint in model.independent_joints:
        q, v = len(joint.coordinates.q), len(joint.coordinates.v)
        places: dict[str, Binding] = {FACTORS: Access(FACTORS, 0, 3), _MOVES: Access(_MOVES, joint.v_index, v)}
        for name in rows:
            own = (joint.q_index, q) if name == "q" else (joint.v_index, v)
            places |= {name: Access(name, *own), f"{name}_moved": Access(f"{name}_moved", *own)}
        visits.append(Visit(-1, joint.kind, {}, places))
    own_fields = [
        *(Field(name, FieldKind.INPUT, size) for name, size in (*rows.items(), (FACTORS, 3), (_MOVES, count))),
        *(Field(f"{name}_moved", FieldKind.STATE, size) for name, size in rows.items()),
    ]
    moved = Plan(
        "moved",
        (*own_fields, *(field for field in needed.fields if field.name not in rows)),
        (Sweep(_MOVE, tuple(visits)), *renamed(needed.sweeps, {name: f"{name}_moved" for name in rows})),
        needed.bodies,
        needed.parent,
    )
    fields, sweeps = tangent_sweeps(moved, _MOVES, {"tau": _SLOPES}, {_MOVES: _STILL})
    return [Field(_STILL, FieldKind.STATE, count), *fields], [clearing([Access(_STILL, 0, count)]), *sweeps]


def move_all(kind: JointModel, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per joint: its coordinates, velocities and accelerations after a small move along its rows of v."""
    by_q, by_v, by_a = (scale(factor, reads[_MOVES]) for factor in reads[FACTORS])
    return {
        "q_moved": add(reads["q"], kind.speeds(algebra, reads["q"], by_q)),
        "v_moved": add(reads["v"], by_v),
        "a_moved": add(reads["a"], by_a),
    }


def sum_slopes(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per entry of S: slopes by q, v and a, or these together, each by its factor."""
    c_q, c_v, c_a = reads[FACTORS]
    factors = {"by_q": c_q, "by_v": c_v, "by_a": c_a, "driven": c_q, "rated": c_v}
    total: Scalar = reads["whole"][0] if "whole" in reads else 0.0
    for name, factor in factors.items():
        if name in reads:
            total = total + factor * reads[name][0]
    return {"entry": [total]}


def border(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per slope of an error: it stands in its row, and in its column with the other sign."""
    return {"row": reads["slope"], "column": [-reads["slope"][0]]}


def one_if_open(_: None, algebra: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row of a loop that may be open: 1 on the diagonal where it is."""
    switch = reads[ACTIVE][0]
    return {"entry": [algebra.select(holds(algebra, switch), 0.0, one_if_off(algebra, switch))]}


def _step(name: str, kernel: Kernel, read: Iterable[str], written: Iterable[str]) -> Step:
    ports = (*(Port(port, Mode.READ) for port in read), *(Port(port, Mode.WRITE) for port in written))
    return Step(name, kernel, ports)


_MOVE = _step("move_all", move_all, ("q", "v", "a", FACTORS, _MOVES), ("q_moved", "v_moved", "a_moved"))
_SUM = _step("sum_slopes", sum_slopes, (FACTORS, "whole", "by_q", "by_v", "by_a", "driven", "rated"), ("entry",))
_BORDER = _step("border", border, ("slope",), ("row", "column"))
_OPEN = _step("one_if_open", one_if_open, (ACTIVE,), ("entry",))


def _summed(filled: Sequence[Sweep], parts: Mapping[str, str], count: int, out: MatrixField) -> Sweep:
    """The sweep over all entries of S that are not zero by structure."""
    written = {name: places_written(filled, field) for name, field in parts.items()}
    visits = []
    for place in sorted(set[int]().union(*written.values())):
        read: dict[str, Binding] = {name: Access(parts[name], place, 1) for name in parts if place in written[name]}
        bindings = {FACTORS: Access(FACTORS, 0, 3), **read, "entry": out.entry(*divmod(place, count))}
        visits.append(Visit(-1, None, {}, bindings))
    return Sweep(_SUM, tuple(visits), vector=True)


def _border(filled: Sequence[Sweep], count: int, out: MatrixField) -> Sweep:
    visits = []
    for place in sorted(places_written(filled, _ERRORS)):
        row, column = divmod(place, count)
        places = {"row": out.entry(count + row, column), "column": out.entry(column, count + row)}
        visits.append(Visit(-1, None, {}, {"slope": Access(_ERRORS, place, 1), **places}))
    return Sweep(_BORDER, tuple(visits), vector=True)


def open_rows_sweep(model: Model, out: MatrixField) -> Sweep:
    """The sweep of ones on the diagonal of a system, in the rows behind those of v whose loops are open."""
    visits = (
        Visit(-1, None, {}, {ACTIVE: Access(ACTIVE, switch, 1), "entry": out.entry(model.nv + row, model.nv + row)})
        for row, switch in enumerate(switches_of(model))
        if switch is not None
    )
    return Sweep(_OPEN, tuple(visits), vector=True)
