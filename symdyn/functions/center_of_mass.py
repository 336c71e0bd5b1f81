"""The centre of mass, its velocity, and the momentum about it."""

from __future__ import annotations

from symdyn.dynamics.centroidal.center_of_mass import center_of_mass_plan, center_of_mass_velocity_plan
from symdyn.dynamics.centroidal.momentum import centroidal_momentum_plan
from symdyn.dynamics.centroidal.momentum_matrix import centroidal_momentum_matrix_plan
from symdyn.functions import arguments
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.kinematics import TWIST
from symdyn.functions.units import move, quotient
from symdyn.model.frame_policy import AS_DESCRIBED
from symdyn.model.model import Model
from symdyn.signature import Argument

MOMENTUM = ("px", "py", "pz", "Lx", "Ly", "Lz")
"""Rows of a momentum: linear; angular about the centre of mass, world axes."""


def center(model: Model) -> Argument:
    """The centre of mass com of the moving links, (3,), in the world [m]."""
    return Argument("com", (3,), (("x", "y", "z"),), ("m",), "centre of mass of the moving links, in the world")


def center_velocity(model: Model) -> Argument:
    """The velocity com_velocity of the centre of mass, (3,), in world axes [m/s]."""
    return Argument("com_velocity", (3,), (TWIST[:3],), ("m/s",), "velocity of the centre of mass, world axes")


def momentum(model: Model) -> Argument:
    """The centroidal momentum, (6,): linear; angular about the centre of mass, world axes."""
    units = ("kg m/s",) * 3 + ("kg m^2/s",) * 3
    return Argument("momentum", (6,), (MOMENTUM,), units, "linear; angular about the centre of mass, world axes")


def momentum_matrix(model: Model) -> Argument:
    """The centroidal momentum matrix, (6, nv): momentum = momentum_matrix v."""
    linear, angular = (tuple(quotient(unit, move(row)) for row in model.velocity_units) for unit in ("kg m", "kg m^2"))
    return Argument(
        "momentum_matrix",
        (6, model.nv),
        (MOMENTUM, model.velocity_names),
        linear * 3 + angular * 3,
        "momentum per row of v: linear; angular about the centre of mass, world axes",
    )


ENTRIES = (
    CatalogueEntry(
        "center_of_mass",
        "Centre of mass in the world: q -> com. Links fixed to the ground do not count.",
        arguments.signed(
            "center_of_mass",
            (arguments.coordinates,),
            (center,),
            "Centre of mass of the moving links at position q.",
            feels_gravity=False,
        ),
        lambda model, _: center_of_mass_plan(model),
        equation="com = sum m_i c_i / sum m_i",
        source="Wittenburg 2008 (augmented bodies)",
        frames=AS_DESCRIBED,
    ),
    CatalogueEntry(
        "center_of_mass_velocity",
        "Velocity of the centre of mass in world axes: q, v -> com_velocity. Links fixed to the ground do not count.",
        arguments.signed(
            "center_of_mass_velocity",
            (arguments.coordinates, arguments.velocities),
            (center_velocity,),
            "Velocity of the centre of mass of the moving links at position q and velocity v.",
            feels_gravity=False,
        ),
        lambda model, _: center_of_mass_velocity_plan(model),
        equation="com_velocity = sum m_i c_i' / sum m_i",
        source="Wittenburg 2008 (augmented bodies)",
        frames=AS_DESCRIBED,
    ),
    CatalogueEntry(
        "centroidal_momentum",
        "Momentum about the centre of mass, linear; angular in world axes, rotors left out: q, v -> momentum.",
        arguments.signed(
            "centroidal_momentum",
            (arguments.coordinates, arguments.velocities),
            (momentum,),
            "Momentum of the moving links about their centre of mass at position q and velocity v.",
            feels_gravity=False,
        ),
        lambda model, _: centroidal_momentum_plan(model),
        equation="momentum = (sum m_i c_i'; sum J_i omega_i + (c_i - com) x m_i c_i')",
        source="Orin, Goswami & Lee 2013",
    ),
    CatalogueEntry(
        "centroidal_momentum_matrix",
        "The matrix that takes v to the momentum about the centre of mass: q -> momentum_matrix, (6, nv).",
        arguments.signed(
            "centroidal_momentum_matrix",
            (arguments.coordinates,),
            (momentum_matrix,),
            "Momentum of the moving links about their centre of mass, per row of v, at position q.",
            feels_gravity=False,
        ),
        lambda model, _: centroidal_momentum_matrix_plan(model),
        equation="momentum = momentum_matrix(q) v",
        source="Orin, Goswami & Lee 2013",
    ),
)
