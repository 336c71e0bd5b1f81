"""The six entries of a load at a place: constants, or expressions over where it is and how it moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import Matrix, Vector, add, cross, matrix_from, subtract, times, transpose
from symdyn.description.external_loads import ALONG, ENTRIES, POSITION, TURNING, VELOCITY, Entries, parameter_of
from symdyn.description.quantities.expression import Expression
from symdyn.model.values import functions_of

Reads = Mapping[str, Sequence[Scalar]]


@dataclass(frozen=True, slots=True)
class WrenchVariant:
    """What is structural about a wrench: its axes, whether it is per metre, and entries that ask for more.

    ``wind`` [m/s] is taken off velocities, in the world's axes, where there is some.
    """

    in_world: bool
    per_length: bool
    entries: tuple[Expression | None, ...]
    asks: frozenset[str]
    wind: tuple[float, ...] = ()

    @property
    def stands(self) -> bool:
        """Whether it asks where it is."""
        return not self.asks.isdisjoint(POSITION)

    @property
    def moves(self) -> bool:
        """Whether it asks how its place moves."""
        return not self.asks.isdisjoint((*VELOCITY, *TURNING))

    @property
    def oriented(self) -> bool:
        """Whether it asks for the body's axes in the world."""
        return self.in_world or self.stands or bool(self.wind)


def entries_variant(load: Entries) -> WrenchVariant:
    """That of a load in the axes of its place."""
    return WrenchVariant(False, load.per_length, load.varying, load.asks)


def entries_at(
    variant: WrenchVariant, algebra: Algebra, axes: Matrix, at: Vector, constants: Mapping[str, Scalar], reads: Reads
) -> Vector:
    """The six entries of a load at a place, in its ``axes``."""
    names, functions = _names(variant, axes, at, constants, reads), functions_of(algebra)
    return [
        constants[name] if own is None else own.evaluate(names, functions)
        for name, own in zip(ENTRIES, variant.entries, strict=True)
    ]


def _names(
    variant: WrenchVariant, axes: Matrix, at: Vector, constants: Mapping[str, Scalar], reads: Reads
) -> dict[str, Scalar]:
    """What names stand for in the entries that ask for more than numbers."""
    named = ((parameter_of(name), value) for name, value in constants.items())
    found = {name: value for name, value in named if name is not None}
    if variant.per_length:
        found[ALONG] = constants["along"]
    if variant.stands:
        found |= zip(POSITION, add(reads["stand"], times(matrix_from(reads["orientation"]), at)), strict=True)
    if variant.moves:
        into, (velocity, omega) = transpose(axes), (reads["twist"][:3], reads["twist"][3:])
        moved = add(velocity, cross(omega, at))
        if variant.wind:
            moved = subtract(moved, times(transpose(matrix_from(reads["orientation"])), variant.wind))
        found |= zip(VELOCITY, times(into, moved), strict=True)
        found |= zip(TURNING, times(into, omega), strict=True)
    return found
