"""Time derivatives of solutions of problems of dynamics, to any order, along a trajectory."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from symdyn.errors import RequestError
from symdyn.functions import arguments
from symdyn.functions.operators import Operator
from symdyn.functions.problems import MOTION, DynamicsProblem
from symdyn.functions.rates import order_name, rate_unit, velocity_rates, with_rates
from symdyn.functions.request import Request, free_rows, is_driven
from symdyn.functions.units import move, per
from symdyn.functions.values import actuated_rows
from symdyn.interface.signature import Argument
from symdyn.model.model import Model
from symdyn.plan.plan import Plan

if TYPE_CHECKING:
    from symdyn.dynamics.equations.order_rows import Rows

_DRIVEN = "U", "A"
"""Inputs of actuators, and accelerations of prescribed rows, with their derivatives."""
_GIVEN = {"tau": "T", "u": "U", "a": "A"}
_FOUND = {"a": "A", "w": "W", "tau": "tau", "lambda": "Lambda", "unknown": "Unknown"}
"""Names of what is given and of what is found, with derivatives."""
_PLAIN = {
    "accelerations, the time derivative of v": "accelerations",
    "generalised forces, dual to v": "generalised forces",
    "inputs of actuators": "inputs of actuators",
}


def _orders(own: Argument, names: dict[str, str], request: Request, how: str = "") -> Argument:
    """An argument with its time derivatives, (r + 1, ..)."""
    plain = _PLAIN.get(own.description)
    described = f"{plain} and" if plain else f"{own.description}; and"
    how = how if plain else ""
    return with_rates(own, own.name, names[own.name], request.order + 1, f"{described} their time derivatives{how}")


def trajectory(problem: DynamicsProblem, model: Model, request: Request) -> list[Argument]:
    """q, and v with its derivatives where they are given; else v and what is given with its derivatives."""
    if problem.known == MOTION:
        motion = [velocity_rates(model, request.order + 1)]
    else:
        given = problem.given(model, request)
        motion = [arguments.velocities(model), *(_orders(own, _GIVEN, request) for own in given)]
    constant = [replace(own, description=f"{own.description}; constant") for own in problem.constant(model, request)]
    return [arguments.coordinates(model), *motion, *constant]


def _derivatives(problem: DynamicsProblem, model: Model, request: Request) -> list[Argument]:
    how = ", row by row" if problem.known == MOTION else ""
    return [_orders(own, _FOUND, request, how) for own in problem.found(model, request)]


def orders_plan(problem: DynamicsProblem, model: Model, request: Request, name: str) -> Plan:
    """The plan of forward or hybrid dynamics, with loops or without: what is found, with its derivatives."""
    free, driven, order, external = free_rows(model, request), is_driven(request), request.order, request.external
    given, found = _GIVEN[problem.known], _FOUND[problem.unknown[0]]
    if driven and given == "U":
        given = "given_U"
    moving = bool(request.unknown) or _columns_move(model, request)
    if request.formulation == "spatial" and not (problem.looped or request.unknown):
        from symdyn.dynamics.world_frame import forward_dynamics as in_world

        if given == "T":
            plan = in_world.spatial_forward_dynamics_time_derivatives_plan(model, order, external)
        else:
            plan = in_world.spatial_hybrid_dynamics_time_derivatives_plan(model, free, order, external, given)
    else:
        from symdyn.dynamics.equations.solution_orders import solution_orders_plan

        rows = _rows(model, request, (given, found), moving)
        held = (problem.looped, request.stabilisation)
        plan = solution_orders_plan(model, name, rows, order, found, external, *held)
        driven = driven and not rows.by_motion
    if not driven:
        return plan
    from symdyn.dynamics.actuation.plans import driven_plan

    return driven_plan(model, plan, given, request.prescribed, order + 1, _DRIVEN)


def _rows(model: Model, request: Request, names: tuple[str, str], moving: bool) -> Rows:
    """What is given of each row: forces and accelerations, or inputs that are known or looked for."""
    from symdyn.dynamics.equations.order_rows import Rows

    free, external = frozenset(free_rows(model, request)), bool(request.external)
    if request.unknown:
        from symdyn.dynamics.equations.unknown_input_orders import FoundInputRows

        return FoundInputRows(model, request.prescribed, request.unknown, _DRIVEN, names[1], external)
    if moving:
        from symdyn.dynamics.equations.input_orders import DrivenRows

        return DrivenRows(model, free, _DRIVEN, names[1], external)
    return Rows(model, free, *names, external)


def _columns_move(model: Model, request: Request) -> bool:
    """Whether what inputs do changes as the robot moves: by tendons, chambers that bulge, gains that vary."""
    if not is_driven(request):
        return False
    bulging = [own.name for own in model.actuation.chambers if own.table.products or own.table.following]
    varied = [own.name for own in model.actuator_inputs if own.slopes]
    if varied and request.order and request.formulation == "spatial":
        raise RequestError(
            f"time derivatives in the formulation 'spatial' take inputs whose gain is constant, and that of input "
            f"'{varied[0]}' of robot '{model.name}' depends on its length or rate; choose the formulation 'body'"
        )
    return any(own.of == "tendon" or own.name in bulging or own.slopes for own in model.actuator_inputs)


def force_orders_plan(_: DynamicsProblem, model: Model, request: Request, __: str) -> Plan:
    """The plan of tau and its derivatives, from q and v with its derivatives."""
    if request.formulation == "spatial":
        from symdyn.dynamics.world_frame.inverse_dynamics import spatial_inverse_dynamics_time_derivatives_plan

        return spatial_inverse_dynamics_time_derivatives_plan(model, request.order, request.external)
    from symdyn.dynamics.equations.inverse_orders import inverse_dynamics_time_derivatives_plan

    return inverse_dynamics_time_derivatives_plan(model, request.order, request.external)


def force_order_partials_plan(_: DynamicsProblem, model: Model, request: Request, __: str) -> Plan:
    """The plan of derivatives of tau and its derivatives."""
    from symdyn.dynamics.equations.order_partials import inverse_dynamics_time_derivatives_partials_plan

    return inverse_dynamics_time_derivatives_partials_plan(model, request.order, request.external)


def constrained_force_orders_plan(_: DynamicsProblem, model: Model, request: Request, name: str) -> Plan:
    """The plan of tau of actuated rows and of the multipliers, with their derivatives."""
    from symdyn.dynamics.equations.inverse_orders import constrained_inverse_dynamics_time_derivatives_plan

    rows = actuated_rows(model, request, name)
    return constrained_inverse_dynamics_time_derivatives_plan(
        model, rows, request.objective, request.weights, request.order, request.external
    )


def _trajectory_partials(problem: DynamicsProblem, model: Model, request: Request) -> list[Argument]:
    """The derivatives by moves of q, by v, and by what is given: with derivatives, which v has where they are given."""
    orders, velocities = request.order + 1, arguments.velocities(model)
    moves = replace(velocities, units=tuple(map(move, velocities.units)))
    by: list[tuple[str, str, Argument, int]] = [("q", "q", moves, 0)]
    if problem.known == MOTION:
        by.append(("V", "v", velocities, orders + 1))
    else:
        by.append(("v", "v", velocities, 0))
        by += [(_GIVEN[own.name], own.name, own, orders) for own in problem.given(model, request)]
    return [_by(found, request.order, *own) for found in problem.found(model, request) for own in by]


def _by(found: Argument, order: int, name: str, symbol: str, by: Argument, orders: int) -> Argument:
    """The derivatives of a quantity and its time derivatives by another, with ``orders`` of it; 0 for it alone."""
    units = tuple(
        per(rate_unit(unit, k), rate_unit(column, j) if orders else column)
        for k in range(order + 1)
        for j in range(max(orders, 1))
        for unit in found.element_units
        for column in by.element_units
    )
    rows = [tuple(order_name(found.name, k) for k in range(order + 1))]
    if orders:
        rows.append(tuple(order_name(symbol, j) for j in range(orders)))
    what = {"q": "moves of q along rows of v", "v": "v"}.get(symbol, _PLAIN.get(by.description, by.description))
    what += " and their time derivatives" if orders and symbol != "v" else " and its time derivatives" if orders else ""
    return Argument(
        f"d{_FOUND[found.name]}_d{name}",
        (*map(len, rows), found.size, by.size),
        (*rows, found.rows[0], by.rows[0]),
        units,
        f"derivatives of {found.name} and its time derivatives by {what}, the other inputs held fixed",
    )


def order_partials_plan(problem: DynamicsProblem, model: Model, request: Request, name: str) -> Plan:
    """The plan of derivatives of what forward or hybrid dynamics finds along its motion, with loops or without."""
    from symdyn.dynamics.equations.solution_order_partials import solution_order_partials_plan

    given = [_GIVEN[own.name] for own in problem.given(model, request)]
    solved = orders_plan(problem, model, request, name)
    found = _FOUND[problem.unknown[0]]
    return solution_order_partials_plan(problem.equations(model, request), name, solved, found, given, request.order)


def constrained_force_order_partials_plan(_: DynamicsProblem, model: Model, request: Request, name: str) -> Plan:
    """The plan of derivatives of tau of actuated rows and of the multipliers, along a trajectory."""
    from symdyn.dynamics.equations.order_partials import constrained_inverse_order_partials_plan

    rows = actuated_rows(model, request, name)
    return constrained_inverse_order_partials_plan(
        model, name, rows, request.objective, request.weights, request.order, request.external
    )


def _derivatives_sentence(problem: DynamicsProblem) -> str:
    names = [_FOUND[own] for own in problem.unknown]
    given = _GIVEN[problem.known]
    found = ", ".join(f"d{own}_d{by}" for own in names for by in ("q", "v", given))
    return f"Derivatives of {problem.solution}, and of their time derivatives: q, v, {given} -> {found}."


TIME_DERIVATIVES = Operator("time_derivatives", trajectory, _derivatives, orders_plan, adds=("order",))
TIME_DERIVATIVES_PARTIALS = Operator(
    "time_derivatives_partials",
    trajectory,
    _trajectory_partials,
    order_partials_plan,
    sentence=_derivatives_sentence,
    description=lambda problem, _, __: (
        f"Partial derivatives of {problem.result}, and of its time derivatives, along the motion."
    ),
    equation=lambda problem: (
        f"d X_k = dX_dq[k] dq + dX_dv[k] dv + sum over j of dX_d{_GIVEN[problem.known]}[k, j] d{problem.known}^(j),  "
        f"X_k = (d/dt)^k of {' or '.join(problem.unknown)},  k, j = 0 .. r"
    ),
    source="Griewank & Walther 2008, chapters 13 and 15, on time series; Carpentier & Mansard 2018, for order 0",
    adds=("order",),
    leaves=("unknown",),
)
