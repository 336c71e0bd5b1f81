"""What motors behind springs have to do, so that the links follow a trajectory."""

from __future__ import annotations

from dataclasses import replace

from symdyn.dynamics.equations.elastic_orders import AHEAD, elastic_feedforward_plan, elastic_inverse_dynamics_plan
from symdyn.functions import arguments
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.parts import ELASTIC_JOINTS
from symdyn.functions.rates import external_rates, velocity_rates, with_rates
from symdyn.functions.request import Request
from symdyn.functions.units import quotient
from symdyn.interface.signature import Argument, Signature
from symdyn.model.link_side import link_side, motor_side
from symdyn.model.model import Model

NAME, FEEDFORWARD = "elastic_joint_inverse_dynamics_time_derivatives", "elastic_joint_feedforward"


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


def _gains(motors: Model, name: str, of: Argument, description: str) -> Argument:
    """Gains (n_elastic,) of a force per unit of an error."""
    forces = arguments.generalised_forces(motors)
    units = tuple(quotient(*pair) for pair in zip(forces.element_units, of.element_units, strict=True))
    return Argument(name, forces.shape, forces.rows, units, description)


def _control_signature(model: Model, request: Request) -> Signature:
    links, motors = link_side(model), motor_side(model)
    places, rates = arguments.coordinates(motors), arguments.velocities(motors)
    turned = "coordinates of the motors along the trajectory, and their rates"
    pulled = "generalised forces along the trajectory: of springs on the links past them, of motors of rigid joints"
    measured = with_rates(places, "theta", "motor", 2, "measured coordinates of the motors, and their rates")
    driven = replace(arguments.generalised_forces(motors), name="tau_motor", description="forces of the motors")
    return arguments.signature(
        links,
        request,
        FEEDFORWARD,
        (
            arguments.coordinates(links),
            velocity_rates(links, AHEAD + 1),
            measured,
            _gains(motors, "K_p", places, "gains of errors of the motors' coordinates"),
            _gains(motors, "K_d", rates, "gains of errors of the motors' rates"),
        ),
        (
            driven,
            with_rates(places, "theta", "theta_d", 2, turned),
            replace(arguments.generalised_forces(links), name="tau_link", description=pulled),
        ),
        "Torques of the motors of elastic joints that make the links follow a trajectory, with feedback of the motors.",
    )


ENTRIES = (
    CatalogueEntry(
        FEEDFORWARD,
        "What motors behind springs do so that links follow a trajectory, with gains: q, V = v, v', v'', v''' of the "
        "links, motor, K_p, K_d -> tau_motor, theta_d, tau_link. For springs without damping.",
        _control_signature,
        lambda model, request: elastic_feedforward_plan(model),
        equation="tau_motor = B theta_d'' + tau_link + losses(theta_d') + K_p (theta_d - theta) + K_d (theta_d' - "
        "theta'),  theta_d = q + tau_link / K,  tau_link = inverse_dynamics(links)",
        source="Spong 1987; De Luca & Book 2016, section 11.3, for feed-forward with feedback of the motors",
        needs=ELASTIC_JOINTS,
    ),
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
