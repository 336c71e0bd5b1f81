"""Exact gaps, points and normals of rigid contacts, in the world, from where links are.

Places on links come from motions in the world; a shape touches a surface where their distance is least, found by cuts
of the way for capsules and in closed form elsewhere. Velocities of rows are those of points of links, times directions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from mpmath import mp

from symdyn.description.collision import Shape
from symdyn.description.contact_pairs import PointKind, SlotPoint, slot_points
from symdyn.description.quantities.placement import Number
from symdyn.description.rigid_contact import SEGMENT, STATION, Part, RigidContact, rigid_contacts, shape_of
from symdyn.verify.base.matrices import (
    Matrix,
    Real,
    Vector,
    add,
    cross,
    dot,
    length,
    product,
    scale,
    subtract,
    times,
    transpose,
    unit,
    vector,
)
from symdyn.verify.oracle.exact import Exact, joined, summed
from symdyn.verify.oracle.motion import LinkMotion, RobotMotion
from symdyn.verify.oracle.outer_wrenches import weights_along
from symdyn.verify.oracle.pose import RobotPose, point_columns, robot_pose
from symdyn.verify.oracle.rod_section import value_at
from symdyn.verify.oracle.rod_sections import node_name
from symdyn.verify.oracle.setting import Inputs, Setting

_CUTS = 170
"""Of a way by thirds: its closest point is known to more than twenty digits."""


@dataclass(frozen=True, slots=True)
class TouchedSlot:
    """A slot at a position: its gap, point and normal, and how large what these are sums of is.

    ``moving`` is None of an empty slot.
    """

    contact: RigidContact
    moving: LinkMotion | None
    surface: LinkMotion | None
    gap: Real
    point: Vector
    normal: Vector
    velocity: Vector
    size: Real
    tilt: Real
    """What one rounding of a place does to the normal, over the place's size."""

    @property
    def rows(self) -> tuple[Vector, Vector, Vector]:
        """The directions t1, t2, n: the axes x, y, z turned the shortest way, mirrored where n is steeply downward."""
        mirrored = self.normal[2] < mp.mpf(-1) / 2
        axis = [*self.normal[:2], -self.normal[2] if mirrored else self.normal[2]]
        about = cross(vector((0, 0, 1)), axis)
        points = []
        for start in ((1, 0, 0), (0, 1, 0)):
            point = vector(start)
            turned = add(add(point, cross(about, point)), scale(1 / (1 + axis[2]), cross(about, cross(about, point))))
            points.append([*turned[:2], -turned[2]] if mirrored else turned)
        return points[0], scale(-1, points[1]) if mirrored else points[1], self.normal


@dataclass(frozen=True, slots=True)
class _Placed:
    """A shape's numbers in the world."""

    points: list[Vector]
    radius: Real
    axis: Vector
    axes: Matrix
    half: Vector


def touched_slots(setting: Setting, inputs: Inputs, pose: RobotPose) -> Iterator[TouchedSlot]:
    """All slots, in their order."""
    robot, quantities = setting.description, pose.quantities
    for contact in rigid_contacts(robot):
        for first in contact.of:
            for second in contact.against:
                surface = shape_of(robot, second)
                assert surface is not None
                if surface is STATION:
                    yield from _against_rod(setting, contact, (first, second), pose.motion, quantities)
                    continue
                other = pose.motion.links[second.link] if second.link else None
                placed = _placed(surface, other, quantities)
                speed = _speed(setting, second, quantities)
                for shape, moving in _moving(setting, contact, first, pose.motion, quantities):
                    place = _placed(shape, moving, quantities)
                    for slot in slot_points(shape, surface):
                        yield _touched(contact, slot, (shape, place, moving), (surface, placed, other), speed)
    yield from _filled(setting, inputs, pose.motion)


