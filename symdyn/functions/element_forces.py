"""Shares of the generalised forces: of springs and strain, and of losses."""

from __future__ import annotations

from symdyn.dynamics.elements.shares import damping_forces_plan, elastic_forces_plan
from symdyn.functions import arguments
from symdyn.functions.entry import CatalogueEntry
from symdyn.model.frame_policy import AS_DESCRIBED

ENTRIES = (
    CatalogueEntry(
        "elastic_forces",
        "Forces of springs, stops, elastic joints, beams and rods: q -> tau, zero where there are none.",
        arguments.signed(
            "elastic_forces",
            (arguments.coordinates,),
            (arguments.generalised_forces,),
            "Generalised forces tau that hold springs, stops and links that bend in their shape at position q.",
            feels_gravity=False,
        ),
        lambda model, _: elastic_forces_plan(model),
        equation="tau = K (q - q_rest), the slope of the energy that is stored",
        source="Spong 1987; Mathew et al., section 2.3",
        frames=AS_DESCRIBED,
    ),
    CatalogueEntry(
        "damping_forces",
        "Forces that losses take: q, v -> tau, zero where there are none; those of joints with joint_losses alone.",
        arguments.signed(
            "damping_forces",
            (arguments.coordinates, arguments.velocities),
            (arguments.generalised_forces,),
            "Generalised forces tau that move dampers, also those of stops, and the matter of links that bend, at v.",
            feels_gravity=False,
        ),
        lambda model, _: damping_forces_plan(model),
        equation="tau = R v + losses(v), with tau . v >= 0 the power that is lost",
        source="Spong 1987; Mathew et al., section 2.3",
        frames=AS_DESCRIBED,
    ),
)
