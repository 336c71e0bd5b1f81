"""Gradients of weighted solutions: of forward and of hybrid dynamics, with loops and without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symdyn.dynamics.equations.adjoint import adjoint_plan
from symdyn.dynamics.equations.hessian import MULTIPLIER_WEIGHTS
from symdyn.dynamics.equations.problem import Problem
from symdyn.functions import arguments
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
from symdyn.functions.units import move, quotient
from symdyn.interface.derivatives import ADJOINTS, WEIGHTS
from symdyn.interface.signature import Argument, Signature
from symdyn.model.model import Model

_SUM = "W/s"
"""Unit of the weighted sum, with weights of accelerations that are virtual forces."""
ACCELERATIONS, MIXED = "accelerations", "forces of prescribed rows and accelerations of the others"
_SOURCE = "Griewank & Walther 2008, chapter 15, for adjoints of implicit functions"


def weights_of(solution: Argument, name: str, description: str) -> Argument:
    """Weights of the rows of a solution, in units that give a rate of power."""
    units = tuple(quotient(_SUM, unit) for unit in solution.element_units)
    return replace(solution, name=name, units=units, description=description)


def _gradient(of: Argument, by: str, weighted: str) -> Argument:
    units = tuple(quotient(_SUM, unit) for unit in of.element_units)
    return replace(of, name=f"g_{by}", units=units, description=f"derivatives of {weighted} by {of.description}")


def _signature(model: Model, request: Request, name: str, solution: Argument, given: Sequence[Argument]) -> Signature:
    weights = [weights_of(solution, WEIGHTS, f"weights of the rows of {solution.name}")]
    weighted = f"lambda^T {solution.name}"
    if name.startswith("constrained"):
        more = "weights of the multipliers: their sum counts beside that of lambda"
        weights.append(weights_of(multipliers(model), MULTIPLIER_WEIGHTS, more))
        weighted += " + kappa^T multipliers"
    velocities = arguments.velocities(model)
    moves = replace(velocities, units=tuple(map(move, model.velocity_units)), description="moves of q along rows of v")
    by = [("q", moves), ("v", velocities), *((own.name, own) for own in given)]
    return arguments.signature(
        model,
        request,
        name,
        (arguments.coordinates(model), velocities, *given, *weights),
        tuple(_gradient(own, word, weighted) for word, own in by),
        f"Gradient of a weighted sum of what {name.removesuffix('_adjoint').replace('_', ' ')} finds.",
    )


def problem_of(model: Model, request: Request, name: str, given: str) -> Problem:
    """The equations that a function of forward or hybrid dynamics, with loops or without, solves."""
    driven, looped = is_driven(request), name.startswith("constrained")
    return Problem(
        model,
        free_rows(model, request) if "hybrid" in name else range(model.nv),
        "given" if driven else given,
        request.external,
        request.stabilisation if looped else None,
        looped,
        driven,
    )


def _entry(dynamics: str, solution: str, given: str, inputs: str, equation: str) -> CatalogueEntry:
    """The row of a dynamics: the words of its result and of what is given."""
    name, hybrid, looped = ADJOINTS[dynamics], "hybrid" in dynamics, dynamics.startswith("constrained")

    def signature(model: Model, request: Request) -> Signature:
        if hybrid:
            return _signature(model, request, name, found_force_or_motion(model, request), given_motion(model, request))
        return _signature(model, request, name, arguments.accelerations(model), [given_forces(model, request)])

    return CatalogueEntry(
        name,
        f"Gradient of weighted {solution}{' and multipliers where loops are closed' if looped else ''}: {inputs}.",
        signature,
        lambda model, request: adjoint_plan(problem_of(model, request, name, given), name, f"g_{given}"),
        equation=equation,
        source=_SOURCE,
        takes=(
            "external_wrenches",
            *(["prescribed"] if hybrid else []),
            "inputs",
            *(["stabilisation", "switched"] if looped else []),
        ),
        demands=("prescribed",) if hybrid else (),
        needs=LOOPS if looped else None,
    )


ENTRIES = (
    _entry(
        "forward_dynamics",
        ACCELERATIONS,
        "tau",
        "q, v, tau, lambda -> g_q, g_v, g_tau",
        "g_x = lambda^T da_dx for x = q, v, tau; g_tau = M^-1 lambda",
    ),
    _entry(
        "hybrid_dynamics",
        MIXED,
        "u",
        "q, v, u, lambda -> g_q, g_v, g_u",
        "g_x = lambda^T dw_dx for x = q, v, u",
    ),
    _entry(
        "constrained_forward_dynamics",
        ACCELERATIONS,
        "tau",
        "q, v, tau, lambda, kappa -> g_q, g_v, g_tau",
        "g_x = lambda^T da_dx + kappa^T dmultipliers_dx for x = q, v, tau",
    ),
    _entry(
        "constrained_hybrid_dynamics",
        MIXED,
        "u",
        "q, v, u, lambda, kappa -> g_q, g_v, g_u",
        "g_x = lambda^T dw_dx + kappa^T dmultipliers_dx for x = q, v, u",
    ),
)
