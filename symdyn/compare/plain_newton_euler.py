"""The rival of inverse dynamics: Featherstone's recursion written plainly, for automatic tools to make the best of.

Recursive Newton-Euler in body frames (Featherstone 2008, table 5.1), on plain six-vectors.
"""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.compare.six_vectors import ZERO, SixVector, lifted_ground, moving_bodies
from symdyn.model.model import Model
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.vectors import add, scale


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
        joint, total, rows = moving.body.joint, force[index], moving.velocity_rows
        share = joint.kind.force(moving.pose, [*total.linear, *total.angular], {"pitch": joint.pitch})
        tau[rows] = add(share, scale(moving.constants["armature"], a[rows]))
        if moving.body.parent >= 0:
            force[moving.body.parent] = force[moving.body.parent].plus(moving.transform.to_parent(total))
    return tau
