"""Poses of joints alone, and what loads ask of a body beside its motion: axes and place in the world, and twist."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.motion import motion_in_child
from symdyn.algebra.spatial.rotations import Rotation
from symdyn.algebra.spatial.vectors import Matrix, Vector, add, entries_of, matrix_from, product, times
from symdyn.dynamics.tree.bindings import Reads, Writes, read, step, write
from symdyn.dynamics.tree.body_variant import BodyVariant, frame_in_parent
from symdyn.dynamics.tree.places import ORIENTATION, POSE, STAND, TWIST, Q, V
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.bind import ROTATION, TRANSLATION
from symdyn.model.joints import JointModel, JointPose
from symdyn.plan.plan import Access, Sweep


def joint_position(kind: JointModel, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step: the pose of a joint."""
    return {"pose": kind.pose(algebra, reads["q"], constants)}


_POSE = step(
    joint_position,
    q=read(Q),
    pose=write(POSE),
    constants=lambda kind: kind.constants,
    variant=lambda tree, body: tree.joint(body).kind,
)


def pose_sweep(tree: TreePlan) -> Sweep:
    """The sweep that fills the field ``pose``, for algorithms that need no velocities."""
    return _POSE.over(tree, tree.links)


def turned_axes(above: Vector, fixed: Matrix, turn: Rotation) -> Matrix:
    """Axes of a body's frame in the world, from its parent's (nine scalars) and the rotation E R across its joint."""
    return product(product(matrix_from(above), fixed), turn.matrix())


def moved_twist(
    kind: JointModel, constants: Mapping[str, Scalar], pose: JointPose, v: Vector, above: Vector
) -> list[Scalar]:
    """The twist (v; omega) of a body's frame in its own axes, from its parent's and its joint's rows of v."""
    joint = kind.motion(pose, v, [0.0] * len(v), constants)
    return add(motion_in_child(frame_in_parent(constants, pose), above), joint.twist)


def orient(variant: BodyVariant, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Outward step: the axes of a body's frame in the world, from its parent's."""
    fixed = matrix_from([constants[name] for name in ROTATION])
    turn = variant.kind.placed(reads.get("pose", ())).rotation
    return {"own_orientation": entries_of(turned_axes(reads["orientation"], fixed, turn))}


def stand(variant: BodyVariant, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Outward step: where the origin of a body's frame is in the world, from its parent's."""
    origin = frame_in_parent(constants, variant.kind.placed(reads.get("pose", ()))).origin
    return {"own_stand": add(reads["stand"], times(matrix_from(reads["orientation"]), origin))}


def carry_twist(variant: BodyVariant, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Outward step: the twist (v; omega) of a body's frame in its own axes, from its parent's."""
    pose = variant.kind.placed(reads.get("pose", ()))
    return {"own_twist": moved_twist(variant.kind, constants, pose, reads["v"], reads["twist"])}


_STATES = {
    ORIENTATION.field: step(
        orient,
        pose=read(POSE, when=lambda b: b.kind.stored),
        orientation=read(ORIENTATION.above),
        own_orientation=write(ORIENTATION.own),
        constants=lambda b: ROTATION,
    ),
    STAND.field: step(
        stand,
        pose=read(POSE, when=lambda b: b.kind.stored),
        orientation=read(ORIENTATION.above),
        stand=read(STAND.above),
        own_stand=write(STAND.own),
        constants=lambda b: (*ROTATION, *TRANSLATION),
    ),
    TWIST.field: step(
        carry_twist,
        v=read(V),
        pose=read(POSE, when=lambda b: b.kind.stored),
        twist=read(TWIST.above),
        own_twist=write(TWIST.own),
        constants=lambda b: (*ROTATION, *TRANSLATION, *b.kind.constants),
    ),
}
"""By the field that each fills."""


def state_sweeps(tree: TreePlan, loads: Iterable[Sweep]) -> list[Sweep]:
    """Sweeps that fill the fields of this file which loads read, from the ground to the bodies that these act on."""
    bodies_of: dict[str, set[int]] = {field: set() for field in _STATES}
    for visit in (visit for sweep in loads for visit in sweep.visits):
        for place in visit.bindings.values():
            if isinstance(place, Access) and place.field in bodies_of:
                bodies_of[place.field] |= tree.path(place.offset // place.count)
    bodies_of[ORIENTATION.field] |= bodies_of[STAND.field]
    return [_STATES[field].over(tree, sorted(bodies)) for field, bodies in bodies_of.items() if bodies]
