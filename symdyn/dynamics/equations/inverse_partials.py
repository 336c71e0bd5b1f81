"""Partial derivatives of inverse dynamics of robots with loops.

At the shared forces tau and lambda, let r = ID - A^T lambda, and let y be W r in actuated rows and -mu in passive ones
(0 in actuated ones where multipliers are made the least). What ``force_distribution`` solves reads

    r_p = 0,    A y = 0    (or A y = lambda)

With t = dr and s = d(A y) by q, v, a or p, at fixed lambda and y (``constrained_residual``), dlambda and dtau therefore
solve the same system, with t for the forces of the tree and s beside. As its matrix is symmetric, one solution per row
of lambda and of tau_a tells what all columns do to that row:

    dlambda = E s + C t,    dtau = -(A_a^T E) s + (1 - A_a^T C) t

So errors of s that no lambda could meet, where rows of A depend on each other, do not reach tau: A_a^T is solved for.
Where passive rows alone tell the multipliers, s does not count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import dot
from symdyn.dynamics.equations.implicit import Outputs
from symdyn.dynamics.equations.problem import inner_rows
from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.dynamics.loops.constrained_residual import held_motion_plan
from symdyn.dynamics.loops.constraint_activation import ACTIVE, all_switches
from symdyn.dynamics.loops.constraint_kinematics import relation_fields, relation_sweeps
from symdyn.dynamics.loops.constraint_set import ConstraintSet
from symdyn.dynamics.loops.constraints import constraint_rate_plan, slopes_beside
from symdyn.dynamics.loops.force_distribution import TORQUE, ShareVariant, Sharing, share_constants, share_variant
from symdyn.dynamics.mass_matrix.crba import mass_matrix_sweeps
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField, product_sweeps
from symdyn.dynamics.partials.inverse_dynamics import refuse_jumps
from symdyn.dynamics.partials.tangent_partials import along_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes, plan_of
from symdyn.dynamics.tree.contracted_view import weighing_sweeps
from symdyn.dynamics.tree.rod_moments_apart import moments_apart
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.model import Model, lossless
from symdyn.plan.compose import kept_apart
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Given, Mode, Plan, Port, Step, Sweep, Visit


def factor_sharing(variant: ShareVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step: the factors that all columns share."""
    return {"sharing": Sharing.of(variant, algebra, constants, reads, _weights(variant, reads)).scalars()}