def _filled(setting: Setting, inputs: Inputs, motion: RobotMotion) -> Iterator[TouchedSlot]:
    """Slots that are filled at run time, as the input tells."""
    nothing, still, up = mp.mpf(0), vector((0, 0, 0)), vector((0, 0, 1))
    for row in touching_rows(setting, inputs):
        a, b = (None if x == -1 else motion.links[setting.tree.body_names[int(x)]] for x in row[:2])
        contact = RigidContact("touching", (), (), float(row[9]) if a is not None else 0.0)
        if a is None:
            yield TouchedSlot(contact, None, None, mp.mpf(1000), still, up, still, nothing, nothing)
            continue
        point, normal, gap = row[2:5], row[5:8], row[8]
        size = abs(gap) + length(point) + mp.fsum(length(link.origin[0]) for link in (a, b) if link is not None)
        yield TouchedSlot(contact, a, b, gap, point, normal, still, size, mp.mpf(1))


def touching_rows(setting: Setting, inputs: Inputs) -> list[list[Real]]:
    """The rows of the input ``touching``."""
    count = setting.description.contact.options.runtime_slots
    return [[mp.mpf(x) for x in inputs["touching"][10 * k : 10 * k + 10]] for k in range(count)]


def moved_touching(setting: Setting, before: Inputs, after: Inputs) -> list[Real]:
    """``touching`` of a state as it is in another one, with points and normals fixed to bodies b."""
    names, moved = setting.tree.body_names, list[Real]()
    start, end = (robot_pose(setting, state["q"], state).motion.links for state in (before, after))

    def carried(body: Real, place: Vector) -> Vector:
        if body == -1:
            return place
        first, last = start[names[int(body)]], end[names[int(body)]]
        return add(
            last.origin[0],
            times(last.rotation[0], times(transpose(first.rotation[0]), subtract(place, first.origin[0]))),
        )

    for row in touching_rows(setting, before):
        if row[0] != -1:
            point, on_a = carried(row[1], row[2:5]), carried(row[0], row[2:5])
            normal = subtract(carried(row[1], add(row[2:5], row[5:8])), point)
            row[2:9] = [*point, *normal, row[8] + dot(normal, subtract(on_a, point))]
        moved += row
    return moved


def _speed(setting: Setting, part: Part, quantities: Callable[[Number, str], Real]) -> Vector:
    obstacles = (
        obstacle for obstacle in setting.description.contact.obstacles if not part.link and obstacle.name == part.shape
    )
    obstacle = next(obstacles, None)
    return vector((0, 0, 0)) if obstacle is None else [quantities(x, "") for x in obstacle.velocity]


def _moving(
    setting: Setting,
    contact: RigidContact,
    part: Part,
    motion: RobotMotion,
    quantities: Callable[[Number, str], Real],
) -> Iterator[tuple[Shape, LinkMotion]]:
    if part.shape or part.inline is not None:
        shape = shape_of(setting.description, part)
        assert shape is not None
        yield shape, motion.links[part.link]
        return
    place = next(rod for rod in setting.tree.rods if rod.joint.parent == part.link)
    assert place.soft is not None
    for index, weight in weights_along(place, contact):
        if weight:
            section = place.soft.section
            radius = contact.radius
            if radius is None:
                radius = float(value_at(section.radius, place.rod.nodes[index].x))
            yield replace(STATION, radius=radius), motion.links[node_name(part.link, index)]


@dataclass(frozen=True, slots=True)
class _Segment:
    """A station's part of a rod: from where to where along it, how thick, and how the station moves."""

    start: Real
    end: Real
    radius: Real
    motion: LinkMotion
    at: Real

    @property
    def capsule(self) -> tuple[Shape, _Placed, LinkMotion]:
        """It in the world, about the section's normal."""
        axis = [row[0] for row in self.motion.rotation[0]]
        ends = [add(self.motion.origin[0], scale(x - self.at, axis)) for x in (self.start, self.end)]
        return SEGMENT, _Placed(ends, self.radius, axis, [], []), self.motion


