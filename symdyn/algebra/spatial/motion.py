"""Motions in Pluecker's six scalars, the linear part first: (v; omega) of a frame, in its own axes and at its origin.

So are accelerations (a; alpha), the columns of a joint's motion subspace S, and screws, which are motions of a body
seen at the world's origin and in its axes.
"""

from __future__ import annotations

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.spatial.transform import Pose, Transform
from symdyn.algebra.spatial.vectors import Vector, add, cross, times, transpose

SIZE = 6
"""Scalars of a motion or a wrench."""


def motion_at_offset(motion: Vector, offset: Vector) -> list[Scalar]:
    """The motion of a frame at ``offset`` l of one that moves so, same axes: v + omega x l, or a + alpha x l."""
    return [*add(motion[:3], cross(motion[3:], offset)), *motion[3:]]


def motion_in_child(x_pc: Transform, motion: Vector) -> list[Scalar]:
    """The motion of a parent as its child's frame C has it, were C fixed to the parent."""
    moved = motion_at_offset(motion, x_pc.origin)
    return [*x_pc.rotate_back(moved[:3]), *x_pc.rotate_back(moved[3:])]


def bracket(twist: Vector, motion: Vector) -> list[Scalar]:
    """``V x S = ad_V S``: the rate of a motion S that is fixed in a body with twist V."""
    v, omega = twist[:3], twist[3:]
    return [*add(cross(omega, motion[:3]), cross(v, motion[3:])), *cross(omega, motion[3:])]


def adjoint(x_wb: Pose, motion: Vector) -> list[Scalar]:
    """``Ad_X S``: a motion in the axes, and at the origin, of the frame W that the pose X_WB is given in."""
    angular = times(x_wb.rotation, motion[3:])
    return [*add(times(x_wb.rotation, motion[:3]), cross(x_wb.position, angular)), *angular]


def adjoint_matrix(x_wb: Pose) -> list[list[Scalar]]:
    """``Ad_X = [R, [p] R; 0, R]``, 6 x 6."""
    lever = transpose([cross(x_wb.position, column) for column in transpose(x_wb.rotation)])
    top = [[*row, *right] for row, right in zip(x_wb.rotation, lever, strict=True)]
    return [*top, *([0.0, 0.0, 0.0, *row] for row in x_wb.rotation)]
