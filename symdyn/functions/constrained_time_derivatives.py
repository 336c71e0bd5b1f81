"""Time derivatives of any order of dynamics of robots with closed loops."""

from __future__ import annotations

from dataclasses import replace

from symdyn.dynamics.actuation.plans import driven_plan
from symdyn.dynamics.equations.constrained_inverse_orders import constrained_inverse_dynamics_time_derivatives_plan
from symdyn.dynamics.equations.constrained_orders import constrained_hybrid_dynamics_time_derivatives_plan
from symdyn.dynamics.equations.constrained_station_orders import held_orders_plan, orders_by_forces_plan
from symdyn.dynamics.equations.input_orders import DrivenRows
from symdyn.functions import arguments
from symdyn.functions.dynamics_arguments import found_force_or_motion, given_forces, given_motion, weights_asked
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.forward_time_derivatives import DRIVEN, columns_move, given_rates
from symdyn.functions.loops import multipliers
from symdyn.functions.parts import LOOPS
from symdyn.functions.request import Request, free_rows, is_driven
from symdyn.functions.time_derivatives import rates_signature, velocity_rates, with_rates
from symdyn.functions.values import actuated_rows
from symdyn.interface.signature import Argument, Signature
from symdyn.model.model import Model
from symdyn.plan.plan import Plan

_FORWARD = "constrained_forward_dynamics_time_derivatives"
_HYBRID = "constrained_hybrid_dynamics_time_derivatives"
_INVERSE = "constrained_inverse_dynamics_time_derivatives"


def multiplier_rates(model: Model, request: Request) -> Argument:
    """Lambda, (r + 1, m): the multipliers and their derivatives."""
    plain = multipliers(model)
    described = f"{plain.description}; and their time derivatives"
    return with_rates(plain, "lambda", "Lambda", request.order + 1, described)


def _forward_signature(model: Model, request: Request) -> Signature:
    rows, driven = request.order + 1, is_driven(request)
    described = f"{'inputs of actuators' if driven else 'generalised forces'} and their time derivatives"
    plain = given_forces(model, request)
    return rates_signature(
        model,
        request,
        _FORWARD,
        (
            arguments.coordinates(model),
            arguments.velocities(model),
            with_rates(plain, plain.name, "U" if driven else "T", rows, described),
        ),
        (
            with_rates(arguments.accelerations(model), "a", "A", rows, "accelerations and their time derivatives"),
            multiplier_rates(model, request),
        ),
        f"Accelerations a, and their time derivatives, that {'inputs u' if driven else 'joint forces'} and their "
        "derivatives give the robot with its loops closed, and the multipliers lambda of these.",
    )


def _forward_plan(model: Model, request: Request) -> Plan:
    return _plan(model, request, _FORWARD, range(model.nv), "T", "A", ())


def _hybrid_signature(model: Model, request: Request) -> Signature:
    found = found_force_or_motion(model, request)
    given = given_rates(given_motion(model, request), request)
    described = f"{found.description}; and their time derivatives"
    return rates_signature(
        model,
        request,
        _HYBRID,
        (arguments.coordinates(model), arguments.velocities(model), *given),
        (with_rates(found, "w", "W", request.order + 1, described), multiplier_rates(model, request)),
        "Forces of prescribed rows, accelerations of the others, and multipliers lambda, with time derivatives.",
    )


def _hybrid_plan(model: Model, request: Request) -> Plan:
    given = "given_U" if is_driven(request) else "U"
    return _plan(model, request, _HYBRID, free_rows(model, request), given, "W", request.prescribed)


def _plan(
    model: Model,
    request: Request,
    name: str,
    free: range | frozenset[int],
    given: str,
    found: str,
    prescribed: tuple[int, ...],
) -> Plan:
    if columns_move(model, request):
        rows = DrivenRows(model, frozenset(free), DRIVEN, found, bool(request.external))
        return held_orders_plan(model, name, rows, request.order, found, request.external, request.stabilisation)
    made = orders_by_forces_plan if model.rods else constrained_hybrid_dynamics_time_derivatives_plan
    plan = made(model, name, free, request.order, given, found, request.external, request.stabilisation)
    return driven_plan(model, plan, given, prescribed, request.order + 1, DRIVEN) if is_driven(request) else plan


def _inverse_signature(model: Model, request: Request) -> Signature:
    forces = arguments.generalised_forces(model)
    described = "generalised forces and their time derivatives, row by row"
    return rates_signature(
        model,
        request,
        _INVERSE,
        (
            arguments.coordinates(model),
            velocity_rates(model, request.order + 1),
            *(replace(own, description=f"{own.description}; constant") for own in weights_asked(model, request)),
        ),
        (
            with_rates(forces, "tau", "tau", request.order + 1, described),
            multiplier_rates(model, request),
        ),
        "Forces tau of the actuated rows, and their time derivatives, that a trajectory needs where loops are closed, "
        "and the multipliers lambda.",
    )


def _inverse_plan(model: Model, request: Request) -> Plan:
    rows = actuated_rows(model, request, _INVERSE)
    return constrained_inverse_dynamics_time_derivatives_plan(
        model, rows, request.objective, request.weights, request.order, request.external
    )


ENTRIES = (
    CatalogueEntry(
        _FORWARD,
        "Motion that joint forces cause where loops are closed, with time derivatives to order r: q, v, T = tau, tau', "
        ".. tau^(r) -> A, Lambda.",
        _forward_signature,
        _forward_plan,
        equation="(d/dt)^k of M a + bias = tau + A^T lambda, A a = -(e'' at a = 0) - 2 e' / T - e / T^2,  k = 0 .. r",
        source="Kim 2012, eqs. 67 to 69, for order 0; Griewank & Walther 2008, chapter 13, for the method",
        takes=("external_wrenches", "order", "inputs", "stabilisation", "switched"),
        needs=LOOPS,
        solves=free_rows,
    ),
    CatalogueEntry(
        _HYBRID,
        "Forces of prescribed rows, accelerations of the others, and their derivatives, where loops are closed: q, v, "
        "U = u, .. u^(r) -> W, Lambda.",
        _hybrid_signature,
        _hybrid_plan,
        equation="(d/dt)^k of M a + bias = tau + A^T lambda, A a = -(e'' at a = 0) - 2 e' / T - e / T^2,  k = 0 .. r",
        source="Kim 2012, eqs. 72 to 80, for order 0; Griewank & Walther 2008, chapter 13, for the method",
        takes=("external_wrenches", "prescribed", "order", "inputs", "stabilisation", "switched"),
        demands=("prescribed",),
        needs=LOOPS,
        solves=free_rows,
    ),
    CatalogueEntry(
        _INVERSE,
        "Forces of actuated rows that a trajectory needs where loops are closed, with time derivatives to order r: q, "
        "V = v, v', .. v^(r+1) -> tau, Lambda.",
        _inverse_signature,
        _inverse_plan,
        equation="tau^(k) and lambda^(k) = (d/dt)^k constrained_inverse_dynamics(q(t), v(t), v'(t)),  k = 0 .. r",
        source="Kim 2012, eqs. 56 to 66, for order 0; Griewank & Walther 2008, chapter 13, for the method",
        takes=("external_wrenches", "actuated", "weights", "objective", "order", "switched"),
        needs=LOOPS,
    ),
)
