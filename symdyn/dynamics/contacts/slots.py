"""Slots of rigid contacts: gap, point and normal of each, and the wrenches of its rows on both bodies.

A ball of radius r about a place c of the moving shape touches a surface at x = c - r n, with the gap d - r. The rows
t1, t2, n are unit forces along tangents and normal at x on the moving body, and their opposites on the other one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import (
    Matrix,
    Vector,
    add,
    cross,
    dot,
    matrix_from,
    scale,
    subtract,
    times,
    transpose,
)
from symdyn.description.contact_pairs import PointKind, SlotPoint
from symdyn.dynamics.contacts.surfaces import Surface, away_from, closest_part, rim_point, tangents
from symdyn.dynamics.tree.bindings import Reads, Writes, read, step, write
from symdyn.dynamics.tree.places import ORIENTATION, STAND, Place
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.dynamics.tree.tree_loads import AXES, OFFSET, OTHER_AXES, OTHER_OFFSET, BodyLoad
from symdyn.model.contact_layout import SLOT_ROWS, Slot
from symdyn.plan.plan import Access, Constant, Field, FieldKind, Sweep

GROUND = -1
WRENCHES = 6 * len(SLOT_ROWS)
"""Scalars of what the rows of a slot exert on a body."""


@dataclass(frozen=True, slots=True)
class SlotVariant:
    """What is structural about a slot.

    ``moves`` and ``surface_moves`` tell which of both bodies is not the ground, ``first`` whether the moving shape is
    on the load's body, ``slips`` whether the surface moves along itself.
    """

    point: SlotPoint
    moving: str
    points: int
    surface: str
    surface_points: int
    inside: bool
    moves: bool
    surface_moves: bool
    first: bool
    slips: bool
    rows: bool = True
    """Whether its rows are requested, and not its gap, point and normal alone."""


@dataclass(frozen=True, slots=True)
class PlacedSlot:
    """A slot on the bodies of a tree."""

    slot: Slot
    load: BodyLoad

    @property
    def number(self) -> int:
        """Its place among all slots."""
        return self.slot.number

    @property
    def moving_body(self) -> int:
        """The body of the moving shape; -1 for the ground."""
        return self.load.body if self.load.first else self.load.other

    @property
    def surface_body(self) -> int:
        """The body of the surface; -1 for the ground."""
        return self.load.other if self.load.first else self.load.body


@dataclass(frozen=True, slots=True)
class _End:
    """One side: axes and origin of its body in the world, or None for the ground; places of its link there."""

    axes: Matrix | None
    origin: Vector
    offset: Vector
    turn: Matrix

    def on_own(self, point: Vector) -> Vector:
        """A point of the link's frame in the frame of the body."""
        return add(self.offset, times(self.turn, point))

    def turned(self, direction: Vector) -> Vector:
        """A direction of the link's frame in the axes of the body."""
        return times(self.turn, direction)

    def in_world(self, place: Vector) -> Vector:
        """A place of the body's frame in the world."""
        return list(place) if self.axes is None else add(self.origin, times(self.axes, place))

    def from_world(self, place: Vector) -> Vector:
        """A place of the world in the body's frame."""
        return list(place) if self.axes is None else times(transpose(self.axes), subtract(place, self.origin))

    def along_world(self, direction: Vector) -> Vector:
        """A direction of the body's axes in those of the world."""
        return list(direction) if self.axes is None else times(self.axes, direction)

    def along_body(self, direction: Vector) -> Vector:
        """A direction of the world's axes in those of the body."""
        return list(direction) if self.axes is None else times(transpose(self.axes), direction)


