"""Wrenches in six scalars, the force first: (f; n) on a frame, in its own axes, n the moment about its origin.

So is momentum (p; L). A wrench meets a motion (v; omega) row by row: their product is a power.
"""

from __future__ import annotations

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.spatial.transform import Transform
from symdyn.algebra.spatial.vectors import Vector, add, cross


def wrench_at_offset(wrench: Vector, offset: Vector) -> list[Scalar]:
    """A wrench on a frame at ``offset`` l, about this frame's origin, same axes: n + l x f."""
    return [*wrench[:3], *add(wrench[3:], cross(offset, wrench[:3]))]


def wrench_in_parent(x_pc: Transform, wrench: Vector) -> list[Scalar]:
    """A wrench on a child's frame C in its parent's frame: E R f, and E R n + p_PC x (E R f)."""
    return wrench_at_offset([*x_pc.rotate(wrench[:3]), *x_pc.rotate(wrench[3:])], x_pc.origin)


def dual_bracket(twist: Vector, wrench: Vector) -> list[Scalar]:
    """``V x* F = -ad_V^T F``: the rate of a wrench F that is fixed in a body with twist V."""
    v, omega = twist[:3], twist[3:]
    return [*cross(omega, wrench[:3]), *add(cross(omega, wrench[3:]), cross(v, wrench[:3]))]
