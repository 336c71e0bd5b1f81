"""Kinetic and potential energy."""

from __future__ import annotations

from symdyn.dynamics.centroidal.energy import kinetic_energy_plan, potential_energy_plan
from symdyn.functions import arguments
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.request import Request
from symdyn.model.frame_policy import AS_DESCRIBED
from symdyn.model.model import Model
from symdyn.plan import Plan
from symdyn.signature import Argument, Signature


def _energy(description: str) -> Argument:
    return Argument("energy", (), (), ("J",), description)


def _kinetic_signature(model: Model, request: Request) -> Signature:
    return arguments.signature(
        model,
        Request(),
        "kinetic_energy",
        (arguments.coordinates(model), arguments.velocities(model)),
        (_energy("kinetic energy"),),
        "Kinetic energy at position q and velocity v, that of rotors included.",
        feels_gravity=False,
    )


def _kinetic_plan(model: Model, request: Request) -> Plan:
    return kinetic_energy_plan(model)


def _potential_signature(model: Model, request: Request) -> Signature:
    return arguments.signature(
        model,
        Request(),
        "potential_energy",
        (arguments.coordinates(model),),
        (_energy("potential energy"),),
        "Potential energy at position q; that of weight is zero where all mass is in the world's origin.",
    )


def _potential_plan(model: Model, request: Request) -> Plan:
    return potential_energy_plan(model)


ENTRIES = (
    CatalogueEntry(
        "kinetic_energy",
        "Kinetic energy: q, v -> energy, one number.",
        _kinetic_signature,
        _kinetic_plan,
        equation="T = v^T M(q) v / 2",
        source="Featherstone 2008, section 2.13",
    ),
    CatalogueEntry(
        "potential_energy",
        "Potential energy of weight and springs: q -> energy, one number.",
        _potential_signature,
        _potential_plan,
        equation="U = -sum m_i g . c_i(q) + energy of springs",
        source="Featherstone 2008, section 2.13",
        frames=AS_DESCRIBED,
    ),
)