def share_and_draw(variant: ShareVariant, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step: the multipliers, and y."""
    required = reads["required"]
    sharing = Sharing.loaded(variant, reads["slopes"], reads["sharing"])
    wanted, bound = ([required[row] for row in own] for own in (variant.active, variant.passive))
    found, constraints = sharing.solved(wanted, bound, [0.0] * variant.count)
    y: list[Scalar] = [0.0] * len(variant.actuated)
    weights = _weights(variant, reads)
    if variant.objective == TORQUE:
        for row, column in zip(variant.active, sharing.active, strict=True):
            y[row] = weights[row] * (required[row] - dot(column, found))
    for row, x in zip(variant.passive, constraints, strict=True):
        y[row] = -x
    return {"lambda": found, "y": y}


def answer_row(asked: tuple[ShareVariant, int], _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row of lambda, and per row of tau, whose number is given: what it answers to t and to s."""
    variant, row = asked
    sharing = Sharing.loaded(variant, reads["slopes"], reads["sharing"])
    found, constraints = sharing.answered(reads["right"], [0.0] * len(variant.passive))
    need: list[Scalar] = [0.0] * len(variant.actuated)
    for place, column in zip((*variant.active, *variant.passive), sharing.pulled, strict=False):
        need[place] = dot(column, found)
    for place, x in zip(variant.passive, constraints, strict=True):
        need[place] = need[place] + x
    if row >= 0:
        need, found = [float(place == row) - x for place, x in enumerate(need)], [-x for x in found]
    return {"need": need, "draw": found}


def _weights(variant: ShareVariant, reads: Reads) -> Sequence[Scalar]:
    return reads.get("weights", [1.0] * len(variant.actuated))


_FACTOR = Step(
    "factor_sharing",
    factor_sharing,
    (*(Port(name, Mode.READ) for name in ("slopes", "weights", ACTIVE)), Port("sharing", Mode.WRITE)),
)
_SHARE = Step(
    "share_and_draw",
    share_and_draw,
    (
        *(Port(name, Mode.READ) for name in ("slopes", "sharing", "required", "weights")),
        *(Port(name, Mode.WRITE) for name in ("lambda", "y")),
    ),
)
_ANSWER = Step(
    "answer_row",
    answer_row,
    (
        *(Port(name, Mode.READ) for name in ("slopes", "sharing", "right")),
        Port("need", Mode.WRITE),
        Port("draw", Mode.WRITE),
    ),
)


def constrained_inverse_dynamics_partials_plan(
    model: Model,
    actuated: Sequence[int],
    objective: str,
    weights: Sequence[float] | str,
    outputs: Outputs,
    external: str = "",
) -> Plan:
    """The plan of (q, v, a[, weights][, f_ext][, p]) -> derivatives of tau and of lambda.

    Parameters
    ----------
    model, actuated, objective, weights
        As for ``constrained_inverse_dynamics.constrained_inverse_dynamics_plan``.
    outputs
        Names by q, v, a and, where the robot has run-time parameters, p.
    external
        Axes of f_ext, whose components are held fixed: body, world, or empty.

    Raises
    ------
    ModelError
        A joint's friction jumps with the sign of its velocity.
    """
    tree, count = TreePlan(model, external), model.nv
    refuse_jumps(tree)
    constraints = ConstraintSet(TreePlan(lossless(model)))
    rows = constraints.count
    variant = share_variant(model, rows, actuated, objective, weights)
    constants = share_constants(model, variant, weights)
    related, exerted = relation_sweeps(constraints), slopes_beside(constraints, "A")
    needed = inverse_dynamics_plan(model, external)
    started = kept_apart(needed.fields, needed.sweeps, "known", ("pose", "ground"), {"tau": "required"})
    slopes, sharing = Access("A", 0, rows * count), Access("sharing", 0, variant.size)
    read: dict[str, Binding] = {"slopes": slopes}
    asked = bool(weights) and isinstance(weights, str)
    if weights:
        read["weights"] = Access("weights", 0, count) if isinstance(weights, str) else Given(tuple(weights))
    states = {"A": slopes.count, "sharing": sharing.count, "required": count, "multipliers": rows, "y": count}
    sizes = (("q", model.nq), ("v", count), ("a", count), *([("weights", count)] if asked else []))
    answers = {
        name: (MatrixField(f"{name}_by_need", count), MatrixField(f"{name}_by_draw", rows))
        for name in ("tau", "lambda")
    }
    fields = [
        *(Field(name, FieldKind.INPUT, size) for name, size in sizes),
        *tree.fields(),
        *(field for field in started[0] if field.kind is not FieldKind.INPUT),
        *relation_fields(constraints, related),
        *exerted[0],
        *(Field(name, FieldKind.STATE, max(size, 1), sparse=name == "A") for name, size in states.items()),
        *(
            Field(own.field, FieldKind.STATE, max(own.columns, 1), size, sparse=True)
            for name, size in (("tau", count), ("lambda", max(rows, 1)))
            for own in answers[name]
        ),
    ]
    vector = {"required": Access("required", 0, count), "y": Access("y", 0, count)}
    solved = {**read, "sharing": sharing, **vector, "lambda": Access("multipliers", 0, rows)}
    sweeps = [
        *started[1],
        *related,
        *exerted[1],
        Sweep(_FACTOR, (Visit(-1, variant, constants, {**read, **all_switches(model), "sharing": sharing}),)),
        Sweep(_SHARE, (Visit(-1, variant, {}, solved),)),
        _answering(variant, answers, {"slopes": slopes, "sharing": sharing}),
    ]
    moving, drawing = moments_apart(tree.rods, held_motion_plan(model, external, along="y")), None
    if model.rods:
        moving = moments_apart(tree.rods, held_motion_plan(model, external))
        drawing = moments_apart(tree.rods, constraint_rate_plan(model))
    for by, width in (("q", count), ("v", count), ("a", count), ("p", len(model.slots.names))):
        if not width:
            continue
        force, along = MatrixField(f"slope_{by}", width), MatrixField(f"along_{by}", width)
        drawn = by in "qp" and not variant.unique
        fields += [Field(force.field, FieldKind.STATE, width, count, sparse=True)]
        fields += [Field(along.field, FieldKind.STATE, width, max(rows, 1), sparse=True)] if drawn else []
        if by == "a":
            made = weighing_sweeps(tree, mass_matrix_sweeps, "inertia", {"M": force.field})
        else:
            named = {"tau": force.field, **({"constraint_residual": along.field} if drawn and drawing is None else {})}
            made = along_sweeps(tree, moving, by, named, {"lambda": "multipliers"})
            if drawn and drawing is not None:
                more = along_sweeps(tree, drawing, by, {"rate": along.field}, {"v": "y"}, "_drawn")
                made = ([*made[0], *more[0]], [*made[1], *more[1]])
        fields += made[0]
        sweeps += made[1]
        force_rows, error_rows = (
            inner_rows(made[1], force, range(count)),
            inner_rows(made[1], along, range(rows)) if drawn else {},
        )
        for name, places, names in (
            ("tau", variant.active, outputs.solution),
            ("lambda", range(rows), outputs.multipliers),
        ):
            found, (by_need, by_draw) = MatrixField(names[by], width), answers[name]
            half = MatrixField(f"{found.field}_half", width) if drawn else None
            size = count if name == "tau" else rows
            fields.append(Field(found.field, FieldKind.OUTPUT, size * width))
            if half is not None:
                fields.append(Field(half.field, FieldKind.STATE, width, max(size, 1), sparse=True))
                sweeps += product_sweeps(by_draw, along, half, places, error_rows)
            sweeps += product_sweeps(by_need, force, found, places, force_rows, half)
    return plan_of("constrained_inverse_dynamics_partials", tree, sweeps, fields)


def _answering(
    variant: ShareVariant, answers: Mapping[str, tuple[MatrixField, MatrixField]], factor: Mapping[str, Binding]
) -> Sweep:
    """The sweep that fills what rows of tau and of lambda answer to t and to s."""
    slopes, rows = MatrixField("A", len(variant.actuated)), range(variant.count)
    told: list[tuple[int, str, int, Binding]] = [
        *((row, "tau", row, slopes.column(row, 0, variant.count)) for row in variant.active),
        *((-1, "lambda", row, Given(tuple(float(row == place) for place in rows))) for row in rows),
    ]
    visits = []
    for number, name, row, right in told:
        need, draw = (own.row(row, 0, own.columns) for own in answers[name])
        visits.append(Visit(-1, (variant, number), {}, {**factor, "right": right, "need": need, "draw": draw}))
    return Sweep(_ANSWER, tuple(visits))
