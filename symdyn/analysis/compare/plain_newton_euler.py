"""The rival of inverse dynamics: Featherstone's recursion written plainly, for automatic tools to make the best of.

Recursive Newton-Euler in body frames (Featherstone 2008, table 5.1), on plain six-vectors.
"""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import add, scale
from symdyn.analysis.compare.six_vectors import ZERO, SixVector, lifted_ground, moving_bodies
from symdyn.model.model import Model


def plain_inverse_dynamics(
    model: Model, algebra: Algebra, q: Sequence[Scalar], v: Sequence[Scalar], a: Sequence[Scalar]
) -> list[Scalar]:
    """Tau (nv,) of a tree without mimic or elastic joints, losses, run-time parameters or external wrenches.

    Raises
    ------
    RequestError
        The robot has one of these.
    """
    bodies = moving_bodies(model, algebra, q, v, a)
    velocity: list[SixVector] = []
    acceleration: list[SixVector] = []
    force: list[SixVector] = []
    ground = lifted_ground(model)
    for moving in bodies:
        parent = moving.body.parent
        above_v, above_a = (velocity[parent], acceleration[parent]) if parent >= 0 else (ZERO, ground)
        V = moving.transform.to_child(above_v).plus(moving.along)
        A = moving.transform.to_child(above_a).plus(moving.rate).plus(V.cross_motion(moving.along))
        force.append(moving.momentum(A).plus(V.cross_force(moving.momentum(V))))
        velocity.append(V)
        acceleration.append(A)
    tau: list[Scalar] = [0.0] * model.nv
    for moving, index in zip(reversed(bodies), range(len(bodies) - 1, -1, -1), strict=True):
        total, rows = force[index], moving.velocity_rows
        tau[rows] = add(moving.joint_force(total), scale(moving.constants["armature"], a[rows]))
        if moving.body.parent >= 0:
            force[moving.body.parent] = force[moving.body.parent].plus(moving.transform.to_parent(total))
    return tau
