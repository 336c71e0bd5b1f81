"""Rigid contacts: shapes on links, obstacles, contacts between them, and their settings, as a YAML file has them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from symdyn.description.collision import (
    MOST_POINTS,
    Collision,
    ContactOptions,
    ContactSettings,
    Mesh,
    Obstacle,
    Shape,
    Triple,
)
from symdyn.description.contact import Surface
from symdyn.description.contact_keys import CONTACT, is_mapping, is_rigid
from symdyn.description.external_loads import Acting
from symdyn.description.quantities.placement import Number
from symdyn.description.rigid_contact import Part, RigidContact
from symdyn.description.robot import Link, RobotDescription
from symdyn.description.text.position import hint, on_line, shown
from symdyn.description.text.validation import Path
from symdyn.description.yaml.collision_schema import (
    SURFACES,
    CollisionYaml,
    ContactOptionsYaml,
    FittedHullYaml,
    Fitting,
    LimitsYaml,
    ObstacleYaml,
)
from symdyn.description.yaml.schema import ContactsYaml
from symdyn.description.yaml.values import YamlValues

_ZERO: tuple[Number, Number, Number] = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Touching:
    """What contacts of a file may name: links with their shapes, which of them are soft, frames and obstacles."""

    shapes: Mapping[str, Sequence[str]]
    rods: frozenset[str]
    frames: frozenset[str]
    obstacles: Sequence[str]

    @classmethod
    def of(cls, links: Iterable[Link], frames: Iterable[str], obstacles: Iterable[str]) -> Touching:
        """What the links of a robot have."""
        known = list(links)
        return cls(
            {link.name: [collision.name for collision in link.collision] for link in known},
            frozenset(link.name for link in known if link.soft is not None),
            frozenset(frames),
            tuple(obstacles),
        )


def read_collisions(said: Mapping[str, CollisionYaml], path: Path, values: YamlValues) -> tuple[Collision, ...]:
    """The shapes of a link, but for meshes."""
    return tuple(
        Collision(name, _link_shape(entry, (*path, name), values), values.line((*path, name)))
        for name, entry in said.items()
        if entry.mesh is None
    )


def read_meshes(said: Mapping[str, CollisionYaml], path: Path, values: YamlValues) -> tuple[Mesh, ...]:
    """The collision meshes of a link."""
    return tuple(
        Mesh(
            name,
            entry.mesh,
            values.numbers(entry.scale or (1.0, 1.0, 1.0), (*path, name, "scale")),
            values.numbers(entry.at or (0.0, 0.0, 0.0), (*path, name, "at")),
            values.rotation(entry, (*path, name)),
        )
        for name, entry in said.items()
        if entry.mesh is not None
    )


def read_obstacles(said: Mapping[str, ObstacleYaml], values: YamlValues) -> tuple[Obstacle, ...]:
    """The obstacles of a file."""
    obstacles = []
    for name, entry in said.items():
        path: Path = ("obstacles", name)
        velocity = values.vector(entry.velocity or _ZERO, (*path, "velocity"))
        obstacles.append(Obstacle(name, _obstacle_shape(entry, path, values), velocity, values.line(path)))
    return tuple(obstacles)


def read_settings(
    obstacles: tuple[Obstacle, ...],
    limits: LimitsYaml | None,
    friction: str,
    options: ContactOptionsYaml | None,
    values: YamlValues,
) -> ContactSettings:
    """What a file says of all rigid contacts."""
    restitution = 0.0 if limits is None else values.number(limits.restitution, ("limits", "restitution"))
    rigid = limits is not None and limits.rigid
    return ContactSettings(obstacles, rigid, restitution, friction == "dry", _options(options, values))


def _options(said: ContactOptionsYaml | None, values: YamlValues) -> ContactOptions:
    if said is None:
        return ContactOptions()
    path: Path = ("contact_options",)
    keys = (key for key in type(said).model_fields if key != "impacts")
    numbers = {key: values.number(getattr(said, key), (*path, key)) for key in keys}
    for name in ("max_contacts", "runtime_slots"):
        if numbers[name] != int(numbers[name]):
            raise values.refusal((*path, name), f" is {numbers[name]:g}; it is a whole number")
    speeds, most = (numbers["exit_velocity"], numbers["impact_velocity"]), int(numbers["max_contacts"])
    return ContactOptions(*speeds, most, numbers["tolerance"], said.impacts, int(numbers["runtime_slots"]))


def _link_shape(said: CollisionYaml, path: Path, values: YamlValues) -> Shape:
    center = values.vector(said.at or _ZERO, (*path, "at"))
    if said.sphere is not None:
        return Shape("sphere", (center,), values.fold(said.sphere, (*path, "sphere")))
    if said.box is not None:
        size = values.numbers(said.box, (*path, "box"))
        return Shape("box", (center,), size=size, rotation=values.rotation(said, path))
    if said.hull is not None:
        where = (*path, "hull")
        return Shape("hull", tuple(values.numbers(point, where) for point in said.hull))
    kind = "capsule" if said.capsule is not None else "cylinder"
    ends = tuple(values.vector(point, (*path, kind)) for point in getattr(said, kind))
    assert said.radius is not None
    return Shape(kind, ends, values.fold(said.radius, (*path, "radius")))


def _obstacle_shape(said: ObstacleYaml, path: Path, values: YamlValues) -> Shape:
    if said.box is not None:
        where = (*path, "box")
        size = values.numbers(said.box.size, (*where, "size"))
        center = values.vector(said.box.at, (*where, "at"))
        return Shape("box", (center,), size=size, rotation=values.rotation(said.box, where))
    if said.capsule is not None:
        where, capsule = (*path, "capsule"), said.capsule
        ends = tuple(values.vector(point, (*where, "ends")) for point in capsule.ends)
        return Shape("capsule", ends, values.fold(capsule.radius, (*where, "radius")), inside=capsule.inside)
    kind = next(kind for kind in SURFACES if getattr(said, kind) is not None)
    return surface_shape(SURFACES[kind].make(getattr(said, kind), values, (*path, kind)))


def surface_shape(surface: Surface) -> Shape:
    """The shape of a surface that stands inline."""
    return Shape(surface.shape, (surface.point,), surface.radius, axis=surface.axis, inside=surface.inside)


def read_rigid(said: Mapping[str, Any], known: Touching, values: YamlValues) -> Iterator[Acting]:
    """The rigid contacts of a file.

    Raises
    ------
    DescriptionError
        A name that nothing has, or that several have.
    """
    for name, entry in said.items():
        if is_rigid(entry):
            yield _rigid(name, entry, known, values)


def _rigid(name: str, said: Any, known: Touching, values: YamlValues) -> RigidContact:
    path: Path = ("contacts", name)
    own = CONTACT.make(said, values, path)
    radius = None if own.radius is None else values.fold(own.radius, (*path, "radius"))
    of = tuple(_of(own, radius, path, known, values))
    if isinstance(own.surface, Surface):
        against: tuple[Part, ...] = (Part(inline=surface_shape(own.surface)),)
    else:
        wanted = (own.surface,) if isinstance(own.surface, str) else own.surface
        against = tuple(
            part for reference in wanted for part in _named(reference, (*path, "with"), known, values, True)
        )
    along = any(part.link in known.rods and not part.shape and part.inline is None for part in (*of, *against))
    if not along and own.point is None and "radius" in said.model_fields_set:
        raise values.refusal(path, ": radius is of spheres along a soft link or at a point; shapes have their own")
    numbers, given = (own.friction, own.restitution, own.compliance), radius if along else 0.0
    return RigidContact(name, of, against, *numbers, given, values.line(path), own.start, own.end)


def _of(own: Any, radius: Number | None, path: Path, known: Touching, values: YamlValues) -> Iterator[Part]:
    if own.point is not None:
        if not isinstance(own.of, str) or own.of not in known.shapes or own.of in known.rods:
            raise values.refusal((*path, "point"), " is the centre of a sphere on one rigid link; name that link")
        if radius is None:
            raise values.refusal((*path, "radius"), ": sections are of soft links; give a number")
        yield Part(own.of, inline=Shape("sphere", (values.vector(own.point, (*path, "point")),), radius))
        return
    for reference in (own.of,) if isinstance(own.of, str) else own.of:
        yield from _named(reference, (*path, "of"), known, values, False)


def _named(said: Any, path: Path, known: Touching, values: YamlValues, surface: bool) -> Iterator[Part]:
    """The parts that a name means, or a link and its shape."""
    if not isinstance(said, str):
        yield from _on_link(said.link, said.shape, path, known, values)
        return
    meant: list[tuple[str, str | None]] = [("", said)] if surface and said in known.obstacles else []
    meant += [(said, None)] if known.shapes.get(said) or said in known.rods else []
    dots = [place for place, letter in enumerate(said) if letter == "."]
    pairs = ((said[:dot], said[dot + 1 :]) for dot in dots)
    meant += [(link, shape) for link, shape in pairs if shape in known.shapes.get(link, ())]
    if len(meant) > 1:
        raise values.refusal(
            path, f": {shown(said)} may mean {len(meant)} things; write {{link: .., shape: ..}}, or rename the obstacle"
        )
    if not meant and said in known.shapes:
        meant = [(said, None)]
    if not meant:
        if said in known.frames:
            raise values.refusal(path, f": {shown(said)} is a frame; name a link that has shapes under collision")
        names = [*(known.obstacles if surface else ()), *known.shapes]
        names += [f"{link}.{shape}" for link, shapes in known.shapes.items() for shape in shapes]
        what = "obstacle, link or shape" if surface else "link or shape"
        raise values.refusal(path, f": {what} {shown(said)} does not exist{hint(said, names)}")
    link, shape = meant[0]
    if not link:
        yield Part(shape=said)
    else:
        yield from _on_link(link, shape, path, known, values)


def _on_link(link: str, shape: str | None, path: Path, known: Touching, values: YamlValues) -> Iterator[Part]:
    if link not in known.shapes:
        raise values.refusal(path, f": link {shown(link)} does not exist{hint(link, known.shapes)}")
    shapes = known.shapes[link]
    if shape is None and link in known.rods and not shapes:
        yield Part(link)
        return
    if shape is not None and shape not in shapes:
        raise values.refusal(
            path, f": link {shown(link)} has no shape {shown(shape)} under collision{hint(shape, shapes)}"
        )
    if not shapes:
        raise values.refusal(
            path, f": link {shown(link)} has no shapes; give some under collision, such as {{tip: {{sphere: 0.02}}}}"
        )
    yield from (Part(link, name) for name in shapes if shape in (None, name))


Vertices = Callable[[str], Sequence[Triple]]
"""The vertices of a mesh, by its address in the file's words; a DescriptionError where it cannot be read."""


