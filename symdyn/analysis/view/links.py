"""What is drawn of rigid links: the shapes of their file, or capsules and shapes of inertia."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module

import numpy as np

from symdyn.analysis.view.scene import Array, Colour, Faces, Solid
from symdyn.analysis.view.shapes import box, capsule, cylinder, ellipsoid, inertia_shape
from symdyn.description.collision import Shape as CollisionShape
from symdyn.description.loops import Loop
from symdyn.description.robot import Joint, JointKind, Link
from symdyn.description.visual import Colour as FileColour
from symdyn.description.visual import Visual
from symdyn.errors import SymdynWarning
from symdyn.model.parameter_names import inertial_numbers
from symdyn.model.values import Values
from symdyn.robot.meshes import MeshFolders, Piece, UnreadableMeshError
from symdyn.robot.robot import Robot

COLOURS = ((86, 101, 121), (222, 139, 58), (74, 134, 166), (128, 155, 92), (176, 96, 96), (126, 110, 160))
INERTIA = (150, 150, 158)
THICK, THIN = 1.0 / 60.0, 1.0 / 9.0
"""Radius of capsules: a share of the whole robot at most, and of their own length."""

LEAST_OPACITY = 0.1

MARKED = 0.5
"""How far out marks are where a link is drawn up to them, of its longest capsule."""

Shapes = list[Piece]


def looks(robot: Robot, values: Values, folders: MeshFolders) -> dict[str, Shapes]:
    """The shapes of each link of which the file has some and all can be shown, in the link's axes [m].

    Of a rigid link that does not say how it looks, its collision shapes are shown.

    Where meshes are named and folders for them too, those that cannot be shown give one warning.
    """
    found, missing = {}, []
    for link in robot.description.links:
        if not link.visuals and link.collision and not link.deforms:
            found[link.name] = [Piece(*mesh_of(values, own.shape)) for own in link.collision]
        if not link.visuals or (not folders.named and any(own.shape == "mesh" for own in link.visuals)):
            continue
        try:
            found[link.name] = [piece for own in link.visuals for piece in _shape(own, folders)]
        except UnreadableMeshError as failure:
            missing.append(f"link '{link.name}': {failure}")
    if missing:
        more = f" (and {len(missing) - 1} more links)" if len(missing) > 1 else ""
        warnings.warn(f"{missing[0]}; it is drawn as a capsule{more}", SymdynWarning, stacklevel=2)
    return found


def ends_of(robot: Robot, values: Values, link: Link) -> Iterator[Array]:
    """Where a rigid link holds others, in its own axes [m]; of the last in a chain, twice its centre of mass.

    Frames and fixed links without mass, such as sensors, count only where nothing else is held, or farther out than
    half of that.
    """
    if link.deforms:
        return
    found: list[list[float]] = []
    marks: list[list[float]] = []
    for joint in robot.description.joints:
        if joint.parent == link.name and joint.kind is not JointKind.FLOATING:
            place = values.translation(joint.placement, joint.name)
            (marks if _is_mark(robot, joint) else found).append(place)
    marks += [values.translation(f.placement, f.name) for f in robot.description.frames if f.link == link.name]
    for held in (own.constraint for own in robot.model.loops):
        if isinstance(held, Loop):
            found += [[values.number(n) for n in site.point] for site in held.between if site.link == link.name]
    longest = max((float(np.linalg.norm(end)) for end in found), default=0.0)
    found += [end for end in marks if np.linalg.norm(end) >= MARKED * longest]
    found = [end for end in found if np.linalg.norm(end) > 1e-9]
    if not found and link.inertial is not None and link.name != robot.description.root:
        found = [[2.0 * values.number(number) for number in link.inertial.placement.translation]]
    for end in found:
        if np.linalg.norm(end) > 1e-9:
            yield np.array(end, dtype=np.float64)


def _is_mark(robot: Robot, joint: Joint) -> bool:
    """Whether a joint holds a link without mass and shape that holds nothing."""
    if joint.kind is not JointKind.FIXED or any(other.parent == joint.child for other in robot.description.joints):
        return False
    child = next(link for link in robot.description.links if link.name == joint.child)
    return child.inertial is None and not child.visuals and not child.deforms


def solids_of(
    robot: Robot, values: Values, ends: dict[str, list[Array]], shown: dict[str, Shapes], extent: float
) -> Iterator[Solid]:
    """The solids of all links; ``extent`` [m] is that of the robot, by which capsules are as thick as fits."""
    for number, link in enumerate(robot.description.links):
        colour = COLOURS[number % len(COLOURS)]
        if link.name in shown:
            for place, own in enumerate(shown[link.name]):
                *painted, opacity = (*colour, 1.0) if own.colour is None else _seen(own.colour)
                red, green, blue = painted
                name = f"{link.name}/visual_{place}"
                yield Solid(name, link.name, own.vertices, own.faces, (int(red), int(green), int(blue)), opacity)
        else:
            yield from _by_inertia(values, link, ends[link.name], extent, colour)


def values_of(values: Values, shape: CollisionShape) -> Array:
    """The points (k, 3) [m] of a collision shape."""
    return np.array([[float(values.number(number)) for number in point] for point in shape.points])


def mesh_of(values: Values, shape: CollisionShape) -> tuple[Array, Faces]:
    """A sphere, capsule, cylinder, box or hull."""
    points, radius = values_of(values, shape), float(values.number(shape.radius))
    match shape.kind:
        case "box":
            return box(points[0], np.array(shape.rotation), np.array(shape.size) / 2.0)
        case "hull":
            hull = import_module("scipy.spatial").ConvexHull(points)
            middle, faces = points.mean(axis=0), np.array(hull.simplices, dtype=np.int64)
            inward = np.einsum("ij,ij->i", hull.equations[:, :3], points[faces[:, 0]] - middle) < 0.0
            turned = np.linalg.det(points[faces] - middle) < 0.0
            faces[turned ^ inward] = faces[turned ^ inward][:, ::-1]
            return points, faces
        case "cylinder":
            vertices, faces = cylinder(radius, float(np.linalg.norm(points[1] - points[0])))
            axis = points[1] - points[0]
            turn = np.linalg.svd(axis[None])[2][[1, 2, 0]].T
            turn[:, 2] *= np.sign(turn[:, 2] @ axis)
            turn[:, 0] *= np.sign(np.linalg.det(turn))
            return vertices @ turn.T + points.mean(axis=0), faces
    return capsule(points[0], points[-1], radius)


def _seen(colour: FileColour) -> tuple[float, float, float, float]:
    """A colour of a file as it is drawn: from 0 to 255, and never so clear that nothing is seen."""
    red, green, blue = (round(255.0 * own) for own in colour[:3])
    return red, green, blue, max(colour[3], LEAST_OPACITY)


def _shape(visual: Visual, folders: MeshFolders) -> list[Piece]:
    """Its pieces in the link's axes; a colour of the robot's file counts for all of them."""
    if visual.fault:
        raise UnreadableMeshError(visual.fault)
    origin, axes = np.zeros(3), np.eye(3)
    match visual.shape:
        case "mesh":
            turned = slice(None, None, -1 if np.prod(visual.size) < 0.0 else 1)  # a reflection turns faces inside out
            read = folders.read(visual.address)
            pieces = [replace(own, vertices=own.vertices * visual.size, faces=own.faces[:, turned]) for own in read]
        case "box":
            pieces = [Piece(*box(origin, axes, np.array(visual.size) / 2.0))]
        case "cylinder":
            radius, length = visual.size
            pieces = [Piece(*cylinder(radius, length))]
        case _:  # a sphere has one half axis
            pieces = [Piece(*ellipsoid(origin, axes, np.broadcast_to(np.array(visual.size), 3)))]
    turn, move = np.array(visual.placement.rotation), np.array(visual.placement.translation, dtype=np.float64)
    return [replace(own, vertices=own.vertices @ turn.T + move, colour=visual.colour or own.colour) for own in pieces]


def _by_inertia(values: Values, link: Link, ends: list[Array], extent: float, colour: Colour) -> Iterator[Solid]:
    for number, end in enumerate(ends):
        radius = min(THICK * extent, THIN * float(np.linalg.norm(end)))
        yield Solid(f"{link.name}/capsule_{number}", link.name, *capsule(np.zeros(3), end, radius), colour)
    if link.inertial is None:
        return
    mass, x, y, z, *moments = values.numbers(inertial_numbers(link.inertial), link.name).values()
    if mass <= 0.0:
        return
    turn = np.array(link.inertial.placement.rotation)
    xx, xy, xz, yy, yz, zz = moments
    about = turn @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn.T
    mesh = inertia_shape(np.array([x, y, z]), mass, about, 0.006 * extent)
    yield Solid(f"{link.name}/inertia", link.name, *mesh, INERTIA, 0.35, of_inertia=True)
