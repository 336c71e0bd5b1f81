"""Rigid contacts, their shapes, obstacles and settings to symdyn's YAML, read back to the last bit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from symdyn.description.collision import (
    Collision,
    ContactOptions,
    ContactSettings,
    Mesh,
    Obstacle,
    Shape,
)
from symdyn.description.contact import Surface
from symdyn.description.quantities.placement import IDENTITY, Placement
from symdyn.description.quantities.written import flag, key, listed, mapping, matrix, number, text
from symdyn.description.rigid_contact import Part, RigidContact
from symdyn.description.robot import Link
from symdyn.description.surfaces import written_surface
from symdyn.description.yaml.words import SECTION
from symdyn.description.yaml.write_looks import mesh_scale, placed


def collision_lines(shapes: Iterable[Collision | Mesh]) -> Iterator[str]:
    """Lines of the shapes of a link."""
    entries = [(shape.name, _mesh(shape) if isinstance(shape, Mesh) else _link_shape(shape.shape)) for shape in shapes]
    if entries:
        yield "collision:"
        yield from (f"{key(name, '  ')} {mapping(entry)}" for name, entry in entries)


def _mesh(mesh: Mesh) -> dict[str, str]:
    return {"mesh": text(mesh.address)} | mesh_scale(mesh.scale) | placed(Placement(mesh.point, mesh.rotation))


def hull_lines(links: Iterable[Link]) -> Iterator[str]:
    """Lines of a file beside one that has no hulls: all shapes of a link that has one, which they replace."""
    hulls = {link.name: link.collision for link in links if any(item.shape.kind == "hull" for item in link.collision)}
    if hulls:
        yield "collision:"
    for name, collisions in hulls.items():
        yield key(name, "  ")
        yield from (f"  {line}" for line in list(collision_lines(collisions))[1:])


def setting_lines(contact: ContactSettings) -> Iterator[str]:
    """Lines of obstacles, and of what holds for all rigid contacts."""
    if contact.obstacles:
        yield "obstacles:"
        yield from (f"{key(obstacle.name, '  ')} {mapping(_obstacle(obstacle))}" for obstacle in contact.obstacles)
    if contact.limits or contact.limit_restitution != 0.0:
        entries = {"rigid": flag(contact.limits), "restitution": number(contact.limit_restitution)}
        yield f"limits: {mapping(entries)}"
    if contact.dry:
        yield "joint_friction: dry"
    usual = ContactOptions()
    names: tuple[str, ...] = tuple(ContactOptions.__slots__)
    changed = {
        name: number(value) if isinstance(value, float) else str(value)
        for name, value in ((name, getattr(contact.options, name)) for name in names)
        if value != getattr(usual, name)
    }
    if changed:
        yield f"contact_options: {mapping(changed)}"


def rigid_contact(contact: RigidContact) -> dict[str, str]:
    """The entries of a rigid contact."""
    balls = [part for part in contact.of if part.link and part.inline is not None]
    entries: dict[str, str] = {}
    if balls:
        shape = balls[0].inline
        assert shape is not None
        entries = {"of": text(balls[0].link), "point": listed(shape.points[0]), "radius": number(shape.radius)}
    else:
        entries = {"of": _parts(contact.of)}
        ends = {"from": contact.start, "to": contact.end}
        entries |= {name: number(end) for name, end in ends.items() if end is not None}
        if any(part.link and not part.shape and part.inline is None for part in (*contact.of, *contact.against)):
            entries["radius"] = SECTION if contact.radius is None else number(contact.radius)
    surface = contact.against[0].inline
    entries["with"] = _parts(contact.against) if surface is None else mapping(_surface(surface))
    entries |= {"rigid": flag(True)}
    return entries | {name: number(value) for name, value in contact.numbers.items()}


def _parts(parts: tuple[Part, ...]) -> str:
    return f"[{', '.join(map(_part, parts))}]"


def _part(part: Part) -> str:
    if not part.link:
        return text(part.shape)
    return mapping({"link": text(part.link)} | ({"shape": text(part.shape)} if part.shape else {}))


def _points(shape: Shape) -> str:
    return f"[{', '.join(map(listed, shape.points))}]"


def _turn(shape: Shape) -> dict[str, str]:
    return {} if shape.rotation == IDENTITY else {"rotation": matrix(shape.rotation)}


def _link_shape(shape: Shape) -> dict[str, str]:
    match shape.kind:
        case "sphere":
            return {"sphere": number(shape.radius), "at": listed(shape.points[0])}
        case "box":
            return {"box": listed(shape.size), "at": listed(shape.points[0])} | _turn(shape)
        case "hull":
            return {"hull": _points(shape)}
    return {shape.kind: _points(shape), "radius": number(shape.radius)}


def _surface(shape: Shape) -> dict[str, str]:
    point = shape.points[0]
    match shape.kind:
        case "box":
            entries = {"size": listed(shape.size), "at": listed(point)} | _turn(shape)
        case "capsule":
            entries = {"ends": _points(shape), "radius": number(shape.radius), "inside": flag(shape.inside)}
        case kind:
            numbers: tuple[Any, ...] = (point, shape.axis, shape.radius, shape.inside)  # some may be expressions
            return written_surface(Surface(kind, *numbers))
    return {shape.kind: mapping(entries)}


def _obstacle(obstacle: Obstacle) -> dict[str, str]:
    moves = any(speed != 0.0 for speed in obstacle.velocity)
    return _surface(obstacle.shape) | ({"velocity": listed(obstacle.velocity)} if moves else {})
