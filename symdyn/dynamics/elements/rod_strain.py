"""Strain of soft links: tau = K q + R v of their coordinates, K of strain and R of what the matter loses.

K = integral Phi^T Sigma Phi dx, and R alike (Mathew et al., section 2.3), integrated when the model is made.
Coordinates of strains that have nothing to do with each other have no common entry. Slopes are not given: robots that
bend have theirs from dual numbers (``dynamics.partials.tangent_partials``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import add, scale
from symdyn.dynamics.elements.base import ROW, SCALAR, Element, Gives, SweepOf
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, read, step
from symdyn.dynamics.tree.places import Place, Q
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.rod import Rod
from symdyn.plan.plan import Constant, Sweep

Entries = tuple[tuple[int, int], ...]
_FACTORS = ("stiffness", "damping")


@dataclass(frozen=True, slots=True)
class RodStrainVariant:
    """What is structural about the elasticity of a rod: which entries of K and R are not zero, in both triangles.

    ``factors`` are the names of constants that K and R are to be multiplied with, empty where they are baked.
    """

    rows: int
    stiff: Entries
    damped: Entries
    factors: tuple[str, str] = ("", "")


def rod_strain_force(
    variant: RodStrainVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads
) -> Writes:
    """Forces K q + R v of a rod."""
    force: list[Scalar] = [0.0] * variant.rows
    parts = (("K", variant.stiff, "q"), ("R", variant.damped, "v"))
    for (name, entries, port), factor in zip(parts, variant.factors, strict=True):
        share: list[Scalar] = [0.0] * variant.rows if factor else force
        for i, j in entries:
            share[i] = share[i] + constants[_name(name, i, j)] * reads[port][j]
        force = add(force, scale(constants[factor], share)) if factor else share
    return {"force": force}


def rod_strain_energy(
    variant: RodStrainVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads
) -> Writes:
    """Energy q . K q / 2 of a rod."""
    total: Scalar = 0.0
    for i, j in variant.stiff:
        if i <= j:
            term = constants[_name("K", i, j)] * (reads["q"][i] * reads["q"][j])
            total = total + (0.5 * term if i == j else term)
    return {"energy": [constants[variant.factors[0]] * total if variant.factors[0] else total]}


def _name(matrix: str, i: int, j: int) -> str:
    return f"{matrix}{min(i, j)}_{max(i, j)}"


def _rod(tree: TreePlan, index: int) -> tuple[int, Rod]:
    return next((number, rod) for number, rod in tree.rods.of(Rod) if rod.owner == index)


def _variant(tree: TreePlan, index: int, matrices: str = "KR") -> RodStrainVariant:
    number, rod = _rod(tree, index)
    tables = rod.tables
    stiffness, damping = (name if tree.matter.factor(number, name) else "" for name in _FACTORS)

    def entries(matrix: tuple[tuple[float, ...], ...]) -> Entries:
        return tuple((i, j) for i, row in enumerate(matrix) for j, entry in enumerate(row) if entry != 0.0)

    return RodStrainVariant(
        rod.count,
        entries(tables.stiffness) if rod.stiff and "K" in matrices and tables.energy is None else (),
        entries(tables.damping) if rod.damped and "R" in matrices else (),
        (stiffness, damping),
    )


def _constants(tree: TreePlan, index: int, matrices: str = "KR") -> dict[str, Constant]:
    variant, (number, rod) = _variant(tree, index, matrices), _rod(tree, index)
    parts = (("K", variant.stiff, rod.tables.stiffness), ("R", variant.damped, rod.tables.damping))
    factors = {name: at for name in variant.factors if (at := tree.matter.factor(number, name))}
    baked = {_name(name, i, j): matrix[i][j] for name, entries, matrix in parts for i, j in entries if i <= j}
    return {**baked, **factors}


_FORCE = step(
    rod_strain_force,
    variant=_variant,
    force=add_to(ROW),
    q=read(Q, when=lambda b: b.stiff),
    v=read(Place("v", lambda tree, index, field: tree.v(index)), when=lambda b: b.damped),
).as_linear()
_ENERGY = step(rod_strain_energy, variant=_variant, q=read(Q), energy=add_to(SCALAR))


def _forces(matrices: str) -> SweepOf:
    """Sweeps of the forces of K, of R or of both."""

    def sweep(tree: TreePlan, field: str) -> Sweep:
        variant = partial(_variant, matrices=matrices)
        strained = [
            rod.owner for _, rod in tree.rods.of(Rod) if (made := variant(tree, rod.owner)).stiff or made.damped
        ]
        return _FORCE.over(tree, strained, variant, partial(_constants, matrices=matrices), force=field)

    return sweep


def _energies(tree: TreePlan, field: str) -> Sweep:
    stiff = [rod.owner for _, rod in tree.rods.of(Rod) if rod.stiff and rod.tables.energy is None]
    return _ENERGY.over(tree, stiff, more=_constants, energy=field)


ROD_STRAIN = Element(
    "strain of a soft link",
    {Gives.FORCE: _forces("KR"), Gives.ELASTIC: _forces("K"), Gives.LOSS: _forces("R"), Gives.ENERGY: _energies},
)