@dataclass(frozen=True, slots=True)
class Fits:
    """How shapes are fitted to vertices: a sphere around all, or some vertices of their hull with the lost depth."""

    vertices: Vertices
    sphere: Callable[[Sequence[Triple]], tuple[Triple, float]]
    hull: Callable[[Sequence[Triple], int], tuple[Sequence[Triple], float]]


def shaped_links(
    robot: RobotDescription, said: ContactsYaml, named: Collection[str], fits: Fits, values: YamlValues
) -> tuple[Link, ...]:
    """The links with the shapes that a file gives or asks for; ``named`` are those that its contacts name."""
    for name in said.collision:
        if name not in {link.name for link in robot.links}:
            known = [link.name for link in robot.links]
            raise values.refusal(("collision", name), f": link {shown(name)} does not exist{hint(name, known)}")
    return tuple(_shaped(link, _said_of(link, said), link.name in named, fits, values) for link in robot.links)


def _said_of(link: Link, said: ContactsYaml) -> Fitting | None:
    """What a file says of a link's shapes, or of all meshes where the link has any; on the ground these have hulls."""
    fits_of_link = said.collision.get(link.name)
    if fits_of_link is not None or not any(isinstance(mesh, Mesh) for mesh in link.geometry):
        return fits_of_link
    return _GROUND_HULL if said.meshes is None and said.ground else said.meshes


