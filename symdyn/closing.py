"""Positions at which the loops of a robot are closed, velocities that keep them so, and how many of these there are."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from symdyn.dynamics.loops.constraints import constraint_error_plan, constraint_jacobian_plan
from symdyn.dynamics.loops.redundancy import float_values
from symdyn.dynamics.mass_matrix.crba import mass_matrix_plan
from symdyn.errors import RequestError
from symdyn.loop_gaps import gap_plan, gaps
from symdyn.model import coordinates
from symdyn.model.model import Model
from symdyn.model.velocity_rows import right_sides
from symdyn.plan.plan import Plan
from symdyn.robot import Robot

Array = NDArray[np.float64]

CLOSED = 1e-10
"""Error up to which a position that was found counts as closed [m or rad]; most are at rounding."""
RANK = 1e-6
"""Least singular value of a matrix of slopes, relative to the largest, that counts."""
_LEADS = 0.1
"""How far a coordinate moves, of the one that moves most, that is to lead others."""
_STEPS = 60
_FARTHEST = 1.0
"""Longest step of a coordinate [rad or m]."""
_HALVINGS = 8
_DAMPING = 0.01
"""Of a step, per squared error: far from closed positions steps turn towards steepest descent."""
_SHAKES = (0.1, 0.1, 0.3, 0.3, 0.3, 1.0, 1.0, 1.0, 1.0, 3.0, 3.0, 3.0)
"""Deviations of the perturbed positions to start from again [rad or m]."""
_QUARTER = 0.5 * math.pi
_REMEMBERED = 64
"""Searches of a robot that are remembered; the oldest is forgotten for a new one."""


@dataclass(frozen=True, slots=True)
class Found:
    """A position where the search ended, with the errors there; ``wrong`` names a loop closed the wrong way round."""

    q: Array
    error: Array
    wrong: str = ""

    @property
    def size(self) -> float:
        """The largest error."""
        return float(np.max(np.abs(self.error), initial=0.0))

    @property
    def closed(self) -> bool:
        """Whether all loops are closed the right way."""
        return self.size <= CLOSED and not self.wrong


class _Known:
    """What is remembered of a robot while it lives: plans of errors, slopes and gaps, and what searches found."""

    def __init__(self, model: Model) -> None:
        self.plans: tuple[Plan, Plan, Plan | None] = (
            constraint_error_plan(model),
            constraint_jacobian_plan(model),
            gap_plan(model),
        )
        self.found: dict[tuple[object, ...], Found] = {}


_KNOWN: WeakKeyDictionary[Robot, _Known] = WeakKeyDictionary()


def _known(robot: Robot) -> _Known:
    if robot not in _KNOWN:
        _KNOWN[robot] = _Known(robot.model)
    return _KNOWN[robot]


class Closing:
    """The errors of a robot's loops in floats, and the search for positions without any.

    Parameters
    ----------
    robot
        The robot.
    p
        Run-time parameters (np,).
    """

    def __init__(self, robot: Robot, p: Array) -> None:
        self._model, self._p = robot.model, p.tolist()
        self._error, self._slopes, self._gaps = _known(robot).plans
        self._positions = [not loop.velocity_rows for loop in robot.model.loops for _ in loop.rows]

    def error(self, q: Array) -> Array:
        """The errors e (m,); infinite where they have no value, as turns half a turn from closed, or overflow."""
        return self._of(self._error, q)

    def slopes(self, q: Array) -> Array:
        """The matrix A (m, nv); infinite where it has no value."""
        return self._of(self._slopes, q, self._model.nv).reshape(-1, self._model.nv)

    def _of(self, plan: Plan, q: Array, width: int = 1) -> Array:
        """What a plan finds, ``width`` numbers per row of the loops; infinite where some are none."""
        rows = len(self._model.loop_row_names)
        if not rows:
            return np.zeros(0)
        try:
            found = np.array(float_values(plan, q.tolist(), self._p))
        except (ArithmeticError, ValueError):
            found = np.full(rows * width, np.inf)
        return found if np.all(np.isfinite(found)) else np.full(rows * width, np.inf)

    def search(self, q: Array, held: Collection[int]) -> Found:
        """The closed position that Newton's method finds from q, or from positions near it; else the best one.

        Rows of v in ``held`` do not move.
        """
        best: Found | None = None
        for start in self._starts(q, held):
            found = self._newton(start, held)
            if found.closed:
                return found
            if best is None or (found.size, bool(found.wrong)) < (best.size, bool(best.wrong)):
                best = found
        assert best is not None
        return best

    def _starts(self, q: Array, held: Collection[int]) -> Iterator[Array]:
        yield q
        rng, free = np.random.default_rng(0), np.ones(self._model.nv)
        free[list(held)] = 0.0
        for shake in _SHAKES:
            yield coordinates.integrate(self._model, q, shake * free * rng.standard_normal(self._model.nv))

    def _newton(self, q: Array, held: Collection[int]) -> Found:
        free = [row for row in range(self._model.nv) if row not in held]
        error = self.error(q)
        for _ in range(_STEPS):
            size = float(error @ error)
            if not 0.0 < size < math.inf:
                break
            move = np.zeros(self._model.nv)
            slopes = self.slopes(q)[self._positions][:, free]  # rows that hold velocities alone let positions be
            try:
                move[free] = _least(slopes, error[self._positions], _DAMPING * min(1.0, size))
            except np.linalg.LinAlgError:  # so far from a closed position that numbers overflow
                break
            move *= min(1.0, _FARTHEST / max(float(np.max(np.abs(move), initial=0.0)), 1e-300))
            for halving in range(_HALVINGS):
                moved = coordinates.integrate(self._model, q, 0.5**halving * move)
                missed = self.error(moved)
                if float(missed @ missed) < (1.0 - 0.1 * 0.5**halving) * size:
                    break
            else:
                break
            q, error = moved, missed
        wrong = next(
            (gap.loop.name for gap in gaps(self._model, self._gaps, q.tolist(), self._p) if gap.angle > _QUARTER), ""
        )
        return Found(q, error, wrong)


def _least(slopes: Array, error: Array, damping: float) -> Array:
    """The shortest move that takes the error away to first order."""
    left, values, right = np.linalg.svd(slopes, full_matrices=False)
    kept = values > 1e-10 * max(float(np.max(values, initial=0.0)), 1e-300)
    gains = np.where(kept, values / np.where(kept, values * values + damping, 1.0), 0.0)
    move: Array = -(right.T @ (gains * (left.T @ error)))
    return move


def close(robot: Robot, q: Array, p: Array, held: Collection[int]) -> Array:
    """The closed position (nq,) nearest to q by Newton's method, with the rows ``held`` of v where they are.

    Raises
    ------
    RequestError
        None was found.
    """
    model = robot.model
    if not model.loops:
        return q
    found = _searched(robot, q, p, held)
    if found.closed:
        return found.q.copy()
    names = ", ".join(f"'{model.velocity_names[row]}'" for row in sorted(held))
    mend = "start nearer to a closed position" + (f", or hold fewer coordinates than {names}" if held else "")
    if found.size <= CLOSED:
        raise RequestError(
            f"loop '{found.wrong}' of robot '{model.name}' closes only the wrong way round from here, half a turn off; "
            f"{mend}"
        )
    worst = int(np.argmax(np.abs(found.error)))
    raise RequestError(
        f"the loops of robot '{model.name}' do not close from here: the best position found has an error of "
        f"{found.size:.3g} {model.loop_row_units[worst]} in row '{model.loop_row_names[worst]}'; {mend}"
    )


def _searched(robot: Robot, q: Array, p: Array, held: Collection[int]) -> Found:
    """What a search finds; many rests and motions of one robot begin at the same position, so some are remembered."""
    known = _known(robot).found
    key = (tuple(q.tolist()), tuple(p.tolist()), frozenset(held))
    if key not in known:
        while len(known) >= _REMEMBERED:
            del known[next(iter(known))]
        known[key] = Closing(robot, p).search(q, held)
    return known[key]


def projected(robot: Robot, q: Array, v: Array, p: Array) -> Array:
    """The velocity (nv,) nearest to v in the metric of the mass matrix that keeps the loops closed at q."""
    model, slopes = robot.model, Closing(robot, p).slopes(q)
    ways, asked = _free_ways(slopes), np.array(right_sides(model, q.tolist(), p.tolist()))
    some = np.linalg.lstsq(slopes, asked, rcond=RANK)[0] if np.any(asked) else np.zeros(model.nv)
    mass = np.array(float_values(mass_matrix_plan(model), q.tolist(), p.tolist()))
    mass = mass.reshape(model.nv, model.nv)
    share, *_ = np.linalg.lstsq(ways.T @ mass @ ways, ways.T @ (mass @ (v - some)), rcond=None)
    found: Array = some + ways @ share
    return found


def independent_rows(robot: Robot, p: Array) -> tuple[int, ...]:
    """Rows of v that may be chosen freely while the loops stay closed: as many as the robot can move in.

    Of many choices that are possible, rows of the file's actuators come first, and then those that the robot has first.
    Looked at are closed positions near the neutral one. The one where the slopes of loops have the highest rank counts,
    as special positions lose rank.

    Raises
    ------
    RequestError
        No closed position is found.
    """
    model = robot.model
    if not model.loops:
        return tuple(range(model.nv))
    closing, rng = Closing(robot, p), np.random.default_rng(1)
    q = close(robot, coordinates.neutral(model), p, ())
    best = _free_ways(closing.slopes(q))
    for shake in (0.05, 0.2, 0.2):
        found = closing.search(coordinates.integrate(model, q, shake * rng.standard_normal(model.nv)), ())
        ways = _free_ways(closing.slopes(found.q))
        best = ways if found.closed and ways.shape[1] < best.shape[1] else best
    return _pivots(best, {own.place for own in model.actuator_inputs if own.of == "joint"})


def _free_ways(slopes: Array) -> Array:
    """Columns at right angles to each other that span all v with A v = 0."""
    _, values, right = np.linalg.svd(slopes, full_matrices=True)
    rank = int(np.sum(values > RANK * max(float(np.max(values, initial=0.0)), 1e-300)))
    ways: Array = right[rank:].T
    return ways


def _pivots(ways: Array, driven: Collection[int]) -> tuple[int, ...]:
    """The first rows that all motion follows from, those that are driven before others.

    A row that those before it leave little of is passed over.
    """
    order = np.array(sorted(range(len(ways)), key=lambda row: (row not in driven, row)))
    left, found = ways.copy(), []
    for _ in range(ways.shape[1]):
        sizes = np.linalg.norm(left, axis=1)
        found.append(int(order[np.argmax(sizes[order] > _LEADS * float(np.max(sizes)))]))
        direction = left[found[-1]] / sizes[found[-1]]
        left = left - np.outer(left @ direction, direction)
    return tuple(sorted(found))
