"""The steps of ``aba_steps`` for clusters of several bodies: one visit per cluster, with ports made for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.taylor import top_term
from symdyn.algebra.spatial.articulated import SIZE, ArticulatedInertia
from symdyn.algebra.spatial.force import wrench_in_parent
from symdyn.algebra.spatial.motion import motion_in_child
from symdyn.algebra.spatial.transform import Transform
from symdyn.algebra.spatial.vectors import Matrix, Vector, add, scale
from symdyn.dynamics.elements.listed import tip_of
from symdyn.dynamics.elements.tip import MovedTip
from symdyn.dynamics.forward_dynamics.aba_steps import own_inertia, pose_in
from symdyn.dynamics.forward_dynamics.cluster_elimination import (
    ClusterBlock,
    Column,
    Columns,
    aba_acceleration_rows,
    aba_bias_rows,
    add_body,
    eliminate_rows,
    gain_size,
)
from symdyn.dynamics.forward_dynamics.elimination import Direction, directions
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.dynamics.tree.body_variant import BodyVariant, frame_in_parent
from symdyn.dynamics.tree.joint_loads import losses
from symdyn.model.joints import JointPose

Named = TypeVar("Named")


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


def _own(named: Mapping[str, Named], place: int) -> dict[str, Named]:
    """The ports or constants of one member under their own names."""
    tail = f"_{place}"
    return {name.removesuffix(tail): value for name, value in named.items() if name.endswith(tail)}


@dataclass(frozen=True, slots=True)
class MovedBody:
    """A member that its joint moves as it is, as :class:`MovedTip` is one that deforms; its own axes are at work."""

    body: BodyVariant
    constants: Mapping[str, Scalar]
    pose: JointPose

    def columns(self) -> Sequence[Direction]:
        """The columns of S."""
        return directions(self.body.kind, self.constants, self.pose)

    def frame(self) -> Transform:
        """The body in its parent's frame."""
        return frame_in_parent(self.constants, self.pose)

    def inertia(self, inertia: ArticulatedInertia) -> ArticulatedInertia:
        """An inertia of the body, in the axes at work."""
        return inertia

    def wrench(self, wrench: Vector) -> Vector:
        """A wrench (f; n) on the body, in the axes at work."""
        return wrench

    def motion(self, above: Vector, rates: Sequence[Scalar | None]) -> list[Scalar]:
        """The body's motion (a; alpha), where its parent moves, and its rows but those that are None."""
        motion = motion_in_child(self.frame(), above)
        for rate, column in zip(rates, self.columns(), strict=True):
            motion = motion if rate is None else add(motion, scale(rate, column.column))
        return motion

    def coupling(self, _: Reads) -> list[list[Scalar]]:
        """None."""
        return []

    def own_mass(self, _: Reads) -> Matrix:
        """What the joint's rotor adds between its rows."""
        count = len(self.body.kind.moving.coordinates.v) if self.body.geared else 0
        own = [[self.constants["armature"] if row == other else 0.0 for other in range(count)] for row in range(count)]
        return self.body.kind.coordinate_map.block(own, self.constants) if own else []


def _moved(member: Member, constants: Mapping[str, Scalar], reads: Reads) -> MovedBody | MovedTip:
    tip, pose = tip_of(member.body.kind), pose_in(member.body, reads)
    return MovedBody(member.body, constants, pose) if tip is None else MovedTip(tip, constants, pose)


def aba_inertia_cluster(
    variant: ClusterVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads
) -> Writes:
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
        bound = _own(reads, place)
        moved = _moved(member, own, bound)
        columns, x_pc = moved.columns(), moved.frame()
        inertias[place] = moved.inertia(inertias[place])
        below[place] = {row: moved.wrench(wrench) for row, wrench in below[place].items()}
        joint_forces = add_body(inertias[place], below[place], matrix, columns, member.rows)
        outermost = member.parent < 0
        target = at_parent if outermost else below[member.parent]
        if not outermost or variant.transmits:
            _gather(target, {row: wrench_in_parent(x_pc, wrench) for row, wrench in joint_forces.items()})
        for row, masses in zip(member.rows, moved.own_mass(bound), strict=False):
            for other, mass in zip(member.rows, masses, strict=True):
                matrix[row][other] = matrix[row][other] + mass
        if not outermost or variant.transmits:
            _gather(target, dict(zip(member.rows, moved.coupling(bound), strict=False)))
        if outermost and variant.moves:
            total = total.plus(inertias[place].seen_from_parent(x_pc))
        elif not outermost:
            inertias[member.parent] = inertias[member.parent].plus(inertias[place].seen_from_parent(x_pc))
    if not variant.transmits:
        at_parent = {row: [0.0] * 6 for row in range(count)}
    block = ClusterBlock(total if variant.moves else None, at_parent, matrix)
    left, gain_rows = eliminate_rows(block, variant.free)
    writes: dict[str, Sequence[Scalar]] = {"gain": [scalar for row in gain_rows for scalar in row]}
    if left is not None:
        writes["parent_articulated"] = left.entries
    return writes