def _against_rod(
    setting: Setting,
    contact: RigidContact,
    parts: tuple[Part, Part],
    motion: RobotMotion,
    quantities: Callable[[Number, str], Real],
) -> Iterator[TouchedSlot]:
    """Segments of a rod, each with a shape, or with segments that lie before it where both are of one rod."""
    first, second = parts
    for segment in _segments(setting, contact, second.link, motion):
        if first.shape:
            moving = _moving(setting, contact, first, motion, quantities)
            movers = [(shape, _placed(shape, link, quantities), link) for shape, link in moving]
        else:
            movers = [
                piece.capsule
                for piece in _segments(setting, contact, first.link, motion)
                if first.link != second.link or segment.start - piece.end > piece.radius + segment.radius
            ]
        for mover in movers:
            for slot in slot_points(mover[0], SEGMENT):
                yield _touched(contact, slot, mover, segment.capsule, vector((0, 0, 0)))


def _segments(setting: Setting, contact: RigidContact, link: str, motion: RobotMotion) -> Iterator[_Segment]:
    place = next(rod for rod in setting.tree.rods if rod.joint.parent == link)
    assert place.soft is not None
    end = mp.mpf(0)
    for index, node in enumerate(place.rod.nodes):
        if node.weight:
            radius = contact.radius
            thick = mp.mpf(radius) if isinstance(radius, float | int) else value_at(place.soft.section.radius, node.x)
            start, end = end, end + node.weight
            yield _Segment(start, end, thick, motion.links[node_name(link, index)], node.x)


def _placed(shape: Shape, link: LinkMotion | None, quantities: Callable[[Number, str], Real]) -> _Placed:
    axes = [[mp.mpf(i == j) for j in range(3)] for i in range(3)] if link is None else link.rotation[0]
    origin = vector((0, 0, 0)) if link is None else link.origin[0]
    points = [add(origin, times(axes, [quantities(x, "") for x in point])) for point in shape.points]
    return _Placed(
        points,
        quantities(shape.radius, ""),
        times(axes, vector(shape.axis)),
        product(axes, [vector(row) for row in shape.rotation]),
        [mp.mpf(x) / 2 for x in shape.size],
    )


def _touched(
    contact: RigidContact,
    slot: SlotPoint,
    first: tuple[Shape, _Placed, LinkMotion],
    other: tuple[Shape, _Placed, LinkMotion | None],
    speed: Vector,
) -> TouchedSlot:
    (shape, placed, moving), (surface, fixed, on) = first, other
    center, radius = _ball(slot, shape, placed, surface, fixed)
    distance, normal, apart = _away(surface, fixed, center)
    sizes = (*placed.points, *fixed.points, moving.origin[0], *([on.origin[0]] if on is not None else []))
    size = mp.fsum(map(length, sizes)) + placed.radius + fixed.radius + mp.fsum(placed.half) + mp.fsum(fixed.half)
    point = subtract(center, scale(radius, normal))
    tilt = size / apart if apart else mp.mpf(0)
    return TouchedSlot(contact, moving, on, distance - radius, point, normal, speed, size, tilt)


