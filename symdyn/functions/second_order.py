"""Gradients and Hessians of weighted sums: of joint forces, and of accelerations."""

from __future__ import annotations

from dataclasses import replace

from symdyn.dynamics.equations.hessian import MULTIPLIER_WEIGHTS, weighted_hessian_plan
from symdyn.dynamics.equations.residual_gradient import inverse_dynamics_adjoint_plan
from symdyn.dynamics.equations.residual_hessian import inverse_dynamics_weighted_hessian_plan
from symdyn.functions import actuation, arguments
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.forward_dynamics import given_forces, is_driven
from symdyn.functions.loops import multipliers
from symdyn.functions.parts import LOOPS
from symdyn.functions.request import Request
from symdyn.functions.units import move, quotient
from symdyn.interface.derivatives import WEIGHTS
from symdyn.interface.signature import Argument, Signature
from symdyn.model.joints import ACCELERATION_UNITS, FORCE_UNITS
from symdyn.model.model import Model

_SOURCE = "Nganga & Wensing 2023, for the weights as a virtual velocity; Griewank & Walther 2008, chapter 3"
_DIRECTIONS = {
    "q": "moves of q along rows of v",
    "v": "velocities",
    "a": "accelerations",
    "tau": "generalised forces",
    "u": "inputs of actuators",
}


def _weights(model: Model, of_accelerations: bool = False) -> Argument:
    """The weights lambda, (nv,): a virtual velocity for forces, whose sum is then a power; forces for accelerations."""
    units, what = model.velocity_units, "weights of the rows of tau, a virtual velocity: lambda^T tau is a power"
    if of_accelerations:
        units = tuple(FORCE_UNITS[unit] for unit in units)
        what = "weights of the rows of a, virtual forces: lambda^T a is a rate of power"
    return Argument(WEIGHTS, (model.nv,), (model.velocity_names,), units, what)


