"""The centre of mass, its velocity, the momentum about it, and kinetic and potential energy."""

from __future__ import annotations

from symdyn.dynamics.centroidal.center_of_mass import center_of_mass_plan, center_of_mass_velocity_plan
from symdyn.dynamics.centroidal.energy import kinetic_energy_plan, potential_energy_plan
from symdyn.dynamics.centroidal.momentum import centroidal_momentum_plan
from symdyn.dynamics.centroidal.momentum_matrix import centroidal_momentum_matrix_plan
from symdyn.functions import arguments
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.kinematics import TWIST
from symdyn.interface.signature import Argument
from symdyn.model.frame_policy import AS_DESCRIBED
from symdyn.model.model import Model

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
    return Argument(
        "momentum_matrix",
        (6, model.nv),
        (MOMENTUM, model.velocity_names),
        arguments.linear_and_angular(model, "kg m", "kg m^2"),
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
    CatalogueEntry(
        "kinetic_energy",
        "Kinetic energy: q, v -> energy, one number.",
        arguments.signed(
            "kinetic_energy",
            (arguments.coordinates, arguments.velocities),
            (lambda _: Argument("energy", (), (), ("J",), "kinetic energy"),),
            "Kinetic energy at position q and velocity v, that of rotors included.",
            feels_gravity=False,
        ),
        lambda model, _: kinetic_energy_plan(model),
        equation="T = v^T M(q) v / 2",
        source="Featherstone 2008, section 2.13",
    ),
    CatalogueEntry(
        "potential_energy",
        "Potential energy of weight and springs: q -> energy, one number.",
        arguments.signed(
            "potential_energy",
            (arguments.coordinates,),
            (lambda _: Argument("energy", (), (), ("J",), "potential energy"),),
            "Potential energy at position q; that of weight is zero where all mass is in the world's origin.",
        ),
        lambda model, _: potential_energy_plan(model),
        equation="U = -sum m_i g . c_i(q) + energy of springs",
        source="Featherstone 2008, section 2.13",
        frames=AS_DESCRIBED,
    ),
)
