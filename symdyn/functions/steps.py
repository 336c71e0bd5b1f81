"""Functions of one step of a robot: states after it, and their derivatives, for optimal control and learning."""

from __future__ import annotations

from symdyn.dynamics.control.chained_steps import ChainedSteps
from symdyn.dynamics.control.implicit_adjoint import implicit_adjoint_plan
from symdyn.dynamics.control.implicit_steps import ImplicitStep
from symdyn.dynamics.control.residual_partials import residual_partials_plan
from symdyn.dynamics.control.runge_kutta import (
    RK4_METHOD,
    staged_partials_plan,
    staged_step_plan,
)
from symdyn.dynamics.control.runge_kutta_adjoint import staged_adjoint_plan
from symdyn.dynamics.control.step_adjoint import explicit_adjoint_plan
from symdyn.dynamics.control.step_equations import chained_equations_plan, equations_plan
from symdyn.dynamics.control.step_hessian import SLOPES_OF_A, step_hessian_plan
from symdyn.dynamics.control.step_moves import STEP_LENGTH
from symdyn.dynamics.control.steps import (
    explicit_partials_plan,
    explicit_step_plan,
)
from symdyn.dynamics.equations.adjoint import SOLUTION, adjoint_plan
from symdyn.dynamics.equations.implicit import Outputs, implicit_partials_plan, takes_length
from symdyn.errors import RequestError
from symdyn.functions.adjoints import by_parameters
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.problems import DynamicsProblem, dynamics_of
from symdyn.functions.request import Request, free_rows, is_driven
from symdyn.functions.step_arguments import (
    accelerations,
    after,
    by_length,
    curvatures,
    equations_signature,
    gradients,
    is_implicit,
    residual_signature,
    state_rows,
    state_weights,
    step_function,
    step_signature,
    velocity_rows,
)
from symdyn.functions.values import solution_plan
from symdyn.interface.derivatives import MULTIPLIER_WEIGHTS
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


def _problem(model: Model, request: Request) -> DynamicsProblem:
    return dynamics_of(model, request)


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
        step_signature,
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
        lambda model, request: step_function(
            model,
            request,
            "step_partials",
            (*after(model), *velocity_rows(model, request)),
            "State after one step of length h, and derivatives of its velocities: what those of its coordinates "
            "follow from.",
            accelerations(model, request),
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
        lambda model, request: step_function(
            model,
            request,
            "step_matrices",
            tuple(state_rows(model, request)),
            "Derivatives of the state after one step of length h, along rows of v at both ends.",
            accelerations(model, request),
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
        lambda model, request: step_function(
            model,
            request,
            "step_adjoint",
            tuple(gradients(model, request)),
            "Gradient of a weighted sum of moves of the state after one step of length h.",
            (*accelerations(model, request), state_weights(model)),
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
        equations_signature,
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
        lambda model, request: step_function(
            model,
            request,
            "step_weighted_hessian",
            curvatures(model, request),
            "Second derivatives of a weighted sum of moves of the state after one step of length h.",
            (*accelerations(model, request), state_weights(model)),
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
        residual_signature,
        lambda model, request: residual_partials_plan(_problem(model, request).equations(model, request)),
        equation="R = inverse_dynamics(q, v, a) - tau - A^T lambda, q along rows of v; with B(q) u for tau where there "
        "are inputs, and R_u = -B",
        source="Carpentier & Mansard 2018; Singh, Russell & Wensing 2022",
        takes=("external_wrenches", "inputs", "switched"),
    ),
)
