"""A robot's motion as a function of time, from its velocities and their derivatives, and what happens along it.

v(t) is the polynomial with the derivatives that are given, and q(t) is cut where it no longer changes the derivatives
that are wanted. Rotations follow Q' = Q omega / 2 in quaternions, or omega Q / 2 for a right-invariant twist; positions
are led by the rotated velocity.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mpmath import mp

from symdyn.description.robot import JointKind
from symdyn.verify.base.curves import QUATERNION_AT, quaternion_product, scalar_first, scalar_last
from symdyn.verify.base.matrices import Real, Vector, add, cross, scale, vector
from symdyn.verify.oracle.place import Place
from symdyn.verify.oracle.setting import Inputs, Setting

_SPARE = 28
"""Digits that differences may lose of fifty."""
_FINEST = 5
"""Digits of the smallest step: friction turns round within its velocity scale, so that steps must be small."""
_NODES = 9
"""Digits of the step and nodes on either side beyond the order, together: the error of interpolation is far below that
of rounding."""

Rows = list[list[Any]]
"""Taylor coefficients, one vector per power of t."""


def samples(order: int) -> int:
    """How many states along the trajectory are looked at."""
    return 2 * (order + _NODES - _digits(order)) + 1 if order else 1


def _digits(order: int) -> int:
    """Digits of the step between samples."""
    return min(_FINEST, _SPARE // order)


class Trajectory:
    """The robot's state as a function of time.

    Parameters
    ----------
    setting
        The robot.
    inputs
        Flat: ``q``, (nq); ``V``, v and its derivatives, (.., nv); ``f_ext`` and its derivatives where the setting has
        external wrenches. Everything else is handed on as it is.
    """

    def __init__(self, setting: Setting, inputs: Inputs) -> None:
        size, self._setting = setting.tree.nv, setting
        given = vector(inputs["V"])
        self._inputs = inputs
        self._v = _coefficients(given, size)
        self._f_ext = (
            _coefficients(vector(inputs["f_ext"]), 6 * len(setting.tree.body_names)) if setting.external else []
        )
        self._q = [vector(inputs["q"])] + [[mp.mpf(0)] * setting.tree.nq for _ in self._v]
        for place in setting.tree.places:
            if place.owns_rows:
                self._fill(place, setting.spatial and place.implicit)

    def _fill(self, place: Place, right_invariant: bool) -> None:
        nq, nv = place.rows
        motor = int(place.joint.elastic is not None)
        columns = slice(place.q_row, place.q_row + nq + motor)
        v = [row[place.v_row : place.v_row + nv + motor] for row in self._v]
        for power, row in enumerate(_placed_curve(place, self._q[0][columns], v, right_invariant)):
            self._q[power][columns] = row

    @property
    def swiftness(self) -> Real:
        """How fast it leaves its first state [1/s], at least 1: its coefficients grow no faster than the powers."""
        turns = self._setting.tree.turns
        sizes = [
            max((abs(value) * turn for value, turn in zip(row, turns, strict=True)), default=mp.mpf(0))
            for row in self._v
        ]
        return max([mp.mpf(1), *(size ** (mp.mpf(1) / (power + 1)) for power, size in enumerate(sizes))])

    def at(self, t: Real) -> Mapping[str, Sequence[Any]]:
        """The flat inputs of a function of order 0."""
        a = [scale(power + 1, row) for power, row in enumerate(self._v[1:])]
        state = {"q": _value(self._q, t), "v": _value(self._v, t), "a": _value(a, t), "f_ext": _value(self._f_ext, t)}
        return {**self._inputs, **state}

    def derivatives(
        self, order: int, function: Callable[[Mapping[str, Sequence[Any]]], Sequence[Real]]
    ) -> list[list[Real]]:
        """A function of the state and its time derivatives at 0, up to an order: those of its interpolating polynomial.

        The nodes lie so close that a step changes the state in its fifth digit (above fifth order, in an earlier one).
        """
        if order == 0:
            return [list(function(self.at(mp.mpf(0))))]
        reach = samples(order) // 2
        step = mp.mpf(10) ** -_digits(order) / self.swiftness
        nodes = range(-reach, reach + 1)
        inverse = mp.matrix([[mp.mpf(node) ** power for power in range(len(nodes))] for node in nodes]) ** -1
        values = [function(self.at(node * step)) for node in nodes]
        columns = list(zip(*values, strict=True))
        found = []
        for k in range(order + 1):
            weight = mp.factorial(k) / step**k
            found.append([weight * mp.fdot(inverse[k, :], column) for column in columns])
        return found


def _coefficients(derivatives: Vector, size: int) -> Rows:
    starts = range(0, len(derivatives), size)
    return [scale(1 / mp.factorial(k), derivatives[start : start + size]) for k, start in enumerate(starts)]


def _value(series: Rows, t: Real) -> list[Real]:
    return [mp.polyval(list(reversed(column)), t) for column in zip(*series, strict=True)]


def _placed_curve(place: Place, start: Vector, v: Rows, right_invariant: bool) -> Rows:
    kind = place.joint.kind
    if not place.mujoco or kind not in QUATERNION_AT:
        return _curve(kind, start, v, right_invariant)
    at, own = QUATERNION_AT[kind], scalar_last(kind, start)
    points = _integrated(own[:at], [row[:at] for row in v])
    turning = _turning(own[at:], [row[at:] for row in v], left=False)
    return [scalar_first(kind, [*point, *turn]) for point, turn in zip(points, turning, strict=True)]


def _curve(kind: JointKind, start: Vector, v: Rows, right_invariant: bool) -> Rows:
    """Coefficients of a joint's coordinates, one power more than those of its velocities."""
    match kind:
        case JointKind.SPHERICAL:
            return _turning(start, v, left=False)
        case JointKind.PLANAR:
            half = start[2] / 2
            turning = _turning(
                [mp.mpf(0), mp.mpf(0), mp.sin(half), mp.cos(half)], [[0, 0, row[2]] for row in v], left=False
            )
            angles = _integrated(start[2:], [row[2:] for row in v])
            places = _integrated([*start[:2], mp.mpf(0)], _rotated(turning, [[*row[:2], mp.mpf(0)] for row in v]))
            return [[*place[:2], *angle] for place, angle in zip(places, angles, strict=True)]
        case JointKind.FLOATING if right_invariant:
            points = [start[:3]]
            for k, row in enumerate(v):
                swept = [cross(v[j][:3], points[k - j]) for j in range(k + 1)]
                points.append(scale(mp.mpf(1) / (k + 1), [mp.fsum(x) for x in zip(row[3:], *swept, strict=True)]))
            turning = _turning(start[3:], [row[:3] for row in v], left=True)
            return [[*point, *turn] for point, turn in zip(points, turning, strict=True)]
        case JointKind.FLOATING:
            turning = _turning(start[3:], [row[3:] for row in v], left=False)
            points = _integrated(start[:3], _rotated(turning, [row[:3] for row in v]))
            return [[*point, *turn] for point, turn in zip(points, turning, strict=True)]
    return _integrated(start, v)


def _integrated(start: Vector, rates: Rows) -> Rows:
    return [list(start), *(scale(mp.mpf(1) / (k + 1), row) for k, row in enumerate(rates))]


def _turning(start: Vector, omega: Rows, *, left: bool) -> Rows:
    """A quaternion (x, y, z, w) that turns at omega, in fixed axes (``left``) or in its own."""
    found = [list(start)]
    for k in range(len(omega)):
        total = [mp.mpf(0)] * 4
        for j in range(k + 1):
            spin = [*omega[k - j], mp.mpf(0)]
            total = add(total, quaternion_product(spin, found[j]) if left else quaternion_product(found[j], spin))
        found.append(scale(mp.mpf(1) / (2 * (k + 1)), total))
    return found


def _rotated(turning: Rows, vectors: Rows) -> Rows:
    """Q x Q* power by power."""
    found = []
    for k in range(len(vectors)):
        total = [mp.mpf(0)] * 4
        for i in range(k + 1):
            for j in range(k + 1 - i):
                x, y, z, w = turning[k - i - j]
                half = quaternion_product(turning[i], [*vectors[j], mp.mpf(0)])
                total = add(total, quaternion_product(half, [-x, -y, -z, w]))
        found.append(total[:3])
    return found
