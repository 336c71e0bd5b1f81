"""Inverse dynamics of robots with loops: the forces of actuated rows that a motion needs, and the multipliers.

The tree alone needs tau_r = ID(q, v, a). Multipliers lambda take A^T lambda off it: off passive rows p all that they
cannot give, and off actuated rows a as much as makes their forces the least (Kim 2012, eqs. 56 to 66),

    minimise tau_a^T W tau_a,    tau_a = tau_ar - A_a^T lambda,    subject to A_p^T lambda = tau_pr

or, with ``objective="force"``, minimise |lambda|^2. ``force_distribution`` says how. The forces of passive rows,
tau_pr - A_p^T lambda, are rounding where multipliers can give what the motion needs there; at positions where they
cannot, as at a dead centre, they are what is missing. So tau + A^T lambda = tau_r in all rows, always.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import dot
from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.dynamics.loops.constraint_activation import ACTIVE, all_switches
from symdyn.dynamics.loops.constraint_kinematics import exertion_sweeps, relation_fields, relation_sweeps
from symdyn.dynamics.loops.constraint_set import ConstraintSet
from symdyn.dynamics.loops.force_distribution import ShareVariant, Sharing, share_constants, share_variant
from symdyn.dynamics.loops.station_jacobian import slopes_of
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.model import Model
from symdyn.plan.compose import renamed
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Given, Mode, Plan, Port, Step, Sweep, Visit


def share_forces(variant: ShareVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step: the multipliers, and the forces that they leave to the actuated rows, and to passive ones."""
    rows, required = len(variant.actuated), reads["required"]
    sharing = Sharing.of(variant, algebra, constants, reads, reads.get("weights", [1.0] * rows))
    wanted, bound = ([required[row] for row in own] for own in (variant.active, variant.passive))
    found, _held = sharing.solved(wanted, bound, [0.0] * variant.count)
    tau: list[Scalar] = [0.0] * rows
    columns = ((variant.active, sharing.active), (variant.passive, sharing.passive))
    for row, column in (pair for own in columns for pair in zip(*own, strict=True)):
        tau[row] = required[row] - dot(column, found)
    return {"tau": tau, "lambda": found}


_SHARE = Step(
    "share_forces",
    share_forces,
    (
        *(Port(name, Mode.READ) for name in ("slopes", "required", "weights", ACTIVE)),
        *(Port(name, Mode.WRITE) for name in ("tau", "lambda")),
    ),
)


def constrained_inverse_dynamics_plan(
    model: Model,
    actuated: Sequence[int],
    objective: str,
    weights: Sequence[float] | str,
    external: str = "",
    tree: TreePlan | None = None,
) -> Plan:
    """The plan of (q, v, a[, weights][, f_ext][, p]) -> tau, lambda.

    Parameters
    ----------
    model
        The robot, with loops.
    actuated
        Rows of v that have forces.
    objective
        What is made the least: ``torque`` or ``force``.
    weights
        Of the rows of v, numbers; empty for ones, ``input`` where they are an input (nv,).
    external
        Axes of f_ext: body, world, or empty.
    tree
        That of the model and these wrenches, where the caller has it.
    """
    moving, count = inverse_dynamics_plan(model, external, tree), model.nv
    constraints = ConstraintSet(tree or TreePlan(model, external))
    rows = slopes_of(constraints, "slopes")
    weighed: Binding | None = None
    if weights:
        weighed = Access("weights", 0, count) if isinstance(weights, str) else Given(tuple(weights))
    variant = share_variant(model, constraints.count, actuated, objective, weights)
    bindings: dict[str, Binding] = {
        "slopes": Access("slopes", 0, constraints.count * count),
        "required": Access("required", 0, count),
        **({"weights": weighed} if weighed else {}),
        **all_switches(model),
        "tau": Access("tau", 0, count),
        "lambda": Access("lambda", 0, constraints.count),
    }
    rnea = renamed(moving.sweeps, {"tau": "required"})
    related = [*relation_sweeps(constraints), *exertion_sweeps(constraints), *rows.sweeps()]
    soft = constraints.tree.rods.inner_fields(related)
    related = list(constraints.tree.rods.completed(related))
    sweeps = (
        *rnea,
        *related,
        Sweep(_SHARE, (Visit(-1, variant, share_constants(model, variant, weights), bindings),)),
    )
    fields = [
        *(field for field in moving.fields if field.name != "tau"),
        *([Field("weights", FieldKind.INPUT, count)] if isinstance(weighed, Access) else []),
        *soft,
        *relation_fields(constraints, related),
        *rows.fields(),
        Field("slopes", FieldKind.STATE, constraints.count * count, sparse=True),
        Field("required", FieldKind.STATE, count),
        Field("tau", FieldKind.OUTPUT, count),
        Field("lambda", FieldKind.OUTPUT, constraints.count),
    ]
    named = {field.name: field for field in fields}
    return replace(moving, name="constrained_inverse_dynamics", fields=tuple(named.values()), sweeps=sweeps)
