"""Energy of rods whose sections deform, by Green's and Lagrange's strain: its slopes, point by point side by side.

With the slopes F of places (``shapes.section_energy``) and the stress S = lambda tr(E) + 2 mu E, the forces of a point
are tau = (F S) : dF/dq.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import Vector, add, cross, dot, scale
from symdyn.dynamics.elements.base import Element, Gives
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, read, step
from symdyn.dynamics.tree.places import Place
from symdyn.dynamics.tree.station_layout import ENERGY
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.rod import Rod
from symdyn.plan.plan import Access, Constant, Sweep, lane_spacing

_FACTOR = "stiffness"


@dataclass(frozen=True, slots=True)
class SectionEnergyVariant:
    """What is structural about the energy of a rod; see :class:`symdyn.shapes.section_energy.SectionEnergy`."""

    moved: tuple[tuple[int, ...], ...]
    shapes: int
    factor: bool


class _Share(NamedTuple):
    row: int
    body: Rod


class _Point:
    """The slopes of a point, and what they are made of."""

    def __init__(self, variant: SectionEnergyVariant, reads: Reads) -> None:
        table, q = list(reads["table"]), reads["q"]
        self.weights, place = table[:2], [0.0, *table[2:4]]
        begun = 4 + sum(map(len, variant.moved))
        values = iter(table[4:begun])
        self.strains = [[next(values) for _ in rows] for rows in variant.moved]
        self.moves: list[list[Vector]] = []
        strain: list[Scalar] = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
        for rows, factors, amplitude in zip(variant.moved, self.strains, q, strict=False):
            for row, factor in zip(rows, factors, strict=True):
                strain[row] = strain[row] + factor * amplitude
        columns: list[Vector] = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
        for shape in range(variant.shapes):
            pairs: list[Vector] = [
                [0.0, *table[at : at + 2]] for at in range(begun + 8 * shape, begun + 8 * (shape + 1), 2)
            ]
            self.moves.append(pairs)
            amplitude = q[len(variant.moved) + shape]
            place = add(place, scale(amplitude, pairs[0]))
            columns = [add(one, scale(amplitude, two)) for one, two in zip(columns, pairs[1:], strict=True)]
        self.place, self.turn = place, strain[3:]
        self.columns = [add(columns[0], add(strain[:3], cross(self.turn, place))), *columns[1:]]

    def strain(self) -> list[list[Scalar]]:
        """E, of which the diagonal holds three scalars and the rest is symmetric."""
        F = self.columns
        return [[0.5 * (dot(F[a], F[b]) - float(a == b)) for b in range(a + 1)] for a in range(3)]


def section_force(
    variant: SectionEnergyVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads
) -> Writes:
    """Forces of a rod's coordinates: dW/dq of one point of its matter."""
    point = _Point(variant, reads)
    E, F = point.strain(), point.columns
    first, second = scale(constants[_FACTOR], point.weights) if variant.factor else point.weights
    spherical, twice = first * (E[0][0] + E[1][1] + E[2][2]), 2.0 * second
    S = [[twice * E[max(a, b)][min(a, b)] + (spherical if a == b else 0.0) for b in range(3)] for a in range(3)]
    P = [add(add(scale(S[a][0], F[0]), scale(S[a][1], F[1])), scale(S[a][2], F[2])) for a in range(3)]
    wrench = [*P[0], *cross(point.place, P[0])]
    force: list[Scalar] = []
    for rows, factors in zip(variant.moved, point.strains, strict=True):
        force.append(dot(list(factors), [wrench[row] for row in rows]))
    lever = cross(P[0], point.turn)
    for pairs in point.moves:
        force.append(dot(lever, pairs[0]) + dot(P[0], pairs[1]) + dot(P[1], pairs[2]) + dot(P[2], pairs[3]))
    return {"force": force}


def section_energy(
    variant: SectionEnergyVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads
) -> Writes:
    """Energy W of one point of a rod's matter."""
    point = _Point(variant, reads)
    E, (first, second) = point.strain(), point.weights
    trace = E[0][0] + E[1][1] + E[2][2]
    square = dot([row[-1] for row in E], [row[-1] for row in E])
    square = square + 2.0 * (E[1][0] * E[1][0] + E[2][0] * E[2][0] + E[2][1] * E[2][1])
    total = 0.5 * (first * (trace * trace)) + second * square
    return {"energy": [constants[_FACTOR] * total if variant.factor else total]}


def _shares(tree: TreePlan) -> list[_Share]:
    return [_Share(row, rod) for row, rod in tree.rods.of(Rod) if rod.stiff and rod.tables.energy]


def _variant(tree: TreePlan, share: _Share) -> SectionEnergyVariant:
    energy = share.body.tables.energy
    assert energy is not None
    return SectionEnergyVariant(energy.moved, energy.shapes, tree.matter.factor(share.row, _FACTOR) is not None)


def _constants(tree: TreePlan, share: _Share) -> dict[str, Constant]:
    factor = tree.matter.factor(share.row, _FACTOR)
    return {} if factor is None else {_FACTOR: factor}


def _points(share: _Share) -> int:
    energy = share.body.tables.energy
    assert energy is not None
    return len(energy.points)


def _table(tree: TreePlan, share: _Share, field: str) -> Access:
    energy = share.body.tables.energy
    assert energy is not None
    return Access(f"{ENERGY}{share.row}", 0, energy.width, lane_spacing(len(energy.points)), 1)


def _at(tree: TreePlan, share: _Share, name: str) -> Access | None:
    joint = tree.joint(share.body.owner)
    return Access(name, joint.v_index if name != "q" else joint.q_index, share.body.count) if name else None


_FORCE = step(
    section_force,
    variant=_variant,
    body=lambda tree, share: share.body.owner,
    table=read(Place("", _table)),
    q=read(Place("q", _at)),
    force=add_to(Place("", _at)),
).in_lanes(_points)
_ENERGY = step(
    section_energy,
    variant=_variant,
    body=lambda tree, share: share.body.owner,
    table=read(Place("", _table)),
    q=read(Place("q", _at)),
    energy=add_to(Place("", lambda tree, share, field: Access(field, 0, 1))),
).in_lanes(_points)


def _forces(tree: TreePlan, field: str) -> Sweep:
    return _FORCE.over(tree, _shares(tree), None, _constants, force=field)


def _energies(tree: TreePlan, field: str) -> Sweep:
    return _ENERGY.over(tree, _shares(tree), None, _constants, energy=field)


SECTION_ENERGY = Element(
    "energy of sections that deform", {Gives.FORCE: _forces, Gives.ELASTIC: _forces, Gives.ENERGY: _energies}
)
