"""Exponentials and logarithms of SO(3), SE(3) and SE(2) on NumPy arrays, which broadcast over leading dimensions.

Everything is exact at zero angle: functions of the squared angle are summed as series there. Quaternions are
(x, y, z, w). Joints import this file when it is used, so that robots load without NumPy.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_SERIES_BELOW = 0.5
"""Squared angle below which series are used; their first neglected term is under 1e-17 there."""
_CUBIC = tuple((-1.0) ** k / math.factorial(2 * k + 3) for k in range(9))
_INVERSE = (1 / 12, 1 / 720, 1 / 30240, 1 / 1209600, 1 / 47900160, 691 / 1307674368000, 1 / 74724249600)


def _series(coefficients: tuple[float, ...], s: Array) -> Array:
    total = np.zeros_like(s)
    for coefficient in reversed(coefficients):
        total = total * s + coefficient
    return total


def _half_sinc(angle: Array) -> Array:
    """sin(angle / 2) / angle."""
    return 0.5 * np.sinc(angle / (2.0 * np.pi))


def _norm(w: Array) -> Array:
    result: Array = np.linalg.norm(w, axis=-1, keepdims=True)
    return result


def _cross(a: Array, b: Array) -> Array:
    """The products of vectors; NumPy's own takes several times as long for few of them."""
    (a0, a1, a2), (b0, b1, b2) = ((x[..., :1], x[..., 1:2], x[..., 2:]) for x in (a, b))
    return np.concatenate([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], axis=-1)


def quaternion_exp(w: Array) -> Array:
    """The quaternion of a rotation vector w [rad]."""
    angle = _norm(w)
    return np.concatenate([_half_sinc(angle) * w, np.cos(0.5 * angle)], axis=-1)


def quaternion_log(q: Array) -> Array:
    """The shortest rotation vector of a unit quaternion."""
    q = np.where(q[..., 3:] < 0.0, -q, q)
    sine = _norm(q[..., :3])
    ratio = np.where(sine > 1e-150, 2.0 * np.arctan2(sine, q[..., 3:]) / np.where(sine > 1e-150, sine, 1.0), 2.0)
    return ratio * q[..., :3]


def quaternion_product(a: Array, b: Array) -> Array:
    """The product ``a b``."""
    u, s, v, t = a[..., :3], a[..., 3:], b[..., :3], b[..., 3:]
    vector = s * v + t * u + _cross(u, v)
    return np.concatenate([vector, s * t - np.sum(u * v, axis=-1, keepdims=True)], axis=-1)


def conjugate(q: Array) -> Array:
    """The inverse of a unit quaternion."""
    return np.concatenate([-q[..., :3], q[..., 3:]], axis=-1)


def unit(q: Array) -> Array:
    """A quaternion of length 1."""
    return q / _norm(q)


def rotate(q: Array, x: Array) -> Array:
    """A vector turned by a unit quaternion."""
    t = 2.0 * _cross(q[..., :3], x)
    return x + q[..., 3:] * t + _cross(q[..., :3], t)


def exp_translation(w: Array, u: Array) -> Array:
    """V(w) u, the translation of the exponential of the twist (w; u)."""
    s = np.sum(w * w, axis=-1, keepdims=True)
    angle = np.sqrt(s)
    safe = np.where(s < _SERIES_BELOW, 1.0, angle)
    cubic = np.where(s < _SERIES_BELOW, _series(_CUBIC, np.minimum(s, 1.0)), (safe - np.sin(safe)) / safe**3)
    turned = _cross(w, u)
    return u + 2.0 * _half_sinc(angle) ** 2 * turned + cubic * _cross(w, turned)


def log_translation(w: Array, p: Array) -> Array:
    """V(w)^-1 p."""
    s = np.sum(w * w, axis=-1, keepdims=True)
    half = 0.5 * np.where(s < _SERIES_BELOW, 1.0, np.sqrt(s))
    closed = (1.0 - half / np.tan(half)) / (4.0 * half**2)
    factor = np.where(s < _SERIES_BELOW, _series(_INVERSE, np.minimum(s, 1.0)), closed)
    turned = _cross(w, p)
    return p - 0.5 * turned + factor * _cross(w, turned)


