"""What motors behind springs have to do, so that the links follow a trajectory."""

from __future__ import annotations

from symdyn.dynamics.equations.elastic_orders import AHEAD, elastic_inverse_dynamics_plan
from symdyn.functions import arguments
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.parts import ELASTIC_JOINTS
from symdyn.functions.rates import external_rates, velocity_rates, with_rates
from symdyn.functions.request import Request
from symdyn.interface.signature import Signature
from symdyn.model.link_side import link_side, motor_side
from symdyn.model.model import Model

NAME = "elastic_joint_inverse_dynamics_time_derivatives"


def _signature(model: Model, request: Request) -> Signature:
    links, motors, rows = link_side(model), motor_side(model), request.order + 1
    pulled = "generalised forces on the links past the springs, and their time derivatives, row by row"
    turned = "coordinates of the motors, and their time derivatives, row by row"
    driven = "generalised forces of the motors, and their time derivatives, row by row"
    forces = arguments.generalised_forces
    return arguments.signature(
        links,
        request,
        NAME,
        (arguments.coordinates(links), velocity_rates(links, rows + AHEAD)),
        (
            with_rates(forces(links), "tau", "tau_link", rows, pulled),
            with_rates(arguments.coordinates(motors), "theta", "theta", rows, turned),
            with_rates(forces(motors), "tau", "tau_motor", rows, driven),
        ),
        "Motions and torques of the motors of elastic joints, and their time derivatives, that make the links follow a "
        "trajectory.",
        external=external_rates(links, request, rows + AHEAD),
        order=str(request.order),
    )


ENTRIES = (
    CatalogueEntry(
        NAME,
        "What motors behind springs do along a trajectory of the links, to order r: q, V = v, v', .. v^(r+3) of the "
        "links -> tau_link, theta, tau_motor, each with its derivatives. For springs without damping.",
        _signature,
        lambda model, request: elastic_inverse_dynamics_plan(model, request.order, request.external),
        equation="tau_link = inverse_dynamics(links),  theta = q + tau_link / K,  "
        "tau_motor = B theta'' + tau_link + losses(theta')",
        source="Spong 1987; De Luca & Book 2016, for the problem; Griewank & Walther 2008, chapter 13, for the method",
        takes=("external_wrenches", "order"),
        needs=ELASTIC_JOINTS,
    ),
)
