"""Screws in one fixed frame: twists (omega; v) and wrenches (moment; force) about the world's origin, six scalars each.

Poses are pairs (R, p). With this order of rows (Ali et al. 2026, eqs. 3 and 5)

    Ad_C = [R, 0; [p] R, R]        ad_V = [[omega], 0; [v], [omega]]

Nothing is simplified here beyond the zero blocks of these matrices: literal zeros vanish in the symbolic algebra.
"""

from __future__ import annotations

from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.rotations import IDENTITY
from symdyn.spatial.transform import Pose
from symdyn.spatial.vectors import Vector, add, cross, dot, product, scale, skew, subtract, times, transpose

SIZE = 6
"""Scalars of a twist or a wrench."""


def adjoint(pose: Pose, screw: Vector) -> list[Scalar]:
    """``Ad_C X``: a twist or joint screw in the axes, and about the origin, of the frame that C is given in."""
    angular = times(pose.rotation, screw[:3])
    return [*angular, *add(times(pose.rotation, screw[3:]), cross(pose.position, angular))]


def bracket(twist: Vector, screw: Vector) -> list[Scalar]:
    """``ad_V X``: the rate of a screw that is fixed in a body with twist V."""
    omega, v = twist[:3], twist[3:]
    return [*cross(omega, screw[:3]), *add(cross(v, screw[:3]), cross(omega, screw[3:]))]


def carried(twist: Vector, wrench: Vector) -> list[Scalar]:
    """``-ad_V^T W``: the rate of a wrench that is fixed in a body with twist V."""
    omega, v = twist[:3], twist[3:]
    return [*add(cross(omega, wrench[:3]), cross(v, wrench[3:])), *cross(omega, wrench[3:])]


def adjoint_matrix(pose: Pose) -> list[list[Scalar]]:
    """``Ad_C``, 6 x 6."""
    lower = [cross(pose.position, column) for column in transpose(pose.rotation)]
    top = [[*row, 0.0, 0.0, 0.0] for row in pose.rotation]
    return [*top, *([*(column[row] for column in lower), *pose.rotation[row]] for row in range(3))]


def screw_exponential(algebra: Algebra, screw: Vector, angle: Scalar) -> Pose:
    """``exp([Y] q)`` of a screw Y = (e; v) about a unit axis e.

    ``R = 1 + s [e] + (1 - c) [e]^2``, ``p = (1 - R) (e x v) + e (e . v) q``, with s and c of the angle q [rad]; e . v
    is the pitch [m/rad].
    """
    e, v = screw[:3], screw[3:]
    sine, cosine = algebra.sin_cos(angle)
    versine = 1.0 - cosine
    first = skew(e)
    second = product(first, first)
    rotation = [[IDENTITY[i][j] + (sine * first[i][j] + versine * second[i][j]) for j in range(3)] for i in range(3)]
    nearest = cross(e, v)  # the axis' point nearest to the origin
    return Pose(rotation, add(subtract(nearest, times(rotation, nearest)), scale(dot(e, v) * angle, e)))


def translation_exponential(screw: Vector, distance: Scalar) -> Pose:
    """``exp([Y] q)`` of a screw Y = (0; v): a displacement by v q [m]."""
    return Pose(IDENTITY, scale(distance, screw[3:]))
