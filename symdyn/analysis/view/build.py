"""The scene of a robot: poses by its own forward kinematics, and what is drawn at them.

Surfaces and obstacles that a robot may touch, as far as it comes near them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from symdyn.algebra.spatial.rotations import minimal_rotation_from_z
from symdyn.analysis.view.links import COLOURS, ends_of, looks, mesh_of, solids_of, values_of
from symdyn.analysis.view.scene import Anchor, Array, Faces, Line, Scene, Surface, Tube, strip
from symdyn.analysis.view.shapes import ellipsoid
from symdyn.analysis.view.tubes import (
    BEAM_POINTS,
    beam_tube,
    between,
    chamber_line,
    rod_line,
    rod_tube,
    root_of,
    tendon_line,
)
from symdyn.description.attachment import Attachment
from symdyn.description.contact import Contact
from symdyn.description.contact import Surface as Touched
from symdyn.description.external_loads import Site
from symdyn.description.loops import Loop
from symdyn.errors import RequestError
from symdyn.generation.pipeline import array_recursion
from symdyn.model.values import Values
from symdyn.model.wide_rods import wide_rods
from symdyn.robot.meshes import MeshFolders
from symdyn.robot.robot import Robot
from symdyn.robot.state_checks import given_coordinates, given_parameters

WALL, OPACITY = (150, 150, 158), 0.2
CORNERS = 48


def walls_of(robot: Robot, values: Values, low: Array, high: Array, size: float) -> Iterator[Surface]:
    """The surfaces of all contacts, and obstacles, each once; of endless ones what is near the robot.

    It moves between ``low`` and ``high``; ``size`` [m] is that of what is shown.
    """
    found = [own.surface for own in robot.description.acting if isinstance(own, Contact)]
    meshes = [_mesh(surface, (low + high) / 2.0, size) for surface in dict.fromkeys(found)]
    for own in robot.description.contact.obstacles:
        shape, points = own.shape, values_of(values, own.shape)
        if shape.kind in ("box", "capsule"):
            meshes.append(mesh_of(values, shape))
            continue
        radius = float(values.number(shape.radius))
        point, axis = (points[0][0], points[0][1], points[0][2]), shape.axis
        meshes.append(_mesh(Touched(shape.kind, point, axis, radius, shape.inside), (low + high) / 2.0, size))
    for points, faces in meshes:
        yield Surface(points, faces, np.broadcast_to(np.array(WALL), (len(faces), 3)), OPACITY)


def _is_floor(wall: Surface) -> bool:
    """Whether a wall is level and seen from above: there is the grid."""
    corners = wall.points[wall.faces[0]]
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    return len(wall.faces) == 2 and bool(normal[2] > (1.0 - 1e-9) * np.linalg.norm(normal))


def _mesh(surface: Touched, centre: Array, size: float) -> tuple[Array, Faces]:
    point, axis = np.array(surface.point), np.array(surface.axis)
    if surface.shape == "sphere":
        return ellipsoid(point, np.eye(3), np.full(3, surface.radius))
    across = np.linalg.svd(axis[None])[2][1:]
    if np.linalg.det([*across, axis]) < 0.0:
        across = across[::-1]
    middle = point + ((centre - point) @ axis) * axis
    if surface.shape == "cylinder":
        turn = np.linspace(0.0, 2.0 * np.pi, CORNERS, endpoint=False)
        ring = surface.radius * (np.outer(np.cos(turn), across[0]) + np.outer(np.sin(turn), across[1]))
        ends = [middle + ring + place * axis for place in (-0.6 * size, 0.6 * size)]
        faces = strip(2, CORNERS, closed=False)
        if not surface.inside:
            fan = np.array([[0, corner, corner + 1] for corner in range(1, CORNERS - 1)])
            faces = np.concatenate([faces, fan[:, ::-1], CORNERS + fan])
        return np.concatenate(ends), faces
    foot = centre - ((centre - point) @ axis) * axis
    corners = [foot + 0.6 * size * (x * across[0] + y * across[1]) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    return np.array(corners), np.array([[0, 1, 2], [0, 2, 3]])


LOOP = (200, 30, 60)
Along = dict[str, tuple[Array, Array]]
"""Places (k,) [m] and poses (n, k, 4, 4) along links that deform."""


def scene_of(
    robot: Robot,
    q: Array,
    times: Array | None = None,
    mesh_folders: Sequence[str | os.PathLike[str]] = (),
) -> Scene:
    """What is drawn of a robot at positions q (n, nq), shown at ``times`` (n,) [s].

    Meshes are looked for in ``mesh_folders``, then in those of the robot, and nowhere else. Where one cannot be shown
    its link is drawn as a capsule, and one warning tells of all.

    Raises
    ------
    RequestError
        Positions of another shape, or where a soft link turns beyond its bound; a run-time parameter without value; or
        a mesh that lies outside the folders.
    """
    q = np.atleast_2d(given_coordinates(robot.model, "q", q))
    p = given_parameters(robot.model, None)
    frames = dict(zip(robot.frame_names, np.moveaxis(_outputs(robot, "forward_kinematics", q, p), 1, 0), strict=True))
    values = Values(robot.model.parameters, robot.model.slots, p=p.tolist())
    along: Along = {}
    soft_tubes, lines = _rods(robot, values, q, p, frames, along)
    tubes = _of_one_scale([*soft_tubes, *_beams(robot, values, q, frames, along)])
    spots = [pose[:, :3, 3] for pose in frames.values()] + [tube.poses[..., :3, 3].reshape(-1, 3) for tube in tubes]
    everywhere = np.concatenate(spots)
    ends = {link.name: list(ends_of(robot, values, link)) for link in robot.description.links}
    shown = looks(robot, values, MeshFolders((*mesh_folders, *robot.mesh_folders)))
    spread = [end for own in ends.values() for end in own]
    spread += [point for own in shown.values() for piece in own for point in piece.vertices]
    reach = float(np.linalg.norm(spread, axis=-1).max()) if spread else 0.0
    low, high = everywhere.min(axis=0), everywhere.max(axis=0)
    size = max(float(np.linalg.norm(high - low)), 2.0 * reach, 1e-3)
    still = np.concatenate([pose[:1, :3, 3] for pose in frames.values()] + [tube.poses[0, :, :3, 3] for tube in tubes])
    extent = max(float(np.linalg.norm(np.ptp(still, axis=0))), reach, 1e-3)
    solids = tuple(solids_of(robot, values, ends, shown, extent))
    lines += list(_loops(robot, values, frames, along))
    clock = np.arange(len(q)) / 60.0 if times is None else times
    walls = tuple(walls_of(robot, values, low, high, size))
    floors = [float(wall.points[0, 2]) for wall in walls if _is_floor(wall)]
    ground = max(floors) - 1e-3 * size if floors else float(low[2]) - 0.04 * size
    return Scene(robot.name, clock, frames, solids, tuple(tubes), tuple(lines), (low + high) / 2.0, size, ground, walls)


def _outputs(robot: Robot, function: str, q: Array, p: Array) -> Array:
    (rows,) = array_recursion(robot, function)({"q": q, "p": p[None]}).values()
    width = 6 if function == "station_strains" else 16
    found = rows.reshape(len(q), -1, width)
    lost = ~np.isfinite(found).all(axis=(1, 2))
    if lost.any():
        first = int(np.argmax(lost))
        raise RequestError(
            f"robot '{robot.name}' has no pose at position {first} of q{wide_rods(robot.model, q[first])}"
        )
    return np.asarray(found if width == 6 else found.reshape(len(q), -1, 4, 4))


def _rods(
    robot: Robot, values: Values, q: Array, p: Array, frames: dict[str, Array], along: Along
) -> tuple[list[Tube], list[Line]]:
    links = {link.name: link.soft for link in robot.description.links if link.soft is not None}
    if not links:
        return [], []
    model = robot.model
    stations = _outputs(robot, "station_poses", q, p)
    strains = _outputs(robot, "station_strains", np.vstack([robot.neutral()[None], q]), p)
    angular = strains[..., :3] if robot.options.convention == "spatial" else strains[..., 3:]
    bent = np.linalg.norm(angular[1:] - angular[:1], axis=-1)
    tubes, lines = [], []
    for name, soft in links.items():
        x, poses = along[name] = rod_line(model, values, name, soft, frames[name], stations)
        own = [row for row, (rod, _) in enumerate(model.stations) if rod.link == name]
        shown = np.concatenate([bent[:, own[:1]], bent[:, own]], axis=1)
        tubes.append(rod_tube(name, soft, x, poses, shown, root_of(values, soft), own))
        for tendon in robot.description.actuation.tendons:
            for number, strand in enumerate(tendon.strands):
                if strand.link == name:
                    ends = (strand.start, strand.end)
                    lines.append(tendon_line(name, f"{tendon.name}/{number}", x, poses, strand.y, strand.z, ends))
        for chamber in robot.description.actuation.chambers:
            if chamber.link == name:
                lines.append(chamber_line(name, chamber, soft, x, poses))
    return tubes, lines


def _beams(robot: Robot, values: Values, q: Array, frames: dict[str, Array], along: Along) -> Iterator[Tube]:
    names = list(robot.coordinate_names)
    for number, link in enumerate(robot.description.links):
        beam = link.flexible
        if beam is not None:
            rows = {}
            for modes in beam.modes:
                said = [f"{link.name}.{modes.direction.value}[{number}]" for number in range(modes.count)]
                rows[modes.direction.value] = [names.index(name) for name in said]
            found = {direction: q[:, own] for direction, own in rows.items()}
            tube = beam_tube(values, link.name, beam, found, frames[link.name], rows)
            along[link.name] = np.linspace(0.0, beam.length, BEAM_POINTS), tube.poses
            yield replace(tube, colour=COLOURS[number % len(COLOURS)])


def _of_one_scale(tubes: list[Tube]) -> list[Tube]:
    """Colours from 0 to the most of the whole motion, of all tubes together."""
    most = max((float(tube.values.max()) for tube in tubes), default=0.0)
    return [replace(tube, values=tube.values / most if most > 0.0 else tube.values) for tube in tubes]


def _loops(robot: Robot, values: Values, frames: dict[str, Array], along: Along) -> Iterator[Line]:
    for loop in (holding.constraint for holding in robot.model.loops):
        if isinstance(loop, Loop):
            anchors = tuple(
                replace(_anchor(robot, values, site, frames), turn=minimal_rotation_from_z(axis))
                for site, axis in zip(loop.between, loop.axes, strict=True)
            )
            first, second = (_pose(anchor, frames, along) for anchor in anchors)
            points = np.stack([first[:, :3, 3], second[:, :3, 3]], axis=1)
            yield Line(f"{loop.name}/loop", points, LOOP, anchors, second[:, :3, :3], loop.name)


def _anchor(robot: Robot, values: Values, site: Site, frames: dict[str, Array]) -> Anchor:
    """What a place moves with."""
    x, y, z = (float(values.number(number)) for number in site.point)
    if site.grounded:
        return Anchor((x, y, z))
    if isinstance(site.at, float) and not site.frame:
        return Anchor((x, y, z), tube=site.link, place=site.at)
    tip = f"{site.link}.tip"
    if site.frame or tip not in frames or site.at is Attachment.ROOT:
        return Anchor((x, y, z), frame=site.frame or site.link)
    if site.at is Attachment.TIP:
        x, y, z = (np.array([x, y, z]) - _tip_at_rest(robot, site.link)).tolist()
    return Anchor((x, y, z), frame=tip)


def _pose(anchor: Anchor, frames: dict[str, Array], along: Along) -> Array:
    """Where an anchor is in the world, with its axes, (n, 4, 4)."""
    place = np.eye(4)
    place[:3, :3], place[:3, 3] = anchor.turn, anchor.point
    if anchor.tube:
        x, poses = along[anchor.tube]
        return np.asarray(between(x, poses, np.array([anchor.place]))[:, 0] @ place)
    if anchor.frame:
        return np.asarray(frames[anchor.frame] @ place)
    return np.broadcast_to(place, (len(next(iter(frames.values()))), 4, 4))


def _tip_at_rest(robot: Robot, link: str) -> Array:
    """Where the tip of a link is in the link's frame while the link is at rest [m]."""
    poses = _outputs(robot, "forward_kinematics", robot.neutral()[None], given_parameters(robot.model, None))[0]
    root, tip = (poses[robot.frame_names.index(name)] for name in (link, f"{link}.tip"))
    return np.asarray(root[:3, :3].T @ (tip[:3, 3] - root[:3, 3]))
