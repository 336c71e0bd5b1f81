"""symdyn's code beside what others would make: every contestant at every order, each within a budget."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symdyn.analysis.compare.budget import Failure, call_within
from symdyn.analysis.compare.contestants import Contestant, find_contestants, measure
from symdyn.analysis.compare.exact_results import CHECKED_STATES, ExactResults, exact_results
from symdyn.analysis.compare.measurement import Figures
from symdyn.analysis.compare.task import Kind, Task, check_robot, find_subject
from symdyn.errors import RequestError
from symdyn.interface.argument_words import given_positive
from symdyn.robot.robot import Robot

BUDGET_S = 60.0
HIGHEST_ORDER = 30
_SHORT = 40
"""Characters of a reason that is told again at every higher order."""

Runner = Callable[[str, Task, float], Figures | Failure]
"""Measures a contestant by name at a task within some seconds."""
Progress = Callable[[str, int, int], None]
"""Called with what is done now, how many steps are done, and the number of all steps."""


@dataclass(frozen=True, slots=True)
class Point:
    """One contestant at one order: its figures and its error, or why it has none (``missing``)."""

    contestant: str
    order: int
    figures: Figures | None
    error_in_u: float | None
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """All points of a comparison.

    Attributes
    ----------
    robot, function
        Names; the function as in the catalogue.
    has_orders
        Whether orders play a part.
    orders
        In ascending order.
    contestants
        Who takes part, symdyn first.
    left_out
        A line on each rival that could not take part.
    points
        Contestant by contestant, in ascending order; every contestant has a point at every order.
    budget_s
        Seconds that each point had.
    """

    robot: str
    function: str
    has_orders: bool
    orders: tuple[int, ...]
    contestants: tuple[Contestant, ...]
    left_out: tuple[str, ...]
    points: tuple[Point, ...]
    budget_s: float

    def point(self, contestant: str, order: int) -> Point:
        """The point of a contestant at an order."""
        return next(item for item in self.points if (item.contestant, item.order) == (contestant, order))

    def growth(self, contestant: str) -> float | None:
        """The p with which time grows like (r + 1)^p, by least squares over the orders measured; None below three."""
        measured = [
            (math.log(item.order + 1), math.log(item.figures.nanoseconds))
            for item in self.points
            if item.contestant == contestant and item.figures is not None
        ]
        if len(measured) < 3:
            return None
        x, y = (sum(column) / len(measured) for column in zip(*measured, strict=True))
        spread = sum((a - x) ** 2 for a, _ in measured)
        return float(sum((a - x) * (b - y) for a, b in measured) / spread)


def compare(
    robot: Robot,
    function: str,
    orders: Sequence[int] | None = None,
    against: Sequence[str] | None = None,
    budget_s: float = BUDGET_S,
    progress: Progress | None = None,
    run: Runner | None = None,
) -> Comparison:
    """Measure a function of a robot as symdyn makes it, and as its rivals do.

    Parameters
    ----------
    robot
        From :func:`symdyn.load`, without run-time parameters.
    function
        ``"inverse_dynamics"`` or ``"forward_dynamics"``, also with ``_partials``, ``_adjoint``, ``_weighted_hessian``;
        ``"mass_matrix"`` or ``"mass_matrix_inverse"``.
    orders
        Orders of time derivatives, each from 0; without, the function itself.
    against
        Names of rivals; all that fit by default.
    budget_s
        Seconds per point for generation, compilation and timing together. A contestant that fails at an order is not
        tried at higher ones.
    progress
        Told of every step.
    run
        How a point is measured; by default in a process of its own, one after the other.

    Raises
    ------
    RequestError
        A function, rival or order that cannot be compared.
    """
    check_robot(robot)
    wanted = _checked_orders(orders)
    budget_s = given_positive("the budget in seconds", budget_s)
    subject = find_subject(function, orders is not None)
    contestants, left_out = find_contestants(subject, against)
    total = CHECKED_STATES + len(contestants) * len(wanted)

    def tell(what: str, done: int) -> None:
        if progress is not None:
            progress(what, done, total)

    tell("exact results", 0)
    exact = exact_results(robot, subject, wanted[-1], lambda done, _: tell("exact results", done))
    points: list[Point] = []
    for contestant in contestants:
        failed = ""
        for order in wanted:
            tell(f"{contestant.name}, order {order}", CHECKED_STATES + len(points))
            points.append(_point(contestant.name, exact, order, budget_s, failed, run or _run_apart))
            if points[-1].missing and not failed:
                short = points[-1].missing if len(points[-1].missing) <= _SHORT else "failed"
                failed = f"{short} at r = {order}"
    tell("done", total)
    return Comparison(
        robot.name,
        subject.function,
        subject.kind is Kind.TIME,
        wanted,
        tuple(contestants),
        tuple(left_out),
        tuple(points),
        budget_s,
    )


def _point(name: str, exact: ExactResults, order: int, budget_s: float, failed: str, run: Runner) -> Point:
    if failed:
        return Point(name, order, None, None, f"skipped: {failed}")
    task = exact.task(order)
    found = run(name, task, budget_s)
    if isinstance(found, Failure):
        return Point(name, order, None, None, found.reason)
    return Point(name, order, found, exact.error(task, found.outputs))


def _run_apart(name: str, task: Task, budget_s: float) -> Figures | Failure:
    found: Figures | Failure = call_within(measure, (name, task), budget_s)
    return found


def _checked_orders(orders: Any) -> tuple[int, ...]:
    if orders is None:
        return (0,)
    listed = list(orders) if isinstance(orders, Iterable) and not isinstance(orders, str) else [orders]
    outside = [order for order in listed if not isinstance(order, int | np.integer) or not 0 <= order <= HIGHEST_ORDER]
    if outside or not listed:
        got = repr(outside[0]) if outside else "none"
        raise RequestError(f"orders are whole numbers from 0 to {HIGHEST_ORDER}, got {got}")
    return tuple(sorted({int(order) for order in listed}))
