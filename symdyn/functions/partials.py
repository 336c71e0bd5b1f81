"""Partial derivatives of inverse dynamics."""

from __future__ import annotations

from symdyn.dynamics.partials.inverse_dynamics import inverse_dynamics_partials_plan
from symdyn.functions import arguments
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.request import Request
from symdyn.functions.units import move, per
from symdyn.interface.signature import Argument, Signature
from symdyn.model.joints import ACCELERATION_UNITS, FORCE_UNITS
from symdyn.model.model import Model

_MOVES = {
    "q": "moves of q along rows of v",
    "v": "velocities",
    "a": "accelerations: the mass matrix",
}


def force_partials(model: Model, name: str) -> Argument:
    """The partial derivatives of tau, (nv, nv), by moves of q, by v or by a; forces per unit of the column."""
    return arguments.square(
        model,
        f"dtau_d{name}",
        lambda row, column: _slope_unit(name, FORCE_UNITS[row], column),
        f"derivatives of tau by {_MOVES[name]}, the other inputs held fixed",
    )


def _slope_unit(name: str, force: str, column: str) -> str:
    match name:
        case "q":
            return force if move(column) == "1" else f"{force}/{move(column)}"
        case "v":
            return per(force, column)
    return per(force, ACCELERATION_UNITS[column])


def parameter_partials(model: Model) -> Argument:
    """The partial derivatives of tau by the run-time parameters, (nv, np)."""
    units = tuple(per(FORCE_UNITS[row], unit) for row in model.velocity_units for unit in model.slots.units)
    return Argument(
        "dtau_dp",
        (model.nv, len(model.slots.names)),
        (model.velocity_names, model.slots.names),
        units,
        "derivatives of tau by the run-time parameters, the other inputs held fixed",
    )


def _signature(model: Model, request: Request) -> Signature:
    matrices = tuple(force_partials(model, name) for name in "qva")
    return arguments.signature(
        model,
        request,
        "inverse_dynamics_partials",
        (arguments.coordinates(model), arguments.velocities(model), arguments.accelerations(model)),
        (*matrices, parameter_partials(model)) if model.slots.names else matrices,
        "Partial derivatives of the joint forces tau by position, velocity and acceleration.",
    )


ENTRIES = (
    CatalogueEntry(
        "inverse_dynamics_partials",
        "Derivatives of joint forces: q, v, a -> dtau_dq, dtau_dv, dtau_da.",
        _signature,
        lambda model, request: inverse_dynamics_partials_plan(model, request.external),
        equation="d tau = dtau_dq dq + dtau_dv dv + dtau_da da, dq along body-frame perturbations of q",
        source="Carpentier & Mansard 2018; Singh, Russell & Wensing 2022",
        takes=("external_wrenches",),
    ),
)
