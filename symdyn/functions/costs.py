"""Costs of the robot's optimal-control problem, with gradients and Hessians."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.dynamics.control.cost_terms import TARGETS, Terms, terms_of
from symdyn.dynamics.control.costs import BY_PARAMETERS, Slopes, cost_plan, output_names
from symdyn.functions import actuation, arguments
from symdyn.functions.adjoints import by_parameters
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.inverse_dynamics import gravity_plan
from symdyn.functions.parts import CONTROL
from symdyn.functions.request import Request
from symdyn.functions.units import move, quotient
from symdyn.interface.optimal_control import BEFORE
from symdyn.interface.signature import Argument, Signature
from symdyn.model.frame_policy import AS_DESCRIBED
from symdyn.model.model import Model
from symdyn.plan.plan import Plan
from symdyn.plan.run import run_plan

_CALLED = {"q": "moves of q", "v": "v", "u": "inputs", "b": "inputs of the step before"}


def problem_terms(model: Model) -> Terms:
    """The terms of the robot's problem."""
    assert model.control is not None

    def gravity(q: Sequence[float]) -> Sequence[float]:
        found = run_plan(gravity_plan(model), FloatAlgebra(), {"q": list(q)})
        return [float(entry) for entry in found["tau"]]

    return terms_of(model, model.control, gravity)


def _driving(model: Model) -> Argument:
    """What drives the robot in its problem: tau, (nv,), or the inputs u, (na,)."""
    assert model.control is not None
    return actuation.inputs(model) if model.control.inputs == "actuators" else arguments.generalised_forces(model)


def _outputs(model: Model, request: Request, driving: Argument, rated: bool, end: bool) -> tuple[Argument, ...]:
    moves = tuple(move(unit) for unit in model.velocity_units)
    rows = {
        "q": (model.velocity_names, moves),
        "v": (model.velocity_names, model.velocity_units),
        "u": (driving.rows[0], driving.units),
        "b": (driving.rows[0], driving.units),
    }
    found = []
    for name in output_names(rated, end)[1:]:
        (names, units), letters = rows[name[2]], " and ".join(_CALLED[letter] for letter in name[2:])
        if len(name) == len("l_q"):
            gradient = tuple(quotient("1", unit) for unit in units)
            found.append(Argument(name, (len(names),), (names,), gradient, f"gradient by {letters}"))
            continue
        others, by = rows[name[3]]
        entries = tuple(quotient("1", unit, other) for unit in units for other in by)
        shape = (len(names), len(others))
        found.append(Argument(name, shape, (names, others), entries, f"second derivatives by {letters}"))
    if by_parameters(model, request):
        own = arguments.parameters(model)
        gradient = tuple(quotient("1", unit) for unit in own.units)
        found.append(replace(own, name=BY_PARAMETERS, units=gradient, description=f"gradient by {own.description}"))
    return tuple(found)


def _signature(name: str, end: bool, slopes: bool, description: str, model: Model, request: Request) -> Signature:
    terms, driving = problem_terms(model), _driving(model)
    given = tuple(row for row, _ in terms.given)
    inputs = (arguments.coordinates(model), arguments.velocities(model), *(() if end else (driving,)))
    if terms.rated and not end:
        inputs += (replace(driving, name=BEFORE, description="inputs of the step before"),)
    if given:
        units = tuple(unit for _, unit in terms.given)
        inputs += (Argument(TARGETS, (len(given),), (given,), units, "references and weights that are given"),)
    found = _outputs(model, request, driving, terms.rated, end) if slopes else ()
    outputs = (Argument("l", (), (), ("1",), "cost"), *found)
    costs = tuple(own.name for own in model.control.costs) if model.control else ()
    return arguments.signature(model, request, name, inputs, outputs, description, feels_gravity=False, costs=costs)


def _plan(name: str, end: bool, slopes: bool, model: Model, request: Request) -> Plan:
    terms, given = problem_terms(model), _driving(model).name
    if not slopes:
        return cost_plan(model, terms, name, given, end, Slopes.NONE)
    return cost_plan(model, terms, name, given, end, Slopes.HESSIAN, by_parameters(model, request))


def _entry(name: str, sentence: str, end: bool, slopes: bool, description: str, equation: str) -> CatalogueEntry:
    return CatalogueEntry(
        name,
        sentence,
        partial(_signature, name, end, slopes, description),
        partial(_plan, name, end, slopes),
        equation=equation,
        source="Nocedal & Wright 2006, section 10.3, for Gauss-Newton; Huber 1964",
        frames=AS_DESCRIBED,
        takes=("gradient",) if slopes else (),
        needs=CONTROL,
    )


_PATH = "l = h sum_i w_i r_i^T W_i r_i / 2, with the residuals r_i of the problem's costs and the length h of a step"
_END = "l = sum_i w_i r_i^T W_i r_i / 2, with the residuals r_i and the weights w_i at the end"
_SLOPES = "; l_x = sum_i c_i J_i^T W_i r_i, l_xx = sum_i c_i J_i^T W_i J_i, J_i = dr_i/dx"

ENTRIES = (
    _entry(
        "stage_cost",
        "Cost of a step of the problem below control: q, v, tau, targets -> l.",
        False,
        False,
        "Cost l of a step at the state q, v with the generalised forces tau or the inputs u.",
        _PATH,
    ),
    _entry(
        "stage_cost_derivatives",
        "Cost of a step, its gradient and its Hessian: q, v, tau, targets -> l, l_q, l_v, l_u, l_qq, l_qv, l_vv, l_uu.",
        False,
        True,
        "Cost l of a step, its gradient and its Hessian; by q along rows of v.",
        _PATH + _SLOPES,
    ),
    _entry(
        "end_cost",
        "Cost at the end of a plan: q, v, targets -> l.",
        True,
        False,
        "Cost l at the end of a plan, at the state q, v.",
        _END,
    ),
    _entry(
        "end_cost_derivatives",
        "Cost at the end, its gradient and its Hessian: q, v, targets -> l, l_q, l_v, l_qq, l_qv, l_vv.",
        True,
        True,
        "Cost l at the end of a plan, its gradient and its Hessian; by q along rows of v.",
        _END + _SLOPES,
    ),
)
