"""The exponential of SO(3) and SE(3) and its tangent, made of the parts that steps along rods are made of."""

from __future__ import annotations

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.exponential import TERMS, rotation_of, stumpff, translation_of
from symdyn.algebra.spatial.rotations import General
from symdyn.algebra.spatial.vectors import Vector, add, cross, dot, scale


def rotation_exponential(algebra: Algebra, x: Vector, terms: int = TERMS) -> General:
    """The rotation ``exp [x] = 1 + c_1 [x] + c_2 [x]^2`` of a rotation vector x [rad], with [x]^2 = x x^T - s 1."""
    c = stumpff(algebra, dot(x, x), terms)
    return rotation_of(x, c)


def pose_exponential(algebra: Algebra, x: Vector, y: Vector, terms: int = TERMS) -> tuple[General, list[Scalar]]:
    """Rotation and translation [m] of exp(x; y) on SE(3), for x [rad] and y [m].

    The translation is ``(1 + c_2 [x] + c_3 [x]^2) y``.
    """
    c = stumpff(algebra, dot(x, x), terms)
    return rotation_of(x, c), translation_of(x, y, c)


def tangent(
    algebra: Algebra, x: Vector, y: Vector, x_rate: Vector, y_rate: Vector, terms: int = TERMS
) -> tuple[list[Scalar], list[Scalar]]:
    """The right-invariant twist of exp(x(t); y(t)): ``X' = [v; omega] X``, that is dexp of the rates.

    For the twist in body axes give -x and -y, with the rates as they are. On SO(3), dexp_x = 1 + c_2 [x] + c_3 [x]^2;
    SE(3) is SO(3) over dual numbers x + e y, so v is dexp_x y' and the derivative of dexp_x along y, applied to x'
    (Selig 2005, section 7.6, has it as a polynomial in ad).

    Returns
    -------
    The velocity v [m/s] of the point at the world's origin, and the angular velocity omega [rad/s].
    """
    c = stumpff(algebra, dot(x, x), terms)
    # d c_k / ds = (k c_(k+2) - c_(k+1)) / 2, and d s along y is 2 x . y
    along = dot(x, y)
    first, second = cross(x, x_rate), cross(y, x_rate)
    mixed = add(cross(y, first), cross(x, second))
    linear = add(translation_of(x, y_rate, c), add(scale(c[2], second), scale(c[3], mixed)))
    linear = add(linear, scale(along * (2 * c[4] - c[3]), first))
    linear = add(linear, scale(along * (3 * c[5] - c[4]), cross(x, first)))
    return linear, translation_of(x, x_rate, c)
