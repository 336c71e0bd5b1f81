"""The exponential of SO(3) and SE(3), over any scalar, from power series in the squared angle.

That of a screw about a unit axis takes a sine and a cosine instead (last functions).

Every function of the angle that occurs is one of (Stumpff)

    c_k(s) = sum over j of (-s)^j / (2 j + k)!,    s = |x|^2:    c_0 = cos |x|,  c_1 = sin |x| / |x|,  ..

entire functions of s. They are summed as such, without sqrt(s) and without a division by s, so that they can be
differentiated any number of times at the angle 0, and are good to rounding for |x| up to pi.
"""

from __future__ import annotations

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.taylor_functions import factorial_factors, reciprocal
from symdyn.algebra.spatial.rotations import IDENTITY, General
from symdyn.algebra.spatial.transform import Pose
from symdyn.algebra.spatial.vectors import Vector, add, cross, dot, product, scale, skew, subtract, times

TERMS = 17
"""Terms of c_4 and c_5 that leave out less than 1e-20 at |x| = pi."""
_NEAR_TERMS = 9
"""The same at |x| = 1."""


def stumpff(
    algebra: Algebra, s: Scalar, terms: int = TERMS, highest: int = 5, largest: float | None = None
) -> tuple[Scalar, ...]:
    """Functions c_0 .. c_highest of the squared angle s [rad^2]; all are NaN where s exceeds ``largest``, if given.

    The last two are summed and the others follow from c_k = 1 / k! - s c_(k+2): two more functions with one term less
    are the same sums. Fifty digits at |x| = pi take 30 terms of c_4 and c_5.
    """
    found: list[Scalar] = [0.0] * (highest + 1)
    for k in (highest - 1, highest):
        total: Scalar = _coefficient(algebra, k, terms - 1)
        for j in reversed(range(terms - 1)):
            total = total * s + _coefficient(algebra, k, j)
        found[k] = total
    if largest is not None:  # a root that waits for no sum, and whose slope is no slope of these functions
        wrong = algebra.function("sqrt", algebra.select(algebra.compare("less", largest, s), -1.0, 0.0))
        found[-2:] = [total + wrong for total in found[-2:]]
    for k in reversed(range(highest - 1)):
        found[k] = _coefficient(algebra, k, 0) - s * found[k + 2]
    return tuple(found)


def _coefficient(algebra: Algebra, k: int, j: int) -> Scalar:
    share = reciprocal(algebra, *factorial_factors(2 * j + k))
    return -share if j % 2 else share


def turn_functions(algebra: Algebra, s: Scalar) -> tuple[tuple[Scalar, ...], tuple[Scalar, Scalar]]:
    """Functions c_0 .. c_5 of the squared angle s [rad^2] of any turn, and c_0, c_1 of half the angle.

    Those of half the angle are summed below 2 rad, and follow from its sine and cosine above. None is a difference of
    nearly equal numbers: with y = s / 4,

        c_1(s) = c_0 c_1,  c_2(s) = c_1^2 / 2,  c_3(s) = (c_3 + c_1 c_2) / 4,  c_4(s) = c_3 (1 + c_1) / 8,
        c_5(s) = (c_5 + c_4 + c_2 c_3) / 16,    all c_k on the right at y
    """
    y = 0.25 * s
    near = algebra.compare("less", y, 1.0)
    summed = stumpff(algebra, y, terms=_NEAR_TERMS)
    far = algebra.select(near, 1.0, y)
    half = algebra.function("sqrt", far)
    sine, cosine = algebra.sin_cos(half)
    closed, inverse = [cosine, sine / half], 1.0 / far
    for k in range(2, 6):
        closed.append((_coefficient(algebra, k - 2, 0) - closed[k - 2]) * inverse)
    c = [algebra.select(near, own, other) for own, other in zip(summed, closed, strict=True)]
    squared = 0.5 * (c[1] * c[1])
    found = (
        1.0 - s * squared,
        c[0] * c[1],
        squared,
        0.25 * (c[3] + c[1] * c[2]),
        0.125 * (c[3] + c[3] * c[1]),
        0.0625 * (c[5] + c[4] + c[2] * c[3]),
    )
    return found, (c[0], c[1])


def translation_of(x: Vector, a: Vector, c: tuple[Scalar, ...]) -> list[Scalar]:
    """``(1 + c_2 [x] + c_3 [x]^2) a`` from the functions of x . x."""
    turned = cross(x, a)
    return add(a, add(scale(c[2], turned), scale(c[3], cross(x, turned))))


def rotation_of(x: Vector, c: tuple[Scalar, ...]) -> General:
    """``1 + c_1 [x] + c_2 [x]^2`` from the functions of x . x."""
    scaled = scale(c[2], x)
    (sx, sy, sz) = scale(c[1], x)
    xx, yy, zz = (a * b for a, b in zip(x, scaled, strict=True))
    xy, xz, yz = x[0] * scaled[1], x[0] * scaled[2], x[1] * scaled[2]
    return General(
        [
            [1.0 - (yy + zz), xy - sz, xz + sy],
            [xy + sz, 1.0 - (xx + zz), yz - sx],
            [xz - sy, yz + sx, 1.0 - (xx + yy)],
        ]
    )


def screw_exponential(algebra: Algebra, screw: Vector, angle: Scalar) -> Pose:
    """``exp([Y] q)`` of a screw Y = (v; e) about a unit axis e.

    ``R = 1 + s [e] + (1 - c) [e]^2``, ``p = (1 - R) (e x v) + e (e . v) q``, with s and c of the angle q [rad]; e . v
    is the pitch [m/rad].
    """
    v, e = screw[:3], screw[3:]
    sine, cosine = algebra.sin_cos(angle)
    versine = 1.0 - cosine
    first = skew(e)
    second = product(first, first)
    rotation = [[IDENTITY[i][j] + (sine * first[i][j] + versine * second[i][j]) for j in range(3)] for i in range(3)]
    nearest = cross(e, v)  # the axis' point nearest to the origin
    return Pose(rotation, add(subtract(nearest, times(rotation, nearest)), scale(dot(e, v) * angle, e)))


def translation_exponential(screw: Vector, distance: Scalar) -> Pose:
    """``exp([Y] q)`` of a screw Y = (v; 0): a displacement by v q [m]."""
    return Pose(IDENTITY, scale(distance, screw[:3]))
