"""Ranges of inputs, velocities and coordinates of an optimal-control problem, row by row."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from symdyn.description.control.entries import FILE, Entries, UnfitError, below
from symdyn.description.control.problem import ACTUATORS, HARD, Bound, OptimalControlProblem
from symdyn.dynamics.control.cost_terms import by_rows, input_rows, passive_rows, row_groups, start_of, terms_of
from symdyn.errors import ModelError
from symdyn.model.model import Model

Range = tuple[tuple[float, ...], tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class RowLimits:
    """A range per row: ``lower`` and ``upper``, infinite where there is none; ``hard``, or soft with a ``weight``."""

    lower: tuple[float, ...]
    upper: tuple[float, ...]
    hard: bool
    weight: float

    def without(self, rows: Collection[int]) -> RowLimits:
        """The same, where some rows have no range."""
        sides = ((self.lower, -math.inf), (self.upper, math.inf))
        lower, upper = (tuple(none if row in rows else bound for row, bound in enumerate(side)) for side, none in sides)
        return replace(self, lower=lower, upper=upper)


def limits_of(model: Model, problem: OptimalControlProblem) -> dict[str, RowLimits]:
    """The ranges of a problem by its keys: effort (nu,), velocity (nv,), position (nq,), input_rate (nu,).

    Raises
    ------
    ModelError
        Rows that the robot does not have, another number of rows, an empty range.
    """
    inputs = tuple(name for name, _ in input_rows(model, problem))
    forces = {} if problem.inputs == ACTUATORS else row_groups(model, True)
    rows = {
        "effort": (inputs, forces),
        "velocity": (model.velocity_names, row_groups(model, True)),
        "position": (model.coordinate_names, row_groups(model, False)),
        "input_rate": (inputs, forces),
    }
    found = {}
    for key, (names, groups) in rows.items():
        bound: Bound | None = getattr(problem.limits, key)
        if bound is None:
            continue
        with below("limits", key):
            lower, upper = _range(model, problem, key, bound, names, groups)
            for name, least, most in zip(names, lower, upper, strict=True):
                if least > most:
                    raise ModelError(
                        f"limits.{key}: the range of '{name}' from {least!r} to {most!r} is empty; swap lower and upper"
                    )
        found[key] = RowLimits(lower, upper, bound.kind == HARD, bound.weight)
    if passive := {inputs.index(row) for row in passive_rows(model, problem)}:
        own = found.get("effort", RowLimits((-math.inf,) * len(inputs), (math.inf,) * len(inputs), True, 0.0))
        lower, upper = (
            tuple(0.0 if row in passive else bound for row, bound in enumerate(side)) for side in (own.lower, own.upper)
        )
        found["effort"] = replace(own, lower=lower, upper=upper)
    return found


def check_problem(model: Model, problem: OptimalControlProblem) -> None:
    """Refuse what does not fit the robot.

    Raises
    ------
    ModelError
        Frames and rows that it does not have, empty ranges, a start beyond a hard limit.
    """
    terms_of(model, problem)
    limits = limits_of(model, problem)
    q, v = start_of(model, problem)
    for key, names, start in (("position", model.coordinate_names, q), ("velocity", model.velocity_names, v)):
        if key in limits and limits[key].hard:
            for name, own, least, most in zip(names, start, limits[key].lower, limits[key].upper, strict=True):
                if not least <= own <= most:
                    raise UnfitError(
                        f"limits.{key}: '{name}' starts at {own!r}, beyond its hard range from {least!r} to {most!r}; "
                        "give another start, or write kind: soft",
                        ("limits", key),
                    )


def _range(
    model: Model,
    problem: OptimalControlProblem,
    key: str,
    bound: Bound,
    names: Sequence[str],
    groups: dict[str, range],
) -> Range:
    what, count = f"limits.{key}", len(names)

    def read(side: str, value: Entries, otherwise: float) -> tuple[float, ...]:
        with below(side):
            return by_rows(model, what, value, names, groups, (otherwise,) * count)

    if bound.source == FILE:
        if key == "effort" and problem.inputs == ACTUATORS:
            raise ModelError(f"{what}: the file has efforts of joints, and inputs are those of actuators; give numbers")
        return _of_file(model, key, count)
    if bound.source is not None:
        most = read("from", bound.source, math.inf)
        return tuple(-own for own in most), most
    lower = (-math.inf,) * count if bound.lower is None else read("lower", bound.lower, -math.inf)
    return lower, (math.inf,) * count if bound.upper is None else read("upper", bound.upper, math.inf)


def _of_file(model: Model, key: str, count: int) -> Range:
    """The ranges of the robot's joints."""
    lower, upper = [-math.inf] * count, [math.inf] * count
    for joint in model.independent_joints:
        if joint.limits is None or len(joint.coordinates.q) != 1:
            continue
        if key == "position":
            lower[joint.q_index], upper[joint.q_index] = joint.limits.lower, joint.limits.upper
        else:
            upper[joint.v_index] = getattr(joint.limits, key)
            lower[joint.v_index] = -upper[joint.v_index]
    return tuple(lower), tuple(upper)
