"""Sweeps of loops: where their places stand to each other, what rows exert on bodies, and how errors change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from symdyn.dynamics.loops.constraint_activation import SWITCH
from symdyn.dynamics.loops.constraint_kinematics_steps import (
    PairVariant,
    along,
    chain_pose,
    chain_twist,
    constraint_acceleration,
    constraint_wrench,
    move,
    pass_by,
    relative_pose,
)
from symdyn.dynamics.loops.constraint_set import (
    GROUND,
    OTHER,
    OWN,
    POSES,
    RELATED,
    SIX,
    TWISTS,
    ConstraintSet,
    HeldPair,
    Reach,
    exerted,
    per_row,
    related,
)
from symdyn.dynamics.loops.linear_couplings import coupling_sweep
from symdyn.dynamics.loops.pfaffian import along_sweep, coefficient_sweep
from symdyn.dynamics.tree.bindings import BoundStep, read, step, write
from symdyn.dynamics.tree.body_variant import BodyVariant
from symdyn.dynamics.tree.places import MOTION, POSE, A, Place, Q, Rows, V, known
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.bind import ROTATION, TRANSLATION
from symdyn.model.joints.map_point import MapPoint
from symdyn.model.joints.rod_step import RodStep
from symdyn.plan.plan import Access, Constant, Field, FieldKind, Sweep


def _variant(_: TreePlan, pair: HeldPair) -> PairVariant:
    moves, other_moves = (pair.body(end) != GROUND for end in (OWN, OTHER))
    return PairVariant(pair.loop.rows, pair.load.first, moves, other_moves, pair.loop.switch is not None)


def _switched(variant: PairVariant) -> bool:
    return variant.switched


def _body(_: TreePlan, item: HeldPair | Reach) -> int:
    return item.body(OWN) if isinstance(item, HeldPair) else item.body


def _of_body(tree: TreePlan, reach: Reach) -> BodyVariant:
    return tree.variant(reach.body)


_PLACEMENT = (*ROTATION, *TRANSLATION)
_REACH_POSE = step(
    chain_pose,
    variant=_of_body,
    body=_body,
    pose=read(POSE.by(_body), when=lambda b: b.kind.stored),
    above=read(POSES.above),
    reach=write(POSES.own),
    constants=lambda b: _PLACEMENT,
)
_REACH_TWIST = step(
    chain_twist,
    variant=_of_body,
    body=_body,
    v=read(V.by(_body)),
    pose=read(POSE.by(_body), when=lambda b: b.kind.stored),
    above=read(TWISTS.above),
    twist=write(TWISTS.own),
    constants=lambda b: (*_PLACEMENT, *b.kind.constants),
)
_RELATE = step(
    relative_pose,
    variant=_variant,
    body=_body,
    own=read(POSES.of(OWN)),
    other=read(POSES.of(OTHER)),
    active=read(SWITCH, when=_switched),
    related=write(related()),
    error=write(per_row("error")),
)
_EXERT = step(
    constraint_wrench,
    variant=_variant,
    body=_body,
    related=read(related()),
    active=read(SWITCH, when=_switched),
    on_own=write(exerted(OWN), when=lambda b: b.moves),
    on_other=write(exerted(OTHER), when=lambda b: b.other_moves),
)
_ALONG = step(
    along,
    variant=_variant,
    body=_body,
    twist=read(TWISTS.of(OWN)),
    other_twist=read(TWISTS.of(OTHER)),
    on_own=read(exerted(OWN), when=lambda b: b.moves),
    on_other=read(exerted(OTHER), when=lambda b: b.other_moves),
    rate=write(per_row("rate")),
)
STILL = Rows(MOTION.field, MOTION.width, known((0.0,) * MOTION.width), on_path=True)
"""Motions of bodies, measured from a ground that does not accelerate against gravity."""


def _changing(motions: Rows) -> BoundStep:
    def motion(end: str) -> Place:
        return motions.own.by(lambda _, pair: pair.body(end))

    return step(
        constraint_acceleration,
        variant=_variant,
        body=_body,
        related=read(related()),
        twist=read(TWISTS.of(OWN)),
        motion=read(motion(OWN)),
        other_twist=read(TWISTS.of(OTHER)),
        other_motion=read(motion(OTHER)),
        active=read(SWITCH, when=_switched),
        rate=write(per_row("rate")),
        acceleration=write(per_row("acceleration")),
    )


_PASS = step(
    pass_by,
    variant=_variant,
    body=_body,
    related=read(related()),
    twist=read(TWISTS.of(OWN)),
    other_twist=read(TWISTS.of(OTHER)),
    active=read(SWITCH, when=_switched),
    rate=write(per_row("rate")),
)
_CHANGE, _CHANGE_STILL = _changing(MOTION), _changing(STILL)
MOVE = step(
    move,
    q=read(Q),
    v=read(V),
    a=read(A, when=lambda b: isinstance(b.kind, RodStep | MapPoint)),
    parent=read(STILL.above),
    pose=write(POSE),
    motion=write(STILL.own),
    constants=lambda b: (*_PLACEMENT, *b.kind.constants),
)
"""The motion of bodies where nothing accelerates, for functions of motions alone.

