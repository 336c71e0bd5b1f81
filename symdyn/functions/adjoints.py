"""Gradients and Hessians of weighted solutions of problems of dynamics."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from symdyn.errors import RequestError
from symdyn.functions import arguments
from symdyn.functions.dynamics_arguments import is_restituting
from symdyn.functions.operators import Operator, inputs
from symdyn.functions.problems import DynamicsProblem
from symdyn.functions.request import Request
from symdyn.functions.units import quotient
from symdyn.functions.values import actuated_rows
from symdyn.interface.derivatives import MULTIPLIER_WEIGHTS, WEIGHTS
from symdyn.interface.signature import Argument
from symdyn.model.joints import FORCE_UNITS
from symdyn.model.model import Model
from symdyn.plan.plan import Plan

if TYPE_CHECKING:
    from symdyn.dynamics.equations.weighted_sharing import WeightedSharing

_WEIGHTS = WEIGHTS, MULTIPLIER_WEIGHTS
_VELOCITY_UNITS = {force: velocity for velocity, force in FORCE_UNITS.items()}


def _products(problem: DynamicsProblem, before: str = "", after: str = "") -> str:
    """The weighted sum in symbols: ``lambda^T a + kappa^T multipliers``."""
    symbols = (name.replace("lambda", "multipliers") for name in problem.unknown)
    pairs = zip(_WEIGHTS, symbols, strict=False)
    return " + ".join(f"{weight}^T {before}{symbol}{after}" for weight, symbol in pairs)


def _symbols(problem: DynamicsProblem) -> str:
    """The inputs in a sentence: ``q, v, tau, lambda, kappa``."""
    return ", ".join((problem.symbols, *_WEIGHTS[: len(problem.unknown)]))


def _weighted(problem: DynamicsProblem, model: Model, request: Request, beside: str) -> list[Argument]:
    """The inputs, and weights in units that give power or its rate: lambda, (nv,), and with loops kappa, (m,)."""
    whole = problem.weighted_unit

    def weights(of: Argument, name: str, description: str) -> Argument:
        units = of.element_units
        powers = _VELOCITY_UNITS if whole == "W" else {}
        weighed = (powers.get(unit) or quotient(whole, unit) for unit in units)
        return replace(of, name=name, units=tuple(weighed), description=description)

    solution, *exerted = problem.found(model, request)
    power = f", a virtual velocity: lambda^T {solution.name} is a power" if whole == "W" else ""
    described = f"weights of the multipliers: their sum counts beside {beside}"
    return [
        *inputs(problem, model, request),
        weights(solution, WEIGHTS, f"weights of the rows of {solution.name}{power}"),
        *(weights(own, MULTIPLIER_WEIGHTS, described) for own in exerted),
    ]


def _gradients(problem: DynamicsProblem, model: Model, request: Request) -> list[Argument]:
    """The derivatives of the weighted sum, one vector per input."""
    found, directions = [], problem.directions(model, request)
    if by_parameters(model, request):
        directions["p"] = replace(arguments.parameters(model), description="the run-time parameters")
    for name, by in directions.items():
        units = tuple(quotient(problem.weighted_unit, unit) for unit in by.element_units)
        described = f"derivatives of {_products(problem)} by {by.description}"
        found.append(replace(by, name=f"g_{name}", units=units, description=described))
    return found


def by_parameters(model: Model, request: Request) -> bool:
    """Whether there is a gradient by run-time parameters.

    Raises
    ------
    RequestError
        It is asked for, and the robot has none.
    """
    if request.gradient == "parameters" and not model.slots.names:
        raise RequestError(
            f"gradient='parameters' asks for derivatives by run-time parameters, and robot '{model.name}' has none; "
            "name some with runtime= when it is loaded, or leave gradient out"
        )
    return bool(model.slots.names) and request.gradient in ("parameters", "step")


def _second(problem: DynamicsProblem, model: Model, request: Request) -> list[Argument]:
    """The second derivatives, (nv, ..): row by row those of the derivative by one direction along all others."""
    along = problem.directions(model, request)
    found = []
    for first, second in _pairs(own.name for own in problem.given(model, request)):
        by, then = along[first], along[second]
        units = tuple(
            quotient(problem.weighted_unit, row, column) for row in by.element_units for column in then.element_units
        )
        described = f"derivatives of {_products(problem)} by {by.description}, then by {then.description}"
        rows = (by.rows[0], then.rows[0])
        found.append(Argument(f"H_{first}{second}", (by.size, then.size), rows, units, described))
    return found


def _pairs(known: Iterable[str]) -> list[tuple[str, str]]:
    """The pairs of inputs by which second derivatives are not zero; ``known`` are those besides q and v, if any.

    Where nothing else is given, the solution is linear in v.
    """
    others = [("q", name) for name in known if name]
    return [("q", "q"), ("q", "v"), *([("v", "v"), *others] if others else [])]


def _without_second(problem: DynamicsProblem, model: Model, request: Request) -> str:
    """What the header says of second derivatives that are zero."""
    known = " and ".join(own.name for own in problem.given(model, request))
    return f"; those by v and {known}, and twice by {known}, are zero" if known else "; those twice by v are zero"


def _adjoint_plan(problem: DynamicsProblem, model: Model, request: Request, name: str) -> Plan:
    from symdyn.dynamics.equations.adjoint import adjoint_plan

    equations = problem.equations(model, request)
    return adjoint_plan(equations, name, f"g_{problem.known}", by_parameters(model, request))


def _weighted_hessian_plan(problem: DynamicsProblem, model: Model, request: Request, name: str) -> Plan:
    from symdyn.dynamics.equations.hessian import weighted_hessian_plan

    return weighted_hessian_plan(problem.equations(model, request), name, f"H_q{problem.known}")


ADJOINT = Operator(
    "adjoint",
    lambda problem, model, request: _weighted(problem, model, request, "that of lambda"),
    _gradients,
    _adjoint_plan,
    sentence=lambda problem: (
        f"Gradient of weighted {problem.solution}: {_symbols(problem)} -> g_{problem.symbols.replace(', ', ', g_')}."
    ),
    description=lambda problem, _, __: f"Gradient of a weighted sum of {problem.result}.",
    equation=lambda problem: f"g_x = {_products(problem, 'd', '_dx')} for x = {problem.symbols}",
    source="Griewank & Walther 2008, chapter 15, for adjoints of implicit functions",
    adds=("gradient",),
    leaves=("unknown",),
)
WEIGHTED_HESSIAN = Operator(
    "weighted_hessian",
    lambda problem, model, request: _weighted(problem, model, request, f"lambda^T {problem.unknown[0]}"),
    _second,
    _weighted_hessian_plan,
    sentence=lambda problem: (
        f"Second derivatives of weighted {problem.solution}: {_symbols(problem)} -> "
        f"{', '.join(f'H_{first}{second}' for first, second in _pairs([problem.known]))}."
    ),
    description=lambda problem, model, request: (
        f"Second derivatives of a weighted sum of {problem.result}{_without_second(problem, model, request)}."
    ),
    equation=lambda problem: (
        f"H_xy = d({_products(problem, 'd', '_dx')})/dy, q along body-frame perturbations"
        + (f"; H_v{problem.known} = H_{problem.known}{problem.known} = 0" if problem.known else "; H_vv = 0")
    ),
    source="Nganga & Wensing 2023, for the weights as a virtual velocity; Griewank & Walther 2008, chapter 3; Singh, "
    "Russell & Wensing 2022, for the second derivatives of forward dynamics",
    leaves=("unknown",),
)


def _shared(model: Model, request: Request, function: str) -> WeightedSharing:
    from symdyn.dynamics.equations.weighted_sharing import WeightedSharing

    rows = actuated_rows(model, request, function)
    return WeightedSharing(model, rows, request.objective, request.weights, request.external)


def constrained_inverse_adjoint(_: DynamicsProblem, model: Model, request: Request, name: str) -> Plan:
    """The plan of the gradient of weighted forces of actuated rows and multipliers."""
    return _shared(model, request, name).adjoint(name, by_parameters(model, request))


def constrained_inverse_weighted_hessian(_: DynamicsProblem, model: Model, request: Request, name: str) -> Plan:
    """The plan of their second derivatives."""
    return _shared(model, request, name).hessian(name)


def inverse_adjoint(_: DynamicsProblem, model: Model, request: Request, __: str) -> Plan:
    """The plan of the gradient of weighted joint forces."""
    from symdyn.dynamics.equations.residual_gradient import inverse_dynamics_adjoint_plan

    others = ["p"] if by_parameters(model, request) else []
    return inverse_dynamics_adjoint_plan(model, request.external, others=others)


def inverse_weighted_hessian(_: DynamicsProblem, model: Model, request: Request, __: str) -> Plan:
    """The plan of their second derivatives."""
    from symdyn.dynamics.equations.residual_hessian import inverse_dynamics_weighted_hessian_plan

    return inverse_dynamics_weighted_hessian_plan(model, request.external)


def impulse_adjoint(_: DynamicsProblem, model: Model, request: Request, name: str) -> Plan:
    """The plan of the gradient of weighted velocities after an impact and impulses."""
    from symdyn.dynamics.equations.impulse_partials import impulse_adjoint_plan

    return impulse_adjoint_plan(model, name, is_restituting(request), by_parameters(model, request))


def impulse_weighted_hessian(_: DynamicsProblem, model: Model, request: Request, name: str) -> Plan:
    """The plan of their second derivatives."""
    from symdyn.dynamics.equations.impulse_partials import impulse_weighted_hessian_plan

    return impulse_weighted_hessian_plan(model, name, is_restituting(request))
