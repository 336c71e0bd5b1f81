"""What a joint's column carries to the root, and what the joints on the way make of it.

For a column S_j, with I the composite inertia, P its momentum matrix (twice, for partials), f its wrench:

    momentum   I S_j                       n_j        couple tr(P) s - P^T s + p x m
    position   I P''_j + [s'_j] P + S_j x* f
    velocity   I T_j + [s_j] P

and for an ancestor i (or i = j, where columns that turn with the joint go without S_j x* f):

    M_ij        = S_i . (I S_j)               dtau_i/dq_j = S_i . position_j    dtau_i/dv_j = S_i . velocity_j
    dtau_j/dq_i = P''_i . (I S_j) + s'_i . n_j        dtau_j/dv_i = T_i . (I S_j) + s_i . n_j

A Coriolis matrix is the last pair with S' for T and single momenta. World-fixed wrenches of the environment, applied at
points x, add to ``position`` the moment of (s x x + m) x f and need one more couple.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.model.joints import JointModel, Rest
from symdyn.recursion.composite_body import momentum_of
from symdyn.recursion.composite_motion_steps import twist_size
from symdyn.recursion.moment_matrices import lemma_from, momentum_from
from symdyn.recursion.varied_motion import Purpose, Twist, columns_of, couple_of
from symdyn.scalars.algebra import Scalar
from symdyn.spatial.inertia import Inertia
from symdyn.spatial.vectors import add, cross, dot, matrix_from, subtract, transpose

Reads = Mapping[str, Sequence[Scalar]]
Wrench = tuple[Sequence[Scalar], Sequence[Scalar]]
"""Force and moment."""


@dataclass(frozen=True, slots=True)
class CarriedVariant:
    """What is structural about columns and about a step of their walk.

    The walk goes ``through`` a joint to a body moved by ``kind``; ``shared`` tells that both ends move by the same row,
    ``onward`` that it goes on, ``loaded`` that world-fixed wrenches act. ``matrices`` are the ones wanted.
    """

    purpose: Purpose
    kind: JointModel
    mimic: bool
    loaded: bool
    matrices: tuple[str, ...]
    onward: bool
    through: JointModel | None = None
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Carried:
    """What one column sends to the root: wrenches, and couples that only turning meets.

    Which they are follows from the purpose: momentum, position, velocity and n, and the load's couple, for partials;
    momentum, velocity and n for Christoffel's matrix; momentum, velocity and the transpose's wrench for lemma 1.
    """

    wrenches: tuple[Wrench, ...]
    couples: tuple[Sequence[Scalar], ...]

    def scalars(self) -> list[Scalar]:
        """As a row of a field."""
        found = [scalar for force, moment in self.wrenches for scalar in (*force, *moment)]
        return found + [scalar for couple in self.couples for scalar in couple]


def _counts(purpose: Purpose, loaded: bool) -> tuple[int, int]:
    """Wrenches and couples."""
    if purpose is Purpose.PARTIALS:
        return 3, 2 if loaded else 1
    return (2, 1) if purpose is Purpose.CHRISTOFFEL else (3, 0)


def carried_size(purpose: Purpose, loaded: bool) -> int:
    """Scalars of a :class:`Carried`."""
    wrenches, couples = _counts(purpose, loaded)
    return 6 * wrenches + 3 * couples


def carried_from(variant: CarriedVariant, row: Sequence[Scalar]) -> Carried:
    """Inverse of :meth:`Carried.scalars`."""
    wrenches, couples = _counts(variant.purpose, variant.loaded)
    ends = 6 * wrenches
    return Carried(
        tuple((row[start : start + 3], row[start + 3 : start + 6]) for start in range(0, ends, 6)),
        tuple(row[start : start + 3] for start in range(ends, ends + 3 * couples, 3)),
    )


def work(twist: Twist, wrench: Wrench) -> Scalar:
    """``S . F`` of a twist (angular; linear) and a wrench (force; moment)."""
    return dot(twist[0], wrench[1]) + dot(twist[1], wrench[0])


@dataclass(frozen=True, slots=True)
class Column:
    """A column S, the move of q that belongs to it, and what the outward sweep found: T, P'' and the turning of P'."""

    twist: Twist
    move: Twist
    rate: Twist
    second: Twist
    turning: Sequence[Scalar]


def columns_at(variant: CarriedVariant, constants: Mapping[str, Scalar], reads: Reads) -> list[Column]:
    """The columns of a body's joint, from ports ``twists`` and ``own_pose``."""
    pose = variant.kind.placed(reads.get("own_pose", _NO_POSE))
    gain = constants["multiplier"] if variant.mimic else 1.0
    found = columns_of(variant.kind, pose, constants, gain)
    size = twist_size(variant.purpose)
    columns = []
    for place, (twist, move) in enumerate(zip(found, variant.kind.moves(found), strict=True)):
        kept = list(reads["twists"][size * place : size * (place + 1)]) + [0.0] * (15 - size)
        columns.append(Column(twist, move, (kept[:3], kept[3:6]), (kept[6:9], kept[9:12]), kept[12:15]))
    return columns


