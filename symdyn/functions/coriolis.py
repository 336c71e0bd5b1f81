"""Coriolis matrices."""

from __future__ import annotations

from symdyn.dynamics.partials.coriolis import coriolis_matrix_plan
from symdyn.functions import arguments
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.units import per
from symdyn.interface.signature import Argument
from symdyn.model.frame_policy import MOVED, SLID
from symdyn.model.joints import FORCE_UNITS
from symdyn.model.model import Model


def coriolis_matrix(model: Model) -> Argument:
    """The Coriolis matrix C, (nv, nv); forces per unit of velocity."""
    return arguments.square(
        model,
        "C",
        lambda row, column: per(FORCE_UNITS[row], column),
        "Coriolis matrix: C v are the forces of motion at zero acceleration, without gravity",
    )


ENTRIES = (
    CatalogueEntry(
        "coriolis_matrix",
        "Coriolis and centrifugal forces per velocity: q, v -> C.",
        arguments.signed(
            "coriolis_matrix",
            (arguments.coordinates, arguments.velocities),
            (coriolis_matrix,),
            "Coriolis matrix C at position q and velocity v, with dM/dt - 2 C skew-symmetric.",
            feels_gravity=False,
        ),
        lambda model, request: coriolis_matrix_plan(model, request.factorization),
        equation="tau = M(q) a + C(q, v) v + g(q), dM/dt - 2 C skew",
        source="Echeandia & Wensing 2021; Ali et al. 2026, lemma 1",
        takes=("factorization",),
        # lemma 1 turns momenta by the body's own angular velocity: a parent cannot take over any of its inertia
        frames=lambda request: SLID if request.factorization == "lemma1" else MOVED,
    ),
)
