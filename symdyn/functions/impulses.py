"""What impacts do to robots with closed loops."""

from __future__ import annotations

from symdyn.dynamics.equations.implicit import Outputs
from symdyn.dynamics.equations.impulse_partials import impulse_partials_plan
from symdyn.functions import arguments
from symdyn.functions.dynamics_arguments import impulses, is_restituting, velocities_after
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.forward_partials import derivatives
from symdyn.functions.operators import inputs
from symdyn.functions.parts import LOOPS
from symdyn.functions.problems import IMPULSE
from symdyn.functions.request import Request, free_rows
from symdyn.interface.signature import Signature
from symdyn.model.model import Model
from symdyn.plan.plan import Plan


def _partials_signature(model: Model, request: Request) -> Signature:
    return arguments.signature(
        model,
        request,
        "impulse_dynamics_partials",
        inputs(IMPULSE, model, request),
        (*derivatives(model, velocities_after(model)), *derivatives(model, impulses(model))),
        "Partial derivatives of the velocities after an impact and of its impulses.",
        feels_gravity=False,
    )


def _partials_plan(model: Model, request: Request) -> Plan:
    outputs = Outputs(*({by: f"d{of}_d{by}" for by in "qvp"} for of in ("v_plus", "impulses")))
    return impulse_partials_plan(model, outputs, is_restituting(request))


ENTRIES = (
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
