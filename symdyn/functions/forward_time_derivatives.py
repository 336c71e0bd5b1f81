"""Time derivatives of any order of forward and hybrid dynamics."""

from __future__ import annotations

from symdyn.dynamics.time_derivatives.forward_dynamics import (
    forward_dynamics_time_derivatives_plan,
    hybrid_dynamics_time_derivatives_plan,
)
from symdyn.dynamics.world_frame.forward_dynamics import (
    spatial_forward_dynamics_time_derivatives_plan,
    spatial_hybrid_dynamics_time_derivatives_plan,
)
from symdyn.functions import arguments
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.forward_dynamics import found_force_or_motion, free_rows, given_motion_or_force
from symdyn.functions.request import Request
from symdyn.functions.time_derivatives import frames_of, rates_signature, with_rates
from symdyn.model.model import Model
from symdyn.plan.plan import Plan
from symdyn.signature import Signature

_FORWARD = "forward_dynamics_time_derivatives"
_HYBRID = "hybrid_dynamics_time_derivatives"


def _forward_signature(model: Model, request: Request) -> Signature:
    rows = request.order + 1
    forces = with_rates(
        arguments.generalised_forces(model), "tau", "T", rows, "generalised forces and their time derivatives"
    )
    motion = with_rates(arguments.accelerations(model), "a", "A", rows, "accelerations and their time derivatives")
    return rates_signature(
        model,
        request,
        _FORWARD,
        (arguments.coordinates(model), arguments.velocities(model), forces),
        (motion,),
        "Accelerations a, and their time derivatives, that joint forces and their derivatives give the robot.",
    )


def _forward_plan(model: Model, request: Request) -> Plan:
    if request.formulation == "spatial":
        return spatial_forward_dynamics_time_derivatives_plan(model, request.order, request.external)
    return forward_dynamics_time_derivatives_plan(model, request.order, request.external)


def _hybrid_signature(model: Model, request: Request) -> Signature:
    given, found = given_motion_or_force(model, request), found_force_or_motion(model, request)
    rows = request.order + 1
    return rates_signature(
        model,
        request,
        _HYBRID,
        (
            arguments.coordinates(model),
            arguments.velocities(model),
            with_rates(given, "u", "U", rows, f"{given.description}; and their time derivatives"),
        ),
        (with_rates(found, "w", "W", rows, f"{found.description}; and their time derivatives"),),
        "Forces of prescribed rows, accelerations of the others, and the time derivatives of both.",
    )


def _hybrid_plan(model: Model, request: Request) -> Plan:
    free = free_rows(model, request)
    if request.formulation == "spatial":
        return spatial_hybrid_dynamics_time_derivatives_plan(model, free, request.order, request.external)
    return hybrid_dynamics_time_derivatives_plan(model, _HYBRID, free, request.order, "U", "W", request.external)


ENTRIES = (
    CatalogueEntry(
        _FORWARD,
        "Motion that joint forces cause, with time derivatives to order r: q, v, T = tau, tau', .. tau^(r) -> A.",
        _forward_signature,
        _forward_plan,
        equation="A_k = (d/dt)^k a,  M(q) a = tau - bias(q, v) + sum J_i^T f_ext_i,  k = 0 .. r",
        source="Ali et al. 2026, algorithm 3 and lemma 2, for the problem, its leading operator and the spatial "
        "formulation; Griewank & Walther 2008, chapter 13, for the method in body frames",
        takes=("external_wrenches", "formulation", "order"),
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
        takes=("external_wrenches", "prescribed", "formulation", "order"),
        frames=frames_of,
        solves=free_rows,
    ),
)