def planar_exp(w: Array, u: Array) -> Array:
    """The translation of the exponential on SE(2) of a turn w and a velocity u."""
    half = _half_sinc(w)
    sine, versine = np.sinc(w / np.pi), 2.0 * half * half * w  # sin(w)/w and (1 - cos w)/w
    return np.concatenate([sine * u[..., :1] - versine * u[..., 1:], versine * u[..., :1] + sine * u[..., 1:]], axis=-1)


def planar_log(w: Array, p: Array) -> Array:
    """The velocity whose exponential with a turn w translates by p."""
    along = np.cos(0.5 * w) / np.sinc(w / (2.0 * np.pi))
    half = 0.5 * w
    return np.concatenate([along * p[..., :1] + half * p[..., 1:], along * p[..., 1:] - half * p[..., :1]], axis=-1)


def turn_plane(angle: Array, p: Array) -> Array:
    """A vector of the plane, turned."""
    sine, cosine = np.sin(angle), np.cos(angle)
    return np.concatenate([cosine * p[..., :1] - sine * p[..., 1:], sine * p[..., :1] + cosine * p[..., 1:]], axis=-1)


def so3_integrate(q: Array, dv: Array) -> Array:
    """A quaternion after a turn dv in its own axes."""
    return unit(quaternion_product(q, quaternion_exp(dv)))


def so3_difference(start: Array, end: Array) -> Array:
    """The turn from one quaternion to another."""
    return quaternion_log(quaternion_product(conjugate(start), end))


def se2_integrate(q: Array, dv: Array) -> Array:
    """A place (x, y, theta) after a motion (vx, vy, omega) in its own axes."""
    moved = q[..., :2] + turn_plane(q[..., 2:], planar_exp(dv[..., 2:], dv[..., :2]))
    return np.concatenate([moved, q[..., 2:] + dv[..., 2:]], axis=-1)


def se2_difference(start: Array, end: Array) -> Array:
    """The motion from one place to another."""
    turned = end[..., 2:] - start[..., 2:]
    moved = turn_plane(-start[..., 2:], end[..., :2] - start[..., :2])
    return np.concatenate([planar_log(turned, moved), turned], axis=-1)


def se3_integrate(q: Array, dv: Array) -> Array:
    """A pose (position, quaternion) after a twist (v; omega) in its own axes."""
    step = exp_translation(dv[..., 3:], dv[..., :3])
    turned = quaternion_product(q[..., 3:], quaternion_exp(dv[..., 3:]))
    return np.concatenate([q[..., :3] + rotate(q[..., 3:], step), unit(turned)], axis=-1)


def se3_difference(start: Array, end: Array) -> Array:
    """The twist from one pose to another."""
    back = conjugate(start[..., 3:])
    w = quaternion_log(quaternion_product(back, end[..., 3:]))
    return np.concatenate([log_translation(w, rotate(back, end[..., :3] - start[..., :3])), w], axis=-1)


def se3_integrate_outside(q: Array, dv: Array) -> Array:
    """A pose after a twist (omega; v) in the fixed axes, about their origin."""
    turn = quaternion_exp(dv[..., :3])
    moved = rotate(turn, q[..., :3]) + exp_translation(dv[..., :3], dv[..., 3:])
    return np.concatenate([moved, unit(quaternion_product(turn, q[..., 3:]))], axis=-1)


def se3_difference_outside(start: Array, end: Array) -> Array:
    """The twist in the fixed axes from one pose to another."""
    turn = quaternion_product(end[..., 3:], conjugate(start[..., 3:]))
    w = quaternion_log(turn)
    moved = end[..., :3] - rotate(unit(turn), start[..., :3])
    return np.concatenate([w, log_translation(w, moved)], axis=-1)
