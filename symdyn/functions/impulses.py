"""What impacts do to robots with closed loops."""

from __future__ import annotations

from dataclasses import replace

from symdyn.dynamics.equations.implicit import Outputs
from symdyn.dynamics.equations.impulse_partials import impulse_partials_plan
from symdyn.dynamics.equations.impulses import impulse_dynamics_plan
from symdyn.functions import arguments
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.forward_dynamics import free_rows
from symdyn.functions.forward_partials import derivatives
from symdyn.functions.loops import multipliers
from symdyn.functions.parts import LOOPS
from symdyn.functions.request import Request
from symdyn.interface.options import AT_RUN_TIME
from symdyn.interface.signature import Argument, Signature
from symdyn.model.model import Model
from symdyn.plan.plan import Plan


def velocities_after(model: Model) -> Argument:
    """The velocities after the impact, (nv,)."""
    return replace(arguments.velocities(model), name="v_plus", description="velocities after the impact")


def impulses(model: Model) -> Argument:
    """The impulses Lambda, (m,), of the loops: time integrals of the multipliers."""
    plain = multipliers(model)
    units = tuple(f"{unit} s" if unit else "" for unit in plain.units)
    return replace(plain, name="impulses", units=units, description="impulses Lambda: the loops exert A^T Lambda")


def _returns(request: Request) -> bool:
    return request.restitution == AT_RUN_TIME


def _given(model: Model, request: Request) -> tuple[Argument, ...]:
    names = model.loop_names
    described = "how much of the rate of its errors each loop gives back, from 0 to 1"
    returned = (Argument("restitution", (len(names),), (names,), ("",), described),) if _returns(request) else ()
    return (arguments.coordinates(model), arguments.velocities(model), *returned)


def _signature(model: Model, request: Request) -> Signature:
    return arguments.signature(
        model,
        request,
        "impulse_dynamics",
        _given(model, request),
        (velocities_after(model), impulses(model)),
        "Velocities v_plus after loops close in no time, from those before, v, and the impulses Lambda of the loops.",
        feels_gravity=False,
    )


def _partials_signature(model: Model, request: Request) -> Signature:
    return arguments.signature(
        model,
        request,
        "impulse_dynamics_partials",
        _given(model, request),
        (*derivatives(model, velocities_after(model)), *derivatives(model, impulses(model))),
        "Partial derivatives of the velocities after an impact and of its impulses.",
        feels_gravity=False,
    )


def _partials_plan(model: Model, request: Request) -> Plan:
    outputs = Outputs(*({by: f"d{of}_d{by}" for by in "qvp"} for of in ("v_plus", "impulses")))
    return impulse_partials_plan(model, outputs, _returns(request))


ENTRIES = (
    CatalogueEntry(
        "impulse_dynamics",
        "Velocities after loops close in no time, and their impulses: q, v -> v_plus, impulses.",
        _signature,
        lambda model, request: impulse_dynamics_plan(model, _returns(request)),
        equation="M (v_plus - v) = A^T Lambda, A v_plus = -e A v, with e = 0, or diag(restitution) by loops",
        source="Featherstone 2008, section 11.7; Kim 2012, section 3.2, for the method",
        takes=("restitution", "switched"),
        needs=LOOPS,
        solves=free_rows,
    ),
    CatalogueEntry(
        "impulse_dynamics_partials",
        "Derivatives of velocities after an impact and of its impulses: q, v -> dv_plus_dq, dv_plus_dv, dimpulses_dq, "
        "dimpulses_dv.",
        _partials_signature,
        _partials_plan,
        equation="M dv_plus - A^T dLambda = M dv - d(M (v_plus - v) - A^T Lambda), "
        "A dv_plus = -e A dv - d(A v_plus + e A v), d by q and p at the solved v_plus and Lambda",
        source="Carpentier & Mansard 2018, for the method",
        takes=("restitution", "switched"),
        needs=LOOPS,
        solves=free_rows,
    ),
)
