"""What holds in a robot with loops: their errors, how these change, and how they accelerate where v is steady."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from symdyn.dynamics.loops.constraint_kinematics import (
    MOVE,
    change_sweeps,
    exertion_sweeps,
    rate_sweeps,
    relation_fields,
    relation_sweeps,
)
from symdyn.dynamics.loops.constraint_set import ConstraintSet
from symdyn.dynamics.loops.linear_couplings import coupling_sweep
from symdyn.dynamics.loops.pfaffian import coefficient_sweep, velocity_sweep
from symdyn.dynamics.loops.station_jacobian import slopes_of
from symdyn.dynamics.loops.whitened_jacobian import WhitenedJacobian
from symdyn.dynamics.tree.bindings import plan_of
from symdyn.dynamics.tree.body_state import pose_sweep
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.model import Model, lossless
from symdyn.plan.compose import kept_apart, vanishing
from symdyn.plan.plan import Field, FieldKind, Plan, Sweep


def constraint_error_plan(model: Model) -> Plan:
    """The plan of q -> e, (m,)."""
    constraints = ConstraintSet(TreePlan(model))
    sweeps = [pose_sweep(constraints.tree), *relation_sweeps(constraints, "e"), coupling_sweep(constraints, "q", "e")]
    return _plan("constraint_error", constraints, sweeps, {"e": constraints.count})


def constraint_jacobian_plan(model: Model, tree: TreePlan | None = None) -> Plan:
    """The plan of q -> A, (m, nv): e' = A v. ``tree`` is the tree to build on."""
    constraints = ConstraintSet(tree or TreePlan(lossless(model)))
    rows = slopes_of(constraints, "A")
    sweeps = [
        pose_sweep(constraints.tree),
        *relation_sweeps(constraints),
        *exertion_sweeps(constraints),
        *rows.sweeps(),
    ]
    return _plan("constraint_jacobian", constraints, sweeps, {"A": constraints.count * model.nv}, rows.fields())


def slopes_beside(constraints: ConstraintSet, target: str) -> tuple[list[Field], list[Sweep]]:
    """Fields and sweeps of the slopes, for another plan from q that has filled ``pose`` and ``related``.

    Parameters
    ----------
    constraints
        The loops.
    target
        The field to fill, (m, nv); the caller declares it.
    """
    rows = slopes_of(constraints, target)
    if not isinstance(rows, WhitenedJacobian):  # what leads forces to rods needs their steps
        plan = constraint_jacobian_plan(constraints.tree.model, constraints.tree)
        return kept_apart(plan.fields, plan.sweeps, "steep", (), {"A": target})
    sweeps = [*exertion_sweeps(constraints), *rows.sweeps()]
    fields = [
        field for field in relation_fields(constraints, sweeps) if field.name in ("on_own", "on_other", "coefficients")
    ]
    return [*fields, *rows.fields()], sweeps


def constraint_bias_plan(model: Model) -> Plan:
    """The plan of q, v -> e'' at a = 0, (m,)."""
    constraints = ConstraintSet(TreePlan(model))
    sweeps = [
        MOVE.over(constraints.tree, constraints.carriers),
        *relation_sweeps(constraints),
        *change_sweeps(constraints, "bias", still=True),
        coupling_sweep(constraints, "v", "bias", ()),
        velocity_sweep(constraints.velocities, "bias"),
    ]
    given = [Field("v", FieldKind.INPUT, model.nv)] if constraints.velocities else []
    plan = _plan("constraint_bias", constraints, sweeps, {"bias": constraints.count}, given)
    fields, run = vanishing(plan.fields, plan.sweeps, ("a",))
    return replace(plan, fields=tuple(fields), sweeps=tuple(run))


def constraint_rate_plan(model: Model, tree: TreePlan | None = None) -> Plan:
    """The plan of q, v -> A v, (m,). ``tree`` is the tree to build on."""
    constraints = ConstraintSet(tree or TreePlan(lossless(model)))
    sweeps = [
        constraints.tree.rods.outward(["q", "v"]),  # at once, so that one step has positions and rates
        pose_sweep(constraints.tree),
        *relation_sweeps(constraints),
        coefficient_sweep(constraints.velocities),
        *rate_sweeps(constraints),
    ]
    return _plan(
        "constraint_rate", constraints, sweeps, {"rate": constraints.count}, [Field("v", FieldKind.INPUT, model.nv)]
    )


def _plan(
    name: str, constraints: ConstraintSet, sweeps: Sequence[Sweep], outputs: dict[str, int], more: Iterable[Field] = ()
) -> Plan:
    inputs = [Field("q", FieldKind.INPUT, constraints.tree.model.nq)]
    made = [
        *inputs,
        *relation_fields(constraints, sweeps),
        *more,
        *(Field(name, FieldKind.OUTPUT, size) for name, size in outputs.items()),
    ]
    return plan_of(name, constraints.tree, sweeps, made)
