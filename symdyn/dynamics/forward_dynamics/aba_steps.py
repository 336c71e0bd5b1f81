"""Steps of the articulated-body algorithm (Featherstone 2008, section 7.3), for one joint.

``aba_inertia`` (inward) depends on positions alone: it computes the articulated inertia, and is the factor of the mass
matrix. ``aba_bias`` (inward) and ``aba_acceleration`` (outward) solve with this factor for any forces. A row whose
acceleration is prescribed is not eliminated; its force is computed instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.articulated import ArticulatedInertia, rigid
from symdyn.algebra.spatial.force import wrench_in_parent
from symdyn.algebra.spatial.motion import motion_in_child
from symdyn.algebra.spatial.vectors import subtract
from symdyn.dynamics.forward_dynamics.cluster_places import (
    ACCELERATION_CHANGE,
    CARRIED,
    GAIN,
    RESIDUAL,
    cluster_step,
    member_change,
    member_inertia,
    member_pose,
    of_member,
    of_parent,
)
from symdyn.dynamics.forward_dynamics.elimination import (
    GAIN_SIZE,
    Direction,
    acceleration_pass,
    bias_pass,
    directions,
    eliminate,
)
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, read, write
from symdyn.dynamics.tree.body_variant import BodyVariant, frame_in_parent
from symdyn.dynamics.tree.joint_loads import losses
from symdyn.dynamics.tree.places import ARTICULATED, TAU, WRENCH, A, V
from symdyn.dynamics.tree.tree import LOSS
from symdyn.model.bind import INERTIA, ROTATION, TRANSLATION, inertia_of
from symdyn.model.joints import JointPose

_PLACEMENT = (*ROTATION, *TRANSLATION)
_NO_WRENCH = (0.0,) * 6
"""What the rotor of an elastic joint carries."""


@dataclass(frozen=True, slots=True)
class JointVariant:
    """What is structural about a joint that is eliminated alone.

    ``free`` tells per row of v whether its force is given, not its acceleration. ``moves`` says that the parent
    accelerates beyond the bias, so that it must feel this body's inertia; ``responds`` that this body does;
    ``hands_on`` that bodies behind it ask for its acceleration; ``transmits`` that the parent feels its wrench;
    ``keeps`` that later steps ask for the inertia that it carries, its own included.
    """

    body: BodyVariant
    free: tuple[bool, ...]
    moves: bool
    responds: bool
    hands_on: bool
    transmits: bool
    keeps: bool = False

    @property
    def turns_world(self) -> bool:
        """Whether the rows are a twist about the world's origin that is eliminated as one in body axes."""
        return self.body.kind.own_axes != self.body.kind and all(self.free)


def pose_in(body: BodyVariant, reads: Reads, port: str = "pose") -> JointPose:
    """The joint's pose as an earlier sweep stored it; nothing is stored for a joint without one."""
    return body.kind.placed(reads.get(port, ()))


def own_inertia(constants: Mapping[str, Scalar]) -> ArticulatedInertia:
    """The inertia of a body alone."""
    return rigid(inertia_of(constants))


def _columns(variant: JointVariant, constants: Mapping[str, Scalar], pose: JointPose) -> list[Direction]:
    kind = variant.body.kind
    return directions(kind.own_axes if variant.turns_world else kind, constants, pose)


