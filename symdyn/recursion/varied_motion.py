"""How a body's motion answers to its own joint: the twists that partial derivatives and Coriolis matrices rest on.

A joint's column is the twist S = (s; m) of everything behind the joint, per unit of a row of v, in the body's axes
about its origin: S r = s x r + m, and S r' = s x r' for rates. With the parent's twist V = (omega; nu), its proper
acceleration (alpha; a) and U = [alpha] + [omega]^2, a point r behind the joint answers to a move of the coordinate at
fixed v and a by

    dr = S r,   dr' = P' r + S r',   dr'' = P'' r + 2 P' r' + S r''
    P'  = V x S               = (omega x s;  omega x m + nu x s)
    P'' = V' x S + V x P'     = (U s;  U m + a x s + 2 nu x (omega x s))

and to a change of its row of v by dr'' = T r + 2 S r', T = S' + P', where S' = (V + joint's own twist) x S. For joints
with one coordinate the body's own motion may stand for the parent's, and T = 2 P'. The base of the spatial convention
has columns that rest in the world, while q moves along body axes: there V is the base's own twist. (Singh, Russell &
Wensing 2022, in 3-vectors; with a the classical acceleration, P'' is shorter.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from symdyn.model.joints import JointModel, JointPose, Rest
from symdyn.recursion.kinematics import BodyMotion
from symdyn.scalars.algebra import Scalar
from symdyn.spatial.vectors import Matrix, Vector, add, cross, product, scale, times, transpose

Twist = tuple[Sequence[Scalar], Sequence[Scalar]]
"""Angular and linear part."""


class Purpose(Enum):
    """What the sweeps are for. It decides what is carried along, and whether velocities count once or twice."""

    PARTIALS = "partials of inverse dynamics"
    CHRISTOFFEL = "the Coriolis matrix of Christoffel symbols"
    LEMMA = "the Coriolis matrix of Ali et al. 2026, lemma 1"


@dataclass(frozen=True, slots=True)
class Velocity:
    """Angular velocity [rad/s] and velocity of the origin [m/s] of a body, in its axes."""

    omega: Vector
    nu: Vector

    def scalars(self) -> list[Scalar]:
        """As a row of a field."""
        return [*self.omega, *self.nu]

    def bracket(self, twist: Twist) -> Twist:
        """``V x S``: how fast a twist that rests in the body changes."""
        angular, linear = twist
        return cross(self.omega, angular), add(cross(self.omega, linear), cross(self.nu, angular))

    def plus(self, other: Velocity) -> Velocity:
        """Sum of two twists."""
        return Velocity(add(self.omega, other.omega), add(self.nu, other.nu))


@dataclass(frozen=True, slots=True)
class Answer:
    """What of P' and P'' a column needs: the angular part of P', and both parts of P''."""

    rate: Vector
    second: Twist


def columns_of(kind: JointModel, pose: JointPose, numbers: Mapping[str, Scalar], gain: Scalar) -> list[Twist]:
    """The columns S of a joint, times the multiplier of a mimic joint."""
    return [(scale(gain, angular), scale(gain, linear)) for angular, linear in kind.columns(pose, numbers)]


def seen_from_child(parent: BodyMotion, rotation: Matrix, offset: Vector, pose: JointPose) -> BodyMotion:
    """A parent's motion in a child's axes, its acceleration that of the point where the child's origin is."""
    into = transpose(product(rotation, pose.rotation.matrix()))
    return BodyMotion(
        times(into, parent.omega),
        times(into, parent.alpha),
        times(into, add(parent.acceleration, times(parent.u, offset))),
        product(product(into, parent.u), transpose(into)),
    )


def velocity_seen_from_child(parent: Velocity, rotation: Matrix, offset: Vector, pose: JointPose) -> Velocity:
    """A parent's velocity in a child's axes, at the point where the child's origin is."""
    into = transpose(rotation)
    return Velocity(
        pose.rotation.transpose_times(times(into, parent.omega)),
        pose.rotation.transpose_times(times(into, add(parent.nu, cross(parent.omega, offset)))),
    )


def answer(velocity: Velocity, motion: BodyMotion, move: Twist) -> Answer:
    """P' and P'' of one column, from the motion that the module's docstring tells."""
    angular, linear = move
    rate = cross(velocity.omega, angular)
    carried = add(times(motion.u, linear), cross(motion.acceleration, angular))
    return Answer(rate, (times(motion.u, angular), add(carried, scale(2.0, cross(velocity.nu, rate)))))


def rates_of(
    purpose: Purpose, kind: JointModel, own: Velocity, reference: Velocity, columns: Sequence[Twist]
) -> list[Twist]:
    """T of each column for partials, S' for a Coriolis matrix."""
    if purpose is not Purpose.PARTIALS and kind.rest is Rest.WORLD:
        return [([0.0] * 3, [0.0] * 3) for _ in columns]
    if purpose is not Purpose.PARTIALS or kind.rest is Rest.WORLD:
        return [own.bracket(column) for column in columns]
    both = twice(own) if kind.rest is Rest.AXIS else own.plus(reference)
    return [both.bracket(column) for column in columns]


def twice(velocity: Velocity) -> Velocity:
    """2 V."""
    return Velocity(add(velocity.omega, velocity.omega), add(velocity.nu, velocity.nu))


def couple_of(matrix: Matrix, axis: Vector) -> list[Scalar]:
    """``tr(X) s - X s``, the moment of forces whose moments about the origin are gathered in [s] X."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = matrix
    x, y, z = axis
    return [
        (yy + zz) * x - xy * y - xz * z,
        (xx + zz) * y - yx * x - yz * z,
        (xx + yy) * z - zx * x - zy * y,
    ]
