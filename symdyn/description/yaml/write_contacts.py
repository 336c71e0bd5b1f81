"""Rigid contacts, their shapes, obstacles and settings to symdyn's YAML, read back to the last bit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from symdyn.description.collision import (
    Collision,
    ContactOptions,
    ContactSettings,
    Mesh,
    Obstacle,
    Shape,
)
from symdyn.description.quantities.placement import IDENTITY, Placement
from symdyn.description.quantities.written import flag, key, listed, mapping, matrix, number, text
from symdyn.description.rigid_contact import Part, RigidContact
from symdyn.description.robot import Link
from symdyn.description.yaml.words import SECTION
from symdyn.description.yaml.write_looks import mesh_scale, placed


def collision_lines(shapes: Iterable[Collision | Mesh]) -> Iterator[str]:
    """Lines of the shapes of a link."""
    entries = [(own.name, _mesh(own) if isinstance(own, Mesh) else _link_shape(own.shape)) for own in shapes]
    if entries:
        yield "collision:"
        yield from (f"{key(name, '  ')} {mapping(own)}" for name, own in entries)


def _mesh(own: Mesh) -> dict[str, str]:
    return {"mesh": text(own.address)} | mesh_scale(own.scale) | placed(Placement(own.point, own.rotation))


def hull_lines(links: Iterable[Link]) -> Iterator[str]:
    """Lines of a file beside one that has no hulls: all shapes of a link that has one, which they replace."""
    found = {link.name: link.collision for link in links if any(own.shape.kind == "hull" for own in link.collision)}
    if found:
        yield "collision:"
    for name, own in found.items():
        yield key(name, "  ")
        yield from (f"  {line}" for line in list(collision_lines(own))[1:])


def setting_lines(contact: ContactSettings) -> Iterator[str]:
    """Lines of obstacles, and of what holds for all rigid contacts."""
    if contact.obstacles:
        yield "obstacles:"
        yield from (f"{key(own.name, '  ')} {mapping(_obstacle(own))}" for own in contact.obstacles)
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


def rigid_contact(own: RigidContact) -> dict[str, str]:
    """The entries of a rigid contact."""
    balls = [part for part in own.of if part.link and part.own is not None]
    entries: dict[str, str] = {}
    if balls:
        shape = balls[0].own
        assert shape is not None
        entries = {"of": text(balls[0].link), "point": listed(shape.points[0]), "radius": number(shape.radius)}
    else:
        entries = {"of": _parts(own.of)}
        ends = {"from": own.start, "to": own.end}
        entries |= {name: number(end) for name, end in ends.items() if end is not None}
        if any(part.link and not part.shape and part.own is None for part in (*own.of, *own.against)):
            entries["radius"] = SECTION if own.radius is None else number(own.radius)
    surface = own.against[0].own
    entries["with"] = _parts(own.against) if surface is None else mapping(_surface(surface))
    entries |= {"rigid": flag(True)}
    return entries | {name: number(value) for name, value in own.numbers.items()}


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
    round_one = {"radius": number(shape.radius), "inside": flag(shape.inside)}
    point = listed(shape.points[0])
    match shape.kind:
        case "plane":
            entries = {"normal": listed(shape.axis), "point": point}
        case "box":
            entries = {"size": listed(shape.size), "at": point} | _turn(shape)
        case "sphere":
            entries = {"center": point} | round_one
        case "capsule":
            entries = {"ends": _points(shape)} | round_one
        case _:
            entries = {"axis": listed(shape.axis), "point": point} | round_one
    return {shape.kind: mapping(entries)}


def _obstacle(own: Obstacle) -> dict[str, str]:
    moves = any(speed != 0.0 for speed in own.velocity)
    return _surface(own.shape) | ({"velocity": listed(own.velocity)} if moves else {})
