"""Kinetic and potential energy."""

from __future__ import annotations

from symdyn.dynamics.centroidal.energy import kinetic_energy_plan, potential_energy_plan
from symdyn.functions import arguments
from symdyn.functions.entry import CatalogueEntry
from symdyn.model.frame_policy import AS_DESCRIBED
from symdyn.signature import Argument


def _energy(description: str) -> Argument:
    return Argument("energy", (), (), ("J",), description)


ENTRIES = (
    CatalogueEntry(
        "kinetic_energy",
        "Kinetic energy: q, v -> energy, one number.",
        arguments.signed(
            "kinetic_energy",
            (arguments.coordinates, arguments.velocities),
            (lambda _: _energy("kinetic energy"),),
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
            (lambda _: _energy("potential energy"),),
            "Potential energy at position q; that of weight is zero where all mass is in the world's origin.",
        ),
        lambda model, _: potential_energy_plan(model),
        equation="U = -sum m_i g . c_i(q) + energy of springs",
        source="Featherstone 2008, section 2.13",
        frames=AS_DESCRIBED,
    ),
)