def _shaped(link: Link, said: Fitting | None, named: bool, fits: Fits, values: YamlValues) -> Link:
    path: Path = ("collision", link.name)
    collisions = list(link.collision)
    if isinstance(said, dict):
        collisions += read_collisions(said, path, values)
    elif said is not None:
        meshes = [geometry for geometry in link.geometry if isinstance(geometry, Mesh)]
        if not meshes:
            raise values.refusal(path, f": link {shown(link.name)} has no collision mesh to fit; give shapes by name")
        collisions += [_fitted(mesh, link, said, fits, values) for mesh in meshes]
    if named and not isinstance(said, dict):
        fitted = said is not None
        for geometry in link.geometry:
            if isinstance(geometry, Collision):
                collisions.append(geometry)
            elif not fitted:
                raise values.refusal(path, mesh_refusal(link.name, geometry))
    return replace(link, collision=tuple(collisions))


def mesh_refusal(link: str, mesh: Mesh) -> str:
    """Why a mesh takes no part in contacts, and what may stand in its place."""
    if mesh.fault:
        return (
            f": link {shown(link)}: {mesh.fault}; in a file of contacts give shapes by name, such as "
            f"collision: {{{link}: {{tip: {{sphere: 0.02}}}}}}"
        )
    return (
        f": link {shown(link)} has a collision mesh, and contacts are between simple shapes; in a file of "
        f"contacts write collision: {{{link}: fit sphere}}, or {{{link}: {{hull: 16}}}}"
    )


