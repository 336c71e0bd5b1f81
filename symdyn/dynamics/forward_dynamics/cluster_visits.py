"""Visits of the steps of ``cluster_steps``: one per cluster of several bodies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from symdyn.dynamics.elements.tip import tip_constants
from symdyn.dynamics.forward_dynamics.cluster_places import (
    ARTICULATED,
    CHANGE,
    DRIVE,
    GAINS,
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
from symdyn.dynamics.forward_dynamics.cluster_steps import absorb_cluster, member_name, release_cluster, respond_cluster
from symdyn.dynamics.forward_dynamics.eliminated_tree import ClusterPlace
from symdyn.dynamics.tree.bindings import BoundPort, ConstantsOf, add_to, read, write
from symdyn.dynamics.tree.places import Rows
from symdyn.dynamics.tree.tree import JOINT, LOSS, TreePlan
from symdyn.model.bind import INERTIA, ROTATION, TRANSLATION
from symdyn.plan import Constant, Step, Visit

Made = Iterator[tuple[Step, Visit]]


def release_cluster_visit(cluster: ClusterPlace) -> Made:
    """Elimination of a cluster's free rows."""
    ports = {"gains": write(GAINS)}
    for number in range(len(cluster.bodies)):
        ports[member_name("pose", number)] = read(member_pose(number))
        ports[member_name("articulated", number)] = read(member_inertia(number))
        ports |= {member_name(port, number): read(member_shape(port, number)) for port in ("q", "shape")}
    ports["parent_articulated"] = add_to(of_parent(ARTICULATED), when=lambda b: b.moves)
    return visited(cluster_step(release_cluster, **ports), cluster, _constants(INERTIA, tip_constants))


def absorb_cluster_visit(cluster: ClusterPlace, given: str, found: str, rates: str, wrench: str) -> Made:
    """Inward half of the solution at a cluster; fields as in ``aba.solve_sweeps``."""
    members = cluster.elimination.cluster_variant(cluster).members
    lossy = {row for member in members if member.body.lossy for row in member.rows}
    ports: dict[str, BoundPort] = {}
    for row in range(len(cluster.rows)):
        ports[member_name("given", row)] = read(of_row(given, row))
        ports[member_name("v", row)] = read(of_row(rates, row, asked=row in lossy))
        ports[member_name("found", row)] = write(of_row(found, row, asked=not cluster.responds))
    for number in range(len(members)):
        ports[member_name("pose", number)] = read(member_pose(number))
        ports[member_name("wrench", number)] = read(of_member(Rows(wrench, 6).own, number))
    ports["gains"] = read(GAINS, when=lambda b: b.responds)
    ports["drive"] = write(DRIVE, when=lambda b: b.responds)
    ports["parent_wrench"] = add_to(of_parent(Rows(wrench, 6)), when=lambda b: b.transmits)
    return visited(cluster_step(absorb_cluster, **ports), cluster, _constants(LOSS))


def respond_cluster_visit(cluster: ClusterPlace, found: str) -> Made:
    """Outward half of the solution at a cluster."""
    ports = {"change": read(CHANGE), "drive": read(DRIVE), "gains": read(GAINS)}
    ports |= {member_name("found", row): write(of_row(found, row)) for row in range(len(cluster.rows))}
    for number in range(len(cluster.bodies)):
        ports[member_name("pose", number)] = read(member_pose(number))
        ports[member_name("own_change", number)] = write(member_change(number))
    return visited(cluster_step(respond_cluster, **ports), cluster, _constants())


def _constants(
    names: Sequence[str] = (), own: Callable[[TreePlan, int], Mapping[str, Constant]] = lambda tree, body: {}
) -> ConstantsOf:
    """Constants of all members, each with its member's number behind its name."""

    def of(tree: TreePlan, body: int) -> Mapping[str, Constant]:
        geared = ("armature",) if tree.variant(body).geared else ()
        return {**tree.constants(body, (*ROTATION, *TRANSLATION, *JOINT, *names, *geared)), **own(tree, body)}

    return lambda tree, cluster: {
        member_name(name, number): value
        for number, body in enumerate(cluster.bodies)
        for name, value in of(tree, body).items()
    }
