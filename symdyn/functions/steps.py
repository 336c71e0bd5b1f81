"""Functions of one step of a robot: states after it, and their derivatives, for optimal control and learning."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from symdyn.dynamics.control.step_adjoint import explicit_adjoint_plan
from symdyn.dynamics.control.steps import (
    MATRICES,
    VELOCITY_ROWS,
    explicit_partials_plan,
    explicit_step_plan,
)
from symdyn.dynamics.equations.adjoint import SOLUTION, adjoint_plan
from symdyn.dynamics.equations.hessian import MULTIPLIER_WEIGHTS
from symdyn.dynamics.equations.implicit import Outputs, implicit_partials_plan
from symdyn.functions import arguments
from symdyn.functions.adjoints import by_parameters
from symdyn.functions.dynamics_arguments import given_forces
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.problems import DynamicsProblem, dynamics_of
from symdyn.functions.request import Request, free_rows, is_driven
from symdyn.functions.units import move, per, quotient
from symdyn.functions.values import solution_plan
from symdyn.interface.derivatives import WEIGHTS
from symdyn.interface.signature import HELD_ROWS, Argument, Signature
from symdyn.model.model import Model
from symdyn.plan.plan import Plan

_BY = {"q": "da_dq", "v": "da_dv", "u": "da_du", "p": "da_dp"}
"""Derivatives of accelerations within plans."""


def next_coordinates(model: Model) -> Argument:
    """The coordinates after a step, (nq,)."""
    return replace(arguments.coordinates(model), name="q_next", description="coordinates after the step")


def next_velocities(model: Model) -> Argument:
    """The velocities after a step, (nv,)."""
    return replace(arguments.velocities(model), name="v_next", description="velocities after the step")


def state_moves(model: Model) -> Argument:
    """Moves x = (dq, dv) of a state, (2 nv,): of q along rows of v, then of v."""
    names = (*(f"move of {name}" for name in model.velocity_names), *model.velocity_names)
    units = (*map(move, model.velocity_units), *model.velocity_units)
    return Argument("x", (2 * model.nv,), (names,), units, "moves of q along rows of v, then changes of v")


def _directions(model: Model, request: Request) -> dict[str, Argument]:
    """What a step is differentiated by."""
    given = {"x": state_moves(model), "u": given_forces(model, request)}
    if model.slots.names:
        given["p"] = replace(arguments.parameters(model), description="the run-time parameters")
    return given


def _slopes(of: Argument, by: Argument, name: str, what: str) -> Argument:
    units = tuple(per(row, column) for row in of.element_units for column in by.element_units)
    described = f"derivatives of {what} by {by.description}"
    return Argument(name, (of.size, by.size), (of.rows[0], by.rows[0]), units, described)


def _velocity_rows(model: Model, request: Request) -> Iterator[Argument]:
    for x, by in _directions(model, request).items():
        yield _slopes(next_velocities(model), by, VELOCITY_ROWS[x], "v_next")


def _state_rows(model: Model, request: Request) -> Iterator[Argument]:
    directions = _directions(model, request)
    for x, name in MATRICES.items():
        yield _slopes(state_moves(model), directions[x], name, "moves of the next state")


def _signature(
    model: Model,
    request: Request,
    name: str,
    outputs: tuple[Argument, ...],
    description: str,
    more: tuple[Argument, ...] = (),
) -> Signature:
    inputs = (
        arguments.coordinates(model),
        arguments.velocities(model),
        given_forces(model, request),
        arguments.step_length(model),
        *more,
    )
    held: dict[str, Any] = {HELD_ROWS: model.loop_row_names}
    return arguments.signature(model, request, name, inputs, outputs, description, step=request.step, **held)


def _after(model: Model) -> tuple[Argument, Argument]:
    return next_coordinates(model), next_velocities(model)


def _problem(model: Model, request: Request) -> DynamicsProblem:
    return dynamics_of(model, request)


def _step_plan(model: Model, request: Request) -> Plan:
    problem = _problem(model, request)
    return explicit_step_plan(model, solution_plan(problem, model, request, problem.name), problem.unknown[0])


def _partials_plan(model: Model, request: Request, name: str) -> Plan:
    outputs = Outputs(_BY)
    inner = implicit_partials_plan(_problem(model, request).equations(model, request), name, outputs)
    by = {x: field for x, field in _BY.items() if x != "p" or model.slots.names}
    return explicit_partials_plan(model, inner, "acceleration", by, name)


def _weights(model: Model) -> Argument:
    """Weights of moves of q_next and of v_next, (2 nv,), in units of which products are without one."""
    x = state_moves(model)
    units = tuple(quotient("1", unit) for unit in x.element_units)
    return replace(x, name=WEIGHTS, units=units, description="weights of moves of q_next, then of v_next")


def _gradients(model: Model, request: Request) -> Iterator[Argument]:
    x, *others = _directions(model, request).values()
    size = model.nv
    moves = replace(x, shape=(size,), rows=(model.velocity_names,), units=x.units[:size], description="moves of q")
    named = {"q": moves, "v": arguments.velocities(model)} | dict(zip("up", others, strict=False))
    for name, by in named.items():
        if name != "p" or by_parameters(model, request):
            units = tuple(quotient("1", unit) for unit in by.element_units)
            described = f"derivatives of the weighted state after the step by {by.description}"
            yield replace(by, name=f"g_{name}", units=units, description=described)


def _adjoint_plan(model: Model, request: Request) -> Plan:
    problem = _problem(model, request)
    given = "u" if is_driven(request) else problem.known
    parameters = by_parameters(model, request)
    inner = adjoint_plan(problem.equations(model, request), "step_adjoint", f"g_{problem.known}", parameters)
    by = {"g_q": "g_q", "g_v": "g_v", "g_u": f"g_{given}", **({"g_p": "g_p"} if parameters else {})}
    return explicit_adjoint_plan(model, inner, SOLUTION, by, [MULTIPLIER_WEIGHTS])


_TAKES = ("external_wrenches", "inputs", "stabilisation", "switched", "step")
_EQUATION = "v_next = v + h a, q_next = q (+) h v_next, with a of forward_dynamics or constrained_forward_dynamics"
_SOURCE = "Hairer, Lubich & Wanner 2006, section I.1; Munthe-Kaas 1999, for moves of joints that turn"
_ROWS = "dv_next_dx = [h da_dq, 1 + h da_dv], dv_next_du = h da_du, x = (moves of q along rows of v, v)"

ENTRIES = (
    CatalogueEntry(
        "step",
        "State after one step in time: q, v, tau, h -> q_next, v_next.",
        lambda model, request: _signature(
            model, request, "step", _after(model), "Coordinates and velocities after one step of length h."
        ),
        _step_plan,
        equation=_EQUATION,
        source=_SOURCE,
        takes=_TAKES,
        solves=free_rows,
    ),
    CatalogueEntry(
        "step_partials",
        "State after one step, and derivatives of its velocities: q, v, tau, h -> q_next, v_next, dv_next_dx, "
        "dv_next_du.",
        lambda model, request: _signature(
            model,
            request,
            "step_partials",
            (*_after(model), *_velocity_rows(model, request)),
            "State after one step of length h, and derivatives of its velocities: what those of its coordinates "
            "follow from.",
        ),
        lambda model, request: _partials_plan(model, request, "step_partials"),
        equation=_ROWS,
        source="Carpentier & Mansard 2018, for derivatives of a",
        takes=_TAKES,
        solves=free_rows,
    ),
    CatalogueEntry(
        "step_matrices",
        "Matrices of a linearised step: q, v, tau, h -> A, (2 nv, 2 nv), B, (2 nv, nv).",
        lambda model, request: _signature(
            model,
            request,
            "step_matrices",
            tuple(_state_rows(model, request)),
            "Derivatives of the state after one step of length h, along rows of v at both ends.",
        ),
        lambda model, request: _partials_plan(model, request, "step_matrices"),
        equation="A = [T, 0; 0, 0] + [h D; 1] dv_next_dx, B = [h D; 1] dv_next_du, d(q (+) h v) = T dq + h D dv",
        source="Carpentier & Mansard 2018, for derivatives of a; Selig 2005, section 4.4, for T and D",
        takes=_TAKES,
        solves=free_rows,
    ),
    CatalogueEntry(
        "step_adjoint",
        "Gradient of a weighted state after a step: q, v, tau, h, lambda -> g_q, g_v, g_u.",
        lambda model, request: _signature(
            model,
            request,
            "step_adjoint",
            tuple(_gradients(model, request)),
            "Gradient of a weighted sum of moves of the state after one step of length h.",
            (_weights(model),),
        ),
        _adjoint_plan,
        equation="(g_q, g_v) = A^T lambda, g_u = B^T lambda with A and B of step_matrices",
        source="Griewank & Walther 2008, chapter 15, for adjoints of implicit functions",
        takes=(*_TAKES[:-1], "gradient", "step"),
        solves=free_rows,
    ),
)
