"""Forward and hybrid dynamics of robots with loops, in O(bodies) and O(rows of loops times depth).

The bias is that of the tree (``forward_dynamics.hybrid_dynamics``). Its motion tells how the errors accelerate where
free rows do not. The factor of the tree's mass matrix serves the forces and all rows of the loops; the multipliers go
into the drives between both halves of one solution (Kim 2012, sections 3.2 and 3.3).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from symdyn.dynamics.forward_dynamics.aba import (
    aba_acceleration_sweeps,
    aba_bias_sweeps,
    factor_sweeps,
    solution_fields,
)
from symdyn.dynamics.forward_dynamics.aba_layout import AbaLayout
from symdyn.dynamics.forward_dynamics.hybrid_dynamics import bias_sweeps
from symdyn.dynamics.loops.constraint_kinematics import (
    change_sweeps,
    exertion_sweeps,
    relation_fields,
    relation_sweeps,
)
from symdyn.dynamics.loops.constraint_set import ConstraintSet
from symdyn.dynamics.loops.forward_by_forces import constrained_by_forces_plan, inertia_by_forces_plan
from symdyn.dynamics.loops.limb_blocks import groups_of
from symdyn.dynamics.loops.limb_multipliers import grouped_sweeps
from symdyn.dynamics.loops.linear_couplings import coupling_sweep
from symdyn.dynamics.loops.multipliers import multiplier_sweeps
from symdyn.dynamics.loops.operational_inertia import inertia_sweeps
from symdyn.dynamics.loops.pfaffian import velocity_sweep
from symdyn.dynamics.loops.whitened_jacobian import WhitenedJacobian
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
    if model.rods:
        return constrained_by_forces_plan(model, name, free, given, found, external, stabilisation)
    tree = TreePlan(model, external)
    elimination, constraints = AbaLayout(tree, free), ConstraintSet(tree)
    whitened = WhitenedJacobian(constraints, AbaLayout(TreePlan(lossless(model)), free))
    biased = bias_sweeps(tree, free, given, found)
    groups, prescribed = groups_of(whitened), [row for row in range(model.nv) if row not in free]
    if groups is None:
        multiplied, between = multiplier_sweeps(whitened, "lambda", found, stabilisation)
    else:
        multiplied, between = grouped_sweeps(whitened, groups, "lambda", found, stabilisation)
    sweeps = (
        *biased.before,
        *relation_sweeps(constraints),
        *change_sweeps(constraints),
        coupling_sweep(constraints, "q", "error"),
        coupling_sweep(constraints, "v", "rate"),
        coupling_sweep(constraints, given, "acceleration", prescribed),
        velocity_sweep(constraints.velocities, "acceleration", given, prescribed),
        *exertion_sweeps(constraints),
        *factor_sweeps(elimination),
        *whitened.sweeps(),
        *aba_bias_sweeps(elimination, biased.net, found, "v", "wrench"),
        *between,
        *aba_acceleration_sweeps(elimination, found),
        *biased.after,
    )
    fields = [
        *tree.fields(),
        *declared_by(biased.before),
        *elimination.factor_fields(),
        *(
            replace(field, sparse=True) if field.name == "joint_force_residual" else field
            for field in solution_fields(elimination)
        ),
        *biased.fields,
        *relation_fields(constraints, sweeps),
        *whitened.fields(),
        *multiplied,
        Field(found, FieldKind.OUTPUT, model.nv),
        Field("lambda", FieldKind.OUTPUT, constraints.count),
    ]
    return plan_of(name, tree, sweeps, fields)


def operational_inertia_plan(model: Model) -> Plan:
    """The plan of q -> A M^-1 A^T and its inverse, (m, m)."""
    if model.rods:
        return inertia_by_forces_plan(model)
    tree = TreePlan(lossless(model))
    elimination, constraints = AbaLayout(tree, range(model.nv)), ConstraintSet(tree)
    whitened = WhitenedJacobian(constraints, elimination)
    made, finding = inertia_sweeps(whitened)
    related = [pose_sweep(tree), *relation_sweeps(constraints), *exertion_sweeps(constraints)]
    size = constraints.count**2
    fields = [
        *relation_fields(constraints, related),
        *elimination.factor_fields(),
        *whitened.fields(),
        *made,
        *(Field(name, FieldKind.OUTPUT, size) for name in ("delassus", "inertia")),
    ]
    sweeps = (*related, *factor_sweeps(elimination), *whitened.sweeps(), *finding)
    return plan_of("operational_inertia", tree, sweeps, fields)
