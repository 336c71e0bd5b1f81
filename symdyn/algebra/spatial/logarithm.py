"""The logarithm of SO(3), over any scalar: the rotation vector of a unit quaternion, and how it changes.

With the quaternion (u, c), c = cos t and |u| = sin t, of a turn by 2 t in 0 .. pi,

    x = 2 f(c) u,    f(c) = t / sin t = h(s) / (cos(t/2) cos(t/4)),    s = sin^2(t/8) = (1 - cos(t/4)) / 2

where the cosines follow from c by halving the angle, and h(s) = arcsin(r) / (r sqrt(1 - r^2)) with r^2 = s is a power
series. There is no division by |u| or t, so that it can be differentiated any number of times where nothing is turned.
"""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.dual import Dual, DualAlgebra
from symdyn.algebra.scalars.taylor_functions import reciprocal
from symdyn.algebra.spatial.vectors import Matrix, Vector, scale, skew

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
    both = _ratio(DualAlgebra(algebra), Dual(c, {0: 1.0}))
    along, turned = both.value * c, scale(-both.slope(0), u)
    crossed = skew(scale(both.value, u))
    return [
        [crossed[row][column] + turned[row] * u[column] + (along if row == column else 0.0) for column in range(3)]
        for row in range(3)
    ]


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
