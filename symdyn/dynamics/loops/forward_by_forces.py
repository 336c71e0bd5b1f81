"""Forward and hybrid dynamics of robots with loops and soft links, in two steps (``forward_dynamics.station_bias``).

The motion with the prescribed accelerations, and zero elsewhere, tells forces, how errors accelerate and the slopes A,
all on stations. What is left of the forces is solved with the factor of the robot in which each rod is one body; the
multipliers come between both halves of the solution, as in ``forward``.
"""

from __future__ import annotations

from collections.abc import Collection

from symdyn.dynamics.forward_dynamics.aba_layout import AbaLayout
from symdyn.dynamics.forward_dynamics.station_bias import More, Solution, balance_sweeps
from symdyn.dynamics.loops.constrained_residual import held_motion_plan
from symdyn.dynamics.loops.constraint_set import ConstraintSet
from symdyn.dynamics.loops.constraints import constraint_jacobian_plan
from symdyn.dynamics.loops.contracted_jacobian import ContractedJacobian
from symdyn.dynamics.loops.multipliers import multiplier_sweeps
from symdyn.dynamics.loops.operational_inertia import inertia_sweeps
from symdyn.dynamics.tree.contracted_view import step_fields
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.model import Model
from symdyn.plan.compose import kept_apart, places_written
from symdyn.plan.plan import Field, FieldKind, Plan

SLOPES = "slopes"
"""Field of A, (m, nv)."""


def constrained_by_forces_plan(
    model: Model,
    name: str,
    free: Collection[int],
    given: str,
    found: str,
    external: str = "",
    stabilisation: float | None = None,
) -> Plan:
    """As ``forward.constrained_hybrid_dynamics_plan``, of robots with soft links."""
    constraints = ConstraintSet(TreePlan(model))
    moving = held_motion_plan(model, external, stabilisation, exerted=False, slopes=True)
    known = places_written(moving.sweeps, "A")

    def held_by(elimination: AbaLayout) -> More:
        whitened = ContractedJacobian(constraints, elimination, SLOPES, known)
        fields, between = multiplier_sweeps(whitened, "lambda", found, None)
        return More([*fields, *whitened.fields()], whitened.sweeps(), between)

    solution = Solution.of(model, free, found, held_by)
    linked = {"a": "known", "tau": "bias", "constraint_residual": "acceleration", "A": SLOPES}
    fields, sweeps = kept_apart(
        moving.fields, moving.sweeps, "bias", ("ground", *step_fields(constraints.tree)), linked
    )
    known_sweep, rest, total = balance_sweeps(model, free, given, found)
    told = [
        Field(given, FieldKind.INPUT, model.nv),
        *(Field(row, FieldKind.STATE, model.nv) for row in ("known", "bias")),
        Field("acceleration", FieldKind.STATE, constraints.count),
        Field(SLOPES, FieldKind.STATE, constraints.count * model.nv, sparse=True),
        *fields,
        *solution.fields,
        Field("lambda", FieldKind.OUTPUT, constraints.count),
    ]
    run = (known_sweep, *sweeps, rest, *solution.factor, *solution.solve, *total)
    made = {field.name: field for field in told}
    return Plan(name, tuple(made.values()), run, moving.bodies, moving.parent)


def inertia_by_forces_plan(model: Model) -> Plan:
    """As ``forward.operational_inertia_plan``, of robots with soft links."""
    constraints, slopes = ConstraintSet(TreePlan(model)), constraint_jacobian_plan(model)
    known, size = places_written(slopes.sweeps, "A"), constraints.count**2

    def served(elimination: AbaLayout) -> More:
        whitened = ContractedJacobian(constraints, elimination, SLOPES, known)
        fields, finding = inertia_sweeps(whitened)
        return More([*fields, *whitened.fields()], [*whitened.sweeps(), *finding])

    solution = Solution.of(model, range(model.nv), "found", served)
    fields, sweeps = kept_apart(slopes.fields, slopes.sweeps, "slope", step_fields(constraints.tree), {"A": SLOPES})
    told = [
        *fields,
        Field(SLOPES, FieldKind.STATE, constraints.count * model.nv, sparse=True),
        *(field for field in solution.fields if field.name not in ("rest", "found")),
        *(Field(name, FieldKind.OUTPUT, size) for name in ("delassus", "inertia")),
    ]
    made = {field.name: field for field in told}
    run = (*sweeps, *solution.factor)
    return Plan("operational_inertia", tuple(made.values()), run, slopes.bodies, slopes.parent)
