"""The steps behind ``composite_motion``: one body's motion, answers and own part; one body's part to its parent.

Wrenches of the environment in body axes count as the body's own; those in world axes do not turn with it, so their sum
is kept apart: force, moment, and the moment matrix G = integral r f^T of where they act.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.model.bind import FIRST_MOMENT, INERTIA, SECOND_MOMENT
from symdyn.model.joints import JointPose, MotionKind, joint_motion, joint_pose, pose_from_scalars
from symdyn.recursion.composite_body import shifted_inertia, turned_inertia
from symdyn.recursion.external_wrenches import applied_wrench, at_own_origin
from symdyn.recursion.kinematics import motion_from, moved_by_joint, offset_in_parent
from symdyn.recursion.moment_matrices import (
    LEMMA_SIZE,
    MOMENTUM_SIZE,
    body_lemma,
    body_momentum,
    lemma_from,
    matrix_sum,
    momentum_from,
    outer,
)
from symdyn.recursion.tree import SHIFT, BodyVariant, placement_of, pose_of
from symdyn.recursion.varied_motion import (
    ONE_COORDINATE,
    Purpose,
    Velocity,
    answer,
    columns_of,
    moves_of,
    rates_of,
    seen_from_child,
    twice,
    velocity_seen_from_child,
)
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.inertia import Inertia
from symdyn.spatial.rotations import turned_matrix
from symdyn.spatial.vectors import Vector, add, cross, entries_of, matrix_from, product, subtract, times, transpose

Reads = Mapping[str, Sequence[Scalar]]
Writes = Mapping[str, Sequence[Scalar]]

INERTIA_SIZE = len(INERTIA)
LOAD_SIZE = 15


@dataclass(frozen=True, slots=True)
class VariedBody:
    """What is structural about a body in these sweeps."""

    body: BodyVariant
    purpose: Purpose


def twist_size(purpose: Purpose) -> int:
    """Scalars kept per column: T, and for partials P'' and the angular part of P'."""
    return 15 if purpose is Purpose.PARTIALS else 6


def momentum_size(purpose: Purpose) -> int:
    """Scalars of the composite's momentum."""
    return LEMMA_SIZE if purpose is Purpose.LEMMA else MOMENTUM_SIZE


def answer_of_body(variant: VariedBody, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Outward step: pose, motion, the answers of the joint's columns, and the body's own part of its composite."""
    body, purpose = variant.body, variant.purpose
    rotation, origin = placement_of(constants)
    gain = constants["multiplier"] if body.mimic else 1.0
    q, v = list(reads["q"]), [gain * rate for rate in reads["v"]]
    if body.mimic:
        q = [gain * q[0] + constants["offset"]]
    a = [gain * rate for rate in reads["a"]] if purpose is Purpose.PARTIALS else [0.0] * len(v)
    stored = joint_pose(body.kind, algebra, q, constants)
    pose = pose_from_scalars(body.kind, stored)
    offset = offset_in_parent(rotation, origin, pose)
    joint = joint_motion(body.kind, pose, v, a, constants)
    reference = velocity_seen_from_child(
        Velocity(reads["parent_velocity"][:3], reads["parent_velocity"][3:]), rotation, offset, pose
    )
    own = reference.plus(Velocity(joint.angular, joint.linear if joint.linear is not None else [0.0] * 3))
    inertia = Inertia(
        constants["m"], [constants[name] for name in FIRST_MOMENT], [constants[name] for name in SECOND_MOMENT]
    )
    columns = columns_of(body.kind, pose, constants, gain)
    rates = rates_of(purpose, body.kind, own, reference, columns)
    writes: dict[str, Sequence[Scalar]] = {
        "pose": stored,
        "velocity": own.scalars(),
        "inertia": [inertia.mass, *inertia.first, *inertia.second],
    }
    twists = [[*angular, *linear] for angular, linear in rates]
    match purpose:
        case Purpose.LEMMA:
            writes["momentum"] = body_lemma(inertia, own).scalars()
        case Purpose.CHRISTOFFEL:
            writes["momentum"] = body_momentum(inertia, own).scalars()
        case Purpose.PARTIALS:
            writes["momentum"] = body_momentum(inertia, twice(own)).scalars()
            parent = motion_from(reads["parent"])
            motion, differences = moved_by_joint(parent, rotation, offset, pose, joint)
            by_itself = body.kind in ONE_COORDINATE or body.kind is MotionKind.FREE_SPATIAL
            seen = motion if by_itself else seen_from_child(parent, rotation, offset, pose)
            for twist, move in zip(twists, moves_of(body.kind, columns), strict=True):
                answered = answer(own if by_itself else reference, seen, move)
                twist += [*answered.second[0], *answered.second[1], *answered.rate]
            writes["motion"] = motion.scalars()
            writes |= _forces(body, constants, reads, inertia.wrench(motion.u, differences, motion.acceleration), pose)
    writes["twists"] = [scalar for twist in twists for scalar in twist]
    return writes


def _forces(
    body: BodyVariant, constants: Mapping[str, Scalar], reads: Reads, wrench: tuple[Vector, Vector], pose: JointPose
) -> Writes:
    """The body's own wrench less one in body axes that acts on it; one in world axes by itself."""
    force, moment = wrench
    if body.external == "body":
        applied = applied_wrench(body, constants, reads["f_ext"], None)
        force, moment = subtract(force, applied[0]), subtract(moment, at_own_origin(body, constants, applied))
    if "orientation" not in reads:
        return {"wrench": [*force, *moment]}
    turned = product(matrix_from(reads["orientation"]), placement_of(constants)[0])
    world = product(turned, pose.rotation.matrix())
    load = applied_wrench(body, constants, reads["f_ext"], world) if body.external else ([0.0] * 3, [0.0] * 3)
    place = [0.0, 0.0, -constants[SHIFT] if body.shifted else 0.0]
    return {
        "wrench": [*force, *moment],
        "own_orientation": entries_of(world),
        "load": [*load[0], *load[1], *entries_of(outer(place, load[0]))],
    }


def hand_over(variant: VariedBody, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Inward step: the composite of a body, added to its parent's."""
    rotation, origin = placement_of(constants)
    pose = pose_of(variant.body, reads)
    offset = offset_in_parent(rotation, origin, pose)
    below = reads["inertia"]
    inertia = turned_inertia(Inertia(below[0], below[1:4], below[4:10]), pose.rotation)
    inertia = shifted_inertia(inertia, rotation, offset)
    momentum_at = lemma_from if variant.purpose is Purpose.LEMMA else momentum_from
    writes: dict[str, Sequence[Scalar]] = {
        "parent_inertia": [inertia.mass, *inertia.first, *inertia.second],
        "parent_momentum": momentum_at(reads["momentum"]).moved(pose.rotation, rotation, offset).scalars(),
    }
    if variant.purpose is not Purpose.PARTIALS:
        return writes
    force = times(rotation, pose.rotation.times(reads["wrench"][:3]))
    moment = times(rotation, pose.rotation.times(reads["wrench"][3:]))
    writes["parent_wrench"] = [*force, *add(moment, cross(offset, force))]
    if "load" in reads:
        load = reads["load"]
        force = times(rotation, pose.rotation.times(load[:3]))
        moment = times(rotation, pose.rotation.times(load[3:6]))
        turned = turned_matrix(pose.rotation, matrix_from(load[6:]))
        places = product(product(rotation, turned), transpose(rotation))
        writes["parent_load"] = [*force, *moment, *entries_of(matrix_sum(places, outer(offset, force)))]
    return writes
