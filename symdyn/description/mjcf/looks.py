"""Sites, cameras and shapes of a compiled model: frames, and how links look."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from symdyn.description.collision import Collision, Mesh, Shape
from symdyn.description.mjcf.placements import after, placed, rotation_of
from symdyn.description.mjcf.record import ModelRecord, PlaceRecord, unlike
from symdyn.description.quantities.placement import Placement
from symdyn.description.robot import Frame
from symdyn.description.text.notice import Notice
from symdyn.description.visual import Colour, Visual, capsule, clear_colour

_PLANE = 0
_SPHERE, _CAPSULE, _ELLIPSOID, _CYLINDER, _BOX, _MESH = range(2, 8)
_SHOWN_GROUPS = 3
"""MuJoCo's viewer shows groups 0, 1 and 2 unless it is told to show others."""
_UNSAID = [0.5, 0.5, 0.5, 1.0]
"""MuJoCo's default of a geom's rgba."""


def frames_of(
    model: ModelRecord, links: Sequence[str], taken: Collection[str]
) -> tuple[list[Frame], list[str], list[str]]:
    """Frames of sites and of cameras that rest on a body, the names of the former, and warnings of new names."""
    used, renamed = set(taken), list[str]()

    def frame(own: PlaceRecord, kind: str) -> Frame:
        name = own.name if own.name not in used else unlike(f"{own.name}.{kind}", used)
        used.add(name)
        if name != own.name:
            said = f"{kind} '{own.name}' has the name of another frame; its own is '{name}'"
            renamed.append(Notice(said, "{renamed frame}"))
        return Frame(name, links[own.body], placed(own.pos, own.quat))

    sites = [frame(site, "site") for site in model.sites]
    cameras = [frame(camera, "camera") for camera in model.cameras if camera.fixed]
    return [*sites, *cameras], [site.name for site in sites], renamed


def visuals_of(model: ModelRecord, meshes: Mapping[str, str]) -> dict[int, tuple[Visual, ...]]:
    """Shapes by body; planes and height fields are the scenery."""
    found: dict[int, tuple[Visual, ...]] = {}
    for number, body in enumerate(model.fields["geom_bodyid"]):
        if model.fields["geom_group"][number] < _SHOWN_GROUPS:
            colour = _colour(model.fields, number)
            own = (replace(shape, colour=colour) for shape in _shapes(model, number, meshes))
            found[body] = (*found.get(body, ()), *own)
    return found


def _colour(fields: Mapping[str, Any], number: int) -> Colour | None:
    """That of a geom's material, or its own; None where it is the grey that MuJoCo gives to all that say nothing."""
    material = fields["geom_matid"][number]
    rgba = fields["geom_rgba"][number]
    if material >= 0 and rgba == _UNSAID:
        rgba = fields["mat_rgba"][material]
    elif rgba == _UNSAID:
        return None
    return clear_colour(rgba)


def collisions_of(
    model: ModelRecord, meshes: Mapping[str, str]
) -> tuple[dict[int, tuple[Collision | Mesh, ...]], dict[int, str]]:
    """Shapes that may touch, by body, and the names of their geoms, which differ on each body."""
    found: dict[int, tuple[Collision | Mesh, ...]] = {}
    fields, names = model.fields, dict[int, str]()
    paired = {*fields.get("pair_geom1", ()), *fields.get("pair_geom2", ())}
    for number, body in enumerate(fields["geom_bodyid"]):
        if fields["geom_contype"][number] or fields["geom_conaffinity"][number] or number in paired:
            before = found.get(body, ())
            names[number] = unlike(model.names("geom")[number], {own.name for own in before})
            found[body] = (*before, _collision(model, number, meshes, names[number]))
    return found, names


def _collision(model: ModelRecord, number: int, meshes: Mapping[str, str], name: str) -> Collision | Mesh:
    fields = model.fields
    kind, (a, b, c) = fields["geom_type"][number], fields["geom_size"][number]
    at = placed(tuple(fields["geom_pos"][number]), tuple(fields["geom_quat"][number]))
    x, y, z = (float(own) for own in at.translation)  # type: ignore[arg-type]
    along = [row[2] * b for row in at.rotation]
    ends = tuple((x + sign * along[0], y + sign * along[1], z + sign * along[2]) for sign in (-1.0, 1.0))
    if kind == _SPHERE:
        return Collision(name, Shape("sphere", ((x, y, z),), a))
    if kind == _CAPSULE:
        return Collision(name, Shape("capsule", ends, a))
    if kind == _CYLINDER:
        return Collision(name, Shape("cylinder", ends, a))
    if kind == _BOX:
        return Collision(name, Shape("box", ((x, y, z),), size=(2.0 * a, 2.0 * b, 2.0 * c), rotation=at.rotation))
    if kind == _MESH:
        seen = _mesh(model, fields["geom_dataid"][number], at, meshes)
        if seen.fault:
            return Mesh(name, "", fault=seen.fault)
        px, py, pz = (float(own) for own in seen.placement.translation)  # type: ignore[arg-type]
        scale = (seen.size[0], seen.size[1], seen.size[2])
        return Mesh(name, seen.address, scale, (px, py, pz), seen.placement.rotation)
    if kind == _PLANE:
        axis = (at.rotation[0][2], at.rotation[1][2], at.rotation[2][2])
        return Collision(name, Shape("plane", ((x, y, z),), axis=axis))
    if kind == _ELLIPSOID:
        return Mesh(name, "", fault="ellipsoids take no part in contacts")
    return Mesh(name, "", fault="height fields and fields of distances take no part in contacts")


def _shapes(model: ModelRecord, number: int, meshes: Mapping[str, str]) -> Iterator[Visual]:
    fields = model.fields
    kind, (a, b, c) = fields["geom_type"][number], fields["geom_size"][number]
    at = placed(tuple(fields["geom_pos"][number]), tuple(fields["geom_quat"][number]))
    if kind == _CYLINDER:
        yield Visual("cylinder", (a, 2.0 * b), at)
    if kind == _CAPSULE:
        yield from capsule(a, 2.0 * b, at)
    if kind == _SPHERE:
        yield Visual("sphere", (a,), at)
    if kind == _ELLIPSOID:
        yield Visual("ellipsoid", (a, b, c), at)
    if kind == _BOX:
        yield Visual("box", (2.0 * a, 2.0 * b, 2.0 * c), at)
    if kind == _MESH:
        yield _mesh(model, fields["geom_dataid"][number], at, meshes)


def _mesh(model: ModelRecord, mesh: int, at: Placement, meshes: Mapping[str, str]) -> Visual:
    """A mesh as its file has it, which MuJoCo has moved to its centre of mass and principal axes."""
    fields, address = model.fields, meshes.get(model.names("mesh")[mesh], "")
    if not address or "mesh_scale" not in fields:
        return Visual("mesh", fault="its mesh has no file, or MuJoCo does not tell how it was moved")
    w, x, y, z = fields["mesh_quat"][mesh]
    back = rotation_of((w, -x, -y, -z))
    moved = after(Placement((0.0, 0.0, 0.0), back), tuple(-entry for entry in fields["mesh_pos"][mesh]))
    point = (float(moved.translation[0]), float(moved.translation[1]), float(moved.translation[2]))  # type: ignore[arg-type]
    return Visual("mesh", tuple(fields["mesh_scale"][mesh]), after(at, point, back), address)
