"""Forward dynamics, hybrid dynamics, and the inverse of the mass matrix."""

from __future__ import annotations

from dataclasses import replace

from symdyn.dynamics.actuation.plans import driven_plan
from symdyn.dynamics.equations.input_inversion import unknown_inputs_plan
from symdyn.dynamics.forward_dynamics.hybrid_dynamics import forward_dynamics_plan, hybrid_dynamics_plan
from symdyn.dynamics.mass_matrix.inverse import mass_matrix_inverse_plan
from symdyn.functions import actuation, arguments
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.request import Request
from symdyn.functions.units import mass, quotient
from symdyn.interface.signature import Argument, Signature
from symdyn.model.joints import ACCELERATION_UNITS, FORCE_UNITS
from symdyn.model.model import Model
from symdyn.plan.plan import Plan


def _mixed(model: Model, name: str, accelerations: frozenset[int], description: str) -> Argument:
    """An argument (nv,) that holds accelerations in some rows and generalised forces in the others."""
    units = tuple(
        ACCELERATION_UNITS[unit] if row in accelerations else FORCE_UNITS[unit]
        for row, unit in enumerate(model.velocity_units)
    )
    return Argument(name, (model.nv,), (model.velocity_names,), units, description)


def given_motion_or_force(model: Model, request: Request) -> Argument:
    """The input u of hybrid dynamics, (nv,): accelerations of the prescribed rows, forces of the others."""
    description = "accelerations of the prescribed rows, generalised forces of the others"
    return _mixed(model, "u", frozenset(request.prescribed), description)


def found_force_or_motion(model: Model, request: Request) -> Argument:
    """The output w of hybrid dynamics, (nv,): forces of the prescribed rows, accelerations of the others."""
    description = "generalised forces of the prescribed rows, accelerations of the others"
    return _mixed(model, "w", free_rows(model, request), description)


def found_by_hybrid(model: Model, request: Request) -> tuple[Argument, ...]:
    """The outputs of hybrid dynamics: w, (nv,), and the inputs that are looked for, (nu,), if any are."""
    motion = found_force_or_motion(model, request)
    return (motion, _unknown_inputs(model, request)) if request.unknown else (motion,)


def free_rows(model: Model, request: Request) -> frozenset[int]:
    """Rows of v whose force is given, and whose acceleration is looked for."""
    return frozenset(range(model.nv)) - set(request.prescribed)


def is_driven(request: Request) -> bool:
    """Whether inputs of actuators are given in place of forces."""
    return request.inputs == "actuators"


def given_forces(model: Model, request: Request) -> Argument:
    """What is given to forward dynamics: tau, (nv,), or the inputs u, (na,)."""
    return actuation.inputs(model) if is_driven(request) else arguments.generalised_forces(model)


def given_motion(model: Model, request: Request) -> tuple[Argument, ...]:
    """What is given to hybrid dynamics: u, (nv,), or the inputs u, (na,), and with prescribed rows also a, (nv,)."""
    if not is_driven(request):
        return (given_motion_or_force(model, request),)
    own = actuation.inputs(model)
    if request.unknown:
        own = replace(own, description="inputs of actuators, of which those that are not looked for are read")
    described = "accelerations, of which those of prescribed rows are read"
    motion = replace(arguments.accelerations(model), description=described)
    return (own, *([motion] if request.prescribed else []))


def _forward_signature(model: Model, request: Request) -> Signature:
    what = "inputs u of actuators" if is_driven(request) else "joint forces tau"
    return arguments.signature(
        model,
        request,
        "forward_dynamics",
        (arguments.coordinates(model), arguments.velocities(model), given_forces(model, request)),
        (arguments.accelerations(model),),
        f"Acceleration a that {what} give the robot at position q and velocity v.",
    )


def forward_plan(model: Model, request: Request) -> Plan:
    """The plan of forward dynamics: a."""
    plan = forward_dynamics_plan(model, request.external)
    return driven_plan(model, plan, "tau") if is_driven(request) else plan


def _hybrid_signature(model: Model, request: Request) -> Signature:
    return arguments.signature(
        model,
        request,
        "hybrid_dynamics",
        (arguments.coordinates(model), arguments.velocities(model), *given_motion(model, request)),
        found_by_hybrid(model, request),
        "Forces of the rows whose acceleration is prescribed, and accelerations of the others"
        + (", with the inputs that give these forces." if request.unknown else "."),
    )


def _unknown_inputs(model: Model, request: Request) -> Argument:
    """The inputs that are looked for, (nu,), in the order of all."""
    found = [model.actuator_inputs[number] for number in request.unknown]
    names, units = tuple(own.name for own in found), tuple(own.unit for own in found)
    return Argument("unknown", (len(names),), (names,), units, "inputs of actuators that are looked for")


def hybrid_plan(model: Model, request: Request) -> Plan:
    """The plan of hybrid dynamics: w, and the inputs that are looked for."""
    driven, free = is_driven(request), free_rows(model, request)
    if request.unknown:
        return unknown_inputs_plan(model, "hybrid_dynamics", request.prescribed, request.unknown, request.external)
    given = "given_u" if driven else "u"
    plan = hybrid_dynamics_plan(model, "hybrid_dynamics", free, given, "w", request.external)
    return driven_plan(model, plan, given, request.prescribed) if driven else plan


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
        "forward_dynamics",
        "Motion that joint forces cause: q, v, tau -> a.",
        _forward_signature,
        forward_plan,
        equation="M(q) a = tau - bias(q, v) + sum J_i^T f_ext_i",
        source="Featherstone 1983; Featherstone 2008, chapter 7; Kim 2012, table 3",
        takes=("external_wrenches", "inputs"),
        solves=free_rows,
    ),
    CatalogueEntry(
        "hybrid_dynamics",
        "Forces of prescribed rows and accelerations of the others: q, v, u -> w.",
        _hybrid_signature,
        hybrid_plan,
        equation="tau = M(q) a + bias(q, v) - sum J_i^T f_ext_i, for tau_i where a_i is given and for a_i elsewhere",
        source="Featherstone 2008, section 9.2; Kim 2012, table 4",
        takes=("external_wrenches", "prescribed", "inputs", "unknown"),
        demands=("prescribed",),
        solves=free_rows,
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
