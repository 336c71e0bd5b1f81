"""Visits of the steps of ``cluster_steps``: one per cluster of several bodies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from symdyn.dynamics.elements.tip import tip_constants
from symdyn.dynamics.forward_dynamics.aba_layout import ClusterPlace
from symdyn.dynamics.forward_dynamics.cluster_places import (
    ACCELERATION_CHANGE,
    GAIN,
    RESIDUAL,
    cluster_step,
    member_change,
    member_inertia,
    member_pose,
    member_shape,
    of_member,
    of_parent,
    of_row,
    visited,
)
from symdyn.dynamics.forward_dynamics.cluster_steps import (
    aba_acceleration_cluster,
    aba_bias_cluster,
    aba_inertia_cluster,
    member_name,
)
from symdyn.dynamics.tree.bindings import BoundPort, ConstantsOf, add_to, read, write
from symdyn.dynamics.tree.places import ARTICULATED, Rows
from symdyn.dynamics.tree.tree import LOSS, TreePlan
from symdyn.model.bind import INERTIA, ROTATION, TRANSLATION
from symdyn.plan.plan import Constant, Step, Visit

Made = Iterator[tuple[Step, Visit]]


def aba_inertia_cluster_visit(cluster: ClusterPlace) -> Made:
    """Elimination of a cluster's free rows."""
    count = len(cluster.bodies)
    bound = cluster_step(
        aba_inertia_cluster,
        **_each("pose", count, lambda number: read(member_pose(number))),
        **_each("articulated", count, lambda number: read(member_inertia(number))),
        **_each("q", count, lambda number: read(member_shape("q", number))),
        **_each("shape", count, lambda number: read(member_shape("shape", number))),
        gain=write(GAIN),
        parent_articulated=add_to(of_parent(ARTICULATED), when=lambda b: b.moves),
    )
    return visited(bound, cluster, _constants(INERTIA, tip_constants))


def aba_bias_cluster_visit(cluster: ClusterPlace, given: str, found: str, rates: str, wrench: str) -> Made:
    """Inward half of the solution at a cluster; fields as in ``aba.aba_bias_sweeps``."""
    members, rows = cluster.elimination.cluster_variant(cluster).members, len(cluster.rows)
    lossy = {row for member in members if member.body.lossy for row in member.rows}
    wrenches = Rows(wrench, 6)
    bound = cluster_step(
        aba_bias_cluster,
        **_each("given", rows, lambda row: read(of_row(given, row))),
        **_each("v", rows, lambda row: read(of_row(rates, row, present=row in lossy))),
        **_each("pose", len(members), lambda number: read(member_pose(number))),
        **_each("wrench", len(members), lambda number: read(of_member(wrenches.own, number))),
        gain=read(GAIN, when=lambda b: b.responds),
        joint_force_residual=write(RESIDUAL, when=lambda b: b.responds),
        **_each("found", rows, lambda row: write(of_row(found, row, present=not cluster.responds))),
        parent_wrench=add_to(of_parent(wrenches), when=lambda b: b.transmits),
    )
    return visited(bound, cluster, _constants(LOSS))


def aba_acceleration_cluster_visit(cluster: ClusterPlace, found: str) -> Made:
    """Outward half of the solution at a cluster."""
    count = len(cluster.bodies)
    bound = cluster_step(
        aba_acceleration_cluster,
        **_each("pose", count, lambda number: read(member_pose(number))),
        acceleration_change=read(ACCELERATION_CHANGE),
        joint_force_residual=read(RESIDUAL),
        gain=read(GAIN),
        **_each("found", len(cluster.rows), lambda row: write(of_row(found, row))),
        **_each("own_change", count, lambda number: write(member_change(number))),
    )
    return visited(bound, cluster, _constants())


def _each(name: str, count: int, port: Callable[[int], BoundPort]) -> dict[str, BoundPort]:
    """A port per member, or per row."""
    return {member_name(name, number): port(number) for number in range(count)}


def _constants(
    names: Sequence[str] = (), own: Callable[[TreePlan, int], Mapping[str, Constant]] = lambda tree, body: {}
) -> ConstantsOf:
    """Constants of all members, each with its member's number behind its name."""

    def of(tree: TreePlan, body: int) -> Mapping[str, Constant]:
        variant = tree.variant(body)
        joint = (*(("armature",) if variant.geared else ()), *variant.kind.column_constants)
        return {**tree.constants(body, (*ROTATION, *TRANSLATION, *names, *joint)), **own(tree, body)}

    return lambda tree, cluster: {
        member_name(name, number): value
        for number, body in enumerate(cluster.bodies)
        for name, value in of(tree, body).items()
    }
