"""The logarithm of SO(3), over any scalar: the rotation vector of a unit quaternion, and how it changes.

With the quaternion (u, c), c = cos t and |u| = sin t, of a turn by 2 t in 0 .. pi,

    x = 2 f(c) u,    f(c) = t / sin t = h(s) / (cos(t/2) cos(t/4)),    s = sin^2(t/8) = (1 - cos(t/4)) / 2

where the cosines follow from c by halving the angle, and h(s) = arcsin(r) / (r sqrt(1 - r^2)) with r^2 = s is a power
series. There is no division by |u| or t, so that it can be differentiated any number of times where nothing is turned.
"""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.dual import DualAlgebra
from symdyn.algebra.scalars.taylor_functions import reciprocal
from symdyn.algebra.spatial.vectors import Matrix, Vector, add, cross, dot, scale, skew

_SERIES_BELOW = 0.25
"""Square of the turn below which b and b' are series, whose first neglected term is below 1e-16."""
_TURNED = (1 / 12, 1 / 720, 1 / 30240, 1 / 1209600, 1 / 47900160, 691 / 1307674368000, 1 / 74724249600)
_TURNED_SLOPES = tuple(power * coefficient for power, coefficient in enumerate(_TURNED) if power)
TERMS = 18
"""Terms of h that leave out less than 1e-26 at a turn by pi."""


def rotation_logarithm(algebra: Algebra, quaternion: Sequence[Scalar]) -> list[Scalar]:
    """The rotation vector [rad], no longer than pi, of a unit quaternion (x, y, z, w).

    It jumps where the turn is pi, from pi to -pi about the same axis.
    """
    u, c = _short(algebra, quaternion)
    return scale(2.0 * _ratio(algebra, c), u)


def logarithm_slopes(algebra: Algebra, quaternion: Sequence[Scalar]) -> Matrix:
    """How the rotation vector changes along turns in the turned axes: ``f c 1 + f [u] - f' u u^T``, (3, 3)."""
    u, c = _short(algebra, quaternion)
    over = DualAlgebra(algebra)
    both = _ratio(over, over.dual(c, {0: 1.0}))
    along, turned = both.value * c, scale(-both.slope(0), u)
    crossed = skew(scale(both.value, u))
    return [
        [crossed[row][column] + turned[row] * u[column] + (along if row == column else 0.0) for column in range(3)]
        for row in range(3)
    ]


def pose_logarithm(algebra: Algebra, quaternion: Sequence[Scalar], point: Vector) -> list[Scalar]:
    """The twist (v; w) with the exponential of a pose: ``v = p - w x p / 2 + b w x (w x p)``."""
    return PoseLogarithm(algebra, quaternion, point).twist


class PoseLogarithm:
    """The logarithm (v; w) of a pose, and how it changes.

    With ``A(w) = 1 + [w] / 2 + b [w]^2``, ``b = (1 - g) / s``, ``g = (t/2) cot(t/2)`` and ``s = t^2 = w . w``, a motion
    (x; y) of the pose in its own axes changes it by ``(A x + B y; A y)``, where B is the derivative of A along v:
    ``[v] / 2 + b ([v] [w] + [w] [v]) + 2 b' (w . v) [w]^2``, ``b' = (g + g^2 + s / 4 - 2) / (2 s^2)``.

    Parameters
    ----------
    algebra
        Of the scalars.
    quaternion, point
        Rotation, a unit quaternion (x, y, z, w), and translation of the pose.
    """

    def __init__(self, algebra: Algebra, quaternion: Sequence[Scalar], point: Vector) -> None:
        u, c = _short(algebra, quaternion)
        ratio = _ratio(algebra, c)
        self._w = scale(2.0 * ratio, u)
        self._s = dot(self._w, self._w)
        self._algebra, self._g = algebra, ratio * c
        self._near = algebra.compare("less", self._s, _SERIES_BELOW)
        self._safe = algebra.select(self._near, algebra.constant(1.0), self._s)
        self._b = algebra.select(self._near, _polynomial(_TURNED, self._s), (1.0 - self._g) / self._safe)
        turned = cross(self._w, point)
        swept = add(scale(-0.5, turned), scale(self._b, cross(self._w, turned)))
        self.twist = [*add(point, swept), *self._w]

    def slopes(self) -> tuple[Matrix, Matrix]:
        """A and B."""
        g, s, safe, w, v = self._g, self._s, self._safe, self._w, self.twist[:3]
        closed = (g + g * g + 0.25 * s - 2.0) / (2.0 * safe * safe)
        slope = self._algebra.select(self._near, _polynomial(_TURNED_SLOPES, s), closed)
        along = dot(w, v)
        A = _symmetric(0.5, w, self._b, w, w)
        sums = _symmetric(0.5, v, 2.0 * self._b, v, w)
        pulled = _symmetric(0.0, w, 2.0 * slope * along, w, w)
        same = [[0.0] * 3 for _ in range(3)]
        for row in range(3):
            same[row][row] = 1.0
        return [add(own, one) for own, one in zip(A, same, strict=True)], [
            add(own, other) for own, other in zip(sums, pulled, strict=True)
        ]


