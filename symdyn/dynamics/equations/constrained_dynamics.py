"""Forward and hybrid dynamics of robots with loops, in O(bodies) and O(rows of loops times depth).

The bias is that of the tree (``forward_dynamics.hybrid_dynamics``). Its motion tells how the errors accelerate where
free rows do not. The factor of the tree's mass matrix serves the forces and all rows of the loops; the multipliers
change the joint force residuals between both halves of one solution (Kim 2012, sections 3.2 and 3.3).
"""

from __future__ import annotations

from collections.abc import Collection

from symdyn.dynamics.forward_dynamics.aba_layout import AbaLayout
from symdyn.dynamics.forward_dynamics.hybrid_dynamics import bias_sweeps
from symdyn.dynamics.forward_dynamics.station_bias import More, factor_of
from symdyn.dynamics.loops.constraint_kinematics import (
    change_sweeps,
    exertion_sweeps,
    relation_fields,
    relation_sweeps,
)
from symdyn.dynamics.loops.constraint_set import ConstraintSet
from symdyn.dynamics.loops.contracted_jacobian import constraint_jacobian_factor
from symdyn.dynamics.loops.limb_blocks import groups_of
from symdyn.dynamics.loops.limb_multipliers import grouped_sweeps
from symdyn.dynamics.loops.linear_couplings import coupling_sweep
from symdyn.dynamics.loops.multipliers import multiplier_sweeps
from symdyn.dynamics.loops.operational_inertia import inertia_sweeps
from symdyn.dynamics.loops.pfaffian import velocity_sweep
from symdyn.dynamics.tree.bindings import declared_by, plan_of
from symdyn.dynamics.tree.body_state import pose_sweep
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.model import Model, lossless
from symdyn.plan.plan import Field, FieldKind, Plan


def constrained_hybrid_dynamics_plan(
    model: Model,
    name: str,
    free: Collection[int],
    given: str,
    found: str,
    external: str = "",
    stabilisation: float | None = None,
) -> Plan:
    """The plan of a function (q, v, given[, f_ext][, p]) -> found, lambda.

    Parameters
    ----------
    model
        The robot, with loops.
    name
        Of the function.
    free
        Rows of v whose force is given; the acceleration of the others is.
    given, found
        Names of the input and of the output, (nv,).
    external
        Axes of f_ext: body, world, or empty.
    stabilisation
        The time [s] in which errors of the loops vanish; None leaves them.
    """
    tree = TreePlan(model, external)
    constraints, prescribed = ConstraintSet(tree), [row for row in range(model.nv) if row not in free]
    biased = bias_sweeps(tree, free, given, found)
    related = [
        *relation_sweeps(constraints),
        *change_sweeps(constraints),
        coupling_sweep(constraints, "q", "error"),
        coupling_sweep(constraints, "v", "rate"),
        coupling_sweep(constraints, given, "acceleration", prescribed),
        velocity_sweep(constraints.velocities, "acceleration", given, prescribed),
        *exertion_sweeps(constraints),
    ]

    def more(elimination: AbaLayout) -> More:
        whitened, slope_fields, slopes = constraint_jacobian_factor(constraints, elimination, free)
        groups = groups_of(whitened)
        if groups is None:
            multiplied, between = multiplier_sweeps(whitened, "lambda", found, stabilisation)
        else:
            multiplied, between = grouped_sweeps(whitened, groups, "lambda", found, stabilisation)
        return More([*whitened.fields(), *multiplied], whitened.sweeps(), between, slopes, slope_fields)

    solution = factor_of(tree, free, biased.net, found, biased.wrench, more)
    sweeps = (
        *biased.before,
        *related,
        *solution.whole,
        *solution.factor,
        *solution.solve,
        *biased.after,
    )
    fields = [
        *tree.fields(),
        *declared_by(biased.before),
        *biased.fields,
        *relation_fields(constraints, sweeps),
        *solution.fields,
        Field(found, FieldKind.OUTPUT, model.nv),
        Field("lambda", FieldKind.OUTPUT, constraints.count),
    ]
    return plan_of(name, tree, sweeps, fields, biased.binding)


def operational_inertia_plan(model: Model) -> Plan:
    """The plan of q -> A M^-1 A^T and its inverse, (m, m)."""
    tree = TreePlan(lossless(model))
    constraints, size = ConstraintSet(tree), len(model.loop_row_names) ** 2
    related = [pose_sweep(tree), *relation_sweeps(constraints), *exertion_sweeps(constraints)]

    def more(elimination: AbaLayout) -> More:
        whitened, slope_fields, slopes = constraint_jacobian_factor(constraints, elimination, range(model.nv))
        made, finding = inertia_sweeps(whitened)
        factor = [*whitened.sweeps(), *finding]
        return More([*whitened.fields(), *made], factor, (), slopes, slope_fields)

    solution = factor_of(tree, range(model.nv), "rest", "found", more=more)
    fields = [
        *relation_fields(constraints, related),
        *(field for field in solution.fields if field.name not in ("rest", "found")),
        *(Field(name, FieldKind.OUTPUT, size) for name in ("delassus", "inertia")),
    ]
    return plan_of("operational_inertia", tree, (*related, *solution.whole, *solution.factor), fields)
