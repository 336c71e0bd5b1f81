"""Errors of closed loops, their slopes, and how they accelerate."""

from __future__ import annotations

from collections.abc import Callable

from symdyn.dynamics.loops.constraints import constraint_bias_plan, constraint_error_plan, constraint_jacobian_plan
from symdyn.functions import arguments
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.parts import LOOPS
from symdyn.functions.units import move, quotient
from symdyn.interface.signature import Argument
from symdyn.model.loop import FORCES
from symdyn.model.model import Model


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
    return (argument(model),) if model.loops else ()


def _per_row(model: Model, name: str, by: str, description: str) -> Argument:
    units = tuple(unit + by for unit in model.loop_row_units)
    return Argument(name, (len(units),), (model.loop_row_names,), units or ("",), description)


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
)