def touch(variant: SlotVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per slot: its gap, point and normal in the world, and what its rows exert on both bodies."""
    first, other = _end(constants, reads, "", OFFSET, AXES), _end(constants, reads, "other_", OTHER_OFFSET, OTHER_AXES)
    moving, fixed = (first, other) if variant.first else (other, first)
    surface = _surface(variant, constants, fixed)
    center, radius = _center(variant, algebra, constants, moving, fixed, surface)
    in_world = moving.in_world(center)
    seen = fixed.from_world(in_world)
    away = away_from(surface, algebra, seen)
    normal = fixed.along_world(away.normal)
    point = subtract(in_world, scale(radius, normal))
    writes: dict[str, Sequence[Scalar]] = {
        "gap": [away.distance - radius],
        "point": point,
        "normal": list(normal),
    }
    if not variant.rows:
        return writes
    rows = (*tangents(algebra, normal), normal)
    lever = subtract(center, scale(radius, moving.along_body(normal)))
    against = subtract(seen, scale(radius, away.normal))
    ends = {"moving": (moving, lever, 1.0, variant.moves), "fixed": (fixed, against, -1.0, variant.surface_moves)}
    names = ("on_own", "on_other") if variant.first else ("on_other", "on_own")
    for name, (end, arm, sign, moves) in zip(names, ends.values(), strict=True):
        if moves:
            writes[name] = [entry for row in rows for entry in _exerted(end, arm, scale(sign, row))]
    if variant.slips:
        speed = [constants[f"u.{axis}"] for axis in "xyz"]
        writes["slip"] = [-1.0 * dot(row, speed) for row in rows[:2]]
    return writes


def _exerted(end: _End, arm: Vector, force: Vector) -> list[Scalar]:
    in_body = end.along_body(force)
    return [*in_body, *cross(arm, in_body)]


def _end(constants: Mapping[str, Scalar], reads: Reads, name: str, offset: Sequence[str], axes: Sequence[str]) -> _End:
    known = f"{name}orientation" in reads
    return _End(
        matrix_from(reads[f"{name}orientation"]) if known else None,
        reads[f"{name}stand"] if known else (0.0, 0.0, 0.0),
        [constants[key] for key in offset],
        matrix_from([constants[key] for key in axes]),
    )


def _points(constants: Mapping[str, Scalar], side: str, count: int) -> list[list[Scalar]]:
    return [[constants[f"{side}{number}.{axis}"] for axis in "xyz"] for number in range(count)]


def _surface(variant: SlotVariant, constants: Mapping[str, Scalar], fixed: _End) -> Surface:
    points = [fixed.on_own(point) for point in _points(constants, "b", variant.surface_points)]
    surface = Surface(variant.surface, variant.inside, points)
    if variant.surface == "plane":
        return Surface("plane", False, points, axis=fixed.turned([constants[f"axis.{name}"] for name in "xyz"]))
    if variant.surface == "box":
        rows = [[constants[f"B{i}{j}"] for j in range(3)] for i in range(3)]
        columns = [fixed.turned(column) for column in transpose(rows)]
        half = [constants[f"half.{name}"] for name in "xyz"]
        return Surface("box", False, points, axes=transpose(columns), half=half)
    radius = constants["surface_radius"]
    if variant.surface == "cylinder":
        axis = fixed.turned([constants[f"axis.{name}"] for name in "xyz"])
        return Surface("cylinder", variant.inside, points, radius, axis)
    return Surface(surface.kind, variant.inside, points, radius)


def _center(
    variant: SlotVariant,
    algebra: Algebra,
    constants: Mapping[str, Scalar],
    moving: _End,
    fixed: _End,
    surface: Surface,
) -> tuple[Vector, Scalar]:
    """The centre of the ball in the frame of the moving body, and its radius."""
    points = [moving.on_own(point) for point in _points(constants, "a", variant.points)]
    match variant.point.kind:
        case PointKind.AXIS:
            start, end = (fixed.from_world(moving.in_world(point)) for point in points)
            part = closest_part(surface, algebra, start, subtract(end, start))
            return add(points[0], scale(part, subtract(points[1], points[0]))), constants["radius"]
        case PointKind.RIM:
            normal = moving.along_body(fixed.along_world(surface.axis))
            return rim_point(algebra, variant.point.index, points, constants["radius"], normal), 0.0
    if variant.moving == "box":
        return add(points[0], moving.turned([constants[f"c.{name}"] for name in "xyz"])), 0.0
    return points[0], 0.0 if variant.moving == "hull" else constants["radius"]


def variant_of(_: TreePlan, placed: PlacedSlot) -> SlotVariant:
    """What is structural about a slot in a tree."""
    slot, load = placed.slot, placed.load
    several = slot.point.kind is not PointKind.POINT
    return SlotVariant(
        slot.point if several else SlotPoint(PointKind.POINT),
        slot.moving.kind,
        2 if several else 1,
        slot.surface.kind,
        len(slot.surface.points),
        slot.surface.inside,
        placed.moving_body != GROUND,
        placed.surface_body != GROUND,
        load.first,
        any(speed != 0.0 for speed in slot.velocity),
    )


def _geometry(_: TreePlan, placed: PlacedSlot) -> Mapping[str, Constant]:
    """The constants that :func:`touch` reads of a slot."""
    variant = variant_of(_, placed)
    names = [*OFFSET, *AXES, *OTHER_OFFSET, *OTHER_AXES]
    names += [f"a{number}.{axis}" for number in range(variant.points) for axis in "xyz"]
    names += [f"b{number}.{axis}" for number in range(variant.surface_points) for axis in "xyz"]
    names += [] if variant.moving in ("box", "hull") else ["radius"]
    names += [] if variant.surface in ("plane", "box") else ["surface_radius"]
    names += [f"u.{axis}" for axis in "xyz"] if variant.slips else []
    names += list(placed.slot.sizes)
    return {name: placed.load.constants[name] for name in names}


def _body(_: TreePlan, placed: PlacedSlot) -> int:
    return placed.load.body


def _other(_: TreePlan, placed: PlacedSlot) -> int:
    return placed.load.other


def slot_field(name: str, width: int, kind: FieldKind = FieldKind.STATE) -> Place:
    """A row of ``width`` scalars per slot."""
    return Place(
        name,
        lambda tree, placed, field: Access(field, width * placed.number, width),
        lambda tree, field: Field(field, kind, width * tree.model.contacts.slot_count),
    )


def _two(variant: SlotVariant) -> bool:
    return variant.moves and variant.surface_moves


TOUCH = step(
    touch,
    variant=variant_of,
    body=_body,
    orientation=read(ORIENTATION.own.by(_body)),
    stand=read(STAND.own.by(_body)),
    other_orientation=read(ORIENTATION.own.by(_other), when=_two),
    other_stand=read(STAND.own.by(_other), when=_two),
    gap=write(slot_field("gap", 1)),
    point=write(slot_field("point", 3)),
    normal=write(slot_field("normal", 3)),
    on_own=write(slot_field("on_own", WRENCHES), when=lambda b: b.rows),
    on_other=write(slot_field("on_other", WRENCHES), when=lambda b: b.rows and _two(b)),
    slip=write(slot_field("slip", 2), when=lambda b: b.rows and b.slips),
)


def placed_slots(tree: TreePlan) -> list[PlacedSlot]:
    """The slots of a tree, in their order."""
    slots = [PlacedSlot(load.load, load) for load in tree.loads.of(Slot) if isinstance(load.load, Slot)]
    return sorted(slots, key=lambda placed: placed.number)


def touch_sweep(tree: TreePlan, slots: Sequence[PlacedSlot], rows: bool = True) -> Sweep:
    """The sweep that fills ``gap``, ``point`` and ``normal``, with ``rows`` ``on_own``, ``on_other``, ``slip`` too."""

    def variant(tree: TreePlan, placed: PlacedSlot) -> SlotVariant:
        return replace(variant_of(tree, placed), rows=rows)

    return TOUCH.over(tree, slots, variant, _geometry)
