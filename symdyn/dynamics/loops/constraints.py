"""What holds in a robot with loops: their errors, how these change, and how they accelerate where v is steady."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symdyn.dynamics.loops.constraint_kinematics import (
    MOVE,
    MOVE_STATIONS,
    change_sweeps,
    exertion_sweeps,
    rate_sweeps,
    relation_fields,
    relation_sweeps,
)
from symdyn.dynamics.loops.constraint_set import HeldTree
from symdyn.dynamics.loops.linear_couplings import coupling_sweep
from symdyn.dynamics.loops.pfaffian import coefficient_sweep, velocity_sweep
from symdyn.dynamics.loops.station_jacobian import slopes_of
from symdyn.dynamics.loops.whitened_jacobian import HalfSolutions
from symdyn.dynamics.tree.bindings import plan_of
from symdyn.dynamics.tree.body_state import pose_sweep
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.model import Model, lossless
from symdyn.plan.compose import kept_apart
from symdyn.plan.plan import Field, FieldKind, Plan, Sweep


def constraint_error_plan(model: Model) -> Plan:
    """The plan of q -> e, (m,)."""
    held = HeldTree(TreePlan(model))
    sweeps = [pose_sweep(held.tree), *relation_sweeps(held, "e"), coupling_sweep(held, "q", "e")]
    return _plan("constraint_error", held, sweeps, {"e": held.count})


def constraint_jacobian_plan(model: Model) -> Plan:
    """The plan of q -> A, (m, nv): e' = A v."""
    held = HeldTree(TreePlan(lossless(model)))
    rows = slopes_of(held, "A")
    sweeps = [pose_sweep(held.tree), *relation_sweeps(held), *exertion_sweeps(held), *rows.sweeps()]
    return _plan("constraint_jacobian", held, sweeps, {"A": held.count * model.nv}, rows.fields())


def slopes_beside(held: HeldTree, target: str) -> tuple[list[Field], list[Sweep]]:
    """Fields and sweeps of the slopes, for another plan from q that has filled ``pose`` and ``related``.

    Parameters
    ----------
    held
        The loops.
    target
        The field to fill, (m, nv); the caller declares it.
    """
    rows = slopes_of(held, target)
    if not isinstance(rows, HalfSolutions):  # what leads forces to rods needs their steps
        plan = constraint_jacobian_plan(held.tree.model)
        return kept_apart(plan.fields, plan.sweeps, "steep", (), {"A": target})
    sweeps = [*exertion_sweeps(held), *rows.sweeps()]
    fields = [field for field in relation_fields(held, sweeps) if field.name in ("on_own", "on_other", "coefficients")]
    return [*fields, *rows.fields()], sweeps


def constraint_bias_plan(model: Model) -> Plan:
    """The plan of q, v -> e'' at a = 0, (m,)."""
    held = HeldTree(TreePlan(model))
    still = [Field("a", FieldKind.STATE, model.nv, sparse=True)] if model.rods else []
    sweeps = [
        (MOVE_STATIONS if model.rods else MOVE).over(held.tree, held.carriers),
        *relation_sweeps(held),
        *change_sweeps(held, "bias", still=True),
        coupling_sweep(held, "v", "bias", ()),
        velocity_sweep(held.velocities, "bias"),
    ]
    given = [Field("v", FieldKind.INPUT, model.nv)] if held.velocities else []
    return _plan("constraint_bias", held, sweeps, {"bias": held.count}, [*given, *still])


def constraint_rate_plan(model: Model) -> Plan:
    """The plan of q, v -> A v, (m,)."""
    held = HeldTree(TreePlan(lossless(model)))
    sweeps = [pose_sweep(held.tree), *relation_sweeps(held), coefficient_sweep(held.velocities), *rate_sweeps(held)]
    return _plan("constraint_rate", held, sweeps, {"rate": held.count}, [Field("v", FieldKind.INPUT, model.nv)])


def _plan(
    name: str, held: HeldTree, sweeps: Sequence[Sweep], outputs: dict[str, int], more: Iterable[Field] = ()
) -> Plan:
    inputs = [Field("q", FieldKind.INPUT, held.tree.model.nq)]
    made = [
        *inputs,
        *relation_fields(held, sweeps),
        *more,
        *(Field(name, FieldKind.OUTPUT, size) for name, size in outputs.items()),
    ]
    return plan_of(name, held.tree, sweeps, made)
