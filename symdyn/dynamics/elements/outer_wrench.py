"""Wrenches from outside, at places of links and at the stations of rods, in axes of the place or of the world.

Entries are constants, or expressions that are evaluated where the body's place and twist are known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symdyn.description.acting import ALONG, AXES, ENTRIES, POSITION, TURNING, VELOCITY, Wrench, parameter_of
from symdyn.description.quantities.expression import Expression
from symdyn.dynamics.elements.base import Element, Gives, body_of, over_loads
from symdyn.dynamics.tree import tree_loads
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, read, step
from symdyn.dynamics.tree.places import ORIENTATION, STAND, TWIST, WRENCH
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.dynamics.tree.tree_loads import OFFSET, BodyLoad
from symdyn.model.values import functions_of
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.force import wrench_at_offset
from symdyn.spatial.vectors import Matrix, Vector, add, cross, matrix_from, scale, times, transpose


@dataclass(frozen=True, slots=True)
class WrenchVariant:
    """What is structural about a wrench: its axes, whether it is per metre, and entries that ask for more."""

    in_world: bool
    per_length: bool
    entries: tuple[Expression | None, ...]
    asks: frozenset[str]

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
        return self.in_world or self.stands


def outer_wrench(variant: WrenchVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """What motion needs against the wrench, about the body's origin in its axes."""
    at = [constants[name] for name in OFFSET]
    axes = matrix_from([constants[name] for name in tree_loads.AXES])
    if variant.in_world:
        axes = transpose(matrix_from(reads["orientation"]))
    entries = entries_at(variant, algebra, axes, at, constants, reads)
    needed = scale(-constants["share"] if variant.per_length else -1.0, entries)
    return {"wrench": turned_at(axes, needed, at)}


def turned_at(axes: Matrix, wrench: Vector, at: Vector) -> Vector:
    """A wrench in some axes at a place, about the body's origin in its axes."""
    return wrench_at_offset([*times(axes, wrench[:3]), *times(axes, wrench[3:])], at)


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
    told = ((parameter_of(name), value) for name, value in constants.items())
    found = {name: value for name, value in told if name is not None}
    if variant.per_length:
        found[ALONG] = constants["along"]
    if variant.stands:
        found |= zip(POSITION, add(reads["stand"], times(matrix_from(reads["orientation"]), at)), strict=True)
    if variant.moves:
        into, (velocity, omega) = transpose(axes), (reads["twist"][:3], reads["twist"][3:])
        found |= zip(VELOCITY, times(into, add(velocity, cross(omega, at))), strict=True)
        found |= zip(TURNING, times(into, omega), strict=True)
    return found


def _variant(_: TreePlan, load: BodyLoad) -> WrenchVariant:
    own = load.load
    assert isinstance(own, Wrench)
    return WrenchVariant(own.axes == AXES[1], own.per_length, own.varying, own.asks)


_WRENCH = step(
    outer_wrench,
    variant=_variant,
    body=body_of,
    orientation=read(ORIENTATION.own.by(body_of), when=lambda b: b.oriented),
    stand=read(STAND.own.by(body_of), when=lambda b: b.stands),
    twist=read(TWIST.own.by(body_of), when=lambda b: b.moves),
    wrench=add_to(WRENCH.own.by(body_of)),
)
OUTER_WRENCH = Element("wrench from outside", {Gives.WRENCH: over_loads(_WRENCH, Wrench, "wrench")})
