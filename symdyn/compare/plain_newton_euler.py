"""The rival of inverse dynamics: Featherstone's recursion written plainly, for automatic tools to make the best of.

Six-vectors (angular; linear) in body frames, rigid-body inertia as mass, first moment and rotational inertia, and the
cross products of motions and forces (Featherstone 2008, table 5.1 and appendix A). Nothing is exploited by hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symdyn.errors import RequestError
from symdyn.model.bind import FIRST_MOMENT, SECOND_MOMENT, TRANSLATION, baked_body
from symdyn.model.joints import joint_force, joint_motion, joint_pose, pose_from_scalars
from symdyn.model.model import Body, Model
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.vectors import Matrix, Vector, add, cross, product, scale, subtract, times, transpose


@dataclass(frozen=True, slots=True)
class _Spatial:
    """A motion (omega; v) or a force (moment; force)."""

    angular: Vector
    linear: Vector

    def plus(self, other: _Spatial) -> _Spatial:
        return _Spatial(add(self.angular, other.angular), add(self.linear, other.linear))

    def cross_motion(self, other: _Spatial) -> _Spatial:
        linear = add(cross(self.angular, other.linear), cross(self.linear, other.angular))
        return _Spatial(cross(self.angular, other.angular), linear)

    def cross_force(self, other: _Spatial) -> _Spatial:
        angular = add(cross(self.angular, other.angular), cross(self.linear, other.linear))
        return _Spatial(angular, cross(self.angular, other.linear))


def plain_inverse_dynamics(
    model: Model, algebra: Algebra, q: Sequence[Scalar], v: Sequence[Scalar], a: Sequence[Scalar]
) -> list[Scalar]:
    """Tau (nv,) of a tree without mimic or elastic joints, losses, run-time parameters or external wrenches.

    Raises
    ------
    RequestError
        The robot has one of these.
    """
    velocity: list[_Spatial] = []
    acceleration: list[_Spatial] = []
    force: list[_Spatial] = []
    armatures: list[Scalar] = []
    transforms: list[tuple[Matrix, Vector]] = []
    poses = []
    still = [0.0, 0.0, 0.0]
    ground = _Spatial(still, [-component for component in model.gravity])
    for body in model.bodies:
        joint = body.joint
        constants = _constants(model, body)
        rows = slice(joint.v_index, joint.v_index + len(joint.coordinates.v))
        stored = joint_pose(
            joint.kind, algebra, q[joint.q_index : joint.q_index + len(joint.coordinates.q)], joint.pitch
        )
        pose = pose_from_scalars(joint.kind, stored)
        motion = joint_motion(joint.kind, pose, list(v[rows]), list(a[rows]), joint.pitch)
        rotation: Matrix = product(body.rotation, pose.rotation.matrix())
        origin: Vector = [constants[name] for name in TRANSLATION]
        if pose.translation is not None:
            origin = add(origin, times(body.rotation, pose.translation))
        parent_v = velocity[body.parent] if body.parent >= 0 else _Spatial(still, still)
        parent_a = acceleration[body.parent] if body.parent >= 0 else ground
        along = _Spatial(motion.angular, motion.linear or still)
        V = _to_child(rotation, origin, parent_v).plus(along)
        rate = _Spatial(motion.angular_rate, motion.linear_rate or still)
        A = _to_child(rotation, origin, parent_a).plus(rate).plus(V.cross_motion(along))
        force.append(_momentum(constants, A).plus(V.cross_force(_momentum(constants, V))))
        velocity.append(V)
        acceleration.append(A)
        transforms.append((rotation, origin))
        poses.append(pose)
        armatures.append(constants["armature"])
    tau: list[Scalar] = [0.0] * model.nv
    for index in range(len(model.bodies) - 1, -1, -1):
        body, total = model.bodies[index], force[index]
        share = joint_force(body.joint.kind, poses[index], total.linear, total.angular, body.joint.pitch)
        rows = slice(body.joint.v_index, body.joint.v_index + len(share))
        tau[rows] = add(share, scale(armatures[index], a[rows]))
        if body.parent >= 0:
            rotation, origin = transforms[index]
            linear = times(rotation, total.linear)
            above = _Spatial(add(times(rotation, total.angular), cross(origin, linear)), linear)
            force[body.parent] = force[body.parent].plus(above)
    return tau


def _constants(model: Model, body: Body) -> dict[str, Scalar]:
    baked = baked_body(model, body)
    odd = body.joint.mimic is not None or body.joint.elastic is not None or model.joint_losses
    if baked is None or odd or model.slots.names:
        raise RequestError(
            f"joint '{body.joint.joint}': the plain recursion knows no mimic joints, losses or run-time parameters, "
            "nor springs"
        )
    return baked.values


def _to_child(rotation: Matrix, origin: Vector, motion: _Spatial) -> _Spatial:
    into = transpose(rotation)
    return _Spatial(times(into, motion.angular), times(into, subtract(motion.linear, cross(origin, motion.angular))))


def _momentum(constants: dict[str, Scalar], motion: _Spatial) -> _Spatial:
    first = [constants[name] for name in FIRST_MOMENT]
    xx, xy, xz, yy, yz, zz = (constants[name] for name in SECOND_MOMENT)
    inertia = [[yy + zz, -xy, -xz], [-xy, xx + zz, -yz], [-xz, -yz, xx + yy]]
    angular = add(times(inertia, motion.angular), cross(first, motion.linear))
    return _Spatial(angular, subtract(scale(constants["m"], motion.linear), cross(first, motion.angular)))
