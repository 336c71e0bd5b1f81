"""Errors of closed loops, their slopes, and the dynamics of robots that have some."""

from __future__ import annotations

from symdyn.dynamics.actuation.plans import driven_plan
from symdyn.dynamics.loops.constraints import (
    constraint_bias_plan,
    constraint_error_plan,
    constraint_jacobian_plan,
)
from symdyn.dynamics.loops.forward import constrained_hybrid_dynamics_plan
from symdyn.functions import arguments
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.forward_dynamics import (
    found_force_or_motion,
    free_rows,
    given_forces,
    given_motion,
    is_driven,
)
from symdyn.functions.parts import LOOPS
from symdyn.functions.request import Request
from symdyn.functions.units import move, quotient
from symdyn.model.loop import FORCES
from symdyn.model.model import Model
from symdyn.plan.plan import Plan
from symdyn.signature import Argument, Option, Signature


def errors(model: Model) -> Argument:
    """The errors e, (m,), of the loops [m or rad]; 0 where they are closed."""
    return _per_row(model, "e", "", "errors of the loops, 0 where they are closed")


def error_slopes(model: Model) -> Argument:
    """The matrix A, (m, nv), with e' = A v."""
    names = (model.loop_row_names, model.velocity_names)
    units = tuple(quotient(row, move(column)) for row in model.loop_row_units for column in model.velocity_units)
    return Argument("A", (len(names[0]), model.nv), names, units or ("",), "rates of the errors per velocity")


def error_bias(model: Model) -> Argument:
    """The second time derivatives of the errors, (m,), where a = 0."""
    return _per_row(model, "bias", "/s^2", "second time derivatives of the errors at a = 0")


def multipliers(model: Model) -> Argument:
    """The multipliers lambda, (m,): the loops exert A^T lambda on the generalised coordinates."""
    units = tuple(FORCES[unit] for unit in model.loop_row_units)
    names = model.loop_row_names
    return Argument("lambda", (len(names),), (names,), units or ("",), "multipliers: the loops exert A^T lambda")


def _per_row(model: Model, name: str, by: str, description: str) -> Argument:
    units = tuple(unit + by for unit in model.loop_row_units)
    return Argument(name, (len(units),), (model.loop_row_names,), units or ("",), description)


def _asked(request: Request) -> dict[str, Option]:
    return {} if request.stabilisation is None else {"stabilisation": repr(request.stabilisation)}


def _forward_signature(model: Model, request: Request) -> Signature:
    what = "inputs u of actuators" if is_driven(request) else "joint forces tau"
    return arguments.signature(
        model,
        request,
        "constrained_forward_dynamics",
        (arguments.coordinates(model), arguments.velocities(model), given_forces(model, request)),
        (arguments.accelerations(model), multipliers(model)),
        f"Acceleration a that {what} give the robot with its loops closed, and the multipliers lambda of these.",
        **_asked(request),
    )


def _forward_plan(model: Model, request: Request) -> Plan:
    plan = constrained_hybrid_dynamics_plan(
        model,
        "constrained_forward_dynamics",
        range(model.nv),
        "tau",
        "a",
        request.external,
        request.stabilisation,
    )
    return driven_plan(model, plan, "tau") if is_driven(request) else plan


def _hybrid_signature(model: Model, request: Request) -> Signature:
    return arguments.signature(
        model,
        request,
        "constrained_hybrid_dynamics",
        (arguments.coordinates(model), arguments.velocities(model), *given_motion(model, request)),
        (found_force_or_motion(model, request), multipliers(model)),
        "Forces of the rows whose acceleration is prescribed, accelerations of the others, and multipliers lambda.",
        **_asked(request),
    )


def _hybrid_plan(model: Model, request: Request) -> Plan:
    driven = is_driven(request)
    given, name = "given_u" if driven else "u", "constrained_hybrid_dynamics"
    plan = constrained_hybrid_dynamics_plan(
        model, name, free_rows(model, request), given, "w", request.external, request.stabilisation
    )
    return driven_plan(model, plan, given, request.prescribed) if driven else plan


ENTRIES = (
    CatalogueEntry(
        "constraint_error",
        "Errors of closed loops: q -> e, (m,).",
        arguments.signed(
            "constraint_error",
            (arguments.coordinates,),
            (errors,),
            "Errors e of the loops at position q.",
            feels_gravity=False,
        ),
        lambda model, _: constraint_error_plan(model),
        equation="position rows p, direction rows z_A . x_B, turns vee(R - R^T) / sqrt(1 + tr R), in the second place",
        source="smooth forms of what a joint holds; Kim 2012, section 3",
        needs=LOOPS,
    ),
    CatalogueEntry(
        "constraint_jacobian",
        "Rates of the errors of closed loops per velocity: q -> A, (m, nv).",
        arguments.signed(
            "constraint_jacobian",
            (arguments.coordinates,),
            (error_slopes,),
            "Matrix A with e' = A v for the errors e of the loops at position q.",
            feels_gravity=False,
        ),
        lambda model, _: constraint_jacobian_plan(model),
        equation="e' = A v, exactly at all q, closed or not",
        source="Kim 2012, eq. 55",
        needs=LOOPS,
    ),
    CatalogueEntry(
        "constraint_bias",
        "Second time derivatives of the errors of closed loops where a = 0: q, v -> bias, (m,).",
        arguments.signed(
            "constraint_bias",
            (arguments.coordinates, arguments.velocities),
            (error_bias,),
            "Second time derivative of the errors e of the loops at position q and velocity v, where a = 0.",
            feels_gravity=False,
        ),
        lambda model, _: constraint_bias_plan(model),
        equation="e'' = A a + bias",
        source="Kim 2012, section 3.2",
        needs=LOOPS,
    ),
    CatalogueEntry(
        "constrained_forward_dynamics",
        "Motion that joint forces cause where loops are closed: q, v, tau -> a, lambda.",
        _forward_signature,
        _forward_plan,
        equation="M a + bias = tau + A^T lambda, A a = -(e'' at a = 0) - 2 e' / T - e / T^2",
        source="Kim 2012, eqs. 67 to 69",
        takes=("external_wrenches", "inputs", "stabilisation"),
        needs=LOOPS,
        solves=free_rows,
    ),
    CatalogueEntry(
        "constrained_hybrid_dynamics",
        "Forces of prescribed rows, accelerations of the others, where loops are closed: q, v, u -> w, lambda.",
        _hybrid_signature,
        _hybrid_plan,
        equation="M a + bias = tau + A^T lambda, A a = -(e'' at a = 0) - 2 e' / T - e / T^2",
        source="Kim 2012, eqs. 72 to 80",
        takes=("external_wrenches", "prescribed", "inputs", "stabilisation"),
        needs=LOOPS,
        solves=free_rows,
    ),
)
