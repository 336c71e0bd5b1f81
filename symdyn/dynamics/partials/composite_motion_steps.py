"""The steps behind ``composite_motion``: a body's motion, its derivatives and its own part; its part to the parent.

Wrenches of the environment in body axes count as the body's own; those in world axes do not turn with it, so their sum
is kept apart: force, moment, and the moment matrix G = integral r f^T of where they act.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.force import wrench_in_parent
from symdyn.algebra.spatial.inertia import inertia_from
from symdyn.algebra.spatial.motion import motion_in_child
from symdyn.algebra.spatial.transform import Transform
from symdyn.algebra.spatial.vectors import Vector, add, entries_of, matrix_from
from symdyn.dynamics.elements.external_wrench import applied_wrench, less_external, own_orientation
from symdyn.dynamics.partials.moment_matrices import (
    LEMMA_SIZE,
    MOMENTUM_SIZE,
    body_lemma,
    body_momentum,
    lemma_from,
    matrix_sum,
    momentum_from,
    outer,
    turned_across,
)
from symdyn.dynamics.partials.motion_derivatives import Purpose, answer, rates_of, seen_from_child
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.dynamics.tree.body_variant import BodyVariant, frame_in_parent
from symdyn.dynamics.tree.kinematics import motion_from, moved_by_joint
from symdyn.dynamics.tree.tree import SHIFT
from symdyn.model.bind import INERTIA, inertia_of
from symdyn.model.joints import Rest

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
    """Outward step: pose, motion, its derivatives by the joint's columns, and the body's own part of its composite."""
    body, purpose = variant.body, variant.purpose
    v = reads["v"]
    a = reads["a"] if purpose is Purpose.PARTIALS else [0.0] * len(v)
    stored = body.kind.pose(algebra, reads["q"], constants)
    pose = body.kind.placed(stored)
    x_pc = frame_in_parent(constants, pose)
    joint = body.kind.motion(pose, v, a, constants)
    reference = motion_in_child(x_pc, reads["parent_velocity"])
    own = add(reference, joint.twist)
    inertia = inertia_of(constants)
    columns = body.kind.columns(pose, constants)
    twists = rates_of(purpose, body.kind, own, reference, columns)
    writes: dict[str, Sequence[Scalar]] = {
        "pose": stored,
        "velocity": own,
        "inertia": inertia.scalars(),
    }
    match purpose:
        case Purpose.LEMMA:
            writes["momentum"] = body_lemma(inertia, own).scalars()
        case Purpose.CHRISTOFFEL:
            writes["momentum"] = body_momentum(inertia, own).scalars()
        case Purpose.PARTIALS:
            # Twice the twist, because r' counts twice in dr'' = P'' r + 2 P' r' + S r''.
            writes["momentum"] = body_momentum(inertia, add(own, own)).scalars()
            parent = motion_from(reads["parent"])
            motion, differences = moved_by_joint(parent, x_pc, joint)
            # Columns that are constant in the child's frame alone need the parent's motion, in the child's axes.
            by_itself = body.kind.rest is not Rest.CHILD
            seen = motion if by_itself else seen_from_child(parent, x_pc)
            for twist, move in zip(twists, columns, strict=True):
                answered = answer(own if by_itself else reference, seen, move)
                twist += [*answered.second, *answered.rate]
            writes["motion"] = motion.scalars()
            writes |= _forces(body, constants, reads, inertia.wrench(motion.u, differences, motion.acceleration), x_pc)
    writes["twists"] = [scalar for twist in twists for scalar in twist]
    return writes


def _forces(
    body: BodyVariant, constants: Mapping[str, Scalar], reads: Reads, wrench: Vector, x_pc: Transform
) -> Writes:
    """The body's own wrench less one in body axes that acts on it; one in world axes by itself."""
    world = own_orientation(reads, x_pc)
    if world is None:
        return less_external(body, constants, reads, x_pc, wrench)
    load = applied_wrench(body, constants, reads["f_ext"], world) if body.external else [0.0] * 6
    place = [0.0, 0.0, -constants[SHIFT] if body.shifted else 0.0]
    return {
        "wrench": wrench,
        "own_orientation": entries_of(world),
        "load": [*load, *entries_of(outer(place, load[:3]))],
    }


def hand_over(variant: VariedBody, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Inward step: the composite of a body, added to its parent's."""
    x_pc = frame_in_parent(constants, variant.body.kind.placed(reads["pose"]))
    momentum_at = lemma_from if variant.purpose is Purpose.LEMMA else momentum_from
    writes: dict[str, Sequence[Scalar]] = {
        "parent_inertia": inertia_from(reads["inertia"]).seen_from_parent(x_pc).scalars(),
        "parent_momentum": momentum_at(reads["momentum"]).seen_from_parent(x_pc).scalars(),
    }
    if variant.purpose is not Purpose.PARTIALS:
        return writes
    writes["parent_wrench"] = wrench_in_parent(x_pc, reads["wrench"])
    if "load" in reads:
        load = reads["load"]
        turned = [*x_pc.rotate(load[:3]), *x_pc.rotate(load[3:6])]
        places = matrix_sum(turned_across(x_pc, matrix_from(load[6:])), outer(x_pc.origin, turned[:3]))
        writes["parent_load"] = [*turned, *entries_of(places)]
    return writes
