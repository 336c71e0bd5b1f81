"""Dynamics of robots with closed loops."""

from __future__ import annotations

from dataclasses import replace

from symdyn.dynamics.actuation.plans import driven_plan
from symdyn.dynamics.elements.tip import deforms
from symdyn.dynamics.equations.constrained_dynamics import constrained_hybrid_dynamics_plan, operational_inertia_plan
from symdyn.dynamics.equations.constrained_inverse_dynamics import constrained_inverse_dynamics_plan
from symdyn.dynamics.loops.underactuation import rows_that_move
from symdyn.errors import RequestError
from symdyn.functions import arguments
from symdyn.functions.actuation import is_weighed
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.forward_dynamics import (
    found_force_or_motion,
    free_rows,
    given_forces,
    given_motion,
    is_driven,
)
from symdyn.functions.loops import multipliers
from symdyn.functions.parts import LOOPS
from symdyn.functions.request import Request
from symdyn.functions.units import mass, quotient
from symdyn.interface.signature import Argument, Signature
from symdyn.model.joints import FREE
from symdyn.model.model import Model
from symdyn.plan.plan import Plan


def _forward_signature(model: Model, request: Request) -> Signature:
    what = "inputs u of actuators" if is_driven(request) else "joint forces tau"
    return arguments.signature(
        model,
        request,
        "constrained_forward_dynamics",
        (arguments.coordinates(model), arguments.velocities(model), given_forces(model, request)),
        (arguments.accelerations(model), multipliers(model)),
        f"Acceleration a that {what} give the robot with its loops closed, and the multipliers lambda of these.",
    )


def forward_plan(model: Model, request: Request) -> Plan:
    """The plan of constrained forward dynamics: a and lambda."""
    plan = constrained_hybrid_dynamics_plan(
        model,
        "constrained_forward_dynamics",
        range(model.nv),
        "tau",
        "a",
        request.external,
        request.stabilisation,
    )
    return driven_plan(model, plan, "tau") if is_driven(request) else plan


def _hybrid_signature(model: Model, request: Request) -> Signature:
    return arguments.signature(
        model,
        request,
        "constrained_hybrid_dynamics",
        (arguments.coordinates(model), arguments.velocities(model), *given_motion(model, request)),
        (found_force_or_motion(model, request), multipliers(model)),
        "Forces of the rows whose acceleration is prescribed, accelerations of the others, and multipliers lambda.",
    )


def hybrid_plan(model: Model, request: Request) -> Plan:
    """The plan of constrained hybrid dynamics: w and lambda."""
    driven = is_driven(request)
    given, name = "given_u" if driven else "u", "constrained_hybrid_dynamics"
    plan = constrained_hybrid_dynamics_plan(
        model, name, free_rows(model, request), given, "w", request.external, request.stabilisation
    )
    return driven_plan(model, plan, given, request.prescribed) if driven else plan


def actuated_rows(model: Model, request: Request, what: str = "constrained_inverse_dynamics") -> tuple[int, ...]:
    """Rows of v that have forces: those asked for, else those of the file's actuators, else all of joints.

    Raises
    ------
    RequestError
        Rows without a force that move while the loops and all other rows hold, so that most motions need what nothing
        gives; more of them than the loops have rows, or such that rows of the loops hold them twice.
    """
    found = request.actuated
    if found is None:
        driven = {row for own in model.actuator_inputs for row in own.rows}
        found = tuple(row for row in range(model.nv) if (row in driven if driven else _may_act(model, row)))
    passive, held = model.nv - len(found), len(model.loop_row_names)
    if passive > held:
        raise RequestError(
            f"{what}: {passive} rows of v of robot '{model.name}' have no force, and its loops "
            f"hold {held}; actuate at least {passive - held} more, or use constrained_hybrid_dynamics with the "
            "accelerations of the actuated rows prescribed"
        )
    if loose := rows_that_move(model, found):
        raise RequestError(
            f"{what}: rows {', '.join(repr(model.velocity_names[row]) for row in loose)} of v of robot '{model.name}' "
            "have no force and can move while its loops and the actuated rows hold; actuate some of them, or use "
            "constrained_hybrid_dynamics with the accelerations of the actuated rows prescribed"
        )
    return found


def _may_act(model: Model, row: int) -> bool:
    index = model.velocity_bodies[row]
    shape = deforms(model.bodies[index]) or index in {rod.owner for rod in model.rods}
    return not shape and model.bodies[index].joint.kind.own_axes != FREE


