"""Coordinates as frameworks differentiate them: row by row, though a robot moves along rows of v.

Partial derivatives by q are along those. A change dq of the rows of q moves a robot along them by E(q) dq: for a
quaternion Q = (u, w) of length one 2 vec(conj(Q) dQ), for positions beside it R(Q)^T dp, or dp itself where v is along
fixed axes. A twist in the world is omega = 2 vec(dQ conj(Q)) and v = dp - omega x p. Functions are those of q / |q|, so
that Q itself may have any length.

``xp`` is the framework's array functions, ``jax.numpy`` or ``torch``: both know the few names that are called here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from symdyn.interface.stepping import QUATERNION_AT, ROWS, CoordinateRows, Rates

_ROUNDING = 8.0
"""By how many roundings the square of a length may miss 1."""
_SIZES = {rates: count for rates, (count, _) in ROWS.items()}


def coordinates(rows: Sequence[CoordinateRows]) -> int:
    """The number of rows of q."""
    return sum(_SIZES.get(entry.rates, entry.count) for entry in rows)


def has_quaternions(rows: Sequence[CoordinateRows]) -> bool:
    """Whether some rows of q are quaternions."""
    return any(entry.rates in QUATERNION_AT for entry in rows)


def moves_apart(rows: Sequence[CoordinateRows]) -> bool:
    """Whether some rows of q change otherwise than rows of v say."""
    return any(entry.rates is not Rates.EQUAL for entry in rows)


def unit(xp: Any, rows: Sequence[CoordinateRows], q: Any, still: Callable[[Any], Any] | None = None) -> Any:
    """The q (..., nq) with its quaternions divided by their lengths.

    With ``still``, which gives an array that does not move, quaternions that have the length 1 but for rounding stay as
    they are to the bit, and change as the others do.
    """
    pieces, done = [], 0
    for entry in rows:
        if entry.rates in QUATERNION_AT:
            first = entry.q + QUATERNION_AT[entry.rates]
            turn = q[..., first : first + 4]
            squared = (turn * turn).sum(-1)[..., None]
            divided = turn / xp.sqrt(squared)
            if still is not None:
                near = xp.abs(squared - 1.0) <= _ROUNDING * xp.finfo(q.dtype).eps
                # The difference is exact, and so is its sum with what was divided.
                divided = divided + still(xp.where(near, turn - divided, 0.0 * turn))
            pieces += [q[..., done:first], divided]
            done = first + 4
    return xp.concatenate([*pieces, q[..., done:]], axis=-1)


def moves(xp: Any, rows: Sequence[CoordinateRows], q: Any, change: Any) -> Any:
    """E(q) dq, (..., nv): how far a change of the rows of q moves the robot along rows of v; linear in dq.

    ``q`` (..., nq) has quaternions of length one.
    """
    pieces = []
    for entry in rows:
        size = _SIZES.get(entry.rates, entry.count)
        own, moved = (array[..., entry.q : entry.q + size] for array in (q, change))
        pieces += _FORMS[entry.rates](xp, own, moved)
    return xp.concatenate(pieces, axis=-1)


def rates(xp: Any, rows: Sequence[CoordinateRows], q: Any, move: Any) -> Any:
    """N(q) w, (..., nq): how the rows of q change where the robot moves along rows of v; linear in w.

    ``q`` (..., nq) has quaternions of length one, and keeps it.
    """
    pieces = []
    for entry in rows:
        count, width = ROWS.get(entry.rates, (entry.count, entry.count))
        own, moved = q[..., entry.q : entry.q + count], move[..., entry.v : entry.v + width]
        pieces += _RATES[entry.rates](xp, own, moved)
    return xp.concatenate(pieces, axis=-1)


def _cross(xp: Any, left: Any, right: Any) -> Any:
    pairs = ((1, 2), (2, 0), (0, 1))
    return xp.stack([left[..., i] * right[..., j] - left[..., j] * right[..., i] for i, j in pairs], axis=-1)


def _equal(xp: Any, q: Any, change: Any) -> list[Any]:
    return [change]


def _spherical(xp: Any, q: Any, change: Any) -> list[Any]:
    vector, scalar = q[..., :3], q[..., 3:]
    return [2.0 * (scalar * change[..., :3] - change[..., 3:] * vector - _cross(xp, vector, change[..., :3]))]


def _free(xp: Any, q: Any, change: Any) -> list[Any]:
    vector, scalar, shift = q[..., 3:6], q[..., 6:], change[..., :3]
    turned = 2.0 * _cross(xp, vector, shift)
    return [shift - scalar * turned + _cross(xp, vector, turned), *_spherical(xp, q[..., 3:], change[..., 3:])]


def _free_spatial(xp: Any, q: Any, change: Any) -> list[Any]:
    """The twist in the world's axes, of the point at its origin."""
    vector, scalar, turn = q[..., 3:6], q[..., 6:], change[..., 3:6]
    omega = 2.0 * (scalar * turn - change[..., 6:] * vector + _cross(xp, vector, turn))
    return [omega, change[..., :3] - _cross(xp, omega, q[..., :3])]


