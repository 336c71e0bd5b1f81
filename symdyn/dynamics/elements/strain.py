"""Strain of flexible links: tau_d = K d + R d' of their coordinates d, K of strain and R of what the material loses.

Slopes are not given: robots that bend have theirs from dual numbers (``dynamics.partials.tangent_partials``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from symdyn.dynamics.elements.base import Element, Gives
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.plan import Access, Binding, Mode, Port, Step, Visit
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.vectors import add

Reads = Mapping[str, Sequence[Scalar]]
Writes = Mapping[str, Sequence[Scalar]]


@dataclass(frozen=True, slots=True)
class StrainVariant:
    """What is structural about the elasticity of a flexible link: its coordinates."""

    rows: int


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
    for own, force in zip(d, _times("K", constants, d), strict=True):
        total = total + own * force
    return {"energy": [0.5 * total]}


def _times(name: str, constants: Mapping[str, Scalar], values: Sequence[Scalar]) -> list[Scalar]:
    """A symmetric matrix of constants times a vector."""
    found = []
    for i in range(len(values)):
        total: Scalar = 0.0
        for j, value in enumerate(values):
            total = total + constants[f"{name}{min(i, j)}_{max(i, j)}"] * value
        found.append(total)
    return found


def _forces(tree: TreePlan, field: str) -> Iterator[Visit]:
    for index in tree.model.beams:
        count = tree.q(index).count
        bindings: dict[str, Binding] = {"force": tree.v(index, field)}
        names: tuple[str, ...] = ()
        if tree.beams.is_stiff(index):
            bindings["q"], names = tree.q(index), _entries("K", count)
        if tree.beams.is_damped(index):
            bindings["v"], names = tree.v(index), (*names, *_entries("R", count))
        if names:
            yield Visit(index, StrainVariant(count), tree.beams.constants(index, names), bindings)


def _energies(tree: TreePlan, field: str) -> Iterator[Visit]:
    for index in tree.model.beams:
        if tree.beams.is_stiff(index):
            count = tree.q(index).count
            constants = tree.beams.constants(index, _entries("K", count))
            yield Visit(index, StrainVariant(count), constants, {"q": tree.q(index), "energy": Access(field, 0, 1)})


def _entries(name: str, rows: int) -> tuple[str, ...]:
    """Names of the entries of K or R, the upper triangle."""
    return tuple(f"{name}{i}_{j}" for i in range(rows) for j in range(i, rows))


_FORCE = Step("strain_force", strain_force, (Port("q", Mode.READ), Port("v", Mode.READ), Port("force", Mode.ADD)))
_ENERGY = Step("strain_energy", strain_energy, (Port("q", Mode.READ), Port("energy", Mode.ADD)))
STRAIN = Element("strain of a flexible link", {Gives.FORCE: (_FORCE, _forces), Gives.ENERGY: (_ENERGY, _energies)})
