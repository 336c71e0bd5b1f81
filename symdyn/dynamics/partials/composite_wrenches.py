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

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.spatial.force import dual_bracket
from symdyn.algebra.spatial.inertia import couple_of, inertia_from
from symdyn.algebra.spatial.vectors import Vector, add, cross, dot, matrix_from, subtract, transpose
from symdyn.dynamics.partials.composite_motion_steps import twist_size
from symdyn.dynamics.partials.moment_matrices import lemma_from, momentum_from
from symdyn.dynamics.partials.motion_derivatives import Purpose
from symdyn.dynamics.tree.bindings import Reads
from symdyn.model.joints import JointModel, Rest
from symdyn.model.joints.parts import UNPOSED


@dataclass(frozen=True, slots=True)
class CarriedVariant:
    """What is structural about columns and about a step of their walk.

    The walk goes ``through`` a joint to a body moved by ``kind``; ``shared`` are the places among its rows of the row
    that the column belongs to. ``onward`` tells that it goes on, ``loaded`` that world-fixed wrenches act. ``matrices``
    are the ones wanted.
    """

    purpose: Purpose
    kind: JointModel
    loaded: bool
    matrices: tuple[str, ...]
    onward: bool
    through: JointModel | None = None
    shared: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Carried:
    """What one column sends to the root: wrenches, and couples that only turning meets.

    Which they are follows from the purpose: momentum, position, velocity and n, and the load's couple, for partials;
    momentum, velocity and n for Christoffel's matrix; momentum, velocity and the transpose's wrench for lemma 1.
    """

    wrenches: tuple[Vector, ...]
    couples: tuple[Vector, ...]

    def scalars(self) -> list[Scalar]:
        """As a row of a field."""
        return [scalar for part in (*self.wrenches, *self.couples) for scalar in part]


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
        tuple(row[start : start + 6] for start in range(0, ends, 6)),
        tuple(row[start : start + 3] for start in range(ends, ends + 3 * couples, 3)),
    )


@dataclass(frozen=True, slots=True)
class Column:
    """A column S, along which q moves, and what the outward sweep found: T, P'' and the turning of P'."""

    twist: Vector
    rate: Vector
    second: Vector
    turning: Vector


def columns_at(variant: CarriedVariant, constants: Mapping[str, Scalar], reads: Reads) -> list[Column]:
    """The columns of a body's joint, from ports ``twists`` and ``own_pose``."""
    pose = variant.kind.placed(reads.get("own_pose", UNPOSED))
    found = variant.kind.columns(pose, constants)
    size = twist_size(variant.purpose)
    columns = []
    for place, twist in enumerate(found):
        kept = list(reads["twists"][size * place : size * (place + 1)]) + [0.0] * (15 - size)
        columns.append(Column(twist, kept[:6], kept[6:12], kept[12:15]))
    return columns


def sent_by(variant: CarriedVariant, column: Column, reads: Reads) -> tuple[Carried, Vector]:
    """What a column carries, from its body's composite; and the wrench that its own joint's columns meet as dtau/dq."""
    inertia = inertia_from(reads["inertia"])
    momentum, velocity = inertia.momentum(column.twist), inertia.momentum(column.rate)
    if variant.purpose is Purpose.LEMMA:
        lemma = lemma_from(reads["momentum"])
        velocity = add(velocity, lemma.times(column.twist))
        return Carried((momentum, velocity, lemma.transpose_times(column.twist)), ()), velocity
    total = momentum_from(reads["momentum"])
    velocity = add(velocity, total.response(column.twist[3:]))
    reaction = total.reaction(column.twist)
    if variant.purpose is Purpose.CHRISTOFFEL:
        return Carried((momentum, velocity), (reaction,)), velocity
    still = add(inertia.momentum(column.second), total.response(column.turning))
    position = add(still, dual_bracket(column.twist, reads["wrench"]))
    couples: tuple[Vector, ...] = (reaction,)
    if variant.loaded:
        load = reads["load"]
        position = add(position, [0.0, 0.0, 0.0, *_levered(column.twist, load)])
        still = add(still, _held(column.twist, load))
        couples = (reaction, _load_couple(column.twist, load))
    # several coordinates: the columns turn with their joint, whose own wrench then does no work on the turn
    turns = variant.kind.rest is Rest.CHILD
    return Carried((momentum, position, velocity), couples), still if turns else position


def own_entries(column: Column, sent: Carried, met: Vector) -> dict[str, Scalar]:
    """Per matrix, the entry of a column's own joint where row ``column`` meets the column that ``sent``."""
    return {
        "dq": dot(column.twist, met),
        "dv": dot(column.twist, sent.wrenches[-1]),
        "da": dot(column.twist, sent.wrenches[0]),
        "C": dot(column.twist, sent.wrenches[1]),
    }


def entries(variant: CarriedVariant, column: Column, carried: Carried) -> dict[str, tuple[Scalar, Scalar]]:
    """Per matrix, the entry above the diagonal and the one below, for one column of an ancestor."""
    momentum = carried.wrenches[0]
    if variant.purpose is Purpose.LEMMA:
        _, velocity, response = carried.wrenches
        return {"C": (dot(column.twist, velocity), dot(column.rate, momentum) + dot(column.twist, response))}
    reaction = carried.couples[0]
    by_velocity = dot(column.rate, momentum) + dot(column.twist[3:], reaction)
    if variant.purpose is Purpose.CHRISTOFFEL:
        return {"C": (dot(column.twist, carried.wrenches[1]), by_velocity)}
    by_position = dot(column.second, momentum) + dot(column.turning, reaction)
    if variant.loaded:
        by_position = by_position + dot(column.twist[3:], carried.couples[1])
    met = dot(column.twist, momentum)
    return {
        "dq": (dot(column.twist, carried.wrenches[1]), by_position),
        "dv": (dot(column.twist, carried.wrenches[2]), by_velocity),
        "da": (met, met),
    }


def _levered(move: Vector, load: Sequence[Scalar]) -> Sequence[Scalar]:
    """Moment that ``position`` gains because world-fixed wrenches follow the places where they act."""
    return subtract(couple_of(matrix_from(load[6:]), move[3:]), cross(move[:3], load[:3]))


def _load_couple(twist: Vector, load: Sequence[Scalar]) -> Sequence[Scalar]:
    """Couple that an ancestor's turn meets, because world-fixed wrenches do not turn with it."""
    arm, axis = twist[:3], twist[3:]
    return add(add(cross(load[3:6], axis), couple_of(matrix_from(load[6:]), axis)), cross(load[:3], arm))


def _held(move: Vector, load: Sequence[Scalar]) -> list[Scalar]:
    """The same where the columns that meet it turn too: s x f, and s x n + tr(G) s - G^T s."""
    axis = move[3:]
    moment = add(cross(axis, load[3:6]), couple_of(transpose(matrix_from(load[6:])), axis))
    return [*cross(axis, load[:3]), *moment]
