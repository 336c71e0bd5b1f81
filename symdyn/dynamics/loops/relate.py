"""Steps of loops: where their places stand to each other, what their rows exert on bodies, and how errors change.

The first place A is seen in the axes of the second, B: for places that are fixed in two bodies,

    R = R_B^T R_A,    p = R_B^T (o_A - o_B),    nu = R v_A - v_B - omega_B x p,    omega = R omega_A - omega_B

with velocities in the axes of their own places. Accelerations may be measured against any frame that both bodies ride
in, so that those with gravity in them do:

    nu'    = R a_A - a_B - U_B p - 2 omega_B x nu,    U_B = [alpha_B] + [omega_B]^2
    omega' = R alpha_A - alpha_B - omega_B x omega
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from symdyn.dynamics.loops.held_rows import HELD, Relative
from symdyn.dynamics.loops.held_tree import (
    GROUND,
    OTHER,
    OWN,
    POSES,
    RELATED,
    SIX,
    TWISTS,
    HeldPair,
    HeldTree,
    Reach,
    exerted,
    per_row,
    related,
)
from symdyn.dynamics.tree.bindings import BoundStep, Reads, Writes, read, step, write
from symdyn.dynamics.tree.body_state import moved_twist
from symdyn.dynamics.tree.body_variant import BodyVariant, frame_in_parent
from symdyn.dynamics.tree.kinematics import motion_from, moved_by_joint
from symdyn.dynamics.tree.places import MOTION, POSE, Place, Q, Rows, V, known
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.dynamics.tree.tree_loads import AXES, OFFSET, OTHER_AXES, OTHER_OFFSET
from symdyn.model.bind import ROTATION, TRANSLATION
from symdyn.plan.plan import Access, Constant, Field, FieldKind, Sweep
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.force import wrench_at_offset
from symdyn.spatial.motion import motion_at_offset
from symdyn.spatial.transform import Pose, pose_from
from symdyn.spatial.vectors import (
    Matrix,
    Vector,
    add,
    cross,
    dot,
    matrix_from,
    product,
    scale,
    subtract,
    times,
    transpose,
)


@dataclass(frozen=True, slots=True)
class PairVariant:
    """What is structural about a loop: its rows, whether the visit's body has the first place, and which body moves."""

    rows: tuple[str, ...]
    first: bool
    moves: bool
    other_moves: bool