def _fitted(mesh: Mesh, link: Link, said: Fitting, fits: Fits, values: YamlValues) -> Collision:
    path: Path = ("collision", link.name)
    if mesh.fault:
        raise values.refusal(path, mesh_refusal(link.name, mesh))
    with values.at(path):
        points = [_placed(mesh, vertex) for vertex in fits.vertices(mesh.address)]
    if not isinstance(said, FittedHullYaml):
        center, radius = fits.sphere(points)
        return Collision(mesh.name, Shape("sphere", (center,), radius), values.line(path))
    count = values.number(said.hull, (*path, "hull"))
    if count != int(count) or not _LEAST_HULL <= count <= MOST_POINTS:
        raise values.refusal(
            (*path, "hull"), f" is {count:g}; it is a whole number from {_LEAST_HULL} to {MOST_POINTS}"
        )
    with values.at(path):
        chosen, lost = fits.hull(points, int(count))
    values.warnings.append(
        f"{on_line(values.line(path))}hull of link {shown(link.name)}: {len(chosen)} vertices leave out "
        f"{1e3 * lost:.3g} mm of the mesh's hull at most"
    )
    return Collision(mesh.name, Shape("hull", tuple(chosen)), values.line(path))


_LEAST_HULL = 4
_GROUND_HULL = FittedHullYaml(hull="8")
"""Of meshes on the ground that a file says nothing of: as many points as a box has."""


def _placed(mesh: Mesh, vertex: Triple) -> Triple:
    scaled = [x * factor for x, factor in zip(vertex, mesh.scale, strict=True)]
    x, y, z = (
        start + sum(entry * part for entry, part in zip(row, scaled, strict=True))
        for start, row in zip(mesh.point, mesh.rotation, strict=True)
    )
    return x, y, z


def named_links(said: ContactsYaml, links: Collection[str]) -> set[str]:
    """The links whose shapes a file's contacts name."""
    names = set[str]()
    for contact in said.contacts.values():
        surface, asked = getattr(contact, "with"), list[Any]()
        for told in (contact.of, *(() if is_mapping(surface) else (surface,))):
            asked += told if isinstance(told, tuple) else [told]
        for part in asked:
            name = part.link if is_mapping(part) else part
            dots = [place for place, letter in enumerate(name) if letter == "."]
            names |= {name, *(name[:dot] for dot in dots)} & set(links)
    return names
