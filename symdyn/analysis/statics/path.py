"""Rests of a robot while its load grows, past limit points, by arc length (Riks 1979; Keller 1977).

Unknowns are x, as in ``newton``, and the load factor s. Along the curve R(x, s) = 0 a step of length h is predicted by
the tangent, J dx + R_s ds = 0, and corrected at right angles to it. The length counts moves of q and s alone, s in
shares of the load.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symdyn.analysis.statics.given import Inputs, Wrenches, chosen_inputs, given_axes, given_load, given_start
from symdyn.analysis.statics.newton import rest, worst_row
from symdyn.analysis.statics.problem import Load, Problem, State, problem_of
from symdyn.analysis.statics.records import NoEquilibriumError, Path
from symdyn.analysis.statics.stability import is_stable, stiffness_modes
from symdyn.errors import RequestError
from symdyn.interface.keywords import names_keywords
from symdyn.robot.loading import as_robot
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
_FIRST, _LEAST = 0.02, 1e-7
_CORRECTIONS = 12
_FAST = 4
_REFINED = 40
_SLOPE = 1e-6
"""Step of s of the quotient that tells how what is left changes with run-time parameters."""


@dataclass(frozen=True, slots=True)
class _Point:
    state: State
    share: float
    tangent: Array
    eigenvalues: Array
    mark: str = ""


class _Curve:
    """The curve of rests between two loads."""

    def __init__(self, problem: Problem, start: Load, end: Load) -> None:
        self._problem, self._start, self._end = problem, start, end
        self._linear = np.array_equal(start.p, end.p)
        self._counts = np.zeros(problem.count + problem.held + 1)
        self._counts[[*problem.free, -1]] = 1.0

    def load(self, share: float) -> Load:
        return self._start.towards(self._end, share)

    def slope(self, state: State, share: float) -> Array:
        """R_s: exact where the load grows alone, a central difference where parameters do."""
        ends = (0.0, 1.0) if self._linear else (share - _SLOPE, share + _SLOPE)
        first, second = (self._problem.residual(state, self.load(at)) for at in ends)
        return (second - first) / (ends[1] - ends[0])

    def point(self, state: State, share: float, along: Array | None) -> _Point | None:
        """A point with its tangent of length 1, on the side of another tangent; of s growing without one.

        None where the tangent is not finite.
        """
        matrix, slope = self._problem.jacobian(state, self.load(share)), self.slope(state, share)
        if not (np.all(np.isfinite(matrix)) and np.all(np.isfinite(slope))):
            return None
        tangent = np.append(-self._problem.inverse(matrix) @ slope, 1.0)
        with np.errstate(over="ignore"):
            length = float(np.sqrt(tangent @ (self._counts * tangent)))
        if not np.isfinite(length):
            return None
        tangent /= length
        if along is not None and tangent @ (self._counts * along) < 0.0:
            tangent = -tangent
        return _Point(state, share, tangent, stiffness_modes(self._problem, state, self.load(share))[0])

    def ahead(self, point: _Point, step: float) -> tuple[_Point, int] | None:
        """The point a step further, and how many corrections it took."""
        problem, size = self._problem, len(point.tangent) - 1
        row = self._counts * point.tangent
        gone = step * point.tangent
        state, share = problem.moved(point.state, gone[:size]), point.share + float(gone[size])
        for correction in range(1, _CORRECTIONS + 1):
            left = problem.residual(state, self.load(share))
            matrix = np.zeros((size + 1, size + 1))
            matrix[:size, :size] = problem.jacobian(state, self.load(share))
            matrix[:size, size] = self.slope(state, share)
            matrix[size] = row
            if not (np.all(np.isfinite(left)) and np.all(np.isfinite(matrix))):
                return None
            move = -problem.inverse(matrix) @ np.append(left, row @ gone - step)
            state, share, gone = problem.moved(state, move[:size]), share + float(move[size]), gone + move
            length = float(np.sqrt(move @ (self._counts * move)))
            if length > step:
                return None
            if length <= 1e-9 * max(1.0, float(np.max(np.abs(state.q), initial=0.0))):
                found = self.point(state, share, point.tangent)
                if found is None or problem.passes(point.state, state, self.load(share)):
                    return None
                # A curve that turns by more than half a right angle within a step may be another one.
                turned = float(found.tangent @ (self._counts * point.tangent))
                return (found, correction) if turned > 0.5 else None
        return None

    def special(self, first: _Point, second: _Point, step: float) -> _Point | None:
        """The limit point or bifurcation between two points, if there is one."""
        mark: str = "limit"
        sign: Callable[[_Point], float] = self._rising
        if first.tangent[-1] * second.tangent[-1] > 0.0:
            counts = [int(np.sum(own.eigenvalues < 0.0)) for own in (first, second)]
            if counts[0] == counts[1]:
                return None
            mark, sign = "bifurcation", self._crossing(min(counts))
        low, high, best = 0.0, step, first
        at_low, at_high = sign(first), sign(second)
        for _ in range(_REFINED):
            if at_high == at_low:
                break
            # Regula falsi, kept off the ends: both quantities are smooth along the curve.
            share = min(0.95, max(0.05, at_low / (at_low - at_high)))
            middle = low + share * (high - low)
            made = self.ahead(first, middle) if middle > 0.0 else None
            if made is None:
                break
            best, value = made[0], sign(made[0])
            if value * at_low > 0.0:
                low, at_low = middle, value
            else:
                high, at_high = middle, value
            if high - low < 1e-11 or value == 0.0:
                break
        return replace(best, mark=mark)

    @staticmethod
    def _rising(point: _Point) -> float:
        return float(point.tangent[-1])

    @staticmethod
    def _crossing(number: int) -> Callable[[_Point], float]:
        return lambda point: float(point.eigenvalues[number])


@names_keywords
def path(
    robot: Robot | str | os.PathLike[str],
    u: Inputs = None,
    q0: ArrayLike | None = None,
    *,
    start: Inputs = None,
    inputs: str | None = None,
    prescribed: Sequence[str] = (),
    f_ext: Wrenches = None,
    external_wrenches: str = "world",
    p: ArrayLike | None = None,
    p_start: ArrayLike | None = None,
    points: int = 200,
    step: float = 0.1,
) -> Path:
    """Follow the rests of a robot while its load grows from ``start`` to ``u``, past limit points.

    Parameters
    ----------
    robot, u, q0, inputs, prescribed, f_ext, external_wrenches
        As for :func:`symdyn.equilibrium`, at the whole load; wrenches grow from zero.
    start
        The inputs or forces at the start; zeros by default.
    p, p_start
        Run-time parameters at the end and at the start, the same by default. With gravity among them, weight can grow.
    points
        The largest number of points.
    step
        The longest step: of q [rad or m], and of the load factor.

    Returns
    -------
    The points, with limit points and bifurcations found on the way.

    Raises
    ------
    RequestError
        What is given does not fit the robot.
    NoEquilibriumError
        No rest at the start, or the path cannot be followed further; it has the points up to there.
    """
    robot = as_robot(robot)
    kind = chosen_inputs(robot, inputs)
    last = given_load(robot, kind, u, f_ext, p)
    first = given_load(robot, kind, start, None, p if p_start is None else p_start)
    if not 0.0 < step < float("inf") or points < 2:
        raise RequestError(f"path takes step above 0 and a whole number of at least 2 points, got {step!r}, {points!r}")
    q = given_start(robot, q0, last.p, prescribed)
    problem = problem_of(robot, kind, prescribed, given_axes(f_ext, external_wrenches), "c")
    begun = rest(problem, first, problem.start(q))
    curve = _Curve(problem, first, last)
    point = curve.point(begun.state, 0.0, None) if begun.rests else None
    if point is None:
        row = worst_row(problem, begun.left)
        raise NoEquilibriumError(
            f"robot '{robot.name}' has no rest near q0 at the start of the path; row '{row}' is farthest from balance; "
            "find one with symdyn.equilibrium first",
            0.0,
            row,
            None,
        )
    return _path(*_followed(curve, problem, point, points, step))


def _path(found: Sequence[_Point], complete: bool) -> Path:
    return Path(
        np.array([own.share for own in found]),
        np.array([own.state.q for own in found]),
        np.array([own.state.multipliers for own in found]),
        np.array([is_stable(own.eigenvalues) for own in found]),
        tuple(own.mark for own in found),
        complete,
    )


def _followed(curve: _Curve, problem: Problem, begin: _Point, points: int, longest: float) -> tuple[list[_Point], bool]:
    found, step = [begin], min(_FIRST, longest)
    while len(found) < points:
        made = curve.ahead(found[-1], step)
        if made is None:
            step *= 0.5
            if step < _LEAST:
                at = found[-1]
                row = worst_row(problem, problem.residual(at.state, curve.load(at.share)))
                raise NoEquilibriumError(
                    f"robot '{problem.robot.name}': the path of rests cannot be followed beyond {at.share:.4g} of the "
                    f"load, near row '{row}'; the {len(found)} points up to there are kept in .partial; take shorter "
                    "steps",
                    at.share,
                    row,
                    _path(found, complete=False),
                )
            continue
        ahead, corrections = made
        if ahead.share >= 1.0 or ahead.share < 0.0:
            end = 1.0 if ahead.share >= 1.0 else 0.0
            closing = rest(problem, curve.load(end), ahead.state)
            final = curve.point(closing.state, end, ahead.tangent) if closing.rests else None
            if final is not None:
                special = curve.special(found[-1], final, step) if end else None
                found += [special] if special is not None and special.share <= 1.0 else []
                return [*found, final], end == 1.0
        special = curve.special(found[-1], ahead, step)
        found += [special] if special is not None else []
        found.append(ahead)
        step = min(longest, 1.5 * step) if corrections <= _FAST else step
    return found, False