def _direction(model: Model, by: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names and units of the directions of an input."""
    units = model.velocity_units
    match by:
        case "q":
            return model.velocity_names, tuple(map(move, units))
        case "v":
            return model.velocity_names, units
        case "a":
            return model.velocity_names, tuple(ACCELERATION_UNITS[unit] for unit in units)
        case "u":
            inputs = actuation.inputs(model)
            return inputs.rows[0], inputs.element_units
    return model.velocity_names, tuple(FORCE_UNITS[unit] for unit in units)


def _gradient(model: Model, by: str) -> Argument:
    names, units = _direction(model, by)
    described = f"derivatives of lambda^T tau by {_DIRECTIONS[by]}"
    return Argument(f"g_{by}", (model.nv,), (names,), tuple(quotient("W", unit) for unit in units), described)


def _second(model: Model, of: str, unit: str, first: str, second: str) -> Argument:
    """The second derivatives, (nv, ..): row by row those of the derivative by one direction along all others."""
    (rows, row_units), (columns, column_units) = _direction(model, first), _direction(model, second)
    units = tuple(quotient(unit, row, column) for row in row_units for column in column_units)
    described = f"derivatives of lambda^T {of} by {_DIRECTIONS[first]}, then by {_DIRECTIONS[second]}"
    return Argument(f"H_{first}{second}", (model.nv, len(columns)), (rows, columns), units, described)


def _motion(model: Model) -> tuple[Argument, ...]:
    return (arguments.coordinates(model), arguments.velocities(model), arguments.accelerations(model))


def _adjoint_signature(model: Model, request: Request) -> Signature:
    return arguments.signature(
        model,
        request,
        "inverse_dynamics_adjoint",
        (*_motion(model), _weights(model)),
        tuple(_gradient(model, by) for by in "qva"),
        "Gradient of a weighted sum of the joint forces tau by position, velocity and acceleration.",
    )


def _inverse_signature(model: Model, request: Request) -> Signature:
    return arguments.signature(
        model,
        request,
        "inverse_dynamics_weighted_hessian",
        (*_motion(model), _weights(model)),
        tuple(_second(model, "tau", "W", *pair) for pair in ("qq", "qv", "vv", "qa")),
        "Second derivatives of a weighted sum of the joint forces tau; those by v, a and by a, a are zero.",
    )


def _forward_signature(model: Model, request: Request) -> Signature:
    third = given_forces(model, request)
    by, given = third.name, (arguments.coordinates(model), arguments.velocities(model), third)
    pairs = (("q", "q"), ("q", "v"), ("v", "v"), ("q", by))
    return arguments.signature(
        model,
        request,
        "forward_dynamics_weighted_hessian",
        (*given, _weights(model, of_accelerations=True)),
        tuple(_second(model, "a", "W/s", *pair) for pair in pairs),
        f"Second derivatives of a weighted sum of the accelerations; those by v, {by} and by {by}, {by} are zero.",
    )


def _constrained_signature(model: Model, request: Request) -> Signature:
    third, found = given_forces(model, request), multipliers(model)
    by, given = third.name, (arguments.coordinates(model), arguments.velocities(model), third)
    units = tuple(quotient("W/s", unit) for unit in found.element_units)
    described = "weights of the multipliers: their sum counts beside lambda^T a"
    more = replace(found, name=MULTIPLIER_WEIGHTS, units=units, description=described)
    pairs = (("q", "q"), ("q", "v"), ("v", "v"), ("q", by))
    return arguments.signature(
        model,
        request,
        "constrained_forward_dynamics_weighted_hessian",
        (*given, _weights(model, of_accelerations=True), more),
        tuple(_second(model, "a + kappa^T multipliers", "W/s", *pair) for pair in pairs),
        "Second derivatives of a weighted sum of the accelerations and multipliers that constrained forward dynamics "
        f"finds; those by v, {by} and by {by}, {by} are zero.",
    )


ENTRIES = (
    CatalogueEntry(
        "inverse_dynamics_adjoint",
        "Gradient of weighted joint forces: q, v, a, lambda -> g_q, g_v, g_a.",
        _adjoint_signature,
        lambda model, request: inverse_dynamics_adjoint_plan(model, request.external),
        equation="g_x = lambda^T dtau_dx for x = q, v, a; g_a = M lambda",
        source=_SOURCE,
        takes=("external_wrenches",),
    ),
    CatalogueEntry(
        "inverse_dynamics_weighted_hessian",
        "Second derivatives of weighted joint forces: q, v, a, lambda -> H_qq, H_qv, H_vv, H_qa.",
        _inverse_signature,
        lambda model, request: inverse_dynamics_weighted_hessian_plan(model, request.external),
        equation="H_xy = d(lambda^T dtau_dx)/dy, q along body-frame perturbations; H_va = H_aa = 0",
        source=_SOURCE,
        takes=("external_wrenches",),
    ),
    CatalogueEntry(
        "forward_dynamics_weighted_hessian",
        "Second derivatives of weighted accelerations: q, v, tau, lambda -> H_qq, H_qv, H_vv, H_qtau.",
        _forward_signature,
        lambda model, request: weighted_hessian_plan(model, request.external, None, is_driven(request)),
        equation="H_xy = d(lambda^T da_dx)/dy, q along body-frame perturbations; H_vtau = H_tautau = 0",
        source=_SOURCE + "; Singh, Russell & Wensing 2022, for the second derivatives of forward dynamics",
        takes=("external_wrenches", "inputs"),
    ),
    CatalogueEntry(
        "constrained_forward_dynamics_weighted_hessian",
        "Second derivatives of weighted accelerations and multipliers where loops are closed: q, v, tau, lambda, "
        "kappa -> H_qq, H_qv, H_vv, H_qtau.",
        _constrained_signature,
        lambda model, request: weighted_hessian_plan(
            model, request.external, request.stabilisation, is_driven(request), True
        ),
        equation="H_xy = d(lambda^T da_dx + kappa^T dlambda_dx)/dy, where dlambda_dx is of the multipliers; "
        "H_vtau = H_tautau = 0",
        source=_SOURCE + "; Carpentier & Mansard 2018, with multipliers, differentiated",
        takes=("external_wrenches", "inputs", "stabilisation", "switched"),
        needs=LOOPS,
    ),
)
