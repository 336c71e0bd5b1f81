"""Errors of closed loops, their slopes, and how they accelerate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from symdyn.functions import arguments
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.parts import LOOPS
from symdyn.functions.request import Request, free_rows
from symdyn.functions.units import mass, move, quotient
from symdyn.interface.signature import HELD_ROWS, Argument, Signature
from symdyn.model.loop import FORCES
from symdyn.model.model import Model
from symdyn.plan.plan import Plan


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


def of_loops(model: Model, argument: Callable[[Model], Argument]) -> tuple[Argument, ...]:
    """An argument that robots with loops alone have."""
    return (argument(model),) if LOOPS.found(model) else ()


def recorded_rows(model: Model, signature: Signature) -> Signature:
    """The signature with the rows of the loops' errors, which no argument names."""
    if not LOOPS.found(model):
        return signature
    return replace(signature, options={**signature.options, HELD_ROWS: model.loop_row_names})


def _per_row(model: Model, name: str, by: str, description: str) -> Argument:
    units = tuple(unit + by for unit in model.loop_row_units)
    return Argument(name, (len(units),), (model.loop_row_names,), units or ("",), description)


def _inertia(model: Model, name: str, inverse: bool, description: str) -> Argument:
    names, rates = model.loop_row_names, [f"{unit}/s" for unit in model.loop_row_units]
    units = tuple(mass(row, column) for row in rates for column in rates)
    if inverse:
        units = tuple(quotient("1", unit) for unit in units)
    return Argument(name, (len(names), len(names)), (names, names), units or ("",), description)


def delassus(model: Model) -> Argument:
    """The matrix A M^-1 A^T, (m, m): how errors accelerate per multiplier."""
    return _inertia(model, "delassus", True, "A M^-1 A^T: accelerations of the errors per multiplier")


def operational_inertia(model: Model) -> Argument:
    """Its inverse, (m, m): the inertia that the errors feel."""
    return _inertia(model, "inertia", False, "inverse of A M^-1 A^T: multipliers per acceleration of the errors")


def _constraint_error_plan(model: Model, _: Request) -> Plan:
    from symdyn.dynamics.loops.constraints import constraint_error_plan

    return constraint_error_plan(model)


def _constraint_jacobian_plan(model: Model, _: Request) -> Plan:
    from symdyn.dynamics.loops.constraints import constraint_jacobian_plan

    return constraint_jacobian_plan(model)


def _constraint_bias_plan(model: Model, _: Request) -> Plan:
    from symdyn.dynamics.loops.constraints import constraint_bias_plan

    return constraint_bias_plan(model)


def _operational_inertia_plan(model: Model, _: Request) -> Plan:
    from symdyn.dynamics.equations.constrained_dynamics import operational_inertia_plan

    return operational_inertia_plan(model)


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
        _constraint_error_plan,
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
        _constraint_jacobian_plan,
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
        _constraint_bias_plan,
        equation="e'' = A a + bias",
        source="Kim 2012, section 3.2",
        needs=LOOPS,
    ),
    CatalogueEntry(
        "operational_inertia",
        "Accelerations of the loops' errors per multiplier, and the inverse: q -> delassus, inertia.",
        arguments.signed(
            "operational_inertia",
            (arguments.coordinates,),
            (delassus, operational_inertia),
            "Delassus matrix A M^-1 A^T at position q, and its inverse.",
            feels_gravity=False,
        ),
        _operational_inertia_plan,
        equation="delassus = A M^-1 A^T, inertia = delassus^-1",
        source="Khatib 1987; Featherstone 2008, section 8.5",
        takes=("switched",),
        needs=LOOPS,
        solves=free_rows,
    ),
)