def reach_pose(variant: BodyVariant, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Outward step: the pose of a body in the axes of an anchor, from its parent's."""
    x_pc = frame_in_parent(constants, variant.kind.placed(reads.get("pose", ())))
    above = pose_from(reads["above"])
    turned = [x_pc.turn.transpose_times(row) for row in product(above.rotation, x_pc.fixed)]
    at = add(above.position, times(above.rotation, x_pc.origin))
    return {"reach": Pose(turned, at).scalars()}


def reach_twist(variant: BodyVariant, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Outward step: the twist of a body against an anchor, in its own axes, from its parent's."""
    pose = variant.kind.placed(reads.get("pose", ()))
    return {"twist": moved_twist(variant.kind, constants, pose, reads["v"], reads["above"])}


def relate(variant: PairVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per loop: R and p, and the errors."""
    own = _stood(constants, reads["own"], OFFSET, AXES)
    other = _stood(constants, reads["other"], OTHER_OFFSET, OTHER_AXES)
    first, second = (own, other) if variant.first else (other, own)
    back = transpose(second.rotation)
    turn = product(back, first.rotation)
    apart = times(back, subtract(first.position, second.position))
    at = _relative(algebra, constants, turn, apart)
    return {"related": Pose(turn, apart).scalars(), "error": [HELD[row].error(at) for row in variant.rows]}


def exert(variant: PairVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per loop: per row the wrench (f; n) on both bodies, in their frames, that a multiplier of one exerts."""
    at = _related(algebra, constants, reads)
    ends = ((OFFSET, AXES), (OTHER_OFFSET, OTHER_AXES))
    first, second = ([constants[name] for name in offset] for offset, _ in (ends if variant.first else ends[::-1]))
    own, other = (matrix_from([constants[name] for name in axes]) for _, axes in ends)
    into_first = product(own if variant.first else other, transpose(at.turn))
    into_second = other if variant.first else own
    on_first: list[Scalar] = []
    on_second: list[Scalar] = []
    for force, moment in (HELD[row].wrench(at) for row in variant.rows):
        on_first += _wrench(into_first, first, force, moment)
        on_second += _wrench(into_second, second, scale(-1.0, force), scale(-1.0, add(moment, cross(at.apart, force))))
    found = (on_first, on_second) if variant.first else (on_second, on_first)
    asked = zip(("own", "other"), found, (variant.moves, variant.other_moves), strict=True)
    return {f"on_{end}": wrenches for end, wrenches, moves in asked if moves}


def change(variant: PairVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per loop: the rates of its errors, and how these accelerate."""
    at = _related(algebra, constants, reads)
    own = _Moving.of(constants, reads["twist"], reads["motion"], OFFSET, AXES)
    other = _Moving.of(constants, reads["other_twist"], reads["other_motion"], OTHER_OFFSET, OTHER_AXES)
    first, second = (own, other) if variant.first else (other, own)
    turn, apart = at.turn, at.apart
    nu = subtract(subtract(times(turn, first.velocity), second.velocity), cross(second.turning, apart))
    omega = subtract(times(turn, first.turning), second.turning)
    nu_rate = subtract(subtract(times(turn, first.acceleration), second.acceleration), times(second.u, apart))
    nu_rate = subtract(nu_rate, scale(2.0, cross(second.omega, nu)))
    omega_rate = subtract(subtract(times(turn, first.alpha), second.alpha), cross(second.omega, omega))
    rates, accelerations = [], []
    for row in map(HELD.__getitem__, variant.rows):
        force, moment = row.wrench(at)
        rates.append(dot(force, nu) + dot(moment, omega))
        accelerations.append(dot(force, nu_rate) + dot(moment, omega_rate) + row.curvature(at, nu, omega))
    return {"rate": rates, "acceleration": accelerations}


def move(variant: BodyVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Outward step: joint pose and body motion, where nothing accelerates."""
    stored = variant.kind.pose(algebra, reads["q"], constants)
    pose = variant.kind.placed(stored)
    still = [0.0] * len(variant.kind.coordinates.v)
    joint = variant.kind.motion(pose, reads["v"], still, constants)
    motion, _ = moved_by_joint(motion_from(reads["parent"]), frame_in_parent(constants, pose), joint)
    return {"pose": stored, "motion": motion.scalars()}


@dataclass(frozen=True, slots=True)
class _Moving:
    """A place in its own axes: velocity and turning against the anchor, all else as its body's motion has it."""

    velocity: Vector
    turning: Vector
    omega: Vector
    alpha: Vector
    u: Matrix
    acceleration: Vector

    @classmethod
    def of(
        cls, constants: Mapping[str, Scalar], twist: Vector, row: Vector, offset: Sequence[str], axes: Sequence[str]
    ) -> _Moving:
        back = transpose(matrix_from([constants[name] for name in axes]))
        arm = [constants[name] for name in offset]
        motion, moved = motion_from(row), motion_at_offset(twist, arm)
        return cls(
            times(back, moved[:3]),
            times(back, moved[3:]),
            times(back, motion.omega),
            times(back, motion.alpha),
            product(product(back, motion.u), transpose(back)),
            times(back, add(motion.acceleration, times(motion.u, arm))),
        )


def _stood(constants: Mapping[str, Scalar], row: Vector, offset: Sequence[str], axes: Sequence[str]) -> Pose:
    body = pose_from(row)
    arm, own = [constants[name] for name in offset], matrix_from([constants[name] for name in axes])
    return Pose(product(body.rotation, own), add(body.position, times(body.rotation, arm)))


def _related(algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Relative:
    found = pose_from(reads["related"])
    return _relative(algebra, constants, found.rotation, found.position)


def _relative(algebra: Algebra, constants: Mapping[str, Scalar], turn: Matrix, apart: Vector) -> Relative:
    return Relative(algebra, turn, apart, constants.get("distance", 0.0))


def _wrench(into: Matrix, offset: Vector, force: Vector, moment: Vector) -> list[Scalar]:
    return wrench_at_offset([*times(into, force), *times(into, moment)], offset)


def _variant(_: TreePlan, pair: HeldPair) -> PairVariant:
    return PairVariant(pair.loop.rows, pair.load.first, pair.body(OWN) != GROUND, pair.body(OTHER) != GROUND)


def _body(_: TreePlan, item: HeldPair | Reach) -> int:
    return item.body(OWN) if isinstance(item, HeldPair) else item.body


def _of_body(tree: TreePlan, reach: Reach) -> BodyVariant:
    return tree.variant(reach.body)


_PLACEMENT = (*ROTATION, *TRANSLATION)
_REACH_POSE = step(
    reach_pose,
    variant=_of_body,
    body=_body,
    pose=read(POSE.by(_body), when=lambda b: b.kind.stored),
    above=read(POSES.above),
    reach=write(POSES.own),
    constants=lambda b: _PLACEMENT,
)
_REACH_TWIST = step(
    reach_twist,
    variant=_of_body,
    body=_body,
    v=read(V.by(_body)),
    pose=read(POSE.by(_body), when=lambda b: b.kind.stored),
    above=read(TWISTS.above),
    twist=write(TWISTS.own),
    constants=lambda b: (*_PLACEMENT, *b.kind.constants),
)
_RELATE = step(
    relate,
    variant=_variant,
    body=_body,
    own=read(POSES.of(OWN)),
    other=read(POSES.of(OTHER)),
    related=write(related()),
    error=write(per_row("error")),
)
_EXERT = step(
    exert,
    variant=_variant,
    body=_body,
    related=read(related()),
    on_own=write(exerted(OWN), when=lambda b: b.moves),
    on_other=write(exerted(OTHER), when=lambda b: b.other_moves),
)
STILL = Rows(MOTION.field, MOTION.width, known((0.0,) * MOTION.width), on_path=True)
"""Motions of bodies, measured from a ground that does not accelerate against gravity."""


def _changing(motions: Rows) -> BoundStep:
    def motion(end: str) -> Place:
        return motions.own.by(lambda _, pair: pair.body(end))

    return step(
        change,
        variant=_variant,
        body=_body,
        related=read(related()),
        twist=read(TWISTS.of(OWN)),
        motion=read(motion(OWN)),
        other_twist=read(TWISTS.of(OTHER)),
        other_motion=read(motion(OTHER)),
        rate=write(per_row("rate")),
        acceleration=write(per_row("acceleration")),
    )


_CHANGE, _CHANGE_STILL = _changing(MOTION), _changing(STILL)
MOVE = step(
    move,
    q=read(Q),
    v=read(V),
    parent=read(STILL.above),
    pose=write(POSE),
    motion=write(STILL.own),
    constants=lambda b: (*_PLACEMENT, *b.kind.constants),
)
"""The motion of bodies where nothing accelerates, for functions of motions alone."""


def _numbers(_: TreePlan, pair: HeldPair) -> Mapping[str, Constant]:
    return pair.load.constants


def relation_sweeps(held: HeldTree, error: str = "error") -> list[Sweep]:
    """Sweeps that fill ``related`` and the errors of loops between bodies from ``pose``."""
    return [
        _REACH_POSE.over(held.tree, held.reaches),
        _RELATE.over(held.tree, held.pairs, None, _numbers, error=error),
    ]


def exertion_sweep(held: HeldTree) -> Sweep:
    """The sweep that fills ``on_own`` and ``on_other`` from ``related``."""
    return _EXERT.over(held.tree, held.pairs, None, _numbers)


def change_sweeps(held: HeldTree, acceleration: str = "acceleration", still: bool = False) -> list[Sweep]:
    """Sweeps that fill the rates of errors and how these accelerate, from ``related``, ``pose`` and ``motion``.

    ``still`` says that motions are those of ``MOVE``.
    """
    changing = _CHANGE_STILL if still else _CHANGE
    return [
        _REACH_TWIST.over(held.tree, held.reaches),
        changing.over(held.tree, held.pairs, None, _numbers, acceleration=acceleration),
    ]


def relation_fields(held: HeldTree, sweeps: Iterable[Sweep]) -> list[Field]:
    """State of loops that sweeps use."""
    count = max(held.count, 1)
    used = {
        place.field
        for sweep in sweeps
        for visit in sweep.visits
        for place in visit.bindings.values()
        if isinstance(place, Access)
    }
    found = [
        POSES.state(held),
        TWISTS.state(held),
        Field("related", FieldKind.STATE, RELATED, max(len(held.pairs), 1)),
        *(Field(name, FieldKind.STATE, SIX, count) for name in ("on_own", "on_other")),
        *(Field(name, FieldKind.STATE, count) for name in ("error", "rate", "acceleration")),
    ]
    return [field for field in found if field.name in used]
