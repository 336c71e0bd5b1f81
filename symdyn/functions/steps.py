"""Functions of one step of a robot: states after it, and their derivatives, for optimal control and learning."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from symdyn.dynamics.control.chained_steps import ChainedSteps
from symdyn.dynamics.control.implicit_adjoint import implicit_adjoint_plan
from symdyn.dynamics.control.implicit_steps import ImplicitStep
from symdyn.dynamics.control.residual_partials import SLOPES, residual_partials_plan
from symdyn.dynamics.control.runge_kutta import (
    RK4_METHOD,
    staged_partials_plan,
    staged_step_plan,
)
from symdyn.dynamics.control.runge_kutta_adjoint import staged_adjoint_plan
from symdyn.dynamics.control.step_adjoint import explicit_adjoint_plan
from symdyn.dynamics.control.step_equations import chained_equations_plan, equations_plan
from symdyn.dynamics.control.step_hessian import H_UU, H_XU, H_XX, SLOPES_OF_A, step_hessian_plan
from symdyn.dynamics.control.step_moves import BY_LENGTH, STEP_LENGTH
from symdyn.dynamics.control.steps import (
    MATRICES,
    VELOCITY_ROWS,
    explicit_partials_plan,
    explicit_step_plan,
)
from symdyn.dynamics.equations.adjoint import SOLUTION, adjoint_plan
from symdyn.dynamics.equations.hessian import MULTIPLIER_WEIGHTS
from symdyn.dynamics.equations.implicit import Outputs, implicit_partials_plan, takes_length
from symdyn.errors import RequestError
from symdyn.functions import arguments
from symdyn.functions.adjoints import by_parameters
from symdyn.functions.dynamics_arguments import given_forces
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.loops import error_bias, multipliers, of_loops
from symdyn.functions.problems import DynamicsProblem, dynamics_of
from symdyn.functions.request import Request, free_rows, is_driven
from symdyn.functions.units import move, per, quotient
from symdyn.functions.values import solution_plan
from symdyn.interface.derivatives import WEIGHTS
from symdyn.interface.signature import HELD_ROWS, Argument, Signature
from symdyn.interface.stepping import (
    IMPLICIT_MIDPOINT,
    IMPLICIT_STEPS,
    RK4,
    SDIRK2,
)
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
        if x == "p" and not by_parameters(model, request):
            continue
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


def is_implicit(request: Request) -> bool:
    """Whether the method takes an acceleration that makes the equations of motion hold within the step."""
    return request.step in IMPLICIT_STEPS or request.step == SDIRK2


def _implicit(model: Model, request: Request, acceleration: str = "a") -> ImplicitStep | ChainedSteps:
    """An implicit step.

    Raises
    ------
    RequestError
        More rows than straight-line code can solve for.
    """
    problem = _problem(model, request)
    rows = model.nv + (len(model.loop_row_names) if problem.looped else 0)
    if rows > _MOST_ROWS:
        raise RequestError(
            f"step='{request.step}' solves for at most {_MOST_ROWS} rows of v and of loops, and '{model.name}' has "
            f"{rows}; take the stepper generalised-alpha, or fewer modes or strains"
        )
    equations = problem.equations(model, request)
    if request.step == SDIRK2:
        return ChainedSteps.sdirk2(equations, acceleration)
    return ImplicitStep(equations, IMPLICIT_STEPS[request.step], acceleration)


def _accelerations(model: Model, request: Request, name: str = "a", whole: bool = False) -> tuple[Argument, ...]:
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


def _step_signature(model: Model, request: Request) -> Signature:
    implicit = is_implicit(request)
    described = "Coordinates and velocities after one step of length h" + (
        ", by one step of Newton's method for its acceleration." if implicit else "."
    )
    outputs = (*_after(model), *_accelerations(model, request))
    return _signature(model, request, "step", outputs, described, _accelerations(model, request, "a_guess"))


def _step_plan(model: Model, request: Request) -> Plan:
    if is_implicit(request):
        return _implicit(model, request, "a_guess").newton_plan()
    problem = _problem(model, request)
    inner = solution_plan(problem, model, request, problem.name)
    if request.step == RK4:
        return staged_step_plan(model, RK4_METHOD, inner, problem.unknown[0])
    return explicit_step_plan(model, inner, problem.unknown[0])


def _partials_plan(model: Model, request: Request, name: str) -> Plan:
    by_p = bool(model.slots.names) if name == "step_partials" else by_parameters(model, request)
    if is_implicit(request):
        return _implicit(model, request).partials_plan(name, by_p)
    outputs = Outputs({**_BY, "a": "da_da"})  # of no row: none is prescribed
    equations = _problem(model, request).equations(model, request)
    early = request.step != RK4 and takes_length(equations)
    inner = implicit_partials_plan(equations, name, outputs, length=STEP_LENGTH if early else "")
    by = {x: field for x, field in _BY.items() if x != "p" or by_p}
    if request.step == RK4:
        return staged_partials_plan(model, RK4_METHOD, inner, "acceleration", by, name)
    return explicit_partials_plan(model, inner, "acceleration", by, name, early)


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


def _equations_signature(model: Model, request: Request) -> Signature:
    described = "State after one step of length h at a given acceleration, and what that leaves of the equations."
    outputs, given = (*_after(model), _needs(model, request)), _accelerations(model, request, whole=True)
    return _signature(model, request, "step_equations", outputs, described, given)


def _equations_plan(model: Model, request: Request) -> Plan:
    if request.step == RK4:
        raise RequestError(
            f"step_equations has no step='{RK4}', whose stages have accelerations of their own; take '{SDIRK2}' or "
            f"'{IMPLICIT_MIDPOINT}'"
        )
    if is_implicit(request):
        own = _implicit(model, request)
        return chained_equations_plan(own) if isinstance(own, ChainedSteps) else equations_plan(own)
    return equations_plan(ImplicitStep(_problem(model, request).equations(model, request), 1.0), met_at_start=True)


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
    if by_length(request):
        described = "derivative of the weighted state after the step by its length h"
        yield Argument(BY_LENGTH, (), (), ("1/s",), described)


def by_length(request: Request) -> bool:
    """Whether the gradient by the length of a step is asked for."""
    return request.gradient == "step"


def _residual_signature(model: Model, request: Request) -> Signature:
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


def _adjoint_plan(model: Model, request: Request, longer: bool = False) -> Plan:
    if is_implicit(request):
        step, parameters = _implicit(model, request), by_parameters(model, request)
        if isinstance(step, ChainedSteps):
            return step.adjoint_plan(parameters, longer)
        return implicit_adjoint_plan(step, parameters, longer)
    problem = _problem(model, request)
    given = "u" if is_driven(request) else problem.known
    parameters = by_parameters(model, request)
    inner = adjoint_plan(
        problem.equations(model, request),
        "step_adjoint",
        f"g_{problem.known}",
        parameters,
        longer or request.step == RK4,
    )
    by = {"g_q": "g_q", "g_v": "g_v", "g_u": f"g_{given}", **({"g_p": "g_p"} if parameters else {})}
    if request.step == RK4:
        return staged_adjoint_plan(model, RK4_METHOD, inner, SOLUTION, by, [MULTIPLIER_WEIGHTS], longer)
    return explicit_adjoint_plan(model, inner, SOLUTION, by, [MULTIPLIER_WEIGHTS], longer)


def _curvatures(model: Model, request: Request) -> tuple[Argument, ...]:
    """H_xx, H_xu and H_uu."""
    x, u = state_moves(model), given_forces(model, request)
    found = []
    for name, by, then in ((H_XX, x, x), (H_XU, x, u), (H_UU, u, u)):
        units = tuple(quotient(quotient("1", row), column) for row in by.element_units for column in then.element_units)
        described = f"derivatives of the weighted state after the step by {by.description}, then by {then.description}"
        found.append(Argument(name, (by.size, then.size), (by.rows[0], then.rows[0]), units, described))
    return tuple(found)


def _hessian_plan(model: Model, request: Request) -> Plan:
    adjoint, slopes = _adjoint_plan(model, request), None
    if is_implicit(request):
        slopes = _implicit(model, request).slopes_plan(SLOPES_OF_A)
    given = "u" if is_driven(request) else "tau"
    return step_hessian_plan(model, request.external, adjoint, given, slopes)


_MOST_ROWS = 48
"""Rows of v for which an implicit step solves: its kernels are as long as the cube of this."""
_TAKES = ("external_wrenches", "inputs", "stabilisation", "switched", "step")
_EQUATION = "v_next = v + h a, q_next = q (+) h v_next, with a of forward_dynamics or constrained_forward_dynamics"
_SOURCE = "Hairer, Lubich & Wanner 2006, section I.1; Munthe-Kaas 1999, for moves of joints that turn"
_ROWS = "dv_next_dx = [h da_dq, 1 + h da_dv], dv_next_du = h da_du, x = (moves of q along rows of v, v)"

ENTRIES = (
    CatalogueEntry(
        "step",
        "State after one step in time: q, v, tau, h -> q_next, v_next.",
        _step_signature,
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
            _accelerations(model, request),
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
            _accelerations(model, request),
        ),
        lambda model, request: _partials_plan(model, request, "step_matrices"),
        equation="A = [T, 0; 0, 0] + [h D; 1] dv_next_dx, B = [h D; 1] dv_next_du, d(q (+) h v) = T dq + h D dv",
        source="Carpentier & Mansard 2018, for derivatives of a; Selig 2005, section 4.4, for T and D",
        takes=(*_TAKES[:-1], "gradient", "step"),
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
            (*_accelerations(model, request), _weights(model)),
        ),
        lambda model, request: _adjoint_plan(model, request, by_length(request)),
        equation="(g_q, g_v) = A^T lambda, g_u = B^T lambda with A and B of step_matrices",
        source="Griewank & Walther 2008, chapter 15, for adjoints of implicit functions",
        takes=(*_TAKES[:-1], "gradient", "step"),
        solves=free_rows,
    ),
    CatalogueEntry(
        "step_equations",
        "State after one step at a given acceleration, and what that leaves of the equations of motion: q, v, tau, h, "
        "a -> q_next, v_next, R.",
        _equations_signature,
        _equations_plan,
        equation="v_next = v + h a, q_next = q (+) h v_next, R = inverse_dynamics(q, v, a) - tau; of implicit steps R "
        "is at their stages",
        source="Betts 2010, section 4.5, for direct transcription; Hairer & Wanner 1996, section IV.3, for the stages",
        takes=_TAKES,
        solves=free_rows,
    ),
    CatalogueEntry(
        "step_weighted_hessian",
        "Second derivatives of a weighted state after a step: q, v, tau, h, lambda -> H_xx, H_xu, H_uu.",
        lambda model, request: _signature(
            model,
            request,
            "step_weighted_hessian",
            _curvatures(model, request),
            "Second derivatives of a weighted sum of moves of the state after one step of length h.",
            (*_accelerations(model, request), _weights(model)),
        ),
        _hessian_plan,
        equation="H = second derivatives at d = 0 of lambda^T (x_next(x (+) d_x, u + d_u) (-) x_next(x, u))",
        source="Griewank & Walther 2008, chapter 5, for derivatives of gradients",
        takes=_TAKES,
        solves=free_rows,
    ),
    CatalogueEntry(
        "implicit_residual_partials",
        "What a motion leaves over of the equations of motion, and derivatives: q, v, a, tau[, lambda] -> R, R_q, R_v, "
        "R_a.",
        _residual_signature,
        lambda model, request: residual_partials_plan(_problem(model, request).equations(model, request)),
        equation="R = inverse_dynamics(q, v, a) - tau - A^T lambda, q along rows of v; with B(q) u for tau where there "
        "are inputs, and R_u = -B",
        source="Carpentier & Mansard 2018; Singh, Russell & Wensing 2022",
        takes=("external_wrenches", "inputs", "switched"),
    ),
)
