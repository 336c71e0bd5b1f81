"""The matrix that makes inverse dynamics linear in the inertial parameters."""

from __future__ import annotations

from symdyn.dynamics.inverse_dynamics.regressor import regressor_plan
from symdyn.functions import arguments
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.units import quotient
from symdyn.interface.signature import Argument
from symdyn.model.frame_policy import AS_DESCRIBED
from symdyn.model.model import Model

STANDARD_PARAMETERS = ("m", "hx", "hy", "hz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
"""Mass, first moment h = m c and inertia tensor of a body about its public frame's origin, in that frame's axes."""

_UNITS = ("kg", *("kg m",) * 3, *("kg m^2",) * 6)
"""Of m, h and I."""
_DENSITY = "kg/m^3"


def standard_parameter_names(model: Model) -> tuple[str, ...]:
    """The regressor's columns: ``<body>.<parameter>``, ten per public body, then ``<link>.density`` per soft link."""
    rigid = (f"{body}.{parameter}" for body in model.body_names for parameter in STANDARD_PARAMETERS)
    return (*rigid, *(f"{rod.link}.density" for rod in model.rods))


def _regressor(model: Model) -> Argument:
    columns = (*_UNITS * len(model.body_names), *(_DENSITY for _ in model.rods))
    units = tuple(
        quotient("kg m/s^2" if row == "m/s" else "kg m^2/s^2", column)
        for row in model.velocity_units
        for column in columns
    )
    names = standard_parameter_names(model)
    return Argument("Y", (model.nv, len(names)), (model.velocity_names, names), units, "tau per inertial parameter")


ENTRIES = (
    CatalogueEntry(
        "inverse_dynamics_regressor",
        "Matrix of inverse dynamics in its inertial parameters: q, v, a -> Y, (nv, 10 nbodies).",
        arguments.signed(
            "inverse_dynamics_regressor",
            (arguments.coordinates, arguments.velocities, arguments.accelerations),
            (_regressor,),
            "Matrix Y with tau = Y phi; phi holds m, m c and I about the body frame's origin, ten numbers per body. "
            "Soft links follow, with their density each. "
            "Rotors, losses and springs play no part in it, and of flexible links only what is rigid does.",
        ),
        lambda model, _: regressor_plan(model),
        equation="tau = Y(q, v, a) phi",
        source="Atkeson, An & Hollerbach 1986",
        frames=AS_DESCRIBED,
    ),
)
