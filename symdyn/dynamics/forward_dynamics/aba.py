"""Articulated-body sweeps: the factor of the mass matrix, and solutions with it, in O(bodies).

``factor_sweeps`` rests on positions alone. ``solve_sweeps`` takes the bias wrench of every body and the given forces
(or prescribed accelerations) to accelerations (or forces), as often as needed with one factor. Clusters are eliminated
one by one: a body alone where it stands (``elimination``), bodies that share coordinates as one
(``cluster_elimination``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from symdyn.dynamics.forward_dynamics.articulated_steps import ABSORB_JOINT, RELEASE_JOINT, RESPOND_JOINT
from symdyn.dynamics.forward_dynamics.block_visits import (
    absorb_block_visits,
    release_block_visits,
    respond_block_visits,
)
from symdyn.dynamics.forward_dynamics.cluster_visits import (
    absorb_cluster_visit,
    release_cluster_visit,
    respond_cluster_visit,
)
from symdyn.dynamics.forward_dynamics.eliminated_tree import ClusterPlace, Elimination
from symdyn.dynamics.tree.tree import JOINT, LOSS, BodyVariant, TreePlan
from symdyn.model.bind import INERTIA, ROTATION, TRANSLATION
from symdyn.plan import Access, Binding, Field, FieldKind, Mode, Port, Step, Sweep, Visit
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.articulated import SIZE


def joint_position(
    variant: BodyVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Mapping[str, Sequence[Scalar]]
) -> Mapping[str, Sequence[Scalar]]:
    """Step: the pose of a joint."""
    q = list(reads["q"])
    if variant.mimic:
        q = [constants["multiplier"] * q[0] + constants["offset"]]
    return {"pose": variant.kind.pose(algebra, q, constants)}


_POSE = Step("joint_position", joint_position, (Port("q", Mode.READ), Port("pose", Mode.WRITE)))


def pose_sweep(tree: TreePlan) -> Sweep:
    """The sweep that fills the field ``pose``, for algorithms that need no velocities."""
    return Sweep(
        _POSE,
        tuple(
            Visit(
                index,
                BodyVariant(tree.variant(index).kind, tree.variant(index).mimic),
                tree.constants(index, JOINT),
                {"q": tree.q(index), "pose": tree.pose(index)},
            )
            for index in tree.links
        ),
    )


def factor_sweeps(elimination: Elimination) -> list[Sweep]:
    """Inward sweeps that eliminate the free rows; they read the field ``pose``, and fill ``gains``."""
    visits: list[tuple[Step, Visit]] = []
    for place in reversed(elimination.places):
        if place.responds:
            if place.in_blocks:
                visits += release_block_visits(elimination, place)
                continue
            visits.append(
                _release_joint(elimination, place) if place.alone else release_cluster_visit(elimination, place)
            )
    return grouped(visits)


def solve_sweeps(
    elimination: Elimination, given: str, found: str, rates: str = "v", wrench: str = "wrench"
) -> tuple[list[Field], list[Sweep]]:
    """Inward and outward sweeps that solve with the factor; see :func:`absorb_sweeps` and :func:`respond_sweeps`."""
    inward = absorb_sweeps(elimination, given, found, rates, wrench)
    return solution_fields(elimination), [*inward, *respond_sweeps(elimination, found)]


def solution_fields(elimination: Elimination) -> list[Field]:
    """State that solutions with the factor use."""
    return [Field("drive", FieldKind.STATE, elimination.tree.model.nv), elimination.change_field()]


def absorb_sweeps(elimination: Elimination, given: str, found: str, rates: str, wrench: str) -> list[Sweep]:
    """Inward half of a solution.

    Parameters
    ----------
    elimination
        What :func:`factor_sweeps` was made of.
    given
        Field (nv,) of forces of the free rows and accelerations of the prescribed ones.
    found
        Field (nv,) to fill with forces of prescribed rows before which nothing is free.
    rates
        Field (nv,) of velocities, for joint losses.
    wrench
        Field (bodies, 6) of bias wrenches (f; n) in body frames: those of the motion with the prescribed accelerations
        and zero elsewhere. It is added to on the way.
    """
    visits: list[tuple[Step, Visit]] = []
    for place in reversed(elimination.places):
        if place.in_blocks:
            visits += absorb_block_visits(elimination, place, given, found, rates, wrench)
            continue
        make = _absorb_joint if place.alone else absorb_cluster_visit
        visits.append(make(elimination, place, given, found, rates, wrench))
    return grouped(visits)


def respond_sweeps(elimination: Elimination, found: str) -> list[Sweep]:
    """Outward half of a solution: accelerations of the free rows and forces of the prescribed ones, in ``found``."""
    visits: list[tuple[Step, Visit]] = []
    for place in elimination.places:
        if place.responds and place.in_blocks:
            visits += respond_block_visits(elimination, place, found)
        elif place.responds:
            make = _respond_joint if place.alone else respond_cluster_visit
            visits.append(make(elimination, place, found))
    return grouped(visits)


def grouped(visits: Iterable[tuple[Step, Visit]]) -> list[Sweep]:
    """Sweeps of visits in order, one per run of visits of the same step; those in lanes do not depend on each other."""
    return [
        Sweep(run[0][0], tuple(visit for _, visit in run), vector=run[0][1].lanes > 1)
        for run in (list(items) for _, items in groupby(visits, key=lambda item: item[0]))
    ]


def _release_joint(elimination: Elimination, place: ClusterPlace) -> tuple[Step, Visit]:
    tree, (body,) = elimination.tree, place.bodies
    variant = elimination.joint_variant(place)
    bindings: dict[str, Binding] = {"gains": elimination.gains(place), **elimination.pose(body)}
    if elimination.felt(body):
        bindings["articulated"] = Access("articulated", SIZE * body, SIZE)
    if variant.keeps:
        bindings["carried"] = Access("carried", SIZE * body, SIZE)
    if variant.moves:
        bindings["parent_articulated"] = Access("articulated", SIZE * place.parent, SIZE)
    placed = (*ROTATION, *TRANSLATION) if variant.moves else ()
    names = (*placed, *INERTIA, "pitch", *(("armature",) if variant.body.geared else ()))
    return RELEASE_JOINT, Visit(body, variant, tree.constants(body, names), bindings)


def _absorb_joint(
    elimination: Elimination, place: ClusterPlace, given: str, found: str, rates: str, wrench: str
) -> tuple[Step, Visit]:
    tree, (body,) = elimination.tree, place.bodies
    variant = elimination.joint_variant(place)
    bindings: dict[str, Binding] = {
        "given": tree.v(body, given),
        **elimination.pose(body),
    }
    if variant.body.kind.has_frame:
        bindings["wrench"] = Access(wrench, 6 * body, 6)
    if variant.body.lossy:
        bindings["v"] = tree.v(body, rates)
    if place.responds:
        bindings["gains"] = elimination.gains(place)
        bindings["drive"] = Access("drive", place.drive, len(place.rows))
    else:
        bindings["found"] = tree.v(body, found)
    if variant.transmits:
        bindings["parent_wrench"] = Access(wrench, 6 * place.parent, 6)
    placed = (*ROTATION, *TRANSLATION) if variant.transmits else ()
    geared = variant.body.geared and not all(place.free)
    names = (*placed, *JOINT, *(LOSS if variant.body.lossy else ()), *(("armature",) if geared else ()))
    return ABSORB_JOINT, Visit(body, variant, tree.constants(body, names), bindings)


def _respond_joint(elimination: Elimination, place: ClusterPlace, found: str) -> tuple[Step, Visit]:
    tree, (body,) = elimination.tree, place.bodies
    variant = elimination.joint_variant(place)
    bindings: dict[str, Binding] = {
        "change": elimination.change(place),
        "drive": Access("drive", place.drive, len(place.rows)),
        "gains": elimination.gains(place),
        "found": tree.v(body, found),
        **elimination.pose(body),
    }
    if variant.hands_on:
        bindings["own_change"] = elimination.own_change(body)
    placed = (*ROTATION, *TRANSLATION)
    return RESPOND_JOINT, Visit(body, variant, tree.constants(body, (*placed, "pitch")), bindings)
