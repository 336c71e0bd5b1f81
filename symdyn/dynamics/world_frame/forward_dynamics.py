"""Algorithms 3 and 4 of Ali et al. (2026): forward and hybrid dynamics with time derivatives, in the world's frame.

Place, screws and inertia at t = 0 outward; the articulated inertia inward, once; then for every order the bias inward
and the solution outward. Forward dynamics is hybrid dynamics in which every force is given. The wording of the paper is
kept; joints with several coordinates, some of them prescribed, need no more than D in place of a scalar.

Steps do one order at a time. With U = M^A S and D = S^T U over the screws whose acceleration is sought, and the rest of
V^(k+1) that is known,

    known  = sum from i = 1 of binom(k + 1, i) S^(i) v^(k + 1 - i)  +  S v^(k + 1) of the screws where it is given
    W^A    = Pi_bias^(k + 1) - W_app^(k) - M^(k) G + sum over children (W^A + M^A (S q~ + known))
    q~     = D^-1 (tau^(k) - sum of i < k binom(k, i) (S^(k - i))^T W^(i) - S^T (M^A known + W^A))

and outward v^(k + 1) = q~ - D^-1 U^T V_p^(k + 1), V^(k + 1) = V_p^(k + 1) + S v^(k + 1) + known. M^A, U and D are those
of order 0 at every order (lemma 2). W^(k) = M^A V^(k + 1) + W^A is the wrench through the joint (eq. 22). D loses
digits with the square of the distance from the world's origin, about which M^A is taken.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.motion import SIZE
from symdyn.algebra.spatial.symmetric import combined, congruence, ldl_factor, ldl_solve, unpacked, upper
from symdyn.algebra.spatial.vectors import Vector, add, dot, subtract, times
from symdyn.dynamics.tree.bindings import BoundStep, Reads, Writes, add_to, read, step, write
from symdyn.dynamics.tree.places import Lying, Q, Rows, V
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.dynamics.world_frame.inverse_dynamics import weight
from symdyn.dynamics.world_frame.kinematics import place_constants, placed
from symdyn.dynamics.world_frame.loads import load_sweeps, loaded
from symdyn.dynamics.world_frame.refused import refuse_followers
from symdyn.dynamics.world_frame.sums import (
    at_orders,
    force_sum,
    inertia_rate,
    momentum_sum,
    screw_rate,
    side_by_side,
    twist_sum,
)
from symdyn.dynamics.world_frame.world_tree import (
    INERTIA_SIZE,
    PLACE,
    UPWARD,
    SpatialTree,
    SpatialVariant,
    world_inertia,
)
from symdyn.model.model import Model
from symdyn.plan.plan import FieldKind, Plan, Sweep

Constants = Mapping[str, Scalar]


def spatial_state(variant: SpatialVariant, algebra: Algebra, constants: Constants, reads: Reads) -> Writes:
    """Outward step: place, screws, twist and inertia of a body at t = 0."""
    place, screws = placed(variant, algebra, constants, reads)
    row = place.scalars()
    twist = add(reads["parent_twist"], twist_sum([screws], [reads["v"]], 0))
    writes: dict[str, Sequence[Scalar]] = {
        "place": row,
        "twist": twist,
        "inertia": world_inertia(constants, row),
        "rates": reads["v"],
    }
    return writes if variant.resting else {**writes, "screws": side_by_side([screws])}


def articulated_inertia(variant: SpatialVariant, _: Algebra, constants: Constants, reads: Reads) -> Writes:
    """Inward step: M^A of eq. 23, and what solves for the joint: the factor of D, U, and D^-1 U^T."""
    inertia = list(reads["inertia"])
    if variant.carries:
        inertia = add(inertia, reads["carried_inertia"])
    writes: dict[str, Sequence[Scalar]] = {"articulated": inertia}
    columns = [variant.screws(constants, reads, 1)[0][column] for column in variant.free_columns]
    if columns:
        writes["factor"] = ldl_factor(congruence(inertia, columns), len(columns))
    if variant.transmits:
        writes["parent_inertia"] = inertia
    if columns and variant.transmits:
        images = [times(unpacked(inertia, SIZE), column) for column in columns]
        rows = list(zip(*images, strict=True))
        gain_rows = [ldl_solve(writes["factor"], row) for row in rows]
        left = [entry - dot(rows[i], gain_rows[j]) for entry, (i, j) in zip(inertia, upper(SIZE), strict=True)]
        sides = {"images": side_by_side([images]), "gain": side_by_side([list(zip(*gain_rows, strict=True))])}
        writes |= {**sides, "parent_inertia": left}
    return writes


def spatial_bias(variant: SpatialVariant, _: Algebra, constants: Constants, reads: Reads) -> Writes:
    """Inward step of order k: rates of screws and inertia, bias wrench, and the acceleration q~ of the joint alone."""
    k = variant.order
    twists, rates = at_orders(reads["twists"], SIZE), at_orders(reads["rates"], variant.columns)
    inertias = at_orders(reads["inertias"], INERTIA_SIZE)
    screws = variant.screws(constants, reads, k + 1)
    wrenches = at_orders(reads.get("wrenches", ()), SIZE)
    still = [[0.0] * SIZE for _ in range(variant.columns)]
    screws.append(still if variant.resting else screw_rate(twists, screws, k + 1))
    inertias.append(inertia_rate(twists, inertias, k + 1))
    sought, given = variant.free_columns, variant.given_columns

    known = twist_sum(screws, rates, k + 1, first=1)
    known = add(known, combined([screws[0][c] for c in given], [reads["given"][c] for c in given], SIZE))
    bias = add(momentum_sum(inertias, twists, k + 1, k), weight(inertias[k], reads["upward"]))
    if variant.loaded:
        bias = subtract(bias, reads["applied"])
    if variant.carries:
        bias = add(bias, reads["carried"])
    writes: dict[str, Sequence[Scalar]] = {"known": known, "bias": bias}
    pushed = add(times(unpacked(reads["articulated"], SIZE), known), bias)
    if sought:
        fixed = force_sum(screws, wrenches, k, k - 1)
        rest = [reads["given"][c] - fixed[c] - dot(screws[0][c], pushed) for c in sought]
        writes["alone"] = ldl_solve(reads["factor"], rest)
    if sought and variant.transmits:
        pushed = add(pushed, combined(at_orders(reads["images"], SIZE), writes["alone"], SIZE))
    if variant.transmits:
        writes["parent_carried"] = pushed
    if not variant.last:
        writes["next_inertia"] = inertias[k + 1]
    if not (variant.last or variant.resting):
        writes["next_screws"] = side_by_side([screws[k + 1]])
    return writes


def spatial_solution(variant: SpatialVariant, _: Algebra, constants: Constants, reads: Reads) -> Writes:
    """Outward step of order k: v^(k + 1), V^(k + 1) and the wrench through the joint, and forces where v is given."""
    k, above = variant.order, reads["parent_twist"]
    sought, given = variant.free_columns, variant.given_columns
    screws = variant.screws(constants, reads, k + 1)
    rates = list(reads["given"])
    if sought:
        found = reads["alone"]
        if variant.transmits:
            found = subtract(found, [dot(gain, above) for gain in at_orders(reads["gain"], SIZE)])
        for column, rate in zip(sought, found, strict=True):
            rates[column] = rate
    moved: Vector = combined([screws[0][c] for c in sought], [rates[c] for c in sought], SIZE)
    twist = add(add(above, moved), reads["known"])
    results = list(rates)
    writes: dict[str, Sequence[Scalar]] = {"result": results}
    if given or not variant.last:
        wrench = add(times(unpacked(reads["articulated"], SIZE), twist), reads["bias"])
        if given:
            earlier = at_orders(reads.get("wrenches", ()), SIZE)
            forces = force_sum(screws, [*earlier, wrench], k, k)
            for column in given:
                results[column] = forces[column]
        if not variant.last:
            writes |= {"next_wrench": wrench, "next_rates": rates}
    if variant.carries or not variant.last:
        writes["next_twist"] = twist
    return writes


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