def aba_inertia(variant: JointVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Inward step: articulated inertia of a body, with its joint's free rows eliminated, handed to the parent."""
    inertia = own_inertia(constants)
    if "articulated" in reads:
        inertia = inertia.plus(ArticulatedInertia(reads["articulated"]))
    writes: dict[str, Sequence[Scalar]] = {"carried": inertia.entries} if variant.keeps else {}
    pose = pose_in(variant.body, reads)
    armature = constants["armature"] if variant.body.geared else None
    inertia, gain_rows = eliminate(inertia, _columns(variant, constants, pose), variant.free, armature)
    writes["gain"] = [scalar for row in gain_rows for scalar in row]
    if variant.moves:
        writes["parent_articulated"] = inertia.seen_from_parent(frame_in_parent(constants, pose)).entries
    return writes


def aba_bias(variant: JointVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Inward step: the joint's forces and the body's wrench become the wrench on the parent.

    ``given`` holds the force of a free row and the acceleration of a prescribed one. A body that does not respond
    writes what is requested at once.
    """
    pose = pose_in(variant.body, reads)
    given = list(reads["given"])
    lost = losses(variant.body, algebra, constants, reads["v"]) if variant.body.lossy else None
    forces = given if lost is None else subtract(given, lost)
    if variant.turns_world:
        forces = variant.body.kind.to_own_axes(pose, forces)
    columns = _columns(variant, constants, pose)
    gain_rows = _rows(reads["gain"], GAIN_SIZE) if variant.responds else [[0.0] * GAIN_SIZE for _ in columns]
    drives, wrench = bias_pass(
        reads.get("wrench", _NO_WRENCH), forces, columns, variant.free, not variant.body.geared, gain_rows
    )
    for row, is_free in enumerate(variant.free):
        if is_free:
            continue
        if lost is not None:
            drives[row] = drives[row] + lost[row]
        if variant.body.geared:
            drives[row] = drives[row] + constants["armature"] * given[row]
    writes: dict[str, Sequence[Scalar]] = {"joint_force_residual" if variant.responds else "found": drives}
    if variant.transmits:
        writes["parent_wrench"] = wrench_in_parent(frame_in_parent(constants, pose), wrench)
    return writes


def aba_acceleration(variant: JointVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Outward step: accelerations of the free rows, forces of the prescribed ones, and the body's acceleration."""
    pose = pose_in(variant.body, reads)
    motion = motion_in_child(frame_in_parent(constants, pose), reads["acceleration_change"])
    columns = _columns(variant, constants, pose)
    found, moved = acceleration_pass(
        motion,
        reads["joint_force_residual"],
        columns,
        variant.free,
        not variant.body.geared,
        _rows(reads["gain"], GAIN_SIZE),
    )
    if variant.turns_world:
        found = variant.body.kind.from_own_axes(pose, found)
    return {"found": found, "own_change": moved} if variant.hands_on else {"found": found}


def _rows(scalars: Sequence[Scalar], width: int) -> list[Sequence[Scalar]]:
    return [scalars[start : start + width] for start in range(0, len(scalars), width)]


ABA_INERTIA = cluster_step(
    aba_inertia,
    lambda b: (
        *(_PLACEMENT if b.moves else ()),
        *INERTIA,
        *b.body.kind.column_constants,
        *(("armature",) if b.body.geared else ()),
    ),
    pose=read(member_pose(), when=lambda b: b.body.kind.stored),
    articulated=read(member_inertia(), when=lambda b: b.hands_on),
    carried=write(of_member(CARRIED), when=lambda b: b.keeps),
    gain=write(GAIN),
    parent_articulated=add_to(of_parent(ARTICULATED), when=lambda b: b.moves),
)
ABA_BIAS = cluster_step(
    aba_bias,
    lambda b: (
        *(_PLACEMENT if b.transmits else ()),
        *b.body.kind.column_constants,
        *(LOSS if b.body.lossy else ()),
        *(("armature",) if b.body.geared and not all(b.free) else ()),
    ),
    given=read(of_member(TAU)),
    v=read(of_member(V), when=lambda b: b.body.lossy),
    pose=read(member_pose(), when=lambda b: b.body.kind.stored),
    wrench=read(of_member(WRENCH.own), when=lambda b: b.body.kind.stored),
    gain=read(GAIN, when=lambda b: b.responds),
    joint_force_residual=write(RESIDUAL, when=lambda b: b.responds),
    found=write(of_member(A), when=lambda b: not b.responds),
    parent_wrench=add_to(of_parent(WRENCH), when=lambda b: b.transmits),
)
ABA_ACCELERATION = cluster_step(
    aba_acceleration,
    lambda b: (*_PLACEMENT, *b.body.kind.column_constants),
    pose=read(member_pose(), when=lambda b: b.body.kind.stored),
    acceleration_change=read(ACCELERATION_CHANGE),
    joint_force_residual=read(RESIDUAL),
    gain=read(GAIN),
    found=write(of_member(A)),
    own_change=write(member_change(), when=lambda b: b.hands_on),
)
