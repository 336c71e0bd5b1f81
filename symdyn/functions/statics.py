"""What is left of the forces on a robot at rest, and how it changes: what solvers of statics ask."""

from __future__ import annotations

from dataclasses import replace

from symdyn.dynamics.equations.statics_jacobian import statics_jacobian_plan
from symdyn.dynamics.equations.statics_residual import statics_residual_plan
from symdyn.functions import actuation, arguments
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.loops import errors, multipliers, of_loops
from symdyn.functions.parts import LOOPS
from symdyn.functions.request import Request, is_driven
from symdyn.functions.units import move, per
from symdyn.interface.signature import Argument, Signature
from symdyn.model.model import Model

_TAKES = ("external_wrenches", "prescribed", "inputs", "switched")
_EQUATION = "r = inverse_dynamics(q, 0, 0) - tau - A^T lambda, with tau = B(q) u where inputs of actuators are given"


def _given(model: Model, request: Request) -> tuple[Argument, ...]:
    """What holds the robot: tau, or u and in prescribed rows tau besides; and lambda."""
    forces, loops = arguments.generalised_forces(model), of_loops(model, multipliers)
    if not is_driven(request):
        return (forces, *loops)
    described = "generalised forces beside those of actuators, of which those of prescribed rows are read"
    beside = (replace(forces, description=described),) if request.prescribed else ()
    return (actuation.inputs(model), *beside, *loops)


def _left(model: Model) -> Argument:
    """The forces r, (nv,), that nothing balances."""
    described = "generalised forces that nothing balances, 0 at rest"
    return replace(arguments.generalised_forces(model), name="r", description=described)


def _residual_signature(model: Model, request: Request) -> Signature:
    return arguments.signature(
        model,
        request,
        "statics_residual",
        (arguments.coordinates(model), *_given(model, request)),
        (_left(model), *of_loops(model, errors)),
        "Generalised forces r that nothing balances while the robot stands still at position q.",
    )


def _by(of: Argument, name: str, columns: tuple[str, ...], units: tuple[str, ...], meaning: str) -> Argument:
    """Derivatives of an argument by others, an axis of rows and one of columns."""
    entries = tuple(per(row, unit) for row in of.element_units for unit in units)
    described = f"derivatives of {of.name} by {meaning}"
    return Argument(f"d{of.name}_d{name}", (of.size, len(columns)), (of.rows[0], columns), entries, described)


def _jacobian_signature(model: Model, request: Request) -> Signature:
    given = [own for own in _given(model, request) if own.name != "tau"]
    left, forces = _left(model), arguments.generalised_forces(model)
    held = frozenset(request.prescribed)
    moves = tuple(move(unit) for unit in model.velocity_units)
    pairs = enumerate(zip(moves, forces.units, strict=True))
    units = tuple(force if row in held else own for row, (own, force) in pairs)
    meaning = "moves of q along rows of v"
    if held:
        meaning += ", and in prescribed rows by their own force"
    outputs = [_by(left, "x", model.velocity_names, units, meaning)]
    if LOOPS.found(model):
        own, error = multipliers(model), errors(model)
        outputs.append(_by(left, "lambda", own.rows[0], own.units, "the multipliers"))
        outputs.append(_by(error, "x", model.velocity_names, units, meaning))
    if is_driven(request):
        inputs = actuation.inputs(model)
        outputs.append(_by(left, "u", inputs.rows[0], inputs.units, "the inputs of actuators"))
    return arguments.signature(
        model,
        request,
        "statics_jacobian",
        (arguments.coordinates(model), *given),
        tuple(outputs),
        "Derivatives of the forces r that nothing balances at rest, and of the errors of loops.",
    )


ENTRIES = (
    CatalogueEntry(
        "statics_residual",
        "Forces that nothing balances at rest: q, tau, and lambda where loops are closed -> r, and e of the loops.",
        _residual_signature,
        lambda model, request: statics_residual_plan(model, request.external, is_driven(request), request.prescribed),
        equation=_EQUATION,
        source="Mathew et al. 2024, section 4, for soft links; Kim 2012, eq. 54, for loops",
        takes=_TAKES,
        looped=True,
    ),
    CatalogueEntry(
        "statics_jacobian",
        "Derivatives of forces at rest: q, and lambda where loops are closed -> dr_dx, and dr_dlambda, de_dx of loops.",
        _jacobian_signature,
        lambda model, request: statics_jacobian_plan(model, request.external, is_driven(request), request.prescribed),
        equation=f"{_EQUATION}; x is q along body-frame moves, and in prescribed rows the force. With inputs of "
        "actuators also dr_du = -B",
        source="Kim 2012, tables 5 to 7, at rest",
        takes=_TAKES,
        looped=True,
    ),
)
