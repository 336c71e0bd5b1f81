"""Time derivatives of any order of forward and hybrid dynamics."""

from __future__ import annotations

from collections.abc import Iterable

from symdyn.dynamics.actuation.plans import driven_plan
from symdyn.dynamics.equations.forward_orders import (
    forward_dynamics_time_derivatives_plan,
    hybrid_dynamics_time_derivatives_plan,
)
from symdyn.dynamics.equations.input_orders import time_derivatives_by_tendons_plan
from symdyn.dynamics.equations.unknown_input_orders import unknown_inputs_time_derivatives_plan
from symdyn.dynamics.world_frame.forward_dynamics import (
    spatial_forward_dynamics_time_derivatives_plan,
    spatial_hybrid_dynamics_time_derivatives_plan,
)
from symdyn.errors import RequestError
from symdyn.functions import arguments
from symdyn.functions.dynamics_arguments import found_by_hybrid, given_forces, given_motion
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.request import Request, free_rows, is_driven
from symdyn.functions.time_derivatives import frames_of, rates_signature, with_rates
from symdyn.interface.signature import Argument, Signature
from symdyn.model.model import Model
from symdyn.plan.plan import Plan

_FORWARD = "forward_dynamics_time_derivatives"
_HYBRID = "hybrid_dynamics_time_derivatives"
DRIVEN = "U", "A"
"""Inputs of actuators, and accelerations of prescribed rows, with their derivatives."""


def _forward_signature(model: Model, request: Request) -> Signature:
    rows, driven = request.order + 1, is_driven(request)
    plain = given_forces(model, request)
    described = f"{'inputs of actuators' if driven else 'generalised forces'} and their time derivatives"
    given = with_rates(plain, plain.name, "U" if driven else "T", rows, described)
    motion = with_rates(arguments.accelerations(model), "a", "A", rows, "accelerations and their time derivatives")
    return rates_signature(
        model,
        request,
        _FORWARD,
        (arguments.coordinates(model), arguments.velocities(model), given),
        (motion,),
        f"Accelerations a, and their time derivatives, that {'inputs u' if driven else 'joint forces'} and their "
        "derivatives give the robot.",
    )


def _forward_plan(model: Model, request: Request) -> Plan:
    moving = columns_move(model, request)
    if request.formulation == "spatial":
        plan = spatial_forward_dynamics_time_derivatives_plan(model, request.order, request.external)
    elif moving:
        rows = range(model.nv)
        return time_derivatives_by_tendons_plan(model, _FORWARD, rows, request.order, DRIVEN, "A", request.external)
    else:
        plan = forward_dynamics_time_derivatives_plan(model, request.order, request.external)
    return driven_plan(model, plan, "T", (), request.order + 1, DRIVEN) if is_driven(request) else plan


def _hybrid_signature(model: Model, request: Request) -> Signature:
    given, outputs = given_motion(model, request), found_by_hybrid(model, request)
    rows = request.order + 1
    return rates_signature(
        model,
        request,
        _HYBRID,
        (arguments.coordinates(model), arguments.velocities(model), *given_rates(given, request)),
        tuple(
            with_rates(own, own.name, own.name.capitalize(), rows, f"{own.description}; and their time derivatives")
            for own in outputs
        ),
        "Forces of prescribed rows, accelerations of the others, "
        + ("the inputs that give these forces, and their" if request.unknown else "and the")
        + f" time derivatives{'' if request.unknown else ' of both'}.",
    )


def given_rates(given: Iterable[Argument], request: Request) -> list[Argument]:
    """What is given to hybrid dynamics, (r + 1, ..), with its derivatives."""
    rows = request.order + 1
    return [
        with_rates(own, own.name, own.name.upper(), rows, f"{own.description}; and their time derivatives")
        for own in given
    ]


def _hybrid_plan(model: Model, request: Request) -> Plan:
    free, driven, order, external = free_rows(model, request), is_driven(request), request.order, request.external
    given = "given_U" if driven else "U"
    if request.unknown:
        return unknown_inputs_time_derivatives_plan(
            model, _HYBRID, request.prescribed, request.unknown, order, DRIVEN, "W", external
        )
    moving = columns_move(model, request)
    if request.formulation == "spatial":
        plan = spatial_hybrid_dynamics_time_derivatives_plan(model, free, order, external, given)
    elif moving:
        return time_derivatives_by_tendons_plan(model, _HYBRID, free, order, DRIVEN, "W", external)
    else:
        plan = hybrid_dynamics_time_derivatives_plan(model, _HYBRID, free, order, given, "W", external)
    return driven_plan(model, plan, given, request.prescribed, order + 1, DRIVEN) if driven else plan


def columns_move(model: Model, request: Request) -> bool:
    """Whether what inputs do changes as the robot moves: by tendons, chambers that bulge, gains that vary."""
    if not is_driven(request):
        return False
    bulging = [own.name for own in model.actuation.chambers if own.table.products or own.table.following]
    varied = [own.name for own in model.actuator_inputs if own.slopes]
    if varied and request.order and request.formulation == "spatial":
        raise RequestError(
            f"time derivatives in the formulation 'spatial' take inputs whose gain is constant, and that of input "
            f"'{varied[0]}' of robot '{model.name}' depends on its length or rate; choose the formulation 'body'"
        )
    return any(own.of == "tendon" or own.name in bulging or own.slopes for own in model.actuator_inputs)


ENTRIES = (
    CatalogueEntry(
        _FORWARD,
        "Motion that joint forces cause, with time derivatives to order r: q, v, T = tau, tau', .. tau^(r) -> A.",
        _forward_signature,
        _forward_plan,
        equation="A_k = (d/dt)^k a,  M(q) a = tau - bias(q, v) + sum J_i^T f_ext_i,  k = 0 .. r",
        source="Ali et al. 2026, algorithm 3 and lemma 2, for the problem, its leading operator and the spatial "
        "formulation; Griewank & Walther 2008, chapter 13, for the method in body frames",
        takes=("external_wrenches", "formulation", "order", "inputs"),
        frames=frames_of,
        solves=free_rows,
    ),
    CatalogueEntry(
        _HYBRID,
        "Forces of prescribed rows, accelerations of the others, and their derivatives: q, v, U = u, .. u^(r) -> W.",
        _hybrid_signature,
        _hybrid_plan,
        equation="tau^(k) = (d/dt)^k (M(q) a + bias(q, v) - sum J_i^T f_ext_i), for tau_i where a_i is given and for "
        "a_i elsewhere",
        source="Ali et al. 2026, algorithm 4, for the problem and the spatial formulation; Griewank & Walther 2008, "
        "chapter 13, for the method in body frames",
        takes=("external_wrenches", "prescribed", "formulation", "order", "inputs", "unknown"),
        demands=("prescribed",),
        frames=frames_of,
        solves=free_rows,
    ),
)
