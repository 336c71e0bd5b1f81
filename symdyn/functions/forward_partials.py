"""Partial derivatives of forward and of hybrid dynamics."""

from __future__ import annotations

from collections.abc import Collection

from symdyn.dynamics.equations.implicit import Outputs, implicit_partials_plan
from symdyn.dynamics.equations.problem import Problem
from symdyn.dynamics.equations.unknown_input_partials import unknown_inputs_partials_plan
from symdyn.functions import arguments
from symdyn.functions.dynamics_arguments import found_by_hybrid, given_forces, given_motion
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.request import Request, free_rows, is_driven
from symdyn.functions.units import move, per
from symdyn.interface.signature import Argument, Signature
from symdyn.model.model import Model
from symdyn.plan.plan import Plan


def derivatives(model: Model, of: Argument, *others: Argument) -> tuple[Argument, ...]:
    """Jacobians of one argument by moves of q, by v, by other arguments, and by p where the robot has parameters."""
    moves = tuple(map(move, model.velocity_units))
    columns = [
        ("q", model.velocity_names, moves, "moves of q along rows of v"),
        ("v", model.velocity_names, model.velocity_units, "velocities"),
        *((by.name, by.rows[0], by.element_units, by.description) for by in others),
    ]
    if model.slots.names:
        columns.append(("p", model.slots.names, model.slots.units, "the run-time parameters"))
    return tuple(
        Argument(
            f"d{of.name}_d{name}",
            (of.size, len(names)),
            (of.rows[0], names),
            tuple(per(row, unit) for row in of.element_units for unit in units),
            f"derivatives of {of.name} by {meaning}, the other inputs held fixed",
        )
        for name, names, units, meaning in columns
    )


def _forward_signature(model: Model, request: Request) -> Signature:
    given = given_forces(model, request)
    return arguments.signature(
        model,
        request,
        "forward_dynamics_partials",
        (arguments.coordinates(model), arguments.velocities(model), given),
        derivatives(model, arguments.accelerations(model), given),
        "Partial derivatives of the acceleration that forward dynamics finds.",
    )


def _hybrid_signature(model: Model, request: Request) -> Signature:
    given = given_motion(model, request)
    return arguments.signature(
        model,
        request,
        "hybrid_dynamics_partials",
        (arguments.coordinates(model), arguments.velocities(model), *given),
        tuple(own for of in found_by_hybrid(model, request) for own in derivatives(model, of, *given)),
        "Partial derivatives of the forces and accelerations that hybrid dynamics finds"
        + (", and of the inputs that give them." if request.unknown else "."),
    )


def partials_plan(model: Model, name: str, free: Collection[int], given: str, found: str, request: Request) -> Plan:
    """The plan of derivatives of ``found``, by q, v, ``given`` and p."""
    if request.unknown:
        return unknown_inputs_partials_plan(model, name, request.prescribed, request.unknown, request.external)
    driven = is_driven(request)
    words = {"q": "q", "v": "v", "u": "u" if driven else given, "a": "a", "p": "p"}
    problem = Problem(model, free, "given" if driven else given, request.external, actuated=driven)
    return implicit_partials_plan(problem, name, Outputs({x: f"d{found}_d{word}" for x, word in words.items()}))


ENTRIES = (
    CatalogueEntry(
        "forward_dynamics_partials",
        "Derivatives of the acceleration: q, v, tau -> da_dq, da_dv, da_dtau.",
        _forward_signature,
        lambda model, request: partials_plan(model, "forward_dynamics_partials", range(model.nv), "tau", "a", request),
        equation="da_dx = -M^-1 dtau_dx at the solved acceleration for x = q, v; da_dtau = M^-1",
        source="Carpentier & Mansard 2018; Singh, Russell & Wensing 2022",
        takes=("external_wrenches", "inputs"),
        solves=free_rows,
    ),
    CatalogueEntry(
        "hybrid_dynamics_partials",
        "Derivatives of what hybrid dynamics finds: q, v, u -> dw_dq, dw_dv, dw_du.",
        _hybrid_signature,
        lambda model, request: partials_plan(
            model, "hybrid_dynamics_partials", free_rows(model, request), "u", "w", request
        ),
        equation="da_F = M_FF^-1 (dtau_F - dtau_F/dx dx - M_FP da_P), dtau_P = dtau_P/dx dx + M_PF da_F + M_PP da_P",
        source="Kim 2012, section 4; Carpentier & Mansard 2018",
        takes=("external_wrenches", "prescribed", "inputs", "unknown"),
        demands=("prescribed",),
        solves=free_rows,
    ),
)
