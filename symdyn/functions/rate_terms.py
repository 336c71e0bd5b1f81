"""The rate of joint forces in closed form: what multiplies the jerk, and the rates of everything else."""

from __future__ import annotations

from symdyn.dynamics.equations.rate_terms import inverse_dynamics_rate_terms_plan
from symdyn.functions import arguments
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.mass_matrix import mass_matrix_argument
from symdyn.functions.rates import external_rates, rate_unit
from symdyn.functions.request import Request
from symdyn.interface.signature import Argument, Signature
from symdyn.model.model import Model

NAME = "inverse_dynamics_rate_terms"


def _signature(model: Model, request: Request) -> Signature:
    outputs = [
        mass_matrix_argument(model),
        _rate(model, "hbar_dot", "rate of the forces of motion, losses and springs where v'' = 0"),
        _rate(model, "g_dot", "rate of the forces against weight"),
    ]
    if request.external:
        outputs.append(_rate(model, "tau_ext_dot", "rate of the forces against external wrenches"))
    return arguments.signature(
        model,
        request,
        NAME,
        (arguments.coordinates(model), arguments.velocities(model), arguments.accelerations(model)),
        tuple(outputs),
        "Mass matrix M, and the rates of joint forces that do not depend on the jerk: tau' = M v'' + their sum.",
        external=external_rates(model, request, 2, "the rates"),
    )


def _rate(model: Model, name: str, description: str) -> Argument:
    forces = arguments.generalised_forces(model)
    units = tuple(rate_unit(unit, 1) for unit in forces.element_units)
    return Argument(name, forces.shape, forces.rows, units, description)


ENTRIES = (
    CatalogueEntry(
        NAME,
        "Rate of joint forces in closed form, jerk apart: q, v, a -> M, hbar_dot, g_dot; and tau_ext_dot with f_ext.",
        _signature,
        lambda model, request: inverse_dynamics_rate_terms_plan(model, request.external),
        equation="tau' = M v'' + hbar' + g' + tau_ext',  hbar' = M' v' + (C v + losses + springs)',  "
        "tau_ext = - sum J_i^T f_ext_i",
        source="Ali et al. 2026, proposition 1, for the terms; Griewank & Walther 2008, chapter 13, for the method",
        takes=("external_wrenches",),
    ),
)
