"""Wrenches from outside, at places of links and at the stations of rods, in axes of the place or of the world.

Entries are constants, or expressions that are evaluated where the body's place and twist are known.
"""

from __future__ import annotations

from collections.abc import Mapping

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.force import wrench_at_offset
from symdyn.algebra.spatial.vectors import Matrix, Vector, matrix_from, scale, times, transpose
from symdyn.description.external_loads import AXES, VELOCITY, Wrench
from symdyn.dynamics.elements.base import Element, Gives, body_of, over_loads
from symdyn.dynamics.tree import tree_loads
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, read, step
from symdyn.dynamics.tree.load_entries import WrenchVariant, entries_at
from symdyn.dynamics.tree.places import ORIENTATION, STAND, TWIST, WRENCH
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.dynamics.tree.tree_loads import OFFSET, BodyLoad


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


def _variant(_: TreePlan, load: BodyLoad) -> WrenchVariant:
    wrench = load.load
    assert isinstance(wrench, Wrench)
    windy = any(wrench.wind) and not wrench.asks.isdisjoint(VELOCITY)
    return WrenchVariant(
        wrench.axes == AXES[1], wrench.per_length, wrench.varying, wrench.asks, wrench.wind if windy else ()
    )


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