Stations of soft links accelerate where coordinates do not: the field ``a`` is zero.
"""


def _numbers(_: TreePlan, pair: HeldPair) -> Mapping[str, Constant]:
    return pair.load.constants


def relation_sweeps(constraints: ConstraintSet, error: str = "error") -> list[Sweep]:
    """Sweeps that fill ``related`` and the errors of loops between bodies from ``pose``."""
    return [
        _REACH_POSE.over(constraints.tree, constraints.reaches),
        _RELATE.over(constraints.tree, constraints.pairs, None, _numbers, error=error),
    ]


def exertion_sweeps(constraints: ConstraintSet) -> list[Sweep]:
    """Sweeps that fill ``on_own`` and ``on_other`` from ``related``, and ``coefficients`` from ``q``."""
    sweeps = (
        _EXERT.over(constraints.tree, constraints.pairs, None, _numbers),
        coefficient_sweep(constraints.velocities),
    )
    return [sweep for sweep in sweeps if sweep.visits]


def change_sweeps(constraints: ConstraintSet, acceleration: str = "acceleration", still: bool = False) -> list[Sweep]:
    """Sweeps that fill the rates of errors and how these accelerate, from ``related``, ``pose`` and ``motion``.

    ``still`` says that motions are those of ``MOVE``.
    """
    changing = _CHANGE_STILL if still else _CHANGE
    return [
        _REACH_TWIST.over(constraints.tree, constraints.reaches),
        changing.over(constraints.tree, constraints.pairs, None, _numbers, acceleration=acceleration),
    ]


def along_sweeps(constraints: ConstraintSet, source: str, target: str) -> list[Sweep]:
    """Sweeps that fill A y for loops between bodies from ``on_own``, ``on_other`` and the field ``source`` of y."""
    return [
        _REACH_TWIST.over(constraints.tree, constraints.reaches, v=source),
        _ALONG.over(constraints.tree, constraints.pairs, rate=target),
    ]


def rate_sweeps(constraints: ConstraintSet, velocities: str = "v", rate: str = "rate") -> list[Sweep]:
    """Sweeps that fill the rates A v of errors at some velocities, from ``related``, ``pose`` and ``coefficients``."""
    return [
        _REACH_TWIST.over(constraints.tree, constraints.reaches, v=velocities),
        _PASS.over(constraints.tree, constraints.pairs, None, _numbers, rate=rate),
        coupling_sweep(constraints, velocities, rate),
        along_sweep(constraints.velocities, velocities, rate),
    ]


def relation_fields(constraints: ConstraintSet, sweeps: Iterable[Sweep]) -> list[Field]:
    """State of loops that sweeps use."""
    count = max(constraints.count, 1)
    used = {
        place.field
        for sweep in sweeps
        for visit in sweep.visits
        for place in visit.bindings.values()
        if isinstance(place, Access)
    }
    found = [
        POSES.state(constraints),
        TWISTS.state(constraints),
        Field("related", FieldKind.STATE, RELATED, max(len(constraints.pairs), 1)),
        *(Field(name, FieldKind.STATE, SIX, count) for name in ("on_own", "on_other")),
        Field("error", FieldKind.STATE, count, sparse=bool(constraints.velocities)),
        *(Field(name, FieldKind.STATE, count) for name in ("rate", "acceleration")),
        Field("coefficients", FieldKind.STATE, max(constraints.coefficients, 1)),
    ]
    return [field for field in found if field.name in used]
