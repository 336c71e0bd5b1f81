"""Six-vectors (angular; linear) in body frames over any scalar, written plainly for the rival recursions.

Featherstone 2008, table 2.1 and appendix A: cross products of motions and forces, Pluecker transforms by rotation and
origin, rigid-body inertia as mass, first moment and rotational inertia. Nothing is exploited by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import Matrix, Vector, add, cross, product, scale, subtract, times, transpose
from symdyn.errors import RequestError
from symdyn.model.bind import FIRST_MOMENT, SECOND_MOMENT, TRANSLATION, baked_body
from symdyn.model.bodies import Body
from symdyn.model.joints import JointPose
from symdyn.model.model import Model

STILL: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class SixVector:
    """A motion (omega; v) or a force (moment; force)."""

    angular: Vector
    linear: Vector

    def plus(self, other: SixVector) -> SixVector:
        """The sum."""
        return SixVector(add(self.angular, other.angular), add(self.linear, other.linear))

    def cross_motion(self, other: SixVector) -> SixVector:
        """``self x other`` of motions."""
        linear = add(cross(self.angular, other.linear), cross(self.linear, other.angular))
        return SixVector(cross(self.angular, other.angular), linear)

    def cross_force(self, other: SixVector) -> SixVector:
        """``self x* other``, a motion on a force."""
        angular = add(cross(self.angular, other.angular), cross(self.linear, other.linear))
        return SixVector(angular, cross(self.angular, other.linear))

    @property
    def rows(self) -> list[Scalar]:
        """Its six scalars."""
        return [*self.angular, *self.linear]


ZERO = SixVector(STILL, STILL)


@dataclass(frozen=True, slots=True)
class Transform:
    """Pose of a body in its parent's frame."""

    rotation: Matrix
    origin: Vector

    def to_child(self, motion: SixVector) -> SixVector:
        """A motion from the parent's frame."""
        into = transpose(self.rotation)
        linear = subtract(motion.linear, cross(self.origin, motion.angular))
        return SixVector(times(into, motion.angular), times(into, linear))

    def to_parent(self, force: SixVector) -> SixVector:
        """A force into the parent's frame."""
        linear = times(self.rotation, force.linear)
        return SixVector(add(times(self.rotation, force.angular), cross(self.origin, linear)), linear)


@dataclass(frozen=True, slots=True)
class RigidInertia:
    """Mass, first moment (3,) and rotational inertia (3, 3) about the frame's origin."""

    mass: Scalar
    first: Vector
    rotational: Matrix

    def plus(self, other: RigidInertia) -> RigidInertia:
        """Both bodies as one."""
        rotational = [add(x, y) for x, y in zip(self.rotational, other.rotational, strict=True)]
        return RigidInertia(self.mass + other.mass, add(self.first, other.first), rotational)

    def times(self, motion: SixVector) -> SixVector:
        """The momentum of a motion."""
        angular = add(times(self.rotational, motion.angular), cross(self.first, motion.linear))
        return SixVector(angular, subtract(scale(self.mass, motion.linear), cross(self.first, motion.angular)))

    def to_parent(self, X: Transform) -> RigidInertia:
        """About the parent's origin and in its axes."""
        turned = times(X.rotation, self.first)
        first = add(turned, scale(self.mass, X.origin))
        lever = skew(X.origin)
        moved = zip(product(lever, skew(turned)), product(skew(first), lever), strict=True)
        rotational = product(product(X.rotation, self.rotational), transpose(X.rotation))
        rows = [subtract(row, add(x, y)) for row, (x, y) in zip(rotational, moved, strict=True)]
        return RigidInertia(self.mass, first, mirrored(rows))


