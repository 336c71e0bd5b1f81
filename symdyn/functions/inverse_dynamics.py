"""Inverse dynamics and what is a special case of it."""

from __future__ import annotations

from symdyn.functions import arguments
from symdyn.functions.entry import CatalogueEntry, Request
from symdyn.model.model import Model
from symdyn.plan import Plan
from symdyn.recursion.newton_euler import inverse_dynamics_plan
from symdyn.signature import Signature


def _signature(model: Model, request: Request) -> Signature:
    return arguments.signature(
        model,
        request,
        "inverse_dynamics",
        (arguments.coordinates(model), arguments.velocities(model), arguments.accelerations(model)),
        (arguments.generalised_forces(model),),
        "Joint forces tau that give the robot acceleration a at position q and velocity v.",
    )


def _plan(model: Model, request: Request) -> Plan:
    return inverse_dynamics_plan(model, request.external)


ENTRIES = (
    CatalogueEntry(
        "inverse_dynamics",
        "Joint forces for a motion: q, v, a -> tau.",
        _signature,
        _plan,
        equation="tau = M(q) a + C(q, v) v + g(q) - sum J_i^T f_ext_i",
        source="Luh, Walker & Paul 1980; Kim 2012, table 2",
        takes_external=True,
    ),
)
