"""Partial derivatives of the dynamics of robots with closed loops."""

from __future__ import annotations

from collections.abc import Collection

from symdyn.dynamics.loops.partials import Outputs, constrained_partials_plan
from symdyn.functions import arguments
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.forward_dynamics import found_force_or_motion, free_rows, given_motion_or_force
from symdyn.functions.forward_partials import derivatives
from symdyn.functions.loops import multipliers
from symdyn.functions.parts import LOOPS
from symdyn.functions.request import Request
from symdyn.model.model import Model
from symdyn.plan.plan import Plan
from symdyn.signature import Argument, Signature


def _both(model: Model, found: Argument, *given: Argument) -> tuple[Argument, ...]:
    """Derivatives of what is found, and then those of the multipliers."""
    return (*derivatives(model, found, *given), *derivatives(model, multipliers(model), *given))


def _forward_signature(model: Model, request: Request) -> Signature:
    given = arguments.generalised_forces(model)
    return arguments.signature(
        model,
        request,
        "constrained_forward_dynamics_partials",
        (arguments.coordinates(model), arguments.velocities(model), given),
        _both(model, arguments.accelerations(model), given),
        "Partial derivatives of the acceleration and of the multipliers that constrained forward dynamics finds.",
    )


def _hybrid_signature(model: Model, request: Request) -> Signature:
    given = given_motion_or_force(model, request)
    return arguments.signature(
        model,
        request,
        "constrained_hybrid_dynamics_partials",
        (arguments.coordinates(model), arguments.velocities(model), given),
        _both(model, found_force_or_motion(model, request), given),
        "Partial derivatives of what constrained hybrid dynamics finds: forces, accelerations and multipliers.",
    )


def _plan(model: Model, name: str, free: Collection[int], given: str, found: str, request: Request) -> Plan:
    by = {"q": "q", "v": "v", "u": given, "p": "p"}
    outputs = Outputs(*({key: f"d{of}_d{word}" for key, word in by.items()} for of in (found, "lambda")))
    return constrained_partials_plan(model, name, free, given, outputs, request.external, request.stabilisation)


ENTRIES = (
    CatalogueEntry(
        "constrained_forward_dynamics_partials",
        "Derivatives of the acceleration and the multipliers where loops are closed: q, v, tau -> da_dq, da_dv, "
        "da_dtau, dlambda_dq, dlambda_dv, dlambda_dtau.",
        _forward_signature,
        lambda model, request: _plan(
            model, "constrained_forward_dynamics_partials", range(model.nv), "tau", "a", request
        ),
        equation="M da - A^T dlambda = dtau - d(inverse_dynamics - A^T lambda), "
        "A da = -d(e'' + 2 e' / T + e / T^2), both at the solved a and lambda",
        source="Carpentier & Mansard 2018, with multipliers",
        takes=("external_wrenches", "stabilisation", "switched"),
        needs=LOOPS,
    ),
    CatalogueEntry(
        "constrained_hybrid_dynamics_partials",
        "Derivatives of what constrained hybrid dynamics finds: q, v, u -> dw_dq, dw_dv, dw_du, dlambda_dq, "
        "dlambda_dv, dlambda_du.",
        _hybrid_signature,
        lambda model, request: _plan(
            model, "constrained_hybrid_dynamics_partials", free_rows(model, request), "u", "w", request
        ),
        equation="M da - A^T dlambda = dtau - d(inverse_dynamics - A^T lambda), "
        "A da = -d(e'' + 2 e' / T + e / T^2), for da of free rows, dtau of prescribed ones, and dlambda",
        source="Carpentier & Mansard 2018, with multipliers; Kim 2012, section 4",
        takes=("external_wrenches", "prescribed", "stabilisation", "switched"),
        needs=LOOPS,
    ),
)
