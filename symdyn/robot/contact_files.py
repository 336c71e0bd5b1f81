"""Rigid contacts beside a robot's file: of a YAML file, pairs of its own, or all collision shapes on the ground."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from symdyn.errors import DescriptionError, RequestError
from symdyn.interface.argument_words import given_path
from symdyn.interface.guesses import hint

if TYPE_CHECKING:
    from symdyn.description.robot import RobotDescription

FILE = "file"
_PACKAGE = "package://"
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
    from symdyn.description.checks.check import check
    from symdyn.description.collision import ContactSettings, Mesh
    from symdyn.description.file_pairs import contacts_of_file
    from symdyn.description.ground_contact import GROUND, on_ground
    from symdyn.description.read import read_beside
    from symdyn.description.rigid_contact import rigid_contacts
    from symdyn.description.yaml.read import with_contacts as with_file
    from symdyn.description.yaml.read_contacts import Fits
    from symdyn.robot.fitted_shapes import enclosing_sphere, hull_vertices

    given_path("contacts", contacts)
    has_rigid = any(rigid_contacts(description))
    pairs = partial(contacts_of_file, floating_base=floating_base, lenient=lenient)
    ground = partial(on_ground, floating_base=floating_base)
    if contacts == FILE:  # those of YAML act anyhow
        return description if has_rigid else check(pairs(description))
    if contacts == GROUND:
        if has_rigid or description.contact != ContactSettings():
            source = description.source or description.name
            raise DescriptionError(
                f"{source}: contacts='ground': the robot's own file has rigid contacts; leave one out"
            )
        if not any(isinstance(shape, Mesh) for link in description.links for shape in link.geometry):
            return check(ground(description))
        data, source = b"ground: true", f"{description.source or description.name}: contacts='ground'"
    else:
        if meant := hint(str(contacts), (GROUND, FILE)) if not Path(contacts).exists() else "":
            raise DescriptionError(f"contacts: there is no file '{contacts}'{meant}")
        data, source = read_beside("contacts", contacts)
    fits = Fits(lambda address: _vertices(address, folders), enclosing_sphere, hull_vertices)
    return with_file(description, data, source, fits, (pairs, ground), runtime=runtime, ignore=ignore)


def own_folders(description: RobotDescription, file: Path) -> tuple[Path, ...]:
    """The folder of a robot's file, and those above it that are named in the addresses of its collision meshes."""
    from symdyn.description.collision import Mesh

    meshes = [mesh.address for link in description.links for mesh in link.geometry if isinstance(mesh, Mesh)]
    packages = {
        name
        for address in meshes
        if address.startswith(_PACKAGE)
        for name in address.removeprefix(_PACKAGE).split("/")[:-1]
    }
    above = file.absolute().parents
    return tuple(folder for folder in above if folder.name in packages or (folder == above[0] and meshes))


def _vertices(address: str, folders: Sequence[Path]) -> list[Triple]:
    from symdyn.interface.optional_packages import require
    from symdyn.robot.meshes import MeshFolders, UnreadableMeshError, all_vertices

    require("a mesh of a contact", "trimesh", "view")
    try:
        vertices = all_vertices(MeshFolders(folders), address)
    except (UnreadableMeshError, RequestError) as failure:
        raise DescriptionError(
            f"{failure}; name its folder by package_paths, on the command line --package-path, or give shapes by name"
        ) from None
    return [(float(x), float(y), float(z)) for x, y, z in vertices]