def aba_bias_cluster(
    variant: ClusterVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads
) -> Writes:
    """Inward step: forces and wrenches of the whole cluster become the wrench on its parent."""
    count = len(variant.free)
    given = [reads[member_name("given", row)][0] for row in range(count)]
    wrenches: list[Vector] = [reads[member_name("wrench", place)] for place in range(len(variant.members))]
    joint_forces: list[Scalar] = [0.0] * count
    total: list[Scalar] = [0.0] * 6
    for place, member in reversed(list(enumerate(variant.members))):
        own = _own(constants, place)
        moved = _moved(member, own, _own(reads, place))
        columns: Sequence[Column] = moved.columns()
        wrenches[place] = moved.wrench(wrenches[place])
        for row, column in zip(member.rows, columns, strict=True):
            joint_forces[row] = joint_forces[row] + column.share(wrenches[place])
        for row, load in zip(member.rows, _loads(variant, member, algebra, own, given, reads), strict=True):
            joint_forces[row] = joint_forces[row] + load
        if member.parent < 0 and not variant.transmits:
            continue
        carried = wrench_in_parent(moved.frame(), wrenches[place])
        if member.parent < 0:
            total = add(total, carried)
        else:
            wrenches[member.parent] = add(wrenches[member.parent], carried)
    rests = [
        top_term(joint_forces[row] - given[row]) if is_free else joint_forces[row]
        for row, is_free in enumerate(variant.free)
    ]
    width = gain_size(count)
    gain_rows = (
        [reads["gain"][width * row : width * (row + 1)] for row in range(count)] if variant.responds else [()] * count
    )
    drives, wrench = aba_bias_rows(total, rests, variant.free, gain_rows)
    writes: dict[str, Sequence[Scalar]] = (
        {"joint_force_residual": drives}
        if variant.responds
        else {member_name("found", row): [joint_force_residual] for row, joint_force_residual in enumerate(drives)}
    )
    if variant.transmits:
        writes["parent_wrench"] = wrench
    return writes


def aba_acceleration_cluster(
    variant: ClusterVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads
) -> Writes:
    """Outward step: what the cluster's rows do, and the accelerations of its bodies."""
    count = len(variant.free)
    width = gain_size(count)
    gain_rows = [reads["gain"][width * row : width * (row + 1)] for row in range(count)]
    found = aba_acceleration_rows(reads["acceleration_change"], reads["joint_force_residual"], variant.free, gain_rows)
    writes: dict[str, Sequence[Scalar]] = {member_name("found", row): [value] for row, value in enumerate(found)}
    motions: list[list[Scalar]] = []
    for place, member in enumerate(variant.members):
        moved = _moved(member, _own(constants, place), _own(reads, place))
        above = reads["acceleration_change"] if member.parent < 0 else motions[member.parent]
        motions.append(moved.motion(above, [found[row] if variant.free[row] else None for row in member.rows]))
        if member.hands_on:
            writes[member_name("own_change", place)] = motions[-1]
    return writes


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
) -> list[Scalar]:
    """Losses of a member's joint, and what its rotor asks for at prescribed accelerations, as the rows feel them."""
    to_rows = member.body.kind.coordinate_map
    loads: list[Scalar] = [0.0] * len(member.body.kind.moving.coordinates.v)
    if member.body.lossy:
        rates = [reads[member_name("v", row)][0] for row in member.rows]
        loads = losses(member.body, algebra, own, rates)
    if member.body.geared:
        known: list[Scalar] = [0.0 if variant.free[row] else given[row] for row in member.rows]
        loads = add(loads, scale(own["armature"], to_rows.rates(known, own)))
    return to_rows.forces(loads, own)
