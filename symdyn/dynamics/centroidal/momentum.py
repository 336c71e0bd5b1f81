"""Momentum of the robot about its centre of mass, in world axes (Orin, Goswami & Lee 2013).

Outward: the twist (v; omega) of each body and its momentum p = m v + omega x h, L = J omega + h x v about its origin.
Inward: both to the ground, p_p += E R p, L_p += E R L + l' x (E R p). There L_c = L - c x p. A free base has everything
on it, so momentum and centre are found from its origin and no digit is lost far from the world's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.force import wrench_at_offset, wrench_in_parent
from symdyn.algebra.spatial.vectors import scale
from symdyn.dynamics.centroidal.center_of_mass import center_of_mass_sweeps
from symdyn.dynamics.elements.listed import DEFORMABLES
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, plan_of, read, step, write
from symdyn.dynamics.tree.body_state import moved_twist
from symdyn.dynamics.tree.body_variant import frame_in_parent
from symdyn.dynamics.tree.places import POSE, TWIST, Q, Rows, V, whole
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.bind import INERTIA, ROTATION, TRANSLATION, inertia_of
from symdyn.model.joints import JointModel
from symdyn.model.model import Model
from symdyn.plan.plan import Access, FieldKind, Plan


@dataclass(frozen=True, slots=True)
class MomentumVariant:
    """What is structural about a body with momentum; an ``anchored`` one is the base that the others are seen from."""

    kind: JointModel
    anchored: bool


def body_momentum(variant: MomentumVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Outward step: joint pose, twist and momentum of a body, in its axes."""
    stored = variant.kind.pose(algebra, reads["q"], constants)
    pose = variant.kind.placed(stored)
    twist = moved_twist(variant.kind, constants, pose, reads["v"], reads["parent"])
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


def _variant(tree: TreePlan, index: int) -> MomentumVariant:
    return MomentumVariant(tree.joint(index).kind, index == tree.model.free_base)


TOTAL, CENTER = whole("total", 6), whole("center", 3)
MOMENTUM = Rows("body_momentum", 6, lambda tree: Access("total", 0, 6))
_BODY_MOMENTUM = step(
    body_momentum,
    variant=_variant,
    q=read(Q),
    v=read(V),
    parent=read(TWIST.above),
    pose=write(POSE),
    twist=write(TWIST.own),
    momentum=write(MOMENTUM.own),
    constants=lambda b: (*ROTATION, *TRANSLATION, *INERTIA, *b.kind.constants),
)
_HAND_MOMENTUM = step(
    hand_momentum,
    variant=_variant,
    momentum=read(MOMENTUM.own),
    pose=read(POSE),
    parent_momentum=add_to(MOMENTUM.above),
    constants=lambda b: (*ROTATION, *TRANSLATION),
)
_ABOUT_CENTER = step(
    about_center,
    variant=lambda tree, item: None,
    total=read(TOTAL),
    center=read(CENTER),
    momentum=write(whole("momentum", 6, FieldKind.OUTPUT)),
)


def centroidal_momentum_plan(model: Model, kept: bool = False) -> Plan:
    """The plan of the momentum about the centre of mass, (6,): linear; angular, world axes.

    Regrouped inertia is moved along axes and about points that parent and child share, and frames along axes, so the
    momentum is the same.

    Parameters
    ----------
    model
        The robot.
    kept
        Whether each body has a place of its own, as walks back need.

    Raises
    ------
    ModelError
        A robot whose moving links have no mass.
    """
    tree = TreePlan(model, kept=kept)
    fields, center = center_of_mass_sweeps(tree, "center", anchored=True, posed=True)
    outward, inward = _BODY_MOMENTUM.over(tree, tree.links), _HAND_MOMENTUM.over(tree, reversed(tree.links))
    deformed = DEFORMABLES.momenta(tree, lambda body: MOMENTUM.of(tree, body))
    sweeps = (outward, *deformed, *center, inward, _ABOUT_CENTER.over(tree, [-1]))
    return plan_of("centroidal_momentum", tree, sweeps, [*tree.fields(), *fields])
