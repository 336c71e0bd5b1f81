"""Moving on the configuration space: neutral, integrate, difference, random states, joint by joint.

Velocities are in the coordinates of v, so ``integrate(q, dv)`` is the body-frame exponential for free bases (the
spatial one in the spatial convention) and ``difference`` its inverse. Arrays broadcast over leading dimensions.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from symdyn.interface.stepping import CoordinateRows, Rates
from symdyn.model.model import Model

Array = NDArray[np.float64]

_DRIFT = 0.1


def neutral(model: Model) -> Array:
    """The q (nq,) with every angle and position zero and every quaternion the identity."""
    q = np.zeros(model.nq)
    for joint in model.independent_joints:
        if joint.kind.quaternion:
            q[joint.q_index + joint.coordinates.q.index(".qw")] = 1.0
    return q


def integrate(model: Model, q: Array, dv: Array) -> Array:
    """The q after moving with the constant velocity dv for unit time; quaternions stay unit.

    Shapes (..., nq) and (..., nv) -> (..., nq).
    """
    shape = np.broadcast_shapes(q.shape[:-1], dv.shape[:-1])
    q, dv = np.broadcast_to(q, (*shape, model.nq)), np.broadcast_to(dv, (*shape, model.nv))
    result = np.empty((*shape, model.nq))
    for joint in model.independent_joints:
        result[..., joint.q_rows] = joint.kind.integrate(q[..., joint.q_rows], dv[..., joint.v_rows])
    return result


def difference(model: Model, start: Array, end: Array) -> Array:
    """The dv (..., nv) with ``integrate(start, dv) == end``, of smallest rotation."""
    shape = np.broadcast_shapes(start.shape[:-1], end.shape[:-1])
    start, end = np.broadcast_to(start, (*shape, model.nq)), np.broadcast_to(end, (*shape, model.nq))
    result = np.empty((*shape, model.nv))
    for joint in model.independent_joints:
        result[..., joint.v_rows] = joint.kind.difference(start[..., joint.q_rows], end[..., joint.q_rows])
    return result


def coordinate_rows(model: Model) -> tuple[CoordinateRows, ...]:
    """How all rows of q change with those of v; neighbours with equal rates are one entry."""
    found: list[CoordinateRows] = []
    for joint in model.independent_joints:
        q, v, rates = joint.q_rows.start, joint.v_rows.start, joint.kind.coordinate_rates
        if rates is not Rates.EQUAL:
            found.append(CoordinateRows(rates, q, v))
            continue
        count = joint.v_rows.stop - v
        before = found[-1] if found else None
        if (
            before is not None
            and before.rates is rates
            and (before.q + before.count, before.v + before.count) == (q, v)
        ):
            found[-1] = CoordinateRows(rates, before.q, before.v, before.count + count)
        else:
            found.append(CoordinateRows(rates, q, v, count))
    return tuple(found)


def rate_rows(model: Model) -> dict[str, tuple[int, int]]:
    """Row of q and row of v of each velocity that is the rate of a coordinate, by its name."""
    found = {}
    for joint in model.independent_joints:
        if joint.kind.coordinate_rates is Rates.EQUAL:
            for row in range(joint.v_rows.stop - joint.v_rows.start):
                places = (joint.q_rows.start + row, joint.v_rows.start + row)
                found[model.velocity_names[places[1]]] = places
    return found


def quaternion_fault(model: Model, q: Array) -> str | None:
    """What is wrong with quaternions of q (..., nq), or None where all are unit but for rounding and drift."""
    for joint in model.independent_joints:
        if not joint.kind.quaternion:
            continue
        length = np.linalg.norm(q[..., joint.q_rows][..., -4:], axis=-1)
        wrong = np.abs(length - 1.0) > _DRIFT
        if np.any(wrong):
            found = float(np.ravel(length)[int(np.argmax(wrong))])
            return f"the quaternion of joint '{joint.label}' has length {found:.6g}, expected 1"
    return None


def random_configuration(model: Model, rng: np.random.Generator, limited: bool = True) -> Array:
    """A q (nq,) within the limits; angles without limits within +-pi, positions within +-1 m, uniform rotations.

    The motor of an elastic joint lies within 0.1 rad or m of its link, as springs do not stretch by half a turn.
    Flexible links bend by up to 0.1 rad per coordinate at the tip, or by 0.01 m where it does not turn. With
    ``limited=False`` joints move as if they had no limits: what holds at all positions is told from such, as limits may
    leave no more than one (URDF's are 0 and 0 where a file gives none).
    """
    q = np.empty(model.nq)
    for joint in model.independent_joints:
        before = q[joint.q_index - 1] if joint.q_index else math.nan
        q[joint.q_rows] = joint.kind.random(rng, joint.limits if limited else None, dict(joint.numbers), before)
    return q
