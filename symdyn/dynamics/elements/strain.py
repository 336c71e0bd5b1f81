"""Strain of flexible links: tau_d = K d + R d' of their coordinates d, K of strain and R of what the material loses.

Slopes are not given: robots that bend have theirs from dual numbers (``dynamics.partials.tangent_partials``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import add
from symdyn.dynamics.elements.base import ROW, SCALAR, Element, Gives, SweepOf
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, read, step
from symdyn.dynamics.tree.places import Place, Q
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.plan.plan import Sweep


@dataclass(frozen=True, slots=True)
class StrainVariant:
    """What is structural about the elasticity of a flexible link: its coordinates, and which of K and R count."""

    rows: int
    parts: str


def strain_force(variant: StrainVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Forces K d + R d' of a flexible link."""
    force: list[Scalar] = [0.0] * variant.rows
    for name, port in (("K", "q"), ("R", "v")):
        if port in reads:
            force = add(force, _times(name, constants, reads[port]))
    return {"force": force}


def strain_energy(variant: StrainVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Energy d . K d / 2 of a flexible link."""
    d = reads["q"]
    total: Scalar = 0.0
    for strain, force in zip(d, _times("K", constants, d), strict=True):
        total = total + strain * force
    return {"energy": [0.5 * total]}


def _times(name: str, constants: Mapping[str, Scalar], values: Sequence[Scalar]) -> list[Scalar]:
    """A symmetric matrix of constants times a vector."""
    forces = []
    for i in range(len(values)):
        total: Scalar = 0.0
        for j, value in enumerate(values):
            total = total + constants[f"{name}{min(i, j)}_{max(i, j)}"] * value
        forces.append(total)
    return forces


def _elastic(tree: TreePlan, index: int, matrices: str = "KR") -> StrainVariant:
    parts = "".join(name for name in _parts(tree, index) if name in matrices)
    return StrainVariant(tree.q(index).count, parts)


def _entries(tree: TreePlan, index: int, *matrices: str) -> dict[str, float]:
    """The entries of K and R, the upper triangles."""
    rows = range(tree.q(index).count)
    return tree.beams.constants(index, [f"{name}{i}_{j}" for name in matrices for i in rows for j in rows[i:]])


def _parts(tree: TreePlan, index: int) -> list[str]:
    """Which of K and R a flexible link has, K being of its strain and R of what it loses."""
    beam = tree.beams.beam(index)
    return [name for name, here in (("K", beam.stiff), ("R", beam.is_damped)) if here]


_FORCE = step(
    strain_force,
    variant=_elastic,
    force=add_to(ROW),
    q=read(Place("q", lambda tree, index, field: tree.q(index)), when=lambda b: "K" in b.parts),
    v=read(Place("v", lambda tree, index, field: tree.v(index)), when=lambda b: "R" in b.parts),
)
_ENERGY = step(strain_energy, variant=_elastic, q=read(Q), energy=add_to(SCALAR))


def _forces(matrices: str) -> SweepOf:
    """Sweeps of the forces of K, of R or of both."""

    def sweep(tree: TreePlan, field: str) -> Sweep:
        variant = partial(_elastic, matrices=matrices)
        strained = [index for index in tree.model.beams if variant(tree, index).parts]
        return _FORCE.over(
            tree, strained, variant, lambda tree, index: _entries(tree, index, *variant(tree, index).parts), force=field
        )

    return sweep


def _energies(tree: TreePlan, field: str) -> Sweep:
    stiff = [index for index in tree.model.beams if "K" in _parts(tree, index)]
    return _ENERGY.over(tree, stiff, more=lambda tree, index: _entries(tree, index, "K"), energy=field)


STRAIN = Element(
    "strain of a flexible link",
    {Gives.FORCE: _forces("KR"), Gives.ELASTIC: _forces("K"), Gives.LOSS: _forces("R"), Gives.ENERGY: _energies},
)
