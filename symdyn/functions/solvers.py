"""What integrators of motion call: rates of states and their Jacobians, residuals and theirs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symdyn.dynamics.equations.implicit_jacobian import implicit_jacobian_plan
from symdyn.dynamics.equations.implicit_residual import implicit_residual_plan
from symdyn.dynamics.equations.state_derivative import state_derivative_plan, state_jacobian_plan
from symdyn.errors import RequestError
from symdyn.functions import arguments
from symdyn.functions.dynamics_arguments import given_forces
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.loops import multipliers, of_loops, recorded_rows
from symdyn.functions.partials import partials_plan
from symdyn.functions.parts import LOOPS
from symdyn.functions.problems import dynamics_of
from symdyn.functions.request import Request, free_rows, is_driven
from symdyn.functions.units import move, per, quotient
from symdyn.functions.values import solution_plan
from symdyn.interface.signature import Argument, Signature
from symdyn.model.joints import ACCELERATION_UNITS, FORCE_UNITS
from symdyn.model.model import Model
from symdyn.plan.plan import Plan


def _names(model: Model) -> tuple[str, ...]:
    return (*model.coordinate_names, *(f"rate of {name}" for name in model.velocity_names))


def state(model: Model) -> Argument:
    """The state y = (q, v), (nq + nv,)."""
    units = (*model.coordinate_units, *model.velocity_units)
    described = "coordinates, then velocities; quaternions may have any length but 0"
    return Argument("y", (len(units),), (_names(model),), units, described)


def state_rate(model: Model) -> Argument:
    """Its rate, (nq + nv,)."""
    units = (
        *(f"{unit}/s" for unit in model.coordinate_units),
        *(ACCELERATION_UNITS[unit] for unit in model.velocity_units),
    )
    described = "rates of the coordinates, then accelerations; quaternions keep their length"
    return Argument("dy_dt", (len(units),), (_names(model),), units, described)


def _given(model: Model, request: Request) -> Sequence[Argument]:
    """What is given: forces or inputs of actuators, and accelerations where some are prescribed."""
    return dynamics_of(model, request).given(model, request)


def _by_state(model: Model, by: Argument, name: str) -> Argument:
    rate = state_rate(model)
    units = tuple(per(row, column) for row in rate.element_units for column in by.element_units)
    described = f"derivatives of the rate of y by {name}, the other inputs held fixed"
    return Argument(f"d_d{by.name}", (rate.size, by.size), (rate.rows[0], by.rows[0]), units, described)


def _derivative_signature(model: Model, request: Request) -> Signature:
    _refuse_stabilisation(model, request, "state_derivative")
    made = arguments.signature(
        model,
        request,
        "state_derivative",
        (state(model), *_given(model, request)),
        (state_rate(model),),
        "Rate of the state y = (q, v), for solvers of ordinary differential equations: quaternions are divided by "
        "their lengths before dynamics read them, and keep these lengths.",
    )
    return recorded_rows(model, made)


def _derivative_plan(model: Model, request: Request) -> Plan:
    problem = dynamics_of(model, request)
    inner, found = solution_plan(problem, model, request, problem.name), problem.unknown[0]
    return state_derivative_plan(model, inner, found, "a" if is_driven(request) else "u", request.prescribed)


def _jacobian_signature(model: Model, request: Request) -> Signature:
    _refuse_stabilisation(model, request, "state_jacobian")
    given = _given(model, request)
    made = arguments.signature(
        model,
        request,
        "state_jacobian",
        (state(model), *given),
        (_by_state(model, state(model), "rows of y"), *(_by_state(model, own, own.name) for own in given)),
        "Jacobian of state_derivative, row by row of y as it stands: quaternions are differentiated off the unit "
        "sphere, too.",
    )
    return recorded_rows(model, made)


def _jacobian_plan(model: Model, request: Request) -> Plan:
    held, driven, problem = bool(request.prescribed), is_driven(request), dynamics_of(model, request)
    inner, found = partials_plan(problem, model, request, "state_jacobian"), problem.unknown[0]
    made = {f"d{found}_d{own.name}": f"d_d{own.name}" for own in _given(model, request)}
    by_held = ("d_da" if driven else "d_du") if held else ""
    return state_jacobian_plan(model, inner, found, made, request.prescribed, by_held)


def _refuse_stabilisation(model: Model, request: Request, name: str) -> None:
    """Refuse what is of loops for a robot without any.

    Raises
    ------
    RequestError
        Stabilisation is asked for.
    """
    if request.stabilisation is not None and not LOOPS.found(model):
        raise RequestError(
            f"function '{name}' with stabilisation needs closed loops, and robot '{model.name}' has none; leave "
            "stabilisation out"
        )


def _motion(model: Model, request: Request) -> tuple[Argument, ...]:
    return (
        arguments.coordinates(model),
        arguments.velocities(model),
        arguments.accelerations(model),
        given_forces(model, request),
        *of_loops(model, multipliers),
    )


def _residual_signature(model: Model, request: Request) -> Signature:
    forces = arguments.generalised_forces(model)
    described = "forces that the motion needs and does not have, 0 where the equations of motion hold"
    return arguments.signature(
        model,
        request,
        "implicit_residual",
        _motion(model, request),
        (replace(forces, name="R", description=described),),
        "Residual R of the equations of motion, for implicit integrators.",
    )


def _step_factors() -> Argument:
    described = "factors c_q, c_v and c_a by which a step moves q, v and a"
    return Argument("c", (3,), (("c_q", "c_v", "c_a"),), ("1", "1/s", "1/s^2"), described)


def newton_matrix(model: Model) -> Argument:
    """The matrix S, (nv, nv), or with loops [[S, -A^T], [A, 0]], (nv + m, nv + m)."""
    names = (*model.velocity_names, *model.loop_row_names)
    pulls = [own for own in multipliers(model).element_units if own]
    rows = [*(FORCE_UNITS[unit] for unit in model.velocity_units), *model.loop_row_units]
    columns = [*map(move, model.velocity_units), *pulls]
    units = tuple(quotient(row, column) for row in rows for column in columns)
    described = "c_a dR/da + c_v dR/dv + c_q dR/dq, by moves of q along v"
    if LOOPS.found(model):
        described += "; bordered by -A^T to the right and by A below, rates of the loops' errors per velocity"
    return Argument("S", (len(names), len(names)), (names, names), units, described)


def _matrix_signature(model: Model, request: Request) -> Signature:
    return arguments.signature(
        model,
        request,
        "implicit_jacobian",
        (*_motion(model, request), _step_factors()),
        (newton_matrix(model),),
        "Matrix of a Newton step of implicit integrators, which moves q, v and a by factors of the same directions.",
    )


_TAKES = ("external_wrenches", "prescribed", "inputs", "stabilisation", "switched")
ENTRIES = (
    CatalogueEntry(
        "state_derivative",
        "Rate of a state for ODE solvers: y = (q, v), tau -> dy_dt, (nq + nv,).",
        _derivative_signature,
        _derivative_plan,
        equation="dy_dt = (N(q) v, a) with a of forward_dynamics or, with loops, of constrained_forward_dynamics at "
        "q / |q|; a = u in prescribed rows; Q' = 1/2 Q (omega, 0) for a quaternion Q of any length",
        source="Featherstone 2008, sections 3.1 and 4.5",
        takes=_TAKES,
        looped=True,
        solves=free_rows,
    ),
    CatalogueEntry(
        "state_jacobian",
        "Jacobian of state_derivative: y, tau -> d_dy, (nq + nv, nq + nv), d_dtau, (nq + nv, nv).",
        _jacobian_signature,
        _jacobian_plan,
        equation="d_dy = [[d(N v)/dq, N], [da_dq E, da_dv]] with E N = 1: the moves along da_dq's columns per row of q",
        source="Carpentier & Mansard 2018, with the chain rule from rows of q to moves",
        takes=_TAKES,
        looped=True,
        solves=free_rows,
    ),
    CatalogueEntry(
        "implicit_residual",
        "What a motion leaves over of the equations of motion: q, v, a, tau[, lambda] -> R, (nv,).",
        _residual_signature,
        lambda model, request: implicit_residual_plan(model, request.external, is_driven(request)),
        equation="R = inverse_dynamics(q, v, a) - tau - A^T lambda, with B(q) u for tau where inputs are given",
        source="Bruls, Cardona & Arnold 2012",
        takes=("external_wrenches", "inputs", "switched"),
    ),
    CatalogueEntry(
        "implicit_jacobian",
        "Matrix of a Newton step: q, v, a, tau[, lambda], c -> S, (nv, nv), or bordered with loops, (nv + m, nv + m).",
        _matrix_signature,
        lambda model, request: implicit_jacobian_plan(model, request.external, is_driven(request)),
        equation="S = c_a dR/da + c_v dR/dv + c_q dR/dq, q moving along v; with loops [[S, -A^T], [A, 0]], unscaled: "
        "moves c_q x, c_v x, c_a x and dlambda = y change R by S x - A^T y and the errors by c_q A x; open loops have "
        "1 on the diagonal",
        source="Bruls, Cardona & Arnold 2012",
        takes=("external_wrenches", "inputs", "switched"),
    ),
)