def sent_by(variant: CarriedVariant, column: Column, reads: Reads) -> tuple[Carried, Wrench]:
    """What a column carries, from its body's composite; and the wrench that its own joint's columns meet as dtau/dq."""
    row = reads["inertia"]
    inertia = Inertia(row[0], row[1:4], row[4:10])
    momentum: Wrench = momentum_of(inertia, *column.twist)
    velocity: Wrench = momentum_of(inertia, *column.rate)
    if variant.purpose is Purpose.LEMMA:
        lemma = lemma_from(reads["momentum"])
        velocity = _sum(velocity, lemma.times(column.twist))
        return Carried((momentum, velocity, lemma.transpose_times(column.twist)), ()), velocity
    total = momentum_from(reads["momentum"])
    velocity = _sum(velocity, total.response(column.twist[0]))
    reaction = total.reaction(column.twist)
    if variant.purpose is Purpose.CHRISTOFFEL:
        return Carried((momentum, velocity), (reaction,)), velocity
    still = _sum(momentum_of(inertia, *column.second), total.response(column.turning))
    position = _sum(still, _turned_wrench(column.move, (reads["wrench"][:3], reads["wrench"][3:])))
    couples: tuple[Sequence[Scalar], ...] = (reaction,)
    if variant.loaded:
        load = reads["load"]
        position = (position[0], add(position[1], _levered(column.move, load)))
        still = _sum(still, _held(column.move, load))
        couples = (reaction, _load_couple(column.twist, load))
    # several coordinates: the columns turn with their joint, whose own wrench then does no work on the turn
    turns = variant.kind.rest is Rest.CHILD
    return Carried((momentum, position, velocity), couples), still if turns else position


def own_entries(column: Column, sent: Carried, met: Wrench) -> dict[str, Scalar]:
    """Per matrix, the entry of a column's own joint where row ``column`` meets the column that ``sent``."""
    return {
        "dq": work(column.twist, met),
        "dv": work(column.twist, sent.wrenches[-1]),
        "da": work(column.twist, sent.wrenches[0]),
        "C": work(column.twist, sent.wrenches[1]),
    }


def entries(variant: CarriedVariant, column: Column, carried: Carried) -> dict[str, tuple[Scalar, Scalar]]:
    """Per matrix, the entry above the diagonal and the one below, for one column of an ancestor."""
    momentum = carried.wrenches[0]
    if variant.purpose is Purpose.LEMMA:
        _, velocity, response = carried.wrenches
        return {"C": (work(column.twist, velocity), work(column.rate, momentum) + work(column.twist, response))}
    reaction = carried.couples[0]
    by_velocity = work(column.rate, momentum) + dot(column.twist[0], reaction)
    if variant.purpose is Purpose.CHRISTOFFEL:
        return {"C": (work(column.twist, carried.wrenches[1]), by_velocity)}
    by_position = work(column.second, momentum) + dot(column.turning, reaction)
    if variant.loaded:
        by_position = by_position + dot(column.move[0], carried.couples[1])
    met = work(column.twist, momentum)
    return {
        "dq": (work(column.twist, carried.wrenches[1]), by_position),
        "dv": (work(column.twist, carried.wrenches[2]), by_velocity),
        "da": (met, met),
    }


def _sum(a: Wrench, b: Wrench) -> Wrench:
    return add(a[0], b[0]), add(a[1], b[1])


def _turned_wrench(twist: Twist, wrench: Wrench) -> Wrench:
    """``S x* F``."""
    (angular, linear), (force, moment) = twist, wrench
    return cross(angular, force), add(cross(angular, moment), cross(linear, force))


def _levered(move: Twist, load: Sequence[Scalar]) -> Sequence[Scalar]:
    """Moment that ``position`` gains because world-fixed wrenches follow the places where they act."""
    return subtract(couple_of(matrix_from(load[6:]), move[0]), cross(move[1], load[:3]))


def _load_couple(twist: Twist, load: Sequence[Scalar]) -> Sequence[Scalar]:
    """Couple that an ancestor's turn meets, because world-fixed wrenches do not turn with it."""
    (axis, arm), force = twist, load[:3]
    return add(add(cross(load[3:6], axis), couple_of(matrix_from(load[6:]), axis)), cross(force, arm))


def _held(move: Twist, load: Sequence[Scalar]) -> Wrench:
    """The same where the columns that meet it turn too: s x f, and s x n + tr(G) s - G^T s."""
    axis = move[0]
    moment = add(cross(axis, load[3:6]), couple_of(transpose(matrix_from(load[6:])), axis))
    return cross(axis, load[:3]), moment


_NO_POSE = (0.0,) * 12
