"""Strain of bodies given by their map: the slopes of their energy, and damping.

The energy is that of the whole body and what its points hold, summed side by side. Slopes of these forces are not
given: robots that bend have theirs from dual numbers (``dynamics.partials.tangent_partials``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.elements.base import Element, Gives, SweepOf
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, read, step
from symdyn.dynamics.tree.map_steps import values_in
from symdyn.dynamics.tree.places import Place
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.mapped import MapBody
from symdyn.model.rod_matter import energy_part
from symdyn.plan.plan import Access, Constant, Sweep
from symdyn.shapes.map_terms import Term


@dataclass(frozen=True, slots=True)
class MapEnergyVariant:
    """What is structural: an energy with its slopes, which may be left out, and which rows have damping.

    ``numbers`` says how many numbers energies take from p.
    """

    energy: Term
    slopes: tuple[Term, ...]
    damped: tuple[bool, ...]
    dense: bool
    numbers: int = 0

    @property
    def stiff(self) -> bool:
        """Whether any force follows from q."""
        return any(term != 0.0 for term in self.slopes)


class MapShare(NamedTuple):
    """Of a body, all its points side by side where ``dense``, else what is of the whole."""

    row: int
    body: MapBody
    dense: bool


def map_force_of_energy(
    variant: MapEnergyVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads
) -> Writes:
    """Forces of a body's coordinates: dW/dq, and damping times the rates."""
    value = values_in(algebra, {**_numbers(variant, constants), "c": reads.get("table", ()), "q": reads.get("q", ())})
    force: list[Scalar] = [value(term) for term in variant.slopes] or [0.0] * len(variant.damped)
    for row, damped in enumerate(variant.damped):
        if damped:
            force[row] = force[row] + constants[f"R{row}"] * reads["v"][row]
    return {"force": force}


def map_energy(variant: MapEnergyVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Energy W of a body, or of its points."""
    value = values_in(algebra, {**_numbers(variant, constants), "c": reads.get("table", ()), "q": reads["q"]})
    return {"energy": [value(variant.energy)]}


def _numbers(variant: MapEnergyVariant, constants: Mapping[str, Scalar]) -> dict[str, list[Scalar]]:
    """Numbers that are known at run time alone."""
    return {"p": [constants[f"P{place}"] for place in range(variant.numbers)]}


def _at(tree: TreePlan, share: MapShare, name: str) -> Access | None:
    joint = tree.joint(share.body.owner)
    return Access(name, joint.v_index if name != "q" else joint.q_index, share.body.count) if name else None


def _variant(tree: TreePlan, share: MapShare, matrices: str) -> MapEnergyVariant:
    body, formulas = share.body, share.body.tables.formulas
    energy, slopes = formulas.density if share.dense else formulas.energy
    damped = body.damped and "R" in matrices and not share.dense
    stiff = body.stiff and "K" in matrices
    return MapEnergyVariant(
        energy if stiff else 0.0,
        slopes if stiff else (),
        tuple(damped and value != 0.0 for value in body.tables.damping),
        share.dense,
        len(body.tables.parameters) if stiff else 0,
    )


def _constants(tree: TreePlan, share: MapShare, variant: MapEnergyVariant) -> dict[str, Constant]:
    """Damping where it counts, and what energies take from p."""
    tables, constants = share.body.tables, dict[str, Constant]()
    for row, name in enumerate(tables.names):
        if variant.damped[row]:
            constants[f"R{row}"] = tree.matter.factor(share.row, f"damping.{name}") or tables.damping[row]
    for place, name in enumerate(tables.parameters[: variant.numbers]):
        factor = tree.matter.factor(share.row, energy_part(name))
        assert factor is not None, name
        constants[f"P{place}"] = factor
    return constants


_TABLE = Place("rod_table", lambda tree, share, field: tree.rods.table(share.row))
_Q = Place("q", _at)
_FORCE = step(
    map_force_of_energy,
    variant=lambda tree, share: _variant(tree, share, "KR"),
    body=lambda tree, share: share.body.owner,
    table=read(_TABLE, when=lambda b: b.dense),
    q=read(_Q, when=lambda b: b.stiff),
    v=read(Place("v", _at), when=lambda b: any(b.damped)),
    force=add_to(Place("", _at)),
).in_lanes(lambda share: share.body.steps if share.dense else 1)
_ENERGY = step(
    map_energy,
    variant=lambda tree, share: _variant(tree, share, "K"),
    body=lambda tree, share: share.body.owner,
    table=read(_TABLE, when=lambda b: b.dense),
    q=read(_Q),
    energy=add_to(Place("", lambda tree, share, field: Access(field, 0, 1))),
).in_lanes(lambda share: share.body.steps if share.dense else 1)


def _shares(tree: TreePlan) -> list[MapShare]:
    return [MapShare(row, body, dense) for row, body in tree.rods.of(MapBody) for dense in (False, True)]


def _forces(matrices: str) -> SweepOf:
    """Sweeps of the forces of energy, of damping or of both."""

    def sweep(tree: TreePlan, field: str) -> Sweep:
        def variant(tree: TreePlan, share: MapShare) -> MapEnergyVariant:
            return _variant(tree, share, matrices)

        def constants(tree: TreePlan, share: MapShare) -> dict[str, Constant]:
            return _constants(tree, share, variant(tree, share))

        shares = [share for share in _shares(tree) if (made := variant(tree, share)).stiff or any(made.damped)]
        return _FORCE.over(tree, shares, variant, constants, force=field)

    return sweep


def _energies(tree: TreePlan, field: str) -> Sweep:
    def constants(tree: TreePlan, share: MapShare) -> dict[str, Constant]:
        return _constants(tree, share, _variant(tree, share, "K"))

    shares = [share for share in _shares(tree) if _variant(tree, share, "K").energy != 0.0]
    return _ENERGY.over(tree, shares, more=constants, energy=field)


MAP_ENERGY = Element(
    "energy of a body given by its map",
    {Gives.FORCE: _forces("KR"), Gives.ELASTIC: _forces("K"), Gives.LOSS: _forces("R"), Gives.ENERGY: _energies},
)
