"""The mass matrix."""

from __future__ import annotations

from symdyn.dynamics.mass_matrix.crba import mass_matrix_plan
from symdyn.functions import arguments
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.units import mass
from symdyn.interface.signature import Argument
from symdyn.model.model import Model


def mass_matrix_argument(model: Model) -> Argument:
    """The mass matrix M, (nv, nv): tau = M a + bias. kg m^2, kg m or kg per entry."""
    return arguments.square(model, "M", mass, "mass matrix, both triangles")


ENTRIES = (
    CatalogueEntry(
        "mass_matrix",
        "Mass matrix: q -> M, (nv, nv), both triangles.",
        arguments.signed(
            "mass_matrix",
            (arguments.coordinates,),
            (mass_matrix_argument,),
            "Mass matrix M at position q, rotor inertia included.",
            feels_gravity=False,
        ),
        lambda model, _: mass_matrix_plan(model),
        equation="tau = M(q) a + bias(q, v), kinetic energy = v^T M v / 2",
        source="Walker & Orin 1982; Featherstone 2008, section 6.2",
    ),
)
