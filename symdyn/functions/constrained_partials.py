"""Partial derivatives of the dynamics of robots with closed loops."""

from __future__ import annotations

from collections.abc import Collection

from symdyn.dynamics.equations.implicit import Outputs, implicit_partials_plan
from symdyn.dynamics.equations.inverse_partials import constrained_inverse_dynamics_partials_plan
from symdyn.dynamics.equations.problem import Problem
from symdyn.functions import arguments
from symdyn.functions.dynamics_arguments import found_force_or_motion, given_forces, given_motion, weights_asked
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.forward_partials import derivatives
from symdyn.functions.loops import multipliers
from symdyn.functions.parts import LOOPS
from symdyn.functions.request import Request, free_rows, is_driven
from symdyn.functions.values import actuated_rows
from symdyn.interface.signature import Argument, Signature
from symdyn.model.model import Model
from symdyn.plan.plan import Plan

_INVERSE = "constrained_inverse_dynamics_partials"


def _both(model: Model, found: Argument, *given: Argument) -> tuple[Argument, ...]:
    """Derivatives of what is found, and then those of the multipliers."""
    return (*derivatives(model, found, *given), *derivatives(model, multipliers(model), *given))


def _forward_signature(model: Model, request: Request) -> Signature:
    given = given_forces(model, request)
    return arguments.signature(
        model,
        request,
        "constrained_forward_dynamics_partials",
        (arguments.coordinates(model), arguments.velocities(model), given),
        _both(model, arguments.accelerations(model), given),
        "Partial derivatives of the acceleration and of the multipliers that constrained forward dynamics finds.",
    )


def _hybrid_signature(model: Model, request: Request) -> Signature:
    given = given_motion(model, request)
    return arguments.signature(
        model,
        request,
        "constrained_hybrid_dynamics_partials",
        (arguments.coordinates(model), arguments.velocities(model), *given),
        _both(model, found_force_or_motion(model, request), *given),
        "Partial derivatives of what constrained hybrid dynamics finds: forces, accelerations and multipliers.",
    )


def partials_plan(model: Model, name: str, free: Collection[int], given: str, found: str, request: Request) -> Plan:
    """The plan of derivatives of ``found`` and of lambda, by q, v, ``given`` and p."""
    driven = is_driven(request)
    words = {"q": "q", "v": "v", "u": "u" if driven else given, "a": "a", "p": "p"}
    outputs = Outputs(*({x: f"d{of}_d{word}" for x, word in words.items()} for of in (found, "lambda")))
    given = "given" if driven else given
    problem = Problem(model, free, given, request.external, request.stabilisation, looped=True, actuated=driven)
    return implicit_partials_plan(problem, name, outputs)


def _inverse_signature(model: Model, request: Request) -> Signature:
    motion = arguments.accelerations(model)
    weights = weights_asked(model, request)
    return arguments.signature(
        model,
        request,
        _INVERSE,
        (arguments.coordinates(model), arguments.velocities(model), motion, *weights),
        _both(model, arguments.generalised_forces(model), motion),
        "Partial derivatives of the forces of actuated rows and of the multipliers that constrained inverse dynamics "
        "finds.",
    )


def _inverse_plan(model: Model, request: Request) -> Plan:
    outputs = Outputs(*({by: f"d{of}_d{by}" for by in "qvap"} for of in ("tau", "lambda")))
    rows = actuated_rows(model, request, _INVERSE)
    return constrained_inverse_dynamics_partials_plan(
        model, rows, request.objective, request.weights, outputs, request.external
    )


ENTRIES = (
    CatalogueEntry(
        "constrained_forward_dynamics_partials",
        "Derivatives of the acceleration and the multipliers where loops are closed: q, v, tau -> da_dq, da_dv, "
        "da_dtau, dlambda_dq, dlambda_dv, dlambda_dtau.",
        _forward_signature,
        lambda model, request: partials_plan(
            model, "constrained_forward_dynamics_partials", range(model.nv), "tau", "a", request
        ),
        equation="M da - A^T dlambda = dtau - d(inverse_dynamics - A^T lambda), "
        "A da = -d(e'' + 2 e' / T + e / T^2), both at the solved a and lambda",
        source="Carpentier & Mansard 2018, with multipliers",
        takes=("external_wrenches", "inputs", "stabilisation", "switched"),
        needs=LOOPS,
        solves=free_rows,
    ),
    CatalogueEntry(
        "constrained_hybrid_dynamics_partials",
        "Derivatives of what constrained hybrid dynamics finds: q, v, u -> dw_dq, dw_dv, dw_du, dlambda_dq, "
        "dlambda_dv, dlambda_du.",
        _hybrid_signature,
        lambda model, request: partials_plan(
            model, "constrained_hybrid_dynamics_partials", free_rows(model, request), "u", "w", request
        ),
        equation="M da - A^T dlambda = dtau - d(inverse_dynamics - A^T lambda), "
        "A da = -d(e'' + 2 e' / T + e / T^2), for da of free rows, dtau of prescribed ones, and dlambda",
        source="Carpentier & Mansard 2018, with multipliers; Kim 2012, section 4",
        takes=("external_wrenches", "prescribed", "inputs", "stabilisation", "switched"),
        demands=("prescribed",),
        needs=LOOPS,
        solves=free_rows,
    ),
    CatalogueEntry(
        _INVERSE,
        "Derivatives of the forces of actuated rows and of the multipliers where loops are closed: q, v, a -> dtau_dq, "
        "dtau_dv, dtau_da, dlambda_dq, dlambda_dv, dlambda_da.",
        _inverse_signature,
        _inverse_plan,
        equation="d(tau + A^T lambda) = d(inverse_dynamics), dtau = 0 in passive rows, and d(A y) = 0 with "
        "y = W tau in actuated rows, or d(A y) = dlambda with y = 0 there; constant weights",
        source="Kim 2012, eqs. 56 to 66, differentiated",
        takes=("external_wrenches", "actuated", "weights", "objective", "switched"),
        needs=LOOPS,
    ),
)
