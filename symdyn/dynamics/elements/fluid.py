"""A fluid at rest: what it lifts, and what it takes of the motion of links and of sections of rods."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.force import wrench_at_offset
from symdyn.algebra.spatial.vectors import add, cross, dot, matrix_from, scale, times, transpose
from symdyn.description.fluid import Buoyancy, Drag
from symdyn.dynamics.elements.base import SCALAR, Element, Gives, body_of, over_loads
from symdyn.dynamics.elements.external_load import turned_at
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, read, step
from symdyn.dynamics.tree.kinematics import motion_from
from symdyn.dynamics.tree.load_entries import WrenchVariant, entries_at, entries_variant
from symdyn.dynamics.tree.places import GROUND, ORIENTATION, STAND, TWIST, WRENCH
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.dynamics.tree.tree_loads import AXES, OFFSET, BodyLoad


@dataclass(frozen=True, slots=True)
class DragVariant:
    """What is structural about drag: its entries, and the speed [m/s] by which it is smooth at rest."""

    entries: WrenchVariant
    velocity_scale: float


def lift(_: str, __: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """What motion needs against the lift; the ground accelerates against gravity."""
    at, falls = [constants[name] for name in OFFSET], motion_from(reads["ground"]).acceleration
    pushed = scale(-1.0 * (constants["density"] * constants["volume"]), falls)
    force = times(transpose(matrix_from(reads["orientation"])), pushed)
    return {"wrench": wrench_at_offset([*force, 0.0, 0.0, 0.0], at)}


def lift_energy(_: str, __: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """The energy of the fluid that stands elsewhere, zero at the world's origin."""
    at, falls = [constants[name] for name in OFFSET], motion_from(reads["ground"]).acceleration
    place = add(reads["stand"], times(matrix_from(reads["orientation"]), at))
    return {"energy": [-1.0 * (constants["density"] * constants["volume"] * dot(falls, place))]}


def drag(variant: DragVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """What motion needs against the drag."""
    at, axes = [constants[name] for name in OFFSET], matrix_from([constants[name] for name in AXES])
    entries = entries_at(variant.entries, algebra, axes, at, constants, reads)
    velocity, omega = reads["twist"][:3], reads["twist"][3:]
    into = transpose(axes)
    moved, turned = times(into, add(velocity, cross(omega, at))), times(into, omega)
    speed = algebra.function("sqrt", dot(moved, moved) + variant.velocity_scale * variant.velocity_scale)
    share = constants["share"] * speed if variant.entries.per_length else speed
    needed = [share * entry * rate for entry, rate in zip(entries, (*moved, *turned), strict=True)]
    return {"wrench": turned_at(axes, needed, at)}


def _drags(_: TreePlan, load: BodyLoad) -> DragVariant:
    assert isinstance(load.load, Drag)
    return DragVariant(entries_variant(load.load), load.load.velocity_scale)


_LIFT = step(
    lift,
    variant=lambda tree, load: "lift",
    body=body_of,
    ground=read(GROUND),
    orientation=read(ORIENTATION.own.by(body_of)),
    wrench=add_to(WRENCH.own.by(body_of)),
)
_LIFT_ENERGY = step(
    lift_energy,
    variant=lambda tree, load: "lift",
    body=body_of,
    ground=read(GROUND),
    orientation=read(ORIENTATION.own.by(body_of)),
    stand=read(STAND.own.by(body_of)),
    energy=add_to(SCALAR),
)
_DRAG = step(
    drag, variant=_drags, body=body_of, twist=read(TWIST.own.by(body_of)), wrench=add_to(WRENCH.own.by(body_of))
)
BUOYANCY = Element(
    "buoyancy",
    {
        Gives.WRENCH: over_loads(_LIFT, Buoyancy, "wrench"),
        Gives.ENERGY: over_loads(_LIFT_ENERGY, Buoyancy, "energy"),
    },
)
DRAG = Element("drag", {Gives.WRENCH: over_loads(_DRAG, Drag, "wrench")})
