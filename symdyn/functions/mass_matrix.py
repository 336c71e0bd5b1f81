"""The mass matrix and its inverse."""

from __future__ import annotations

from symdyn.dynamics.mass_matrix.crba import mass_matrix_plan
from symdyn.dynamics.mass_matrix.inverse import mass_matrix_inverse_plan
from symdyn.functions import arguments
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.request import free_rows
from symdyn.functions.units import mass, quotient
from symdyn.interface.signature import Argument
from symdyn.model.model import Model


def mass_matrix_argument(model: Model) -> Argument:
    """The mass matrix M, (nv, nv): tau = M a + bias. kg m^2, kg m or kg per entry."""
    return arguments.square(model, "M", mass, "mass matrix, both triangles")


def mass_matrix_inverse_argument(model: Model) -> Argument:
    """The inverse of the mass matrix, (nv, nv); 1/(kg m^2), 1/(kg m) or 1/kg per entry."""
    return arguments.square(
        model,
        "M_inverse",
        lambda row, column: quotient("1", mass(row, column)),
        "inverse of the mass matrix, both triangles",
    )


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
    CatalogueEntry(
        "mass_matrix_inverse",
        "Inverse of the mass matrix: q -> M_inverse, (nv, nv), both triangles.",
        arguments.signed(
            "mass_matrix_inverse",
            (arguments.coordinates,),
            (mass_matrix_inverse_argument,),
            "Inverse of the mass matrix at position q: the accelerations that unit forces cause.",
            feels_gravity=False,
        ),
        lambda model, _: mass_matrix_inverse_plan(model),
        equation="M(q)^-1",
        source="Featherstone 2008, section 6.5",
        solves=free_rows,
    ),
)
