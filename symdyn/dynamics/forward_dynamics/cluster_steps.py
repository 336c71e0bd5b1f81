"""The steps of ``articulated_steps`` for clusters of several bodies: one visit per cluster, with ports made for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symdyn.dynamics.forward_dynamics.articulated_steps import (
    Reads,
    Writes,
    own_inertia,
    pose_in,
)
from symdyn.dynamics.forward_dynamics.bent_directions import (
    bent_directions,
    moved_by,
    turned_back,
    turned_wrench,
    unturned,
)
from symdyn.dynamics.forward_dynamics.cluster_elimination import (
    ClusterBlock,
    Column,
    Columns,
    absorb_rows,
    add_body,
    eliminate_rows,
    gain_size,
    respond_rows,
)
from symdyn.dynamics.forward_dynamics.elimination import directions
from symdyn.dynamics.tree.beam_shape import coupling, modal_mass
from symdyn.dynamics.tree.joint_loads import losses
from symdyn.dynamics.tree.tree import BodyVariant, frame_in_parent
from symdyn.model.joints import Flexure, JointPose
from symdyn.plan import Mode, Port, Step
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.scalars.taylor import top_term
from symdyn.spatial.articulated import SIZE, ArticulatedInertia
from symdyn.spatial.force import wrench_in_parent
from symdyn.spatial.motion import motion_in_child
from symdyn.spatial.vectors import add, scale


@dataclass(frozen=True, slots=True)
class Member:
    """A body of a cluster: its parent in the cluster (-1: the cluster's own parent) and its joint's rows there."""

    body: BodyVariant
    parent: int
    rows: tuple[int, ...]
    hands_on: bool


@dataclass(frozen=True, slots=True)
class ClusterVariant:
    """What is structural about a cluster; flags as in ``JointVariant``, rows and members in recursion order."""

    members: tuple[Member, ...]
    free: tuple[bool, ...]
    moves: bool
    responds: bool
    transmits: bool


def member_name(name: str, place: int) -> str:
    """The name of a port or constant of one member."""
    return f"{name}_{place}"


def _own(constants: Mapping[str, Scalar], place: int) -> dict[str, Scalar]:
    """The constants of one member under their own names."""
    tail = f"_{place}"
    return {name.removesuffix(tail): value for name, value in constants.items() if name.endswith(tail)}


def release_cluster(variant: ClusterVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Inward step: the cluster's block, its free rows eliminated."""
    count = len(variant.free)
    inertias: list[ArticulatedInertia] = []
    for place in range(len(variant.members)):
        inertia = own_inertia(_own(constants, place))
        port = member_name("articulated", place)
        inertias.append(inertia.plus(ArticulatedInertia(reads[port])) if port in reads else inertia)
    matrix: list[list[Scalar]] = [[0.0] * count for _ in range(count)]
    below: list[dict[int, Sequence[Scalar]]] = [{} for _ in variant.members]
    at_parent: dict[int, Sequence[Scalar]] = {}
    total = ArticulatedInertia([0.0] * SIZE)
    for place, member in reversed(list(enumerate(variant.members))):
        own = _own(constants, place)
        pose = pose_in(member.body, reads, member_name("pose", place))
        armature: Scalar = own["armature"] if member.body.geared else 0.0
        if member.body.geared and member.body.mimic:
            armature = own["multiplier"] * own["multiplier"] * armature
        columns = _columns(member, own, pose)
        if member.body.bends:
            inertias[place] = inertias[place].turned(pose.rotation)
            below[place] = {row: turned_wrench(pose, wrench) for row, wrench in below[place].items()}
            pose = unturned(pose)
        x_pc = frame_in_parent(own, pose)
        felt = add_body(inertias[place], below[place], matrix, columns, member.rows, armature)
        outermost = member.parent < 0
        target = at_parent if outermost else below[member.parent]
        if not outermost or variant.transmits:
            _gather(target, {row: wrench_in_parent(x_pc, wrench) for row, wrench in felt.items()})
        if isinstance(member.body.kind, Flexure):
            bent = {name: reads[member_name(name, place)] for name in ("q", "shape")}
            for row, masses in zip(member.rows, modal_mass(member.body.kind, own, bent["q"]), strict=True):
                for other, mass in zip(member.rows, masses, strict=True):
                    matrix[row][other] = matrix[row][other] + mass
            shares = coupling(member.body.kind, own, bent)
            if not outermost or variant.transmits:
                _gather(target, dict(zip(member.rows, shares, strict=True)))
        if outermost and variant.moves:
            total = total.plus(inertias[place].seen_from_parent(x_pc))
        elif not outermost:
            inertias[member.parent] = inertias[member.parent].plus(inertias[place].seen_from_parent(x_pc))
    if not variant.transmits:
        at_parent = {row: [0.0] * 6 for row in range(count)}
    block = ClusterBlock(total if variant.moves else None, at_parent, matrix)
    left, gains = eliminate_rows(block, variant.free)
    writes: dict[str, Sequence[Scalar]] = {"gains": [scalar for row in gains for scalar in row]}
    if left is not None:
        writes["parent_articulated"] = left.entries
    return writes


def absorb_cluster(variant: ClusterVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Inward step: forces and wrenches of the whole cluster become the wrench on its parent."""
    count = len(variant.free)
    given = [reads[member_name("given", row)][0] for row in range(count)]
    wrenches: list[list[Scalar]] = [list(reads[member_name("wrench", place)]) for place in range(len(variant.members))]
    felt: list[Scalar] = [0.0] * count
    total: list[Scalar] = [0.0] * 6
    for place, member in reversed(list(enumerate(variant.members))):
        own = _own(constants, place)
        pose = pose_in(member.body, reads, member_name("pose", place))
        columns = _columns(member, own, pose)
        if member.body.bends:
            wrenches[place] = turned_wrench(pose, wrenches[place])
            pose = unturned(pose)
        for row, column in zip(member.rows, columns, strict=True):
            felt[row] = felt[row] + column.share(wrenches[place])
        for row, load in zip(member.rows, _loads(variant, member, algebra, own, given, reads, place), strict=True):
            felt[row] = felt[row] + load
        if member.parent < 0 and not variant.transmits:
            continue
        carried = wrench_in_parent(frame_in_parent(own, pose), wrenches[place])
        if member.parent < 0:
            total = add(total, carried)
        else:
            wrenches[member.parent] = add(wrenches[member.parent], carried)
    rests = [top_term(felt[row] - given[row]) if is_free else felt[row] for row, is_free in enumerate(variant.free)]
    width = gain_size(count)
    gains = (
        [reads["gains"][width * row : width * (row + 1)] for row in range(count)] if variant.responds else [()] * count
    )
    drives, wrench = absorb_rows(total, rests, variant.free, gains)
    writes: dict[str, Sequence[Scalar]] = (
        {"drive": drives}
        if variant.responds
        else {member_name("found", row): [drive] for row, drive in enumerate(drives)}
    )
    if variant.transmits:
        writes["parent_wrench"] = wrench
    return writes


def respond_cluster(variant: ClusterVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Outward step: what the cluster's rows do, and the accelerations of its bodies."""
    count = len(variant.free)
    width = gain_size(count)
    gains = [reads["gains"][width * row : width * (row + 1)] for row in range(count)]
    found = respond_rows(reads["change"], reads["drive"], variant.free, gains)
    writes: dict[str, Sequence[Scalar]] = {member_name("found", row): [value] for row, value in enumerate(found)}
    motions: list[list[Scalar]] = []
    for place, member in enumerate(variant.members):
        own = _own(constants, place)
        pose = pose_in(member.body, reads, member_name("pose", place))
        above = reads["change"] if member.parent < 0 else motions[member.parent]
        if isinstance(member.body.kind, Flexure):
            rates = [found[row] if variant.free[row] else 0.0 for row in member.rows]
            bent = moved_by(bent_directions(member.body.kind, pose, own), rates)
            motions.append(turned_back(pose, add(motion_in_child(frame_in_parent(own, unturned(pose)), above), bent)))
            if member.hands_on:
                writes[member_name("own_change", place)] = motions[-1]
            continue
        motion = motion_in_child(frame_in_parent(own, pose), above)
        for row, column in zip(member.rows, directions(member.body, own, pose), strict=True):
            if variant.free[row]:
                motion = add(motion, scale(found[row], column.column))
        motions.append(motion)
        if member.hands_on:
            writes[member_name("own_change", place)] = motion
    return writes


def _columns(member: Member, own: Mapping[str, Scalar], pose: JointPose) -> Sequence[Column]:
    """The columns of a member's joint: in its body's axes, or a flexible link's in the joint's axes."""
    if isinstance(member.body.kind, Flexure):
        return bent_directions(member.body.kind, pose, own)
    return directions(member.body, own, pose)


def _gather(total: dict[int, Sequence[Scalar]], columns: Columns) -> None:
    for row, wrench in columns.items():
        total[row] = add(total[row], wrench) if row in total else wrench


def _loads(
    variant: ClusterVariant,
    member: Member,
    algebra: Algebra,
    own: Mapping[str, Scalar],
    given: Sequence[Scalar],
    reads: Reads,
    place: int,
) -> list[Scalar]:
    """Losses of a member's joint, and what its rotor asks for at a prescribed acceleration, as the rows feel them."""
    gain: Scalar = own["multiplier"] if member.body.mimic else 1.0
    loads: list[Any] = [0.0] * len(member.rows)
    if member.body.lossy:
        rates = [reads[member_name("v", row)][0] for row in member.rows]
        loads = [gain * lost for lost in losses(member.body, algebra, own, rates)]
    if member.body.geared:
        for index, row in enumerate(member.rows):
            if not variant.free[row]:
                loads[index] = loads[index] + gain * (gain * (own["armature"] * given[row]))
    return loads


def cluster_steps(members: int, rows: int) -> tuple[Step, Step, Step]:
    """The steps release, absorb and respond of clusters with so many members and rows."""
    places, all_rows = range(members), range(rows)
    poses = tuple(Port(member_name("pose", place), Mode.READ) for place in places)
    release = Step(
        "release_cluster",
        release_cluster,
        (
            *poses,
            *(Port(member_name("articulated", place), Mode.READ) for place in places),
            *(Port(member_name(name, place), Mode.READ) for place in places for name in ("q", "shape")),
            Port("gains", Mode.WRITE),
            Port("parent_articulated", Mode.ADD),
        ),
    )
    absorb = Step(
        "absorb_cluster",
        absorb_cluster,
        (
            *(Port(member_name("given", row), Mode.READ) for row in all_rows),
            *(Port(member_name("v", row), Mode.READ) for row in all_rows),
            *poses,
            *(Port(member_name("wrench", place), Mode.READ) for place in places),
            Port("gains", Mode.READ),
            Port("drive", Mode.WRITE),
            *(Port(member_name("found", row), Mode.WRITE) for row in all_rows),
            Port("parent_wrench", Mode.ADD),
        ),
    )
    respond = Step(
        "respond_cluster",
        respond_cluster,
        (
            *poses,
            Port("change", Mode.READ),
            Port("drive", Mode.READ),
            Port("gains", Mode.READ),
            *(Port(member_name("found", row), Mode.WRITE) for row in all_rows),
            *(Port(member_name("own_change", place), Mode.WRITE) for place in places),
        ),
    )
    return release, absorb, respond