def _symmetric(half: float, x: Vector, factor: Scalar, a: Vector, b: Vector) -> Matrix:
    """``half [x] + factor ([a] [b] + [b] [a]) / 2``, with ``[a] [b] = b a^T - (a . b) 1``."""
    across, turned = dot(a, b), skew(scale(half, x)) if half else [[0.0] * 3 for _ in range(3)]
    found = [[turned[i][j] + 0.5 * factor * (a[i] * b[j] + b[i] * a[j]) for j in range(3)] for i in range(3)]
    for i in range(3):
        found[i][i] = found[i][i] - factor * across
    return found


def rotation_quaternion(algebra: Algebra, rotation: Matrix) -> list[Scalar]:
    """The quaternion (x, y, z, w) of a rotation matrix, from its largest entry (Shepperd 1978)."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = rotation
    turned = [zy - yz, xz - zx, yx - xy]
    best, found = 1.0 + xx + yy + zz, [*turned, 1.0 + xx + yy + zz]
    others = (
        [1.0 + xx - yy - zz, xy + yx, xz + zx, turned[0]],
        [xy + yx, 1.0 - xx + yy - zz, yz + zy, turned[1]],
        [xz + zx, yz + zy, 1.0 - xx - yy + zz, turned[2]],
    )
    for axis, other in enumerate(others):
        larger = algebra.compare("less", best, other[axis])
        found = [algebra.select(larger, own, before) for own, before in zip(other, found, strict=True)]
        best = algebra.select(larger, other[axis], best)
    return scale(0.5 / algebra.function("sqrt", best), found)


def _polynomial(coefficients: Sequence[float], s: Scalar) -> Scalar:
    total: Scalar = coefficients[-1]
    for coefficient in coefficients[-2::-1]:
        total = coefficient + s * total
    return total


def _short(algebra: Algebra, quaternion: Sequence[Scalar]) -> tuple[Vector, Scalar]:
    """Of the two quaternions of a rotation the one with a scalar part of at least 0."""
    far = algebra.compare("less", quaternion[3], 0.0)
    *u, c = (algebra.select(far, -entry, entry) for entry in quaternion)
    return u, c


def _ratio(algebra: Algebra, c: Scalar) -> Scalar:
    """The angle over its sine, from its cosine of at least 0."""
    half = algebra.function("sqrt", 0.5 + 0.5 * c)
    quarter = algebra.function("sqrt", 0.5 + 0.5 * half)
    s = 0.5 - 0.5 * quarter
    total: Scalar = algebra.constant(1.0)
    for k in reversed(range(TERMS)):
        total = 1.0 + (2.0 * k + 2.0) * reciprocal(algebra, 2 * k + 3) * s * total
    return total / (half * quarter)
