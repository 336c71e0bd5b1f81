"""Partial derivatives of solutions of problems of dynamics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from symdyn.functions import arguments
from symdyn.functions.dynamics_arguments import is_restituting
from symdyn.functions.operators import Operator, inputs
from symdyn.functions.problems import DynamicsProblem
from symdyn.functions.request import Request, is_driven
from symdyn.functions.units import move, per
from symdyn.functions.values import actuated_rows
from symdyn.interface.signature import Argument
from symdyn.model.joints import FORCE_UNITS
from symdyn.model.model import Model
from symdyn.plan.plan import Plan

if TYPE_CHECKING:
    from symdyn.dynamics.equations.implicit import Outputs


def _jacobians(problem: DynamicsProblem, model: Model, request: Request) -> Iterator[Argument]:
    """The derivatives of what is found by moves of q, by v, by what is given, and by p where there are parameters."""
    by = problem.directions(model, request)
    if model.slots.names:
        by["p"] = replace(arguments.parameters(model), description="the run-time parameters")
    for of in problem.found(model, request):
        for name, own in by.items():
            units = tuple(per(row, unit) for row in of.element_units for unit in own.element_units)
            described = f"derivatives of {of.name} by {own.description}, the other inputs held fixed"
            yield Argument(f"d{of.name}_d{name}", (of.size, own.size), (of.rows[0], own.rows[0]), units, described)


def force_jacobians(problem: DynamicsProblem, model: Model, request: Request) -> tuple[Argument, ...]:
    """The derivatives of tau, which by a are the mass matrix."""
    _, by_v, by_a, *by_p = _jacobians(problem, model, request)
    described = by_a.description.replace("accelerations", "accelerations: the mass matrix")
    return (force_partials(model), by_v, replace(by_a, description=described), *by_p)


def force_partials(model: Model) -> Argument:
    """The partial derivatives of tau, (nv, nv), by moves of q; forces per unit of the move."""
    return arguments.square(
        model,
        "dtau_dq",
        lambda row, column: FORCE_UNITS[row] if move(column) == "1" else f"{FORCE_UNITS[row]}/{move(column)}",
        "derivatives of tau by moves of q along rows of v, the other inputs held fixed",
    )


def _outputs(problem: DynamicsProblem, request: Request) -> Outputs:
    from symdyn.dynamics.equations.implicit import Outputs

    given = {"u": "u" if is_driven(request) else problem.known, "a": "a"} if problem.known else {}
    by = {"q": "q", "v": "v", **given, "p": "p"}
    return Outputs(*({x: f"d{of}_d{name}" for x, name in by.items()} for of in problem.unknown))


def partials_plan(problem: DynamicsProblem, model: Model, request: Request, name: str) -> Plan:
    """The plan of derivatives of what forward or hybrid dynamics finds, with loops or without."""
    if request.unknown:
        from symdyn.dynamics.equations.unknown_input_partials import unknown_inputs_partials_plan

        return unknown_inputs_partials_plan(model, name, request.prescribed, request.unknown, request.external)
    from symdyn.dynamics.equations.implicit import implicit_partials_plan

    return implicit_partials_plan(problem.equations(model, request), name, _outputs(problem, request))


def constrained_inverse_partials_plan(problem: DynamicsProblem, model: Model, request: Request, name: str) -> Plan:
    """The plan of derivatives of tau and of the multipliers by q, v, a and p."""
    from symdyn.dynamics.equations.inverse_partials import SharingSystem

    rows, outputs = actuated_rows(model, request, name), _outputs(problem, request)
    return SharingSystem(model, rows, request.objective, request.weights, request.external).partials(outputs)


def impulse_dynamics_partials_plan(problem: DynamicsProblem, model: Model, request: Request, _: str) -> Plan:
    """The plan of derivatives of velocities after an impact and of its impulses by q, v and p."""
    from symdyn.dynamics.equations.impulse_partials import impulse_partials_plan

    return impulse_partials_plan(model, _outputs(problem, request), is_restituting(request))


def inverse_partials_plan(_: DynamicsProblem, model: Model, request: Request, __: str) -> Plan:
    """The plan of derivatives of joint forces."""
    from symdyn.dynamics.partials.inverse_dynamics import inverse_dynamics_partials_plan

    return inverse_dynamics_partials_plan(model, request.external)


PARTIALS = Operator(
    "partials",
    inputs,
    _jacobians,
    partials_plan,
    sentence=lambda problem: (
        f"Derivatives of {problem.solution}: {problem.symbols} -> "
        f"{', '.join(f'd{of}_d{by}' for of in problem.unknown for by in problem.symbols.split(', '))}."
    ),
    description=lambda problem, model, request: f"Partial derivatives of {problem.result}.",
)