def _ball(slot: SlotPoint, shape: Shape, moving: _Placed, surface: Shape, fixed: _Placed) -> tuple[Vector, Real]:
    """Centre and radius of the ball that touches."""
    if slot.kind is PointKind.AXIS:
        low, high = mp.mpf(0), mp.mpf(1)

        def at(part: Real) -> Vector:
            return add(scale(1 - part, moving.points[0]), scale(part, moving.points[1]))

        along = subtract(moving.points[1], moving.points[0])
        for _ in range(_CUTS):
            middle = (low + high) / 2
            rises = dot(_away(surface, fixed, at(middle))[1], along) > 0
            low, high = (low, middle) if rises else (middle, high)
        return at((low + high) / 2), moving.radius
    if slot.kind is PointKind.RIM:
        axis = unit(subtract(moving.points[1], moving.points[0]))
        down = subtract(scale(dot(axis, fixed.axis), axis), fixed.axis)
        angle = (0, 2, -2)[slot.index % 3] * mp.pi / 3
        turned = add(scale(mp.cos(angle), unit(down)), scale(mp.sin(angle), cross(axis, unit(down))))
        return add(moving.points[slot.index // 3], scale(moving.radius, turned)), mp.mpf(0)
    if shape.kind == "box":
        signs = [1 - 2 * (slot.index >> way & 1) for way in range(3)]
        arm = [sign * half for sign, half in zip(signs, moving.half, strict=True)]
        return add(moving.points[0], times(moving.axes, arm)), mp.mpf(0)
    return moving.points[slot.index], mp.mpf(0) if shape.kind == "hull" else moving.radius


def _away(surface: Shape, fixed: _Placed, place: Vector) -> tuple[Real, Vector, Real]:
    """Distance from a surface, the normal, and how far apart what it follows from is; 0 where it is given."""
    out = subtract(place, fixed.points[0])
    if surface.kind == "plane":
        return dot(fixed.axis, out), fixed.axis, mp.mpf(0)
    if surface.kind == "box":
        return _from_box(fixed, out)
    if surface.kind == "cylinder":
        out = subtract(out, scale(dot(out, fixed.axis), fixed.axis))
    if surface.kind == "capsule":
        along = subtract(fixed.points[1], fixed.points[0])
        part = dot(along, out) / dot(along, along)
        out = subtract(place, add(fixed.points[0], scale(min(max(part, mp.mpf(0)), mp.mpf(1)), along)))
    side = -1 if surface.inside else 1
    return side * (length(out) - fixed.radius), scale(side, unit(out)), length(out)


def _from_box(fixed: _Placed, out: Vector) -> tuple[Real, Vector, Real]:
    inward = transpose(fixed.axes)
    local = times(inward, out)
    beyond = [
        x - half if x > half else x + half if x < -half else mp.mpf(0)
        for x, half in zip(local, fixed.half, strict=True)
    ]
    if any(beyond):
        return length(beyond), times(fixed.axes, unit(beyond)), length(beyond)
    depths = [half - abs(x) for x, half in zip(local, fixed.half, strict=True)]
    face = depths.index(min(depths))
    return -depths[face], scale(mp.sign(local[face]), [row[face] for row in fixed.axes]), mp.mpf(0)


def contact_gaps(setting: Setting, inputs: Inputs) -> Exact:
    """All gaps, points and normals of slots."""
    slots = list(touched_slots(setting, inputs, robot_pose(setting, inputs["q"], inputs)))
    gaps = summed([slot.gap for slot in slots], [slot.size for slot in slots])
    points = summed(
        [x for slot in slots for x in slot.point], [slot.size * (1 + slot.tilt) for slot in slots for _ in range(3)]
    )
    normals = summed([x for slot in slots for x in slot.normal], [1 + slot.tilt for slot in slots for _ in range(3)])
    return joined([gaps, points, normals])


def slot_slopes(setting: Setting, slots: list[TouchedSlot]) -> tuple[list[list[Real]], list[list[Real]]]:
    """Rows of J of the slots, and the sizes of their terms."""
    rows, sizes = [], []
    for slot in slots:
        ends = [] if slot.moving is None else [(point_columns(slot.moving, slot.point), 1)]
        if slot.surface is not None:
            ends.append((point_columns(slot.surface, slot.point), -1))
        for direction in slot.rows:
            row, size = ([mp.mpf(0)] * setting.tree.nv for _ in range(2))
            for columns, sign in ends:
                for place, part in columns.items():
                    row[place] += sign * dot(direction, part.linear)
                    size[place] += (1 + slot.tilt) * (length(part.linear) + length(part.angular) * slot.size)
            rows.append(row)
            sizes.append(size)
    return rows, sizes
