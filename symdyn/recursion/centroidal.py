"""Momentum of the robot about its centre of mass, in world axes (Orin, Goswami & Lee 2013).

Outward: the twist (v; omega) of each body and its momentum p = m v + omega x h, L = J omega + h x v about its origin.
Inward: both to the ground, p_p += E R p, L_p += E R L + l' x (E R p). There L_c = L - c x p. A free base has everything
on it, so momentum and centre are found from its origin and no digit is lost far from the world's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from symdyn.model.bind import INERTIA, ROTATION, TRANSLATION, inertia_of
from symdyn.model.joints import JointModel
from symdyn.model.model import Model
from symdyn.plan import Access, Binding, Field, FieldKind, Given, Mode, Plan, Port, Step, Sweep, Visit
from symdyn.recursion.beam_momentum import beam_momentum_sweeps
from symdyn.recursion.center_of_mass import center_of_mass_sweeps
from symdyn.recursion.tree import TreePlan, frame_in_parent
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.force import wrench_at_offset, wrench_in_parent
from symdyn.spatial.motion import motion_in_child
from symdyn.spatial.vectors import add, scale

Reads = Mapping[str, Sequence[Scalar]]
Writes = Mapping[str, Sequence[Scalar]]

TWIST_SIZE = 6
MOMENTUM_SIZE = 6
_REST = (0.0,) * TWIST_SIZE


@dataclass(frozen=True, slots=True)
class MomentumVariant:
    """What is structural about a body with momentum; an ``anchored`` one is the base that the others are seen from."""

    kind: JointModel
    mimic: bool
    anchored: bool


def body_momentum(variant: MomentumVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Outward step: joint pose, twist and momentum of a body, in its axes."""
    q, v = list(reads["q"]), list(reads["v"])
    if variant.mimic:
        gain = constants["multiplier"]
        q, v = [gain * q[0] + constants["offset"]], [gain * v[0]]
    stored = variant.kind.pose(algebra, q, constants)
    pose = variant.kind.placed(stored)
    joint = variant.kind.motion(pose, v, [0.0] * len(v), constants)
    twist = add(motion_in_child(frame_in_parent(constants, pose), reads["parent"]), joint.twist)
    return {"pose": stored, "twist": twist, "momentum": inertia_of(constants).momentum(twist)}


def hand_momentum(variant: MomentumVariant, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Inward step: momentum of everything that a joint carries, to the parent."""
    x_pc = frame_in_parent(constants, variant.kind.placed(reads["pose"]))
    if variant.anchored:
        x_pc = replace(x_pc, origin=[0.0, 0.0, 0.0])
    return {"parent_momentum": wrench_in_parent(x_pc, reads["momentum"])}


def about_center(_: Any, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Last step: angular momentum from the origin to the centre of mass."""
    return {"momentum": wrench_at_offset(reads["total"], scale(-1.0, reads["center"]))}


_BODY_MOMENTUM = Step(
    "body_momentum",
    body_momentum,
    (
        Port("q", Mode.READ),
        Port("v", Mode.READ),
        Port("parent", Mode.READ),
        Port("pose", Mode.WRITE),
        Port("twist", Mode.WRITE),
        Port("momentum", Mode.WRITE),
    ),
)
_HAND_MOMENTUM = Step(
    "hand_momentum",
    hand_momentum,
    (Port("momentum", Mode.READ), Port("pose", Mode.READ), Port("parent_momentum", Mode.ADD)),
)
_ABOUT_CENTER = Step(
    "about_center",
    about_center,
    (Port("total", Mode.READ), Port("center", Mode.READ), Port("momentum", Mode.WRITE)),
)


def centroidal_momentum_plan(model: Model) -> Plan:
    """The plan of the momentum about the centre of mass, (6,): linear; angular, world axes.

    Regrouped inertia is moved along axes and about points that parent and child share, and frames along axes, so the
    momentum is the same.

    Parameters
    ----------
    model
        The robot.

    Raises
    ------
    ModelError
        A robot whose moving links have no mass.
    """
    tree = TreePlan(model)
    count = len(model.bodies)
    center_fields, center_sweeps = center_of_mass_sweeps(tree, "center", anchored=True, posed=True)
    fields = [
        Field("q", FieldKind.INPUT, model.nq),
        Field("v", FieldKind.INPUT, model.nv),
        *tree.fields(),
        *center_fields,
        Field("twist", FieldKind.STATE, TWIST_SIZE, tree.depth_rows),
        Field("body_momentum", FieldKind.STATE, MOMENTUM_SIZE, count),
        Field("total", FieldKind.STATE, MOMENTUM_SIZE),
        Field("center", FieldKind.STATE, 3),
        Field("momentum", FieldKind.OUTPUT, MOMENTUM_SIZE),
    ]
    about = {
        "total": Access("total", 0, MOMENTUM_SIZE),
        "center": Access("center", 0, 3),
        "momentum": Access("momentum", 0, MOMENTUM_SIZE),
    }
    sweeps = (
        *tree.binding_sweeps(),
        Sweep(_BODY_MOMENTUM, tuple(_outward_visit(tree, index) for index in tree.links)),
        *beam_momentum_sweeps(tree, _momentum_of),
        *center_sweeps,
        Sweep(_HAND_MOMENTUM, tuple(_inward_visit(tree, index) for index in reversed(tree.links))),
        Sweep(_ABOUT_CENTER, (Visit(-1, None, {}, about),)),
    )
    return Plan("centroidal_momentum", tuple(fields), sweeps, tuple(body.name for body in model.bodies), model.parent)


def _variant(tree: TreePlan, index: int) -> MomentumVariant:
    joint = tree.model.bodies[index].joint
    return MomentumVariant(joint.kind, joint.mimic is not None, index == tree.model.free_base)


def _outward_visit(tree: TreePlan, index: int) -> Visit:
    parent = tree.model.bodies[index].parent
    bindings: dict[str, Binding] = {
        "q": tree.q(index),
        "v": tree.v(index),
        "parent": tree.along_path("twist", TWIST_SIZE, parent) if parent >= 0 else Given(_REST),
        "pose": tree.pose(index),
        "twist": tree.along_path("twist", TWIST_SIZE, index),
        "momentum": Access("body_momentum", MOMENTUM_SIZE * index, MOMENTUM_SIZE),
    }
    names = (*ROTATION, *TRANSLATION, *INERTIA, "pitch", "multiplier", "offset")
    return Visit(index, _variant(tree, index), tree.constants(index, names), bindings)


def _momentum_of(body: int) -> Access:
    """Where the momentum of a body lies, or for -1 that of the whole robot."""
    start = MOMENTUM_SIZE * body
    return Access("body_momentum", start, MOMENTUM_SIZE) if body >= 0 else Access("total", 0, MOMENTUM_SIZE)


def _inward_visit(tree: TreePlan, index: int) -> Visit:
    parent = tree.model.bodies[index].parent
    bindings: dict[str, Binding] = {
        "momentum": Access("body_momentum", MOMENTUM_SIZE * index, MOMENTUM_SIZE),
        "pose": tree.pose(index),
        "parent_momentum": _momentum_of(parent),
    }
    return Visit(index, _variant(tree, index), tree.constants(index, (*ROTATION, *TRANSLATION)), bindings)
