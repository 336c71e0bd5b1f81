"""Visits of the steps of ``cluster_steps``: one per cluster of several bodies."""

from __future__ import annotations

from symdyn.dynamics.forward_dynamics.cluster_steps import ClusterVariant, cluster_steps, member_name
from symdyn.dynamics.forward_dynamics.eliminated_tree import ClusterPlace, Elimination
from symdyn.dynamics.tree.beam_shape import first_names, trace_names
from symdyn.dynamics.tree.tree import JOINT, LOSS, TreePlan
from symdyn.model.bind import INERTIA, ROTATION, TRANSLATION
from symdyn.model.joints import Flexure
from symdyn.plan import Access, Binding, Constant, Step, Visit
from symdyn.spatial.articulated import SIZE


def release_cluster_visit(elimination: Elimination, place: ClusterPlace) -> tuple[Step, Visit]:
    """Elimination of a cluster's free rows."""
    variant = elimination.cluster_variant(place)
    bindings: dict[str, Binding] = {"gains": elimination.gains(place)}
    for member, body in enumerate(place.bodies):
        bindings |= elimination.pose(body, member_name("pose", member))
        if elimination.felt(body):
            bindings[member_name("articulated", member)] = Access("articulated", SIZE * body, SIZE)
        if variant.members[member].body.bends:
            bindings[member_name("q", member)] = elimination.tree.q(body)
            bindings[member_name("shape", member)] = elimination.tree.beams.shape(body)
    if variant.moves:
        bindings["parent_articulated"] = Access("articulated", SIZE * place.parent, SIZE)
    return _cluster_visit(elimination.tree, place, variant, bindings, INERTIA, 0)


def absorb_cluster_visit(
    elimination: Elimination, place: ClusterPlace, given: str, found: str, rates: str, wrench: str
) -> tuple[Step, Visit]:
    """Inward half of the solution at a cluster; fields as in ``aba.solve_sweeps``."""
    tree, variant = elimination.tree, elimination.cluster_variant(place)
    bindings: dict[str, Binding] = {}
    for row, velocity in enumerate(place.rows):
        bindings[member_name("given", row)] = Access(given, velocity, 1)
        if any(member.body.lossy and row in member.rows for member in variant.members):
            bindings[member_name("v", row)] = Access(rates, velocity, 1)
        if not place.responds:
            bindings[member_name("found", row)] = Access(found, velocity, 1)
    for member, body in enumerate(place.bodies):
        bindings |= elimination.pose(body, member_name("pose", member))
        bindings[member_name("wrench", member)] = Access(wrench, 6 * body, 6)
    if place.responds:
        bindings["gains"] = elimination.gains(place)
        bindings["drive"] = Access("drive", place.drive, len(place.rows))
    if variant.transmits:
        bindings["parent_wrench"] = Access(wrench, 6 * place.parent, 6)
    return _cluster_visit(tree, place, variant, bindings, LOSS, 1)


def respond_cluster_visit(elimination: Elimination, place: ClusterPlace, found: str) -> tuple[Step, Visit]:
    """Outward half of the solution at a cluster."""
    variant = elimination.cluster_variant(place)
    bindings: dict[str, Binding] = {
        "change": elimination.change(place),
        "drive": Access("drive", place.drive, len(place.rows)),
        "gains": elimination.gains(place),
    }
    for row, velocity in enumerate(place.rows):
        bindings[member_name("found", row)] = Access(found, velocity, 1)
    for member, body in enumerate(place.bodies):
        bindings |= elimination.pose(body, member_name("pose", member))
        if variant.members[member].hands_on:
            bindings[member_name("own_change", member)] = elimination.own_change(body)
    return _cluster_visit(elimination.tree, place, variant, bindings, (), 2)


def _cluster_visit(
    tree: TreePlan,
    place: ClusterPlace,
    variant: ClusterVariant,
    bindings: dict[str, Binding],
    more: tuple[str, ...],
    step: int,
) -> tuple[Step, Visit]:
    constants: dict[str, Constant] = {}
    for member, body in enumerate(place.bodies):
        names = (*ROTATION, *TRANSLATION, *JOINT, *more)
        if variant.members[member].body.geared:
            names = (*names, "armature")
        found = tree.constants(body, names)
        kind = variant.members[member].body.kind
        if isinstance(kind, Flexure) and step == 0:
            found |= tree.beams.constants(body, (*first_names(kind), *trace_names(kind)))
        constants |= {member_name(name, member): value for name, value in found.items()}
    made = cluster_steps(len(place.bodies), len(place.rows))[step]
    return made, Visit(place.bodies[0], variant, constants, bindings)
