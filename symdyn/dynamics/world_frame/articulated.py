"""The steps of algorithms 3 and 4 of Ali et al. (2026): articulated bodies in the world's frame, one order at a time.

With U = M^A S and D = S^T U over the screws whose acceleration is sought, and the rest of V^(k+1) that is known,

    known  = sum from i = 1 of binom(k + 1, i) S^(i) v^(k + 1 - i)  +  S v^(k + 1) of the screws where it is given
    W^A    = Pi_bias^(k + 1) - W_app^(k) - M^(k) G + sum over children (W^A + M^A (S q~ + known))
    q~     = D^-1 (tau^(k) - sum of i < k binom(k, i) (S^(k - i))^T W^(i) - S^T (M^A known + W^A))

and outward v^(k + 1) = q~ - D^-1 U^T V_p^(k + 1), V^(k + 1) = V_p^(k + 1) + S v^(k + 1) + known. M^A, U and D are those
of order 0 at every order (lemma 2). W^(k) = M^A V^(k + 1) + W^A is the wrench through the joint (eq. 22). D loses
digits with the square of the distance from the world's origin, about which M^A is taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.motion import SIZE
from symdyn.algebra.spatial.symmetric import combined, congruence, ldl_factor, ldl_solve, unpacked, upper
from symdyn.algebra.spatial.vectors import Vector, add, dot, subtract, times
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.dynamics.world_frame.inverse_dynamics import weight
from symdyn.dynamics.world_frame.kinematics import placed
from symdyn.dynamics.world_frame.sums import (
    at_orders,
    force_sum,
    inertia_rate,
    momentum_sum,
    screw_rate,
    side_by_side,
    twist_sum,
)
from symdyn.dynamics.world_frame.world_tree import INERTIA_SIZE, SpatialVariant, world_inertia

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
