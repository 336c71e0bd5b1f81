"""Positions at which the loops of a robot are closed, velocities that keep them so, and how many of these there are."""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from symdyn.dynamics.loops.redundancy import float_values
from symdyn.dynamics.mass_matrix.crba import mass_matrix_plan
from symdyn.errors import RequestError
from symdyn.model import coordinates
from symdyn.model.velocity_constraints import right_sides
from symdyn.robot.loop_closure.looser import overconstrained
from symdyn.robot.loop_closure.search import CLOSED, Closing, Found, Loops

Array = NDArray[np.float64]

_LEADS = 0.1
"""How far a coordinate moves, of the one that moves most, that is to lead others."""
_REMEMBERED = 64
"""Searches of a robot that are remembered; the oldest is forgotten for a new one."""


def close(loops: Loops, q: Array, p: Array, held: Collection[int], tolerance: float = 0.0) -> Array:
    """The closed position (nq,) nearest to q by Newton's method, with the rows ``held`` of v where they are.

    Where loops are overconstrained and cannot close, it is that of least squares, with errors up to ``tolerance``
    [m or rad].

    Raises
    ------
    RequestError
        None was found.
    """
    model = loops.model
    if not model.loops:
        return q
    found = _searched(loops, q, p, held, tolerance)
    if found.closed or found.within(tolerance):
        return found.q.copy()
    names = ", ".join(f"'{model.velocity_names[row]}'" for row in sorted(held))
    mend = "start nearer to a closed position" + (f", or hold fewer coordinates than {names}" if held else "")
    if found.wrong and found.size <= max(CLOSED, tolerance):
        raise RequestError(
            f"loop '{found.wrong}' of robot '{model.name}' closes only the wrong way round from here, half a turn off; "
            f"{mend}"
        )
    worst = int(np.argmax(np.abs(found.error)))
    gap = f"{found.size:.3g} {model.loop_row_units[worst]} in row '{model.loop_row_names[worst]}'"
    told = overconstrained(loops, found, p, held, worst)
    if told and found.settled:
        raise RequestError(
            f"the loops of robot '{model.name}' cannot close better than to {gap}, as they are overconstrained: "
            f"{told}; or close them by least squares, with tolerance={_stated(found.size)}"
        )
    more = f". They are overconstrained: {told}" if told else ""
    raise RequestError(
        f"the loops of robot '{model.name}' do not close from here: the best position found has an error of {gap}; "
        f"{mend}{more}"
    )


def _stated(gap: float) -> str:
    """A tolerance of one digit that leaves a gap in."""
    power = math.floor(math.log10(gap))
    return f"{math.floor(gap / 10.0**power) + 1:g}e{power:d}"


def _searched(loops: Loops, q: Array, p: Array, held: Collection[int], tolerance: float) -> Found:
    """What a search finds; many rests and motions of one robot begin at the same position, so some are remembered."""
    key = (tuple(q.tolist()), tuple(p.tolist()), frozenset(held), tolerance)
    if key not in loops.found:
        while len(loops.found) >= _REMEMBERED:
            del loops.found[next(iter(loops.found))]
        loops.found[key] = Closing(loops, p).search(q, held, tolerance)
    return loops.found[key]


def projected(loops: Loops, q: Array, v: Array, p: Array) -> Array:
    """The velocity (nv,) nearest to v in the metric of the mass matrix that keeps the loops closed at q."""
    model = loops.model
    slopes = Closing(loops, p).slopes(q)
    ways, asked = loops.sizes.free_ways(slopes), np.array(right_sides(model, q.tolist(), p.tolist()))
    some = loops.sizes.least(slopes, asked) if np.any(asked) else np.zeros(model.nv)
    mass = np.array(float_values(mass_matrix_plan(model), q.tolist(), p.tolist()))
    mass = mass.reshape(model.nv, model.nv)
    share, *_ = np.linalg.lstsq(ways.T @ mass @ ways, ways.T @ (mass @ (v - some)), rcond=None)
    found: Array = some + ways @ share
    return found


def independent_rows(loops: Loops, p: Array, tolerance: float) -> tuple[int, ...]:
    """Rows of v that may be chosen freely while the loops stay closed: as many as the robot can move in.

    Of many choices that are possible, rows of the file's actuators come first, and then those that the robot has first.
    Looked at are closed positions near the neutral one. The one where the slopes of loops have the highest rank counts,
    as special positions lose rank. Errors up to ``tolerance`` count as closed in overconstrained loops.

    Raises
    ------
    RequestError
        No closed position is found.
    """
    model = loops.model
    if not model.loops:
        return tuple(range(model.nv))
    rng = np.random.default_rng(1)
    closing = Closing(loops, p)
    q = close(loops, coordinates.neutral(model), p, (), tolerance)
    best = loops.sizes.free_ways(closing.slopes(q))
    for shake in (0.05, 0.2, 0.2):
        found = closing.search(coordinates.integrate(model, q, shake * rng.standard_normal(model.nv)), (), tolerance)
        if found.closed or found.within(tolerance):
            ways = loops.sizes.free_ways(closing.slopes(found.q))
            best = ways if ways.shape[1] < best.shape[1] else best
    return _pivots(best, {row for own in model.actuator_inputs for row in own.rows})


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
