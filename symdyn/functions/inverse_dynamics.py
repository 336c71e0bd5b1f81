"""Signature of inverse dynamics."""

from __future__ import annotations

from symdyn.functions import arguments
from symdyn.model.model import Model
from symdyn.signature import Signature


def inverse_dynamics_signature(model: Model, external: str) -> Signature:
    """q, v, a[, f_ext][, p] -> tau, for a model; ``external`` names the axes of f_ext or is empty."""
    inputs = [arguments.coordinates(model), arguments.velocities(model), arguments.accelerations(model)]
    if external:
        inputs.append(arguments.external_wrenches(model, external))
    if model.slots.names:
        inputs.append(arguments.parameters(model))
    return Signature(
        model.name,
        "inverse_dynamics",
        tuple(inputs),
        (arguments.generalised_forces(model),),
        "Joint forces tau that give the robot acceleration a at position q and velocity v.",
        arguments.options(model, external),
    )
