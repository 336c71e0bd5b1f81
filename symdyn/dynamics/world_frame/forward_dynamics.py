"""Algorithms 3 and 4 of Ali et al. (2026): forward and hybrid dynamics with time derivatives, in the world's frame.

Place, screws and inertia at t = 0 outward; the articulated inertia inward, once; then for every order the bias inward
and the solution outward. Forward dynamics is hybrid dynamics in which every force is given. The wording of the paper is
kept; joints with several coordinates, some of them prescribed, need no more than D in place of a scalar.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from symdyn.algebra.spatial.motion import SIZE
from symdyn.dynamics.tree.bindings import BoundStep, add_to, read, step, write
from symdyn.dynamics.tree.places import Lying, Q, Rows, V
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.dynamics.world_frame.articulated import articulated_inertia, spatial_bias, spatial_solution, spatial_state
from symdyn.dynamics.world_frame.kinematics import place_constants
from symdyn.dynamics.world_frame.loads import load_sweeps, loaded
from symdyn.dynamics.world_frame.refused import refuse_followers
from symdyn.dynamics.world_frame.world_tree import (
    INERTIA_SIZE,
    PLACE,
    UPWARD,
    SpatialTree,
    SpatialVariant,
)
from symdyn.model.model import Model
from symdyn.plan.plan import FieldKind, Plan, Sweep

_CARRIED_INERTIA, _ARTICULATED = Rows("carried_inertia", INERTIA_SIZE), Rows("articulated", INERTIA_SIZE)
_KNOWN, _BIAS = Rows("known", SIZE), Rows("bias", SIZE)


def spatial_forward_dynamics_time_derivatives_plan(model: Model, order: int, external: str = "") -> Plan:
    """The plan of A = a, a', .. a^(r), (r + 1, nv), from q, v and T = tau, tau', .. tau^(r), (r + 1, nv).

    Parameters
    ----------
    model
        The robot.
    order
        r, from 0.
    external
        Axes of the wrenches f_ext and their derivatives, (r + 1, nbodies, 6): body, world, or empty.

    Raises
    ------
    ModelError
        A joint has losses, a rotor or a spring, or follows another one, or a load acts on a body.
    """
    return _plan(model, "forward_dynamics_time_derivatives", range(model.nv), order, external, "T", "A")


def spatial_hybrid_dynamics_time_derivatives_plan(
    model: Model, free: Collection[int], order: int, external: str = "", given: str = "U"
) -> Plan:
    """The plan of W, (r + 1, nv), from q, v and ``given``, (r + 1, nv).

    Parameters
    ----------
    model, order, external
        As for :func:`spatial_forward_dynamics_time_derivatives_plan`.
    free
        Rows of v whose force is given: U holds tau^(k) there and a^(k) elsewhere, and W the other one of the two.
    """
    return _plan(model, "hybrid_dynamics_time_derivatives", free, order, external, given, "W")


def _plan(model: Model, name: str, free: Collection[int], order: int, external: str, given: str, found: str) -> Plan:
    refuse_followers(model)
    tree = SpatialTree(model, external, order, free)
    sweeps = [_state_sweep(tree), _articulated_sweep(tree)]
    for k in range(order + 1):
        loads = load_sweeps(tree, k, k, keeps=order > 0)
        sweeps += [*loads, _bias_sweep(tree, k, given), _solution_sweep(tree, k, given, found)]
    return tree.plan(name, sweeps)


def _state_sweep(tree: SpatialTree) -> Sweep:
    state = step(
        spatial_state,
        q=read(Q),
        v=read(V),
        parent_place=read(PLACE.above),
        parent_twist=read(tree.parent_twists(0, 1)),
        place=write(PLACE.own),
        screws=write(tree.of_joint("screws", SIZE), when=_moving),
        twist=write(tree.row("twists", SIZE)),
        inertia=write(tree.row("inertias", INERTIA_SIZE)),
        rates=write(tree.of_joint("rates", 1)),
    )
    return state.over(
        tree,
        tree.links,
        tree.variants(0),
        more=lambda _, index: place_constants(tree, index) | tree.home.inertia(index),
    )


def _articulated_sweep(tree: SpatialTree) -> Sweep:
    articulated = step(
        articulated_inertia,
        inertia=read(tree.row("inertias", INERTIA_SIZE)),
        screws=read(tree.of_joint("screws", SIZE), when=lambda b: b.free_columns and _moving(b)),
        carried_inertia=read(_CARRIED_INERTIA.own, when=lambda b: b.carries),
        articulated=write(_ARTICULATED.own),
        factor=write(tree.factor(), when=lambda b: b.free_columns),
        images=write(tree.of_free_columns("images", SIZE), when=_solved_above),
        gain=write(tree.of_free_columns("gain", SIZE), when=_solved_above),
        parent_inertia=add_to(_CARRIED_INERTIA.above),
    )
    return articulated.over(
        tree,
        reversed(tree.links),
        tree.variants(0),
        more=lambda _, index: tree.resting_screws(index) if tree.free_count(index) else {},
    )


def _bias_sweep(tree: SpatialTree, k: int, given: str) -> Sweep:
    bias = step(
        spatial_bias,
        given=read(tree.at_order(given, FieldKind.INPUT, k)),
        upward=read(UPWARD),
        screws=read(tree.of_joint("screws", SIZE, 0, k + 1), when=_moving),
        twists=read(tree.row("twists", SIZE, 0, k + 1)),
        inertias=read(tree.row("inertias", INERTIA_SIZE, 0, k + 1)),
        rates=read(tree.of_joint("rates", 1, 0, k + 1)),
        wrenches=read(tree.row("wrenches", SIZE, 0, k), when=lambda b: b.order > 0),
        applied=read(tree.row("applied", SIZE, k).where(loaded), when=lambda b: b.loaded),
        carried=read(tree.row("carried", SIZE, k), when=lambda b: b.carries),
        articulated=read(_ARTICULATED.own),
        factor=read(tree.factor(), when=lambda b: b.free_columns),
        images=read(tree.of_free_columns("images", SIZE), when=_solved_above),
        known=write(_KNOWN.own),
        bias=write(_BIAS.own),
        alone=write(tree.of_free_columns("alone", 1), when=lambda b: b.free_columns),
        next_screws=write(tree.of_joint("screws", SIZE, k + 1), when=lambda b: not b.last and _moving(b)),
        next_inertia=write(tree.row("inertias", INERTIA_SIZE, k + 1), when=lambda b: not b.last),
        parent_carried=add_to(tree.above(tree.row("carried", SIZE, k))),
    )
    return _over(tree, bias, tuple(reversed(tree.links)), k)


def _solution_sweep(tree: SpatialTree, k: int, given: str, found: str) -> Sweep:
    screws, all_screws = tree.of_joint("screws", SIZE), tree.of_joint("screws", SIZE, 0, k + 1)

    def asked_screws(_: TreePlan, index: int, name: str) -> Lying:
        force_sought = tree.free_count(index) < tree.v(index).count
        return (all_screws if force_sought else screws).at(tree, index, name)

    solution = step(
        spatial_solution,
        given=read(tree.at_order(given, FieldKind.INPUT, k)),
        parent_twist=read(tree.parent_twists(k + 1, 1)),
        screws=read(replace(screws, at=asked_screws), when=_moving),
        wrenches=read(tree.row("wrenches", SIZE, 0, k), when=lambda b: b.given_columns and b.order > 0),
        alone=read(tree.of_free_columns("alone", 1), when=lambda b: b.free_columns),
        gain=read(tree.of_free_columns("gain", SIZE), when=_solved_above),
        known=read(_KNOWN.own),
        bias=read(_BIAS.own, when=lambda b: b.given_columns or not b.last),
        articulated=read(_ARTICULATED.own, when=lambda b: b.given_columns or not b.last),
        result=write(tree.at_order(found, FieldKind.OUTPUT, k)),
        next_rates=write(tree.of_joint("rates", 1, k + 1), when=lambda b: not b.last),
        next_twist=write(tree.row("twists", SIZE, k + 1), when=lambda b: b.carries or not b.last),
        next_wrench=write(tree.row("wrenches", SIZE, k), when=lambda b: not b.last),
    )
    return _over(tree, solution, tree.links, k)


def _over(tree: SpatialTree, bound: BoundStep, bodies: Sequence[int], k: int) -> Sweep:
    """The sweep of a step of order k."""
    return bound.over(
        tree, bodies, tree.variants(k, last=k == tree.order), more=lambda _, index: tree.resting_screws(index)
    )


def _moving(variant: SpatialVariant) -> bool:
    """Whether the screws move."""
    return not variant.resting


def _solved_above(variant: SpatialVariant) -> bool:
    """Whether the parent moves with a joint whose acceleration is sought."""
    return bool(variant.free_columns) and variant.transmits
