"""A step at an acceleration that is given, and what that leaves of the equations of motion: for direct transcription.

    w = v + theta h a,    R(q (+) theta h w, w, a, u),    v+ = v + e h a,    q+ = q (+) e h w

with R as in ``implicit_steps``. A solver that has a as an unknown, and R = 0 as a constraint, needs no step to converge
within another iteration (Betts 2010, section 4.5). Semi-implicit Euler has R at (q, v), and ends as implicit Euler.
"""

from __future__ import annotations

from symdyn.dynamics.control.chained_steps import ChainedSteps
from symdyn.dynamics.control.implicit_steps import STAGE, VELOCITY, ImplicitStep
from symdyn.dynamics.control.step_moves import advance_sweep, inputs_of, move_sweeps
from symdyn.dynamics.control.steps import Q_NEXT, V_NEXT
from symdyn.dynamics.equations.implicit_residual import RESIDUAL, less_forces
from symdyn.plan.compose import kept_apart, outputs_as_state
from symdyn.plan.plan import Field, FieldKind, Plan

_ERRORS, _MOVING = "errors_of_loops", "moving"


def equations_plan(own: ImplicitStep, met_at_start: bool = False) -> Plan:
    """The plan of (q, v, u, h, a) -> q_next, v_next, R (n,): of forces, then of loops.

    Parameters
    ----------
    own
        The step.
    met_at_start
        Whether the equations of motion hold at (q, v), as for semi-implicit Euler.
    """
    model, nv, problem = own.model, own.model.nv, own.problem
    inner = less_forces(model, problem.residual(), problem.actuated)
    linked = {**own.linked, RESIDUAL: RESIDUAL, "constraint_residual": _ERRORS}
    if met_at_start:
        linked |= {"q": "q", "v": "v"}
    fields, sweeps = kept_apart(outputs_as_state(inner.fields), inner.sweeps, "residual", (), linked)
    found = own.placed(sweeps, {_ERRORS: RESIDUAL})
    first = [
        advance_sweep(nv, "v", own.acceleration, VELOCITY, own.theta),
        *move_sweeps(model, VELOCITY, STAGE, own.theta),
    ]
    fields = [
        *inputs_of(model),
        Field(own.acceleration, FieldKind.INPUT, own.count),
        *(field for field in fields if field.name not in ("q", "v")),
        Field(STAGE, FieldKind.STATE, model.nq),
        *(Field(name, FieldKind.STATE, nv) for name in (VELOCITY, _MOVING)),
    ]
    run = [*first, *found, *own.let_go_of(RESIDUAL), *own.ahead(own.acceleration, _MOVING)]
    return own.planned("step_equations", fields, run, {Q_NEXT: model.nq, V_NEXT: nv, RESIDUAL: own.count})


def chained_equations_plan(own: ChainedSteps) -> Plan:
    """The same of two maps, one after the other: a and R have rows of the first, then of the second."""
    return own.equations_plan("step_equations", [equations_plan(step) for step in (own.first, own.second)])
