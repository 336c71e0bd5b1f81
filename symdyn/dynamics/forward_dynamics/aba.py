"""The articulated-body algorithm (ABA): the factor of the mass matrix, and solutions with it, in O(bodies).

``factor_sweeps`` computes articulated inertias and gains from positions alone (Featherstone 2008, section 7.3).
``aba_bias_sweeps`` and ``aba_acceleration_sweeps`` map the bias wrench of every body and the given forces (or
prescribed accelerations) to accelerations (or forces), as often as needed with one factor. Clusters are eliminated one
by one: a single body by ``elimination``, bodies that share coordinates as one by ``cluster_elimination``.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, groupby

from symdyn.dynamics.elements.added_mass import articulated_sweeps
from symdyn.dynamics.forward_dynamics.aba_layout import AbaLayout, ClusterPlace
from symdyn.dynamics.forward_dynamics.aba_steps import ABA_ACCELERATION, ABA_BIAS, ABA_INERTIA
from symdyn.dynamics.forward_dynamics.block_visits import (
    Made,
    aba_acceleration_block_visits,
    aba_bias_block_visits,
    aba_inertia_block_visits,
)
from symdyn.dynamics.forward_dynamics.cluster_places import visited
from symdyn.dynamics.forward_dynamics.cluster_visits import (
    aba_acceleration_cluster_visit,
    aba_bias_cluster_visit,
    aba_inertia_cluster_visit,
)
from symdyn.plan.plan import Field, FieldKind, Sweep


def factor_sweeps(elimination: AbaLayout) -> list[Sweep]:
    """Inward sweeps that eliminate the free rows; they read the field ``pose``, and fill ``gain``."""
    added = articulated_sweeps(elimination.tree, elimination.added)
    return [*added, *grouped(map(_inertia_visits, (place for place in reversed(elimination.places) if place.responds)))]


def _inertia_visits(place: ClusterPlace) -> Made:
    if place.in_blocks:
        return aba_inertia_block_visits(place)
    return visited(ABA_INERTIA, place) if place.alone else aba_inertia_cluster_visit(place)


def solution_fields(elimination: AbaLayout) -> list[Field]:
    """State that solutions with the factor use."""
    return [Field("joint_force_residual", FieldKind.STATE, elimination.tree.model.nv), elimination.change_field()]


def aba_bias_sweeps(elimination: AbaLayout, given: str, found: str, rates: str, wrench: str) -> list[Sweep]:
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

    def made(place: ClusterPlace) -> Made:
        if place.in_blocks:
            return aba_bias_block_visits(place, given, found, rates, wrench)
        if not place.alone:
            return aba_bias_cluster_visit(place, given, found, rates, wrench)
        fields = {"given": given, "found": found, "v": rates, "wrench": wrench, "parent_wrench": wrench}
        return visited(ABA_BIAS, place, **fields)

    return grouped(map(made, reversed(elimination.places)))


def aba_acceleration_sweeps(elimination: AbaLayout, found: str) -> list[Sweep]:
    """Outward half of a solution: accelerations of the free rows and forces of the prescribed ones, in ``found``."""

    def made(place: ClusterPlace) -> Made:
        if place.in_blocks:
            return aba_acceleration_block_visits(place, found)
        return (
            visited(ABA_ACCELERATION, place, found=found)
            if place.alone
            else aba_acceleration_cluster_visit(place, found)
        )

    return grouped(made(place) for place in elimination.places if place.responds)


def grouped(visits: Iterable[Made]) -> list[Sweep]:
    """Sweeps of visits in order, one per run of visits of the same step; those in lanes do not depend on each other."""
    return [
        Sweep(run[0][0], tuple(visit for _, visit in run), vector=run[0][1].lanes > 1)
        for run in (list(items) for _, items in groupby(chain.from_iterable(visits), key=lambda item: item[0]))
    ]
