"""Gradients and Hessians of weighted sums of joint forces, and Hessians of weighted solutions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symdyn.dynamics.equations.hessian import MULTIPLIER_WEIGHTS, weighted_hessian_plan
from symdyn.dynamics.equations.residual_gradient import inverse_dynamics_adjoint_plan
from symdyn.dynamics.equations.residual_hessian import inverse_dynamics_weighted_hessian_plan
from symdyn.functions import arguments
from symdyn.functions.adjoints import ACCELERATIONS, MIXED, problem_of, weights_of
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.forward_dynamics import found_force_or_motion, given_forces, given_motion
from symdyn.functions.loops import multipliers
from symdyn.functions.parts import LOOPS
from symdyn.functions.request import Request
from symdyn.functions.units import move, quotient
from symdyn.interface.derivatives import WEIGHTS
from symdyn.interface.signature import Argument, Signature
from symdyn.model.joints import ACCELERATION_UNITS
from symdyn.model.model import Model

_SOURCE = "Nganga & Wensing 2023, for the weights as a virtual velocity; Griewank & Walther 2008, chapter 3"


def _weights(model: Model) -> Argument:
    """The weights lambda, (nv,), of forces: a virtual velocity, so that their sum is a power."""
    what = "weights of the rows of tau, a virtual velocity: lambda^T tau is a power"
    return Argument(WEIGHTS, (model.nv,), (model.velocity_names,), model.velocity_units, what)


Direction = tuple[tuple[str, ...], tuple[str, ...], str]
"""Names, units and a description."""


def _direction(model: Model, by: str) -> Direction:
    """The directions of an input: moves of q, v or a."""
    units = model.velocity_units
    match by:
        case "q":
            return model.velocity_names, tuple(map(move, units)), "moves of q along rows of v"
        case "v":
            return model.velocity_names, units, "velocities"
    return model.velocity_names, tuple(ACCELERATION_UNITS[unit] for unit in units), "accelerations"


def _gradient(model: Model, by: str) -> Argument:
    names, units, along = _direction(model, by)
    described = f"derivatives of lambda^T tau by {along}"
    return Argument(f"g_{by}", (model.nv,), (names,), tuple(quotient("W", unit) for unit in units), described)


def _second(
    model: Model, of: str, unit: str, first: str, second: str, directions: Mapping[str, Direction] | None = None
) -> Argument:
    """The second derivatives, (nv, ..): row by row those of the derivative by one direction along all others."""
    along = directions or {by: _direction(model, by) for by in (first, second)}
    (rows, row_units, by_rows), (columns, column_units, by_columns) = along[first], along[second]
    units = tuple(quotient(unit, row, column) for row in row_units for column in column_units)
    described = f"derivatives of lambda^T {of} by {by_rows}, then by {by_columns}"
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


def _solution_signature(
    model: Model, request: Request, name: str, solution: Argument, given: Sequence[Argument]
) -> Signature:
    """That of the second derivatives of weighted solutions, by q, v and what is given."""
    weights, weighted = [weights_of(solution, WEIGHTS, f"weights of the rows of {solution.name}")], solution.name
    if name.startswith("constrained"):
        described = f"weights of the multipliers: their sum counts beside lambda^T {solution.name}"
        weights.append(weights_of(multipliers(model), MULTIPLIER_WEIGHTS, described))
        weighted += " + kappa^T multipliers"
    directions = {by: _direction(model, by) for by in "qv"}
    directions |= {own.name: (own.rows[0], own.element_units, own.description) for own in given}
    pairs = (("q", "q"), ("q", "v"), ("v", "v"), *(("q", own.name) for own in given))
    words = " and ".join(own.name for own in given)
    return arguments.signature(
        model,
        request,
        name,
        (arguments.coordinates(model), arguments.velocities(model), *given, *weights),
        tuple(_second(model, weighted, "W/s", *pair, directions) for pair in pairs),
        f"Second derivatives of a weighted sum of what {name.removesuffix('_weighted_hessian').replace('_', ' ')} "
        f"finds; those by v and {words}, and twice by {words}, are zero.",
    )


def _solution_entry(dynamics: str, solution: str, given: str) -> CatalogueEntry:
    """The row of a dynamics: the words of its result, and the name of what is given."""
    name, hybrid, looped = f"{dynamics}_weighted_hessian", "hybrid" in dynamics, dynamics.startswith("constrained")
    result = "w" if hybrid else "a"

    def signature(model: Model, request: Request) -> Signature:
        if hybrid:
            found = found_force_or_motion(model, request)
            return _solution_signature(model, request, name, found, given_motion(model, request))
        found = arguments.accelerations(model)
        return _solution_signature(model, request, name, found, [given_forces(model, request)])

    return CatalogueEntry(
        name,
        f"Second derivatives of weighted {solution}{' and multipliers where loops are closed' if looped else ''}: "
        f"q, v, {given}, lambda{', kappa' if looped else ''} -> H_qq, H_qv, H_vv, H_q{given}.",
        signature,
        lambda model, request: weighted_hessian_plan(problem_of(model, request, name, given), name, f"H_q{given}"),
        equation=f"H_xy = d(lambda^T d{result}_dx{' + kappa^T dmultipliers_dx' if looped else ''})/dy, q along "
        f"body-frame perturbations; H_v{given} = H_{given}{given} = 0",
        source=f"{_SOURCE}; Singh, Russell & Wensing 2022, for the second derivatives of forward dynamics",
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
    _solution_entry("forward_dynamics", ACCELERATIONS, "tau"),
    _solution_entry("hybrid_dynamics", MIXED, "u"),
    _solution_entry("constrained_forward_dynamics", ACCELERATIONS, "tau"),
    _solution_entry("constrained_hybrid_dynamics", MIXED, "u"),
)
