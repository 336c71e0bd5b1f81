"""What functions of one step take and give: names, shapes and units of states, derivatives and accelerations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from symdyn.dynamics.control.residual_partials import SLOPES
from symdyn.dynamics.control.step_hessian import H_UU, H_XU, H_XX
from symdyn.dynamics.control.step_moves import BY_LENGTH
from symdyn.dynamics.control.steps import (
    MATRICES,
    VELOCITY_ROWS,
)
from symdyn.functions import arguments
from symdyn.functions.adjoints import by_parameters
from symdyn.functions.dynamics_arguments import given_forces
from symdyn.functions.loops import error_bias, multipliers, of_loops
from symdyn.functions.request import Request, is_driven
from symdyn.functions.units import move, per, quotient
from symdyn.interface.derivatives import WEIGHTS
from symdyn.interface.signature import HELD_ROWS, Argument, Signature
from symdyn.interface.stepping import (
    IMPLICIT_STEPS,
    SDIRK2,
)
from symdyn.model.model import Model


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


def velocity_rows(model: Model, request: Request) -> Iterator[Argument]:
    """Derivatives of v_next."""
    for x, by in _directions(model, request).items():
        yield _slopes(next_velocities(model), by, VELOCITY_ROWS[x], "v_next")


def state_rows(model: Model, request: Request) -> Iterator[Argument]:
    """Matrices of a linearised step."""
    directions = _directions(model, request)
    for x, name in MATRICES.items():
        if x == "p" and not by_parameters(model, request):
            continue
        yield _slopes(state_moves(model), directions[x], name, "moves of the next state")


def step_function(
    model: Model,
    request: Request,
    name: str,
    outputs: tuple[Argument, ...],
    description: str,
    more: tuple[Argument, ...] = (),
) -> Signature:
    """The signature of a function (q, v, tau, h, more)."""
    inputs = (
        arguments.coordinates(model),
        arguments.velocities(model),
        given_forces(model, request),
        arguments.step_length(model),
        *more,
    )
    held: dict[str, Any] = {HELD_ROWS: model.loop_row_names}
    return arguments.signature(model, request, name, inputs, outputs, description, step=request.step, **held)


def after(model: Model) -> tuple[Argument, Argument]:
    """The state after a step."""
    return next_coordinates(model), next_velocities(model)


def is_implicit(request: Request) -> bool:
    """Whether the method takes an acceleration that makes the equations of motion hold within the step."""
    return request.step in IMPLICIT_STEPS or request.step == SDIRK2


def accelerations(model: Model, request: Request, name: str = "a", whole: bool = False) -> tuple[Argument, ...]:
    """Those of implicit steps, or of all where they are asked for as a ``whole``."""
    if not (whole or is_implicit(request)):
        return ()
    described = "acceleration of the step" + ("" if name == "a" else ", as it is guessed: that of the step before")
    own = arguments.accelerations(model)
    (names,), units = own.rows, own.element_units
    for exerted in of_loops(model, multipliers):
        names, units = (*names, *exerted.rows[0]), (*units, *exerted.element_units)
        described = described.replace("acceleration", "acceleration and multipliers of loops", 1)
    if request.step == SDIRK2:
        names = tuple(f"{stage} stage: {row}" for stage in ("first", "second") for row in names)
        units, described = units * 2, f"{described}, for each of its two stages"
    return (replace(own, name=name, shape=(len(names),), rows=(names,), units=units, description=described),)


def step_signature(model: Model, request: Request) -> Signature:
    """What ``step`` takes and gives."""
    implicit = is_implicit(request)
    described = "Coordinates and velocities after one step of length h" + (
        ", by one step of Newton's method for its acceleration." if implicit else "."
    )
    outputs = (*after(model), *accelerations(model, request))
    return step_function(model, request, "step", outputs, described, accelerations(model, request, "a_guess"))


def _needs(model: Model, request: Request) -> Argument:
    """What is left of the equations of motion, and of loops', at each stage: rows as those of a."""
    own = replace(arguments.generalised_forces(model), name="R", description="what is left of the equations of motion")
    (names,), units = own.rows, own.element_units
    for held in of_loops(model, error_bias):
        names, units = (*names, *held.rows[0]), (*units, *held.element_units)
        own = replace(own, description=f"{own.description}, then of those of loops")
    if request.step == SDIRK2:
        names = tuple(f"{stage} stage: {row}" for stage in ("first", "second") for row in names)
        units = units * 2
    return replace(own, shape=(len(names),), rows=(names,), units=units)


