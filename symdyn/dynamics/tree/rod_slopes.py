"""Slopes of :func:`rod_poses` by moments of strain and by their rates, in closed form (see ``spatial.step_slopes``).

What all columns of a step share is found once. A column is a moment and a row of it; those of shifts have no angular
part at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.dual import DualAlgebra
from symdyn.algebra.spatial.exponent import exponent_rates
from symdyn.algebra.spatial.exponential import rotation_of, translation_of
from symdyn.algebra.spatial.motion import bracket
from symdyn.algebra.spatial.step_slopes import ENTRIES, applied, coefficients, tangents
from symdyn.algebra.spatial.vectors import Vector, add, cross, dot, entries_of, matrix_from, scale, times
from symdyn.dynamics.tree.rod_steps import FOUND, MOMENTS, RodVariant, rod_poses, sixes
from symdyn.plan.plan import Mode, Port, SlopeRule, Step

Reads = Mapping[str, Sequence[Scalar]]
Writes = Mapping[str, Sequence[Scalar]]


class RodColumn(NamedTuple):
    """What is structural about a column: the port that it belongs to, if it turns, and how many rates there are."""

    port: str
    turns: bool
    rates: int


def shared_by_columns(
    variant: tuple[RodVariant, tuple[tuple[str, int], ...]], algebra: Algebra, _: Mapping[str, Scalar], reads: Reads
) -> Writes:
    """Step per rod: what :func:`rod_poses` does; and D with its rates, what turns it, and per column dOmega/db."""
    rod, given = variant
    moved = any(port == "b_q" for port, _ in given)
    rates = [sixes(reads[port]) for port in MOMENTS if port in reads]
    moments = list(zip(*rates, strict=True))
    omega = exponent_rates(algebra, moments)
    orders = len(omega) if moved else len(omega) - 1
    own = coefficients(algebra, omega[:orders], rod.terms, rod.widest)
    matrices = tangents(omega[:orders], own)
    y, x = omega[0][:3], omega[0][3:]
    rotation = entries_of(rotation_of(x, own.functions).matrix())
    (c2, d2), (c3, d3) = own.c2[0], own.c3[0]
    writes: dict[str, Sequence[Scalar]] = {
        "pose": [*rotation, *translation_of(x, y, own.functions)],
        "kept": [*omega[0], c2, c3, d2, d3],
        "tangents": [entry for matrix in matrices for entry in matrix],
    }
    if len(omega) > 1:
        writes["twist"] = writes["twists"] = applied(matrices[0], omega[1])
    if len(omega) > 2:
        writes["rate"] = add(applied(matrices[0], omega[2]), applied(matrices[1], omega[1]))
        writes["twists"] = [*writes["twist"], *writes["rate"]] if moved else writes["twist"]
    if moved:
        (c2, d2), (c3, d3) = own.slopes
        writes["place"] = [*rotation, *omega[0], c2, c3, d2, d3]
    starts: list[Scalar] = []
    over = DualAlgebra(algebra)
    for _port, place in given:
        # One entry of a moment is a dual number, of slope 1; rates of moments are constants here.
        varied = [[list(rate) for rate in moment] for moment in moments]
        varied[place // 6][0][place % 6] = over.dual(varied[place // 6][0][place % 6], {0: algebra.constant(1.0)})
        for rate in exponent_rates(over, varied)[:orders]:
            starts += [over.slope(entry, 0) for entry in rate]
    return {**writes, "starts": starts}


def one_column(variant: RodColumn, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per rod and column: the slopes of what :func:`rod_poses` writes."""
    port, turns, orders = variant
    start = sixes(reads["start"])[: orders if port == "b_q" else orders - 1]
    if not turns:
        start = [[*rate[:3], 0.0, 0.0, 0.0] for rate in start]
    matrices = [reads["tangents"][at : at + ENTRIES] for at in range(0, len(start) * ENTRIES, ENTRIES)]
    # eta = D omega and its rates, by Leibniz' rule
    eta = applied(matrices[0], start[0])
    rates = [eta]
    if len(start) > 1:
        rates.append(add(applied(matrices[1], start[0]), applied(matrices[0], start[1])))
    if len(start) > 2:
        middle = scale(2.0, applied(matrices[1], start[1]))
        rates.append(add(add(applied(matrices[2], start[0]), middle), applied(matrices[0], start[2])))
    twists = sixes(reads.get("twists", ()))
    if port == "b_v":
        writes: dict[str, Sequence[Scalar]] = {"twist": eta}
        if orders > 2:
            writes["rate"] = add(scale(2.0, rates[1]), bracket(twists[0], eta))
        return writes
    writes = _place(reads["place"], start[0], eta)
    if orders > 1:
        writes["twist"] = add(rates[1], bracket(twists[0], eta))
    if orders > 2:
        writes["rate"] = add(rates[2], add(bracket(twists[1], eta), bracket(twists[0], rates[1])))
    return writes


def _place(place: Vector, start: Vector, eta: Vector) -> dict[str, Sequence[Scalar]]:
    """Slopes of the pose, and of what a step keeps."""
    rotation = matrix_from(place[:9])
    y, x = place[9:12], place[12:15]
    c2, c3, d2, d3 = place[15:]
    turning, mixed = dot(x, start[3:]), dot(x, start[:3]) + dot(y, start[3:])
    tangent = [turning * c2, turning * c3, mixed * c2 + turning * d2, mixed * c3 + turning * d3]
    turned = [entry for row in rotation for entry in cross(row, eta[3:])]
    return {"pose": [*turned, *times(rotation, eta[:3])], "kept": [*start, *tangent]}


def column_kind(_: RodVariant, given: tuple[str, int], reads: Sequence[str]) -> RodColumn:
    """The variant of a column."""
    port, place = given
    return RodColumn(port, place % 6 >= 3, sum(name in reads for name in MOMENTS))


ROD_POSES = Step(
    "rod_poses",
    rod_poses,
    (*(Port(name, Mode.READ) for name in MOMENTS), *FOUND),
    SlopeRule(shared_by_columns, one_column, column_kind, ("b_q", "b_v")),
)
