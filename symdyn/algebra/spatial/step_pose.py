"""One step along a rod from its exponent Omega = (y; x): the pose exp(Omega) and its tangent, seen from the far end.

With the brackets of twists, ad, the twist of the far frame against the near one is

    nu = D Omega',    D = 1 - c_2 ad(Omega) + c_3 ad(Omega)^2

with functions of the squared angle x . x that are dual numbers: SE(3) is SO(3) over x + e y. So c_k multiplies a twist
(v; omega) to (c_k v + d_k omega; c_k omega), where d_k is its derivative along y, and a wrench by the transpose.
Powers of ad stay brackets: of a step in a plane most of them vanish.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.exponential import rotation_of, stumpff, translation_of
from symdyn.algebra.spatial.force import dual_bracket
from symdyn.algebra.spatial.motion import bracket
from symdyn.algebra.spatial.rotations import General
from symdyn.algebra.spatial.vectors import Vector, add, dot, scale, subtract

LEFT_OUT = 2e-18
"""What the sums of Stumpff's functions may leave out: a fiftieth of a double's rounding error at 1."""


class Tangent(NamedTuple):
    """The coefficients of D: c_2 and c_3 of the squared angle, d_2 and d_3 their derivatives along y."""

    c2: Scalar
    c3: Scalar
    d2: Scalar
    d3: Scalar


class TangentSlopes(NamedTuple):
    """The derivatives of the same four by half the squared angle."""

    c2: Scalar
    c3: Scalar
    d2: Scalar
    d3: Scalar


@dataclass(frozen=True, slots=True)
class StepPose:
    """exp(Omega), where the far frame stands in the near one [m], and what its tangent takes."""

    rotation: General
    translation: list[Scalar]
    tangent: Tangent
    slopes: TangentSlopes


def stumpff_terms(turn: float, derivatives: int = 0) -> int:
    """How many terms of c_4 and c_5 leave out less than LEFT_OUT for angles up to ``turn`` [rad].

    Each derivative of a function, by time or by coordinates, takes a power of the angle from the terms left out:
    ``derivatives`` is how many of them shall be as good.
    """
    terms = 2 + derivatives // 2
    while turn ** (2 * terms - derivatives) > LEFT_OUT * math.factorial(2 * terms + 4 - derivatives):
        terms += 1
    return terms


def step_pose(algebra: Algebra, omega: Vector, terms: int, widest: float | None = None) -> StepPose:
    """Pose and tangent of exp(Omega) for Omega (6,); ``terms`` as by :func:`stumpff_terms`.

    All that rests on the angle is NaN where Omega turns by more than ``widest`` [rad], if that is given.
    """
    y, x = omega[:3], omega[3:]
    c = stumpff(algebra, dot(x, x), terms - 1, highest=7, largest=None if widest is None else widest * widest)
    along = dot(x, y)
    # d c_k / ds = (k c_(k+2) - c_(k+1)) / 2
    second, third = 2.0 * c[4] - c[3], 3.0 * c[5] - c[4]
    tangent = Tangent(c[2], c[3], along * second, along * third)
    slopes = TangentSlopes(
        second, third, along * (8.0 * c[6] - 5.0 * c[5] + c[4]), along * (15.0 * c[7] - 7.0 * c[6] + c[5])
    )
    return StepPose(rotation_of(x, c), translation_of(x, y, c), tangent, slopes)


def far_twist(tangent: Tangent, omega: Vector, rate: Vector) -> list[Scalar]:
    """``nu = D Omega'`` (v; omega): the twist of the far frame against the near one, in the far frame's axes."""
    once = bracket(omega, rate)
    twice = bracket(omega, once)
    return add(rate, subtract(_weighed(tangent.c3, tangent.d3, twice), _weighed(tangent.c2, tangent.d2, once)))


def far_twist_rate(
    tangent: Tangent, slopes: TangentSlopes, omega: Vector, first: Vector, second: Vector
) -> list[Scalar]:
    """``nu' = D Omega'' + D' Omega'`` (6,) from Omega' and Omega''."""
    once, once_rate = bracket(omega, first), bracket(omega, second)
    twice, twice_rate = bracket(omega, once), add(bracket(first, once), bracket(omega, once_rate))
    y, x = omega[:3], omega[3:]
    turning = dot(x, first[3:])
    mixed = dot(x, first[:3]) + dot(y, first[3:])
    c2_rate, d2_rate = turning * slopes.c2, mixed * slopes.c2 + turning * slopes.d2
    c3_rate, d3_rate = turning * slopes.c3, mixed * slopes.c3 + turning * slopes.d3
    threes = add(_weighed(tangent.c3, tangent.d3, twice_rate), _weighed(c3_rate, d3_rate, twice))
    twos = add(_weighed(tangent.c2, tangent.d2, once_rate), _weighed(c2_rate, d2_rate, once))
    return add(second, subtract(threes, twos))


def far_transpose(tangent: Tangent, omega: Vector, wrench: Vector) -> list[Scalar]:
    """``D^T F`` (6,): what a wrench (f; n) in the far frame does to Omega."""
    once = dual_bracket(omega, wrench)  # minus the transpose of ad
    twice = dual_bracket(omega, once)
    return add(wrench, add(_loaded(tangent.c2, tangent.d2, once), _loaded(tangent.c3, tangent.d3, twice)))


def _weighed(c: Scalar, d: Scalar, twist: Vector) -> list[Scalar]:
    return [*add(scale(c, twist[:3]), scale(d, twist[3:])), *scale(c, twist[3:])]


def _loaded(c: Scalar, d: Scalar, wrench: Vector) -> list[Scalar]:
    return [*scale(c, wrench[:3]), *add(scale(c, wrench[3:]), scale(d, wrench[:3]))]
