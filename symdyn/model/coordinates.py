"""Moving on the configuration space: neutral, integrate, difference, random states, for every joint kind.

Velocities are in the coordinates of v, so ``integrate(q, dv)`` is the body-frame exponential for free bases (the
spatial one in the spatial convention) and ``difference`` its inverse. Everything is exact at zero angle: functions of
the squared angle are summed as series there. Arrays broadcast over leading dimensions.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symdyn.model.flexure import Flexure, usual_amplitudes
from symdyn.model.joints import Motion, MotionKind
from symdyn.model.model import Model, ModelJoint

Array = NDArray[np.float64]

_SERIES_BELOW = 0.5
"""Squared angle below which series are used; their first neglected term is under 1e-17 there."""
_STRETCH = 0.1
_DRIFT = 0.1
_CUBIC = tuple((-1.0) ** k / math.factorial(2 * k + 3) for k in range(9))
_INVERSE = (1 / 12, 1 / 720, 1 / 30240, 1 / 1209600, 1 / 47900160, 691 / 1307674368000, 1 / 74724249600)


def _series(coefficients: tuple[float, ...], s: Array) -> Array:
    total = np.zeros_like(s)
    for coefficient in reversed(coefficients):
        total = total * s + coefficient
    return total


def _half_sinc(angle: Array) -> Array:
    """sin(angle / 2) / angle."""
    result: Array = 0.5 * np.sinc(angle / (2.0 * np.pi))
    return result


def _norm(w: Array) -> Array:
    result: Array = np.linalg.norm(w, axis=-1, keepdims=True)
    return result


def _quaternion_exp(w: Array) -> Array:
    angle = _norm(w)
    return np.concatenate([_half_sinc(angle) * w, np.cos(0.5 * angle)], axis=-1)


def _quaternion_log(q: Array) -> Array:
    q = np.where(q[..., 3:] < 0.0, -q, q)
    sine = _norm(q[..., :3])
    ratio = np.where(sine > 1e-150, 2.0 * np.arctan2(sine, q[..., 3:]) / np.where(sine > 1e-150, sine, 1.0), 2.0)
    result: Array = ratio * q[..., :3]
    return result


def _quaternion_product(a: Array, b: Array) -> Array:
    u, s, v, t = a[..., :3], a[..., 3:], b[..., :3], b[..., 3:]
    vector = s * v + t * u + np.cross(u, v)
    return np.concatenate([vector, s * t - np.sum(u * v, axis=-1, keepdims=True)], axis=-1)


def _conjugate(q: Array) -> Array:
    return np.concatenate([-q[..., :3], q[..., 3:]], axis=-1)


def _unit(q: Array) -> Array:
    result: Array = q / _norm(q)
    return result


def _rotate(q: Array, x: Array) -> Array:
    t = 2.0 * np.cross(q[..., :3], x)
    result: Array = x + q[..., 3:] * t + np.cross(q[..., :3], t)
    return result


def _exp_translation(w: Array, u: Array) -> Array:
    """V(w) u, the translation of the exponential of the twist (w; u)."""
    s = np.sum(w * w, axis=-1, keepdims=True)
    angle = np.sqrt(s)
    safe = np.where(s < _SERIES_BELOW, 1.0, angle)
    cubic = np.where(s < _SERIES_BELOW, _series(_CUBIC, np.minimum(s, 1.0)), (safe - np.sin(safe)) / safe**3)
    turned = np.cross(w, u)
    result: Array = u + 2.0 * _half_sinc(angle) ** 2 * turned + cubic * np.cross(w, turned)
    return result


def _log_translation(w: Array, p: Array) -> Array:
    """V(w)^-1 p."""
    s = np.sum(w * w, axis=-1, keepdims=True)
    half = 0.5 * np.where(s < _SERIES_BELOW, 1.0, np.sqrt(s))
    closed = (1.0 - half / np.tan(half)) / (4.0 * half**2)
    factor = np.where(s < _SERIES_BELOW, _series(_INVERSE, np.minimum(s, 1.0)), closed)
    turned = np.cross(w, p)
    result: Array = p - 0.5 * turned + factor * np.cross(w, turned)
    return result


def _planar_exp(w: Array, u: Array) -> Array:
    half = _half_sinc(w)
    sine, versine = np.sinc(w / np.pi), 2.0 * half * half * w  # sin(w)/w and (1 - cos w)/w
    return np.concatenate([sine * u[..., :1] - versine * u[..., 1:], versine * u[..., :1] + sine * u[..., 1:]], axis=-1)


def _planar_log(w: Array, p: Array) -> Array:
    along = np.cos(0.5 * w) / np.sinc(w / (2.0 * np.pi))
    half = 0.5 * w
    return np.concatenate([along * p[..., :1] + half * p[..., 1:], along * p[..., 1:] - half * p[..., :1]], axis=-1)


def _turn_plane(angle: Array, p: Array) -> Array:
    sine, cosine = np.sin(angle), np.cos(angle)
    return np.concatenate([cosine * p[..., :1] - sine * p[..., 1:], sine * p[..., :1] + cosine * p[..., 1:]], axis=-1)


def _integrate_joint(kind: Motion, q: Array, dv: Array) -> Array:
    match kind:
        case MotionKind.PLANAR:
            moved = q[..., :2] + _turn_plane(q[..., 2:], _planar_exp(dv[..., 2:], dv[..., :2]))
            return np.concatenate([moved, q[..., 2:] + dv[..., 2:]], axis=-1)
        case MotionKind.SPHERICAL:
            return _unit(_quaternion_product(q, _quaternion_exp(dv)))
        case MotionKind.FREE:
            step = _exp_translation(dv[..., 3:], dv[..., :3])
            turned = _quaternion_product(q[..., 3:], _quaternion_exp(dv[..., 3:]))
            return np.concatenate([q[..., :3] + _rotate(q[..., 3:], step), _unit(turned)], axis=-1)
        case MotionKind.FREE_SPATIAL:
            turn = _quaternion_exp(dv[..., :3])
            moved = _rotate(turn, q[..., :3]) + _exp_translation(dv[..., :3], dv[..., 3:])
            return np.concatenate([moved, _unit(_quaternion_product(turn, q[..., 3:]))], axis=-1)
    return q + dv


def _difference_joint(kind: Motion, start: Array, end: Array) -> Array:
    match kind:
        case MotionKind.PLANAR:
            turned = end[..., 2:] - start[..., 2:]
            moved = _turn_plane(-start[..., 2:], end[..., :2] - start[..., :2])
            return np.concatenate([_planar_log(turned, moved), turned], axis=-1)
        case MotionKind.SPHERICAL:
            return _quaternion_log(_quaternion_product(_conjugate(start), end))
        case MotionKind.FREE:
            back = _conjugate(start[..., 3:])
            w = _quaternion_log(_quaternion_product(back, end[..., 3:]))
            return np.concatenate([_log_translation(w, _rotate(back, end[..., :3] - start[..., :3])), w], axis=-1)
        case MotionKind.FREE_SPATIAL:
            turn = _quaternion_product(end[..., 3:], _conjugate(start[..., 3:]))
            w = _quaternion_log(turn)
            moved = end[..., :3] - _rotate(_unit(turn), start[..., :3])
            return np.concatenate([w, _log_translation(w, moved)], axis=-1)
    return end - start


def _spans(joint: ModelJoint) -> tuple[slice, slice]:
    rows = joint.coordinates
    return slice(joint.q_index, joint.q_index + len(rows.q)), slice(joint.v_index, joint.v_index + len(rows.v))


def neutral(model: Model) -> Array:
    """The q (nq,) with every angle and position zero and every quaternion the identity."""
    q = np.zeros(model.nq)
    for row, name in enumerate(model.coordinate_names):
        q[row] = float(name.endswith(".qw") and model.coordinate_units[row] == "1")
    return q


def integrate(model: Model, q: Array, dv: Array) -> Array:
    """The q after moving with the constant velocity dv for unit time; quaternions stay unit.

    Shapes (..., nq) and (..., nv) -> (..., nq).
    """
    shape = np.broadcast_shapes(q.shape[:-1], dv.shape[:-1])
    q, dv = np.broadcast_to(q, (*shape, model.nq)), np.broadcast_to(dv, (*shape, model.nv))
    result = np.empty((*shape, model.nq))
    for joint in model.independent_joints:
        rows, rates = _spans(joint)
        result[..., rows] = _integrate_joint(joint.kind, q[..., rows], dv[..., rates])
    return result


def difference(model: Model, start: Array, end: Array) -> Array:
    """The dv (..., nv) with ``integrate(start, dv) == end``, of smallest rotation."""
    shape = np.broadcast_shapes(start.shape[:-1], end.shape[:-1])
    start, end = np.broadcast_to(start, (*shape, model.nq)), np.broadcast_to(end, (*shape, model.nq))
    result = np.empty((*shape, model.nv))
    for joint in model.independent_joints:
        rows, rates = _spans(joint)
        result[..., rates] = _difference_joint(joint.kind, start[..., rows], end[..., rows])
    return result


def quaternion_fault(model: Model, q: Array) -> str | None:
    """What is wrong with quaternions of q (..., nq), or None where all are unit but for rounding and drift."""
    for joint in model.independent_joints:
        rows, _ = _spans(joint)
        if "1" not in joint.coordinates.q_units or isinstance(joint.kind, Flexure):
            continue
        length = np.linalg.norm(q[..., rows.stop - 4 : rows.stop], axis=-1)
        wrong = np.abs(length - 1.0) > _DRIFT
        if np.any(wrong):
            found = float(np.ravel(length)[int(np.argmax(wrong))])
            return f"the quaternion of joint '{joint.label}' has length {found:.6g}, expected 1"
    return None


def random_configuration(model: Model, rng: np.random.Generator) -> Array:
    """A q (nq,) within the limits; angles without limits within +-pi, positions within +-1 m, uniform rotations.

    The motor of an elastic joint lies within 0.1 rad or m of its link, as springs do not stretch by half a turn.
    Flexible links bend by up to 0.1 rad per coordinate at the tip, or by 0.01 m where it does not turn.
    """
    q = np.empty(model.nq)
    for joint in model.independent_joints:
        rows, _ = _spans(joint)
        if joint.kind is MotionKind.ROTOR:
            q[rows] = q[rows.start - 1] + rng.uniform(-_STRETCH, _STRETCH)
            continue
        if isinstance(joint.kind, Flexure):
            q[rows] = [rng.uniform(-1.0, 1.0) * bound for bound in usual_amplitudes(joint.kind, dict(joint.numbers))]
            continue
        for row, unit in zip(range(rows.start, rows.stop), joint.coordinates.q_units, strict=True):
            bound = math.pi if unit == "rad" else 1.0
            limits: Any = joint.limits
            lower, upper = (limits.lower, limits.upper) if limits is not None else (-math.inf, math.inf)
            if not lower <= upper:
                lower, upper = -math.inf, math.inf
            if not math.isfinite(lower):
                lower = min(-bound, upper - bound)
            if not math.isfinite(upper):
                upper = max(bound, lower + bound)
            q[row] = rng.standard_normal() if unit == "1" else rng.uniform(lower, upper)
        if "1" in joint.coordinates.q_units:
            q[rows.stop - 4 : rows.stop] = _unit(q[rows.stop - 4 : rows.stop])
    return q