@dataclass(frozen=True, slots=True)
class MovingBody:
    """A body at some coordinates and velocities.

    ``along`` is its velocity relative to the parent, in its own frame, and ``rate`` the acceleration that the given
    accelerations of its joint make.
    """

    body: Body
    constants: Mapping[str, Scalar]
    transform: Transform
    pose: JointPose
    along: SixVector
    rate: SixVector

    @property
    def velocity_rows(self) -> slice:
        """Its rows of v."""
        joint = self.body.joint
        return slice(joint.v_index, joint.v_index + len(joint.coordinates.v))

    @property
    def rotational_inertia(self) -> list[list[Scalar]]:
        """About the body's origin, (3, 3)."""
        xx, xy, xz, yy, yz, zz = (self.constants[name] for name in SECOND_MOMENT)
        return [[yy + zz, -xy, -xz], [-xy, xx + zz, -yz], [-xz, -yz, xx + yy]]

    @property
    def first_moment(self) -> list[Scalar]:
        """Mass times the centre of mass, (3,)."""
        return [self.constants[name] for name in FIRST_MOMENT]

    @property
    def inertia(self) -> RigidInertia:
        """About the body's origin."""
        return RigidInertia(self.constants["m"], self.first_moment, self.rotational_inertia)

    @property
    def subspace(self) -> list[SixVector]:
        """The columns of its joint's motion subspace."""
        columns = self.body.joint.kind.columns(self.pose, dict(self.body.joint.numbers))
        return [SixVector(column[3:], column[:3]) for column in columns]

    def joint_force(self, force: SixVector) -> list[Scalar]:
        """What a force does along the rows of its joint."""
        joint = self.body.joint
        return joint.kind.force(self.pose, [*force.linear, *force.angular], dict(joint.numbers))

    def momentum(self, motion: SixVector) -> SixVector:
        """Rigid-body inertia times a motion."""
        return self.inertia.times(motion)


def moving_bodies(
    model: Model, algebra: Algebra, q: Sequence[Scalar], v: Sequence[Scalar], a: Sequence[Scalar]
) -> list[MovingBody]:
    """The bodies of a tree, parents first, at coordinates q (nq,), velocities v (nv,) and accelerations a (nv,).

    Raises
    ------
    RequestError
        The robot has mimic or elastic joints, losses, run-time parameters, or links that bend.
    """
    for rod in model.rods:
        raise RequestError(f"link '{rod.link}': the plain recursion knows no soft links")
    found = []
    for body in model.bodies:
        joint = body.joint
        constants = _constants(model, body)
        rows = slice(joint.v_index, joint.v_index + len(joint.coordinates.v))
        own_q = q[joint.q_index : joint.q_index + len(joint.coordinates.q)]
        pose = joint.kind.placed(joint.kind.pose(algebra, own_q, dict(joint.numbers)))
        motion = joint.kind.motion(pose, list(v[rows]), list(a[rows]), dict(joint.numbers))
        origin: Vector = [constants[name] for name in TRANSLATION]
        if pose.translation is not None:
            origin = add(origin, times(body.rotation, pose.translation))
        transform = Transform(product(body.rotation, pose.rotation.matrix()), origin)
        along = SixVector(motion.angular, motion.linear or STILL)
        rate = SixVector(motion.angular_rate, motion.linear_rate or STILL)
        found.append(MovingBody(body, constants, transform, pose, along, rate))
    return found


def lifted_ground(model: Model) -> SixVector:
    """Gravity as an acceleration of the ground."""
    return SixVector(STILL, [-component for component in model.gravity])


def skew(a: Vector) -> list[list[Scalar]]:
    """The matrix of the cross product with ``a``."""
    return [[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]]


def mirrored(matrix: Matrix) -> list[list[Scalar]]:
    """A symmetric matrix from its upper triangle: the lower is not computed again."""
    return [[matrix[min(row, column)][max(row, column)] for column in range(3)] for row in range(3)]


def _constants(model: Model, body: Body) -> Mapping[str, Scalar]:
    baked = baked_body(model, body)
    odd = (body.joint.leaders, body.loads, body.joint.elastic, body.beam, model.joint_losses, model.slots.names)
    if baked is None or any(odd):
        raise RequestError(
            f"joint '{body.joint.joint}': the plain recursion knows no mimic joints, losses or run-time parameters, "
            "nor springs, nor flexible links"
        )
    return baked.values