def _vector_first(xp: Any, turn: Any) -> Any:
    """Rows (x, y, z, w) of rows (w, x, y, z)."""
    return xp.concatenate([turn[..., 1:], turn[..., :1]], axis=-1)


def _spherical_mujoco(xp: Any, q: Any, change: Any) -> list[Any]:
    return _spherical(xp, _vector_first(xp, q), _vector_first(xp, change))


def _free_mujoco(xp: Any, q: Any, change: Any) -> list[Any]:
    return [change[..., :3], *_spherical_mujoco(xp, q[..., 3:], change[..., 3:])]


def _planar(xp: Any, q: Any, change: Any) -> list[Any]:
    cosine, sine = xp.cos(q[..., 2]), xp.sin(q[..., 2])
    x, y = change[..., 0], change[..., 1]
    return [xp.stack([cosine * x + sine * y, cosine * y - sine * x, change[..., 2]], axis=-1)]


_FORMS = {
    Rates.EQUAL: _equal,
    Rates.SPHERICAL: _spherical,
    Rates.FREE: _free,
    Rates.FREE_SPATIAL: _free_spatial,
    Rates.SPHERICAL_MUJOCO: _spherical_mujoco,
    Rates.FREE_MUJOCO: _free_mujoco,
    Rates.PLANAR: _planar,
}


def _spherical_rate(xp: Any, q: Any, omega: Any) -> list[Any]:
    vector, scalar = q[..., :3], q[..., 3:]
    return [0.5 * (scalar * omega + _cross(xp, vector, omega)), -0.5 * (vector * omega).sum(-1)[..., None]]


def _free_rate(xp: Any, q: Any, move: Any) -> list[Any]:
    vector, scalar, shift = q[..., 3:6], q[..., 6:], move[..., :3]
    turned = 2.0 * _cross(xp, vector, shift)
    return [shift + scalar * turned + _cross(xp, vector, turned), *_spherical_rate(xp, q[..., 3:], move[..., 3:])]


def _free_spatial_rate(xp: Any, q: Any, move: Any) -> list[Any]:
    vector, scalar, omega = q[..., 3:6], q[..., 6:], move[..., :3]
    turn = 0.5 * (scalar * omega - _cross(xp, vector, omega))
    shift = move[..., 3:] + _cross(xp, omega, q[..., :3])
    return [shift, turn, -0.5 * (vector * omega).sum(-1)[..., None]]


def _spherical_mujoco_rate(xp: Any, q: Any, omega: Any) -> list[Any]:
    turn, scalar = _spherical_rate(xp, _vector_first(xp, q), omega)
    return [scalar, turn]


def _free_mujoco_rate(xp: Any, q: Any, move: Any) -> list[Any]:
    return [move[..., :3], *_spherical_mujoco_rate(xp, q[..., 3:], move[..., 3:])]


def _planar_rate(xp: Any, q: Any, move: Any) -> list[Any]:
    cosine, sine = xp.cos(q[..., 2]), xp.sin(q[..., 2])
    x, y = move[..., 0], move[..., 1]
    return [xp.stack([cosine * x - sine * y, sine * x + cosine * y, move[..., 2]], axis=-1)]


_RATES = {
    Rates.EQUAL: _equal,
    Rates.SPHERICAL: _spherical_rate,
    Rates.FREE: _free_rate,
    Rates.FREE_SPATIAL: _free_spatial_rate,
    Rates.SPHERICAL_MUJOCO: _spherical_mujoco_rate,
    Rates.FREE_MUJOCO: _free_mujoco_rate,
    Rates.PLANAR: _planar_rate,
}
