"""What a solver needs to know of a robot's optimal-control problem: limits by sides, steps, bounds on iterations."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from symdyn.description.control.costs import EXACT, InputRate
from symdyn.dynamics.control.cost_terms import input_rows
from symdyn.dynamics.control.limits import RowLimits, limits_of
from symdyn.errors import RequestError
from symdyn.interface.optimal_control import MPC, STEP_CURVATURE, ControlSettings, ImplicitKind, RowLimit
from symdyn.interface.stepping import (
    IMPLICIT_EULER,
    IMPLICIT_MIDPOINT,
    IMPLICIT_STEPS,
    SDIRK2,
    SEMI_IMPLICIT_EULER,
    Rates,
)
from symdyn.model.coordinates import coordinate_rows
from symdyn.model.model import Model

_THETA: Mapping[str, float] = {"semi_implicit_euler": 1.0, "implicit_euler": 1.0, "implicit_midpoint": 0.5}
"""Methods whose steps have velocity rows, and the share of the new velocity in the move of q."""


def control_settings(model: Model) -> ControlSettings:
    """The problem of a robot for the solver ``mpc``.

    Raises
    ------
    RequestError
        No problem, a range of width 0 of anything but inputs, coordinates with limits that do not move one by one,
        second derivatives of steps that have none.
    """
    problem = model.control
    if problem is None:
        raise RequestError(
            f"the solver '{MPC}' needs a problem, and robot '{model.name}' has none below control: give problem="
            "'reach.yaml', or --problem reach.yaml"
        )
    limits = limits_of(model, problem)
    rows = coordinate_rows(model)
    names = tuple(name for name, _ in input_rows(model, problem))
    places: dict[str, list[tuple[int, int] | None]] = {
        "effort": [(i, i) for i in range(len(names))],
        "velocity": [(model.nv + i, model.nq + i) for i in range(model.nv)],
        "position": _moving(model),
    }
    named: dict[str, tuple[str, ...]] = {
        "effort": names,
        "velocity": model.velocity_names,
        "position": model.coordinate_names,
    }
    places["input_rate"], named["input_rate"] = places["effort"], names
    length = {"input_rate": problem.horizon.step}
    effort = limits.get("effort")
    ranges = () if effort is None else enumerate(zip(effort.lower, effort.upper, strict=True))
    fixed = {row: lower for row, (lower, upper) in ranges if lower == upper}
    limits = {key: own.without(fixed) if key in ("effort", "input_rate") else own for key, own in limits.items()}
    sides = {
        key: tuple(_sides(key, named[key], places[key], limits[key], length.get(key, 1.0))) if key in limits else ()
        for key in places
    }
    plain, method = all(own.rates is Rates.EQUAL for own in rows), problem.horizon.method
    settings, implicit = problem.solver, None
    if method == SDIRK2:
        raise RequestError(
            f"horizon.method '{method}' of robot '{model.name}' has accelerations of two stages, which the solver "
            f"'{MPC}' does not keep; take '{IMPLICIT_EULER}' or '{IMPLICIT_MIDPOINT}'"
        )
    if method in IMPLICIT_STEPS:
        if model.loop_row_names:
            raise RequestError(
                f"horizon.method '{method}' of robot '{model.name}' is of robots without closed loops here; take "
                f"'{SEMI_IMPLICIT_EULER}', which holds them"
            )
        implicit = ImplicitKind.RESIDUAL if plain else ImplicitKind.STEP
    if settings.hessian == EXACT and not (plain and method == SEMI_IMPLICIT_EULER and not model.loop_row_names):
        raise RequestError(
            f"solver.hessian '{EXACT}' is of steps by '{SEMI_IMPLICIT_EULER}' of robots without closed loops whose "
            f"joints turn about one axis or slide, and '{model.name}' is none of these or takes '{method}'; "
            "leave it out"
        )
    rated = bool(sides["input_rate"]) or any(isinstance(own, InputRate) for own in problem.costs)
    if settings.lanes and (implicit or rated):
        raise RequestError(
            f"solver.lanes of robot '{model.name}' is of explicit steps without limits or costs of input_rate, and its "
            f"horizon.method is '{method}'; leave lanes out"
        )
    return ControlSettings(
        problem.horizon.steps,
        problem.horizon.step,
        _THETA.get(method) if plain else None,
        sides["effort"],
        (*sides["position"], *sides["velocity"]),
        settings.iterations,
        settings.qp_iterations,
        settings.tolerance,
        settings.globalise,
        implicit,
        STEP_CURVATURE if settings.hessian == EXACT else "",
        sides["input_rate"],
        rated,
        settings.lanes,
        tuple(fixed.items()),
    )


def _moving(model: Model) -> list[tuple[int, int] | None]:
    """Per row of q the row of the tangent that moves it alone, and its place in x."""
    found: list[tuple[int, int] | None] = [None] * model.nq
    for own in coordinate_rows(model):
        if own.rates is Rates.EQUAL:
            for i in range(own.count):
                found[own.q + i] = (own.v + i, own.q + i)
    return found


def _sides(
    key: str, names: Sequence[str], places: Sequence[tuple[int, int] | None], own: RowLimits, length: float
) -> Iterator[RowLimit]:
    """Sides of a range; of rates for changes within a step of such a length."""
    for name, place, lower, upper in zip(names, places, own.lower, own.upper, strict=True):
        if math.isinf(lower) and math.isinf(upper):
            continue
        if place is None:
            raise RequestError(
                f"limits.{key}: '{name}' is no coordinate whose rate is a row of v, so it has no limits here; "
                "name the others one by one"
            )
        if lower == upper:
            raise RequestError(
                f"limits.{key}: the range of '{name}' has the width 0 at {lower!r}; widen it, or fix its joint"
            )
        lower, upper = lower * length, upper * length
        width = upper - lower
        finite = max(abs(own) for own in (lower, upper, 1.0) if math.isfinite(own))
        span = width if math.isfinite(width) else finite
        soft = 0.0 if own.hard else length * length / own.weight
        for sign, bound in ((1, lower), (-1, upper)):
            if math.isfinite(bound):
                yield RowLimit(*place, sign, bound, soft, span)