def equations_signature(model: Model, request: Request) -> Signature:
    """What ``step_equations`` takes and gives."""
    described = "State after one step of length h at a given acceleration, and what that leaves of the equations."
    outputs, given = (*after(model), _needs(model, request)), accelerations(model, request, whole=True)
    return step_function(model, request, "step_equations", outputs, described, given)


def state_weights(model: Model) -> Argument:
    """Weights of moves of q_next and of v_next, (2 nv,), in units of which products are without one."""
    x = state_moves(model)
    units = tuple(quotient("1", unit) for unit in x.element_units)
    return replace(x, name=WEIGHTS, units=units, description="weights of moves of q_next, then of v_next")


def gradients(model: Model, request: Request) -> Iterator[Argument]:
    """Gradients of a weighted state after a step."""
    x, *others = _directions(model, request).values()
    size = model.nv
    moves = replace(x, shape=(size,), rows=(model.velocity_names,), units=x.units[:size], description="moves of q")
    named = {"q": moves, "v": arguments.velocities(model)} | dict(zip("up", others, strict=False))
    for name, by in named.items():
        if name != "p" or by_parameters(model, request):
            units = tuple(quotient("1", unit) for unit in by.element_units)
            described = f"derivatives of the weighted state after the step by {by.description}"
            yield replace(by, name=f"g_{name}", units=units, description=described)
    if by_length(request):
        described = "derivative of the weighted state after the step by its length h"
        yield Argument(BY_LENGTH, (), (), ("1/s",), described)


def by_length(request: Request) -> bool:
    """Whether the gradient by the length of a step is asked for."""
    return request.gradient == "step"


def residual_signature(model: Model, request: Request) -> Signature:
    """What ``implicit_residual_partials`` takes and gives."""
    forces = arguments.generalised_forces(model)
    described = "forces that the motion needs and does not have"
    R = replace(forces, name="R", description=described)
    velocities = arguments.velocities(model)
    by = {
        "q": replace(velocities, units=tuple(map(move, velocities.units)), description="moves of q along rows of v"),
        "v": velocities,
        "a": arguments.accelerations(model),
    }
    if is_driven(request):
        by["u"] = given_forces(model, request)
    if model.slots.names:
        by["p"] = arguments.parameters(model)
    outputs = (R, *(_slopes(R, own, SLOPES[x], "R") for x, own in by.items()))
    inputs = (
        arguments.coordinates(model),
        arguments.velocities(model),
        arguments.accelerations(model),
        given_forces(model, request),
        *of_loops(model, multipliers),
    )
    return arguments.signature(
        model,
        request,
        "implicit_residual_partials",
        inputs,
        outputs,
        "Residual R of the equations of motion, and its derivatives, for implicit integrators.",
    )


def curvatures(model: Model, request: Request) -> tuple[Argument, ...]:
    """H_xx, H_xu and H_uu."""
    x, u = state_moves(model), given_forces(model, request)
    found = []
    for name, by, then in ((H_XX, x, x), (H_XU, x, u), (H_UU, u, u)):
        units = tuple(quotient(quotient("1", row), column) for row in by.element_units for column in then.element_units)
        described = f"derivatives of the weighted state after the step by {by.description}, then by {then.description}"
        found.append(Argument(name, (by.size, then.size), (by.rows[0], then.rows[0]), units, described))
    return tuple(found)
