"""What is left of the forces on a robot that stands still: r = ID(q, 0, 0) - tau - A^T lambda, and the loops' errors e.

Generalised forces tau are given, or the inputs u of actuators, tau = B(q) u. What actuators give is added to tau in
rows of which the position is prescribed, as nobody asks there what holds them.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from symdyn.dynamics.actuation.input_slopes import less_given, taken_off
from symdyn.dynamics.elements.base import Gives
from symdyn.dynamics.elements.listed import DEFORMABLES, element_sweeps
from symdyn.dynamics.inverse_dynamics.rnea import INWARD, wrench_sweeps
from symdyn.dynamics.loops.constrained_residual import pull_bodies, pull_rows
from symdyn.dynamics.loops.constraint_kinematics import exertion_sweeps, relation_fields, relation_sweeps
from symdyn.dynamics.loops.constraint_set import ConstraintSet
from symdyn.dynamics.loops.linear_couplings import coupling_sweep
from symdyn.dynamics.tree.bindings import plan_of
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.model import Model
from symdyn.plan.compose import renamed, vanishing
from symdyn.plan.plan import Field, FieldKind, Plan


def held_statics_plan(model: Model, external: str = "") -> Plan:
    """The plan of (q[, lambda][, f_ext][, p]) -> r[, e]: what must be given for the robot to stand still.

    Parameters
    ----------
    model
        The robot; with loops there are lambda, (m,), and their errors e, (m,).
    external
        Axes of the wrenches f_ext: body, world, or empty.
    """
    tree = TreePlan(model, external)
    constraints = ConstraintSet(tree)
    sweeps = [
        *wrench_sweeps(tree),
        *relation_sweeps(constraints, "e"),
        coupling_sweep(constraints, "q", "e"),
        *exertion_sweeps(constraints),
        pull_bodies(constraints),
        *DEFORMABLES.wrenches(tree),
        INWARD.over(tree, reversed(tree.links)),
        *element_sweeps(tree, "tau", Gives.REACTION, Gives.FORCE),
        *pull_rows(constraints),
    ]
    kept = [sweep for sweep in sweeps if sweep.visits]
    kinds = {"lambda": FieldKind.INPUT, "e": FieldKind.OUTPUT} if constraints.count else {}
    own_fields = [Field(name, kind, constraints.count) for name, kind in kinds.items()]
    plan = plan_of("statics", tree, kept, [*relation_fields(constraints, kept), *own_fields])
    fields, run = vanishing(plan.fields, renamed(plan.sweeps, {"tau": "r"}), ("v", "a"))
    own = [field for field in fields if field.name != "tau"]
    return replace(plan, fields=(*own, Field("r", FieldKind.OUTPUT, model.nv)), sweeps=tuple(run))


def statics_residual_plan(
    model: Model, external: str = "", driven: bool = False, prescribed: Collection[int] = ()
) -> Plan:
    """The plan of (q, tau | u[, tau][, lambda][, f_ext][, p]) -> r[, e].

    Parameters
    ----------
    model, external
        As for :func:`held_statics_plan`.
    driven
        Whether inputs u (na,) of actuators are given in place of forces tau.
    prescribed
        Rows of v whose position is given. Beside inputs these rows of tau are read then.
    """
    plan = held_statics_plan(model, external)
    rows = sorted(prescribed) if driven else range(model.nv)
    if driven:
        plan = less_given(model, range(model.nv), plan, forces="r", rates=False)
    given = [Field("tau", FieldKind.INPUT, model.nv)] if rows else []
    sweeps = (*plan.sweeps, *([taken_off("tau", "r", rows)] if rows else []))
    return Plan("statics_residual", (*plan.fields, *given), sweeps, plan.bodies, plan.parent)
