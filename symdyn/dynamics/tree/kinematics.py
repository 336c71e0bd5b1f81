"""Velocity and acceleration of a body from those of its parent, in body axes, for every joint kind.

For a joint frame at (E, l) in the parent and a joint pose (R, d) with relative twist (Omega; nu):

    omega   = R^T E^T omega_p + Omega
    alpha   = R^T E^T alpha_p + Omega' + omega x Omega
    a       = R^T E^T (a_p + U_p l') + nu' + (omega_J + omega) x nu,   l' = l + E d,   omega_J = omega - Omega

where U = [alpha] + [omega]^2 maps a vector fixed in a body to its acceleration, and a is the proper acceleration of
the origin (the ground has a = -g). These are the equations of table 2 in Kim 2012, with the 6-vectors written out; the
last line follows from d/dt (R nu) = R (nu' + Omega x nu). Where scalars are series in time, alpha is read off the
series of omega, which are then carried one order higher.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.spatial.transform import Transform
from symdyn.algebra.spatial.vectors import Matrix, Vector, add, cross, matrix_from, subtract, times
from symdyn.dynamics.tree.series_rates import rates_of
from symdyn.model.joints import JointMotion

MOTION_SIZE = 18
ACCELERATION = 15
"""Where the acceleration stands in a row of motion, three scalars."""


@dataclass(frozen=True, slots=True)
class BodyMotion:
    """Angular velocity and acceleration [rad/s, rad/s^2], U [rad/s^2] and proper acceleration [m/s^2] of a body.

    No six-vector: what turns comes first, because omega leads a row of series, and alpha as its rate follows it.
    """

    omega: Vector
    alpha: Vector
    u: Matrix
    acceleration: Vector

    def scalars(self) -> list[Scalar]:
        """As a row of a field."""
        return [*self.omega, *self.alpha, *self.u[0], *self.u[1], *self.u[2], *self.acceleration]


def motion_from(row: Sequence[Scalar]) -> BodyMotion:
    """Inverse of :meth:`BodyMotion.scalars`."""
    return BodyMotion(row[0:3], row[3:6], matrix_from(row[6:15]), row[15:18])


def ground_motion(gravity: Vector) -> list[Scalar]:
    """The ground's row: at rest, accelerating against gravity."""
    return [0.0] * ACCELERATION + [-component for component in gravity]


def moved_by_joint(parent: BodyMotion, x_pc: Transform, joint: JointMotion) -> tuple[BodyMotion, list[Scalar]]:
    """Motion of a body from its parent's.

    Parameters
    ----------
    parent
        The parent's motion in its own axes.
    x_pc
        Where the body stands in its parent.
    joint
        The joint's relative motion.

    Returns
    -------
    The body's motion, and the differences U_zz - U_yy, U_xx - U_zz, U_yy - U_xx (which :meth:`Inertia.wrench` needs and
    which are differences of two squares).
    """
    carried = x_pc.rotate_back(parent.omega)  # omega_J
    omega = add(carried, joint.angular)

    def angular_acceleration() -> Vector:
        turned = add(x_pc.rotate_back(parent.alpha), joint.angular_rate)
        return add(turned, cross(omega, joint.angular))

    alpha = rates_of(omega, angular_acceleration)
    # That of the point of the parent where the child's origin is, in the child's axes
    acceleration = x_pc.rotate_back(add(parent.acceleration, times(parent.u, x_pc.origin)))
    if joint.linear is not None and joint.linear_rate is not None:
        acceleration = add(acceleration, joint.linear_rate)
        acceleration = add(acceleration, cross(add(carried, omega), joint.linear))
    u, differences = second_rate(omega, alpha)
    return BodyMotion(omega, alpha, u, acceleration), differences


def second_rate(omega: Vector, alpha: Vector) -> tuple[Matrix, list[Scalar]]:
    """U = [alpha] + [omega]^2 and the differences of its diagonal."""
    xx, yy, zz = (component * component for component in omega)
    xy, xz, yz = omega[0] * omega[1], omega[0] * omega[2], omega[1] * omega[2]
    u = [
        [-(yy + zz), xy - alpha[2], xz + alpha[1]],
        [xy + alpha[2], -(xx + zz), yz - alpha[0]],
        [xz - alpha[1], yz + alpha[0], -(xx + yy)],
    ]
    return u, subtract((zz, xx, yy), (yy, zz, xx))