def weights_asked(model: Model, request: Request) -> tuple[Argument, ...]:
    """The input weights, (nv,), where they are given at run time."""
    if not is_weighed(request):
        return ()
    described = "positive weights of squared forces, row by row; those of actuated rows count"
    return (replace(arguments.generalised_forces(model), name="weights", units=("",), description=described),)


def _inverse_signature(model: Model, request: Request) -> Signature:
    return arguments.signature(
        model,
        request,
        "constrained_inverse_dynamics",
        (
            arguments.coordinates(model),
            arguments.velocities(model),
            arguments.accelerations(model),
            *weights_asked(model, request),
        ),
        (arguments.generalised_forces(model), multipliers(model)),
        "Forces tau of the actuated rows that a motion needs where loops are closed, and the multipliers lambda.",
    )


def _inverse_plan(model: Model, request: Request) -> Plan:
    rows = actuated_rows(model, request)
    return constrained_inverse_dynamics_plan(model, rows, request.objective, request.weights, request.external)


def _inertia(model: Model, name: str, inverse: bool, description: str) -> Argument:
    names, rates = model.loop_row_names, [f"{unit}/s" for unit in model.loop_row_units]
    units = tuple(mass(row, column) for row in rates for column in rates)
    if inverse:
        units = tuple(quotient("1", unit) for unit in units)
    return Argument(name, (len(names), len(names)), (names, names), units or ("",), description)


def delassus(model: Model) -> Argument:
    """The matrix A M^-1 A^T, (m, m): how errors accelerate per multiplier."""
    return _inertia(model, "delassus", True, "A M^-1 A^T: accelerations of the errors per multiplier")


def operational_inertia(model: Model) -> Argument:
    """Its inverse, (m, m): the inertia that the errors feel."""
    return _inertia(model, "inertia", False, "inverse of A M^-1 A^T: multipliers per acceleration of the errors")


ENTRIES = (
    CatalogueEntry(
        "constrained_forward_dynamics",
        "Motion that joint forces cause where loops are closed: q, v, tau -> a, lambda.",
        _forward_signature,
        forward_plan,
        equation="M a + bias = tau + A^T lambda, A a = -(e'' at a = 0) - 2 e' / T - e / T^2",
        source="Kim 2012, eqs. 67 to 69",
        takes=("external_wrenches", "inputs", "stabilisation", "switched"),
        needs=LOOPS,
        solves=free_rows,
    ),
    CatalogueEntry(
        "constrained_hybrid_dynamics",
        "Forces of prescribed rows, accelerations of the others, where loops are closed: q, v, u -> w, lambda.",
        _hybrid_signature,
        hybrid_plan,
        equation="M a + bias = tau + A^T lambda, A a = -(e'' at a = 0) - 2 e' / T - e / T^2",
        source="Kim 2012, eqs. 72 to 80",
        takes=("external_wrenches", "prescribed", "inputs", "stabilisation", "switched"),
        demands=("prescribed",),
        needs=LOOPS,
        solves=free_rows,
    ),
    CatalogueEntry(
        "constrained_inverse_dynamics",
        "Forces of actuated rows that a motion needs where loops are closed: q, v, a -> tau, lambda.",
        _inverse_signature,
        _inverse_plan,
        equation="tau + A^T lambda = inverse_dynamics(q, v, a), tau = 0 in passive rows where loops can give that; of "
        "such tau that of the least tau^T W tau, with W = 1, or diag(weights), or that of the least |lambda|",
        source="Kim 2012, eqs. 56 to 66",
        takes=("external_wrenches", "actuated", "weights", "objective", "switched"),
        needs=LOOPS,
    ),
    CatalogueEntry(
        "operational_inertia",
        "Accelerations of the loops' errors per multiplier, and the inverse: q -> delassus, inertia.",
        arguments.signed(
            "operational_inertia",
            (arguments.coordinates,),
            (delassus, operational_inertia),
            "Delassus matrix A M^-1 A^T at position q, and its inverse.",
            feels_gravity=False,
        ),
        lambda model, _: operational_inertia_plan(model),
        equation="delassus = A M^-1 A^T, inertia = delassus^-1",
        source="Khatib 1987; Featherstone 2008, section 8.5",
        takes=("switched",),
        needs=LOOPS,
        solves=free_rows,
    ),
)
