"""Rigid contacts beside a robot's file: of a YAML file, pairs of its own, or all collision shapes on the ground."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from symdyn.errors import DescriptionError, RequestError

if TYPE_CHECKING:
    from symdyn.description.robot import RobotDescription

GROUND = "ground"
FILE = "file"
_FRICTION = 0.8
Triple = tuple[float, float, float]


def with_contacts(
    description: RobotDescription,
    contacts: str | os.PathLike[str],
    floating_base: bool | None,
    runtime: Sequence[str] | None,
    ignore: Collection[str],
    folders: Sequence[Path],
    lenient: bool = False,
) -> RobotDescription:
    """The robot with the contacts of a file, with those of its own, or with the ground.

    Parameters
    ----------
    description
        The robot.
    contacts
        ``"ground"``, ``"file"``, or a YAML file.
    floating_base, runtime, ignore
        As for :func:`symdyn.load`.
    folders
        Where meshes may be.
    lenient
        Leave out, with a warning, what a file's own pairs ask for and rigid contacts do not have.

    Raises
    ------
    DescriptionError
        The file does not fit the robot, or a mesh stands where a shape is needed.
    """
    if contacts == GROUND:
        return _on_ground(description, floating_base)
    from symdyn.description.checks.check import check
    from symdyn.description.file_pairs import contacts_of_file
    from symdyn.description.read import read_beside
    from symdyn.description.rigid_contact import rigid_contacts
    from symdyn.description.yaml.read import with_contacts as with_file
    from symdyn.description.yaml.read_contacts import Fits
    from symdyn.robot.fitted_shapes import enclosing_sphere, hull_vertices

    pairs = partial(contacts_of_file, floating_base=floating_base, lenient=lenient)
    if contacts == FILE:  # those of YAML act anyhow
        return description if any(rigid_contacts(description)) else check(pairs(description))
    data, source = read_beside("contacts", contacts)
    fits = Fits(lambda address: _vertices(address, folders), enclosing_sphere, hull_vertices)
    return with_file(description, data, source, fits, pairs, runtime=runtime, ignore=ignore)


def _vertices(address: str, folders: Sequence[Path]) -> list[Triple]:
    from symdyn.interface.optional_packages import require
    from symdyn.robot.meshes import MeshFolders, UnreadableMeshError, all_vertices

    require("a mesh of a contact", "trimesh", "view")
    try:
        found = all_vertices(MeshFolders(folders), address)
    except (UnreadableMeshError, RequestError) as failure:
        raise DescriptionError(
            f"{failure}; name its folder by package_paths, on the command line --package-path, or give shapes by name"
        ) from failure
    return [(float(x), float(y), float(z)) for x, y, z in found]


def _on_ground(description: RobotDescription, floating_base: bool | None) -> RobotDescription:
    """All collision shapes against the plane z = 0; those of the root stand still where the base does."""
    from symdyn.description.checks.check import check
    from symdyn.description.collision import Collision, ContactSettings, Obstacle, Shape
    from symdyn.description.contact_pairs import slot_points
    from symdyn.description.file_pairs import still_links
    from symdyn.description.rigid_contact import Part, RigidContact, rigid_contacts
    from symdyn.description.yaml.read_contacts import mesh_refusal

    source = description.source or description.name
    if any(rigid_contacts(description)) or description.contact != ContactSettings():
        raise DescriptionError(f"{source}: contacts='ground': the robot's own file has rigid contacts; leave one out")
    still = still_links(description, floating_base)
    plane, parts, links, count = Shape("plane"), list[Part](), [], 0
    for link in description.links:
        shapes = list(link.collision)
        for own in link.geometry if link.name not in still else ():
            if not isinstance(own, Collision):
                raise DescriptionError(f"{source}: contacts='ground'{mesh_refusal(link.name, own)}")
            shapes.append(own)
        links.append(replace(link, collision=tuple(shapes)))
        if link.name not in still and not link.deforms:
            parts += [Part(link.name, own.name) for own in shapes]
            count += sum(len(slot_points(own.shape, plane)) for own in shapes)
        elif link.soft is not None:
            parts.append(Part(link.name))
    if not parts:
        raise DescriptionError(
            f"{source}: contacts='ground': no moving link has a collision shape; give a file of contacts with shapes "
            "under collision, or free the base by floating_base=True"
        )
    radius = None if any(link.soft is not None and link.soft.section.radius for link in links) else 0.0
    ground = RigidContact(GROUND, tuple(parts), (Part(shape=GROUND),), _FRICTION, radius=radius)
    settings = ContactSettings((Obstacle(GROUND, plane),))
    made = check(replace(description, links=tuple(links), acting=(*description.acting, ground), contact=settings))
    note = f"contacts='ground': {len(parts)} shapes may touch the plane z = 0 at {count} points, with friction 0.8"
    return replace(made, warnings=(*made.warnings, note))
