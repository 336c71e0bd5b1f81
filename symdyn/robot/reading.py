"""What is handed to the readers of robot files: options, folders, contacts beside the file, and the cache."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from symdyn.errors import ArgumentError, DescriptionError, ModelError, RequestError
from symdyn.interface.argument_words import given_flag, given_path, listed_names
from symdyn.interface.guesses import hint

if TYPE_CHECKING:
    from symdyn.description.read import Unread
    from symdyn.description.robot import RobotDescription

_Made = TypeVar("_Made")
FILE = "file"
_PACKAGE = "package://"
Triple = tuple[float, float, float]


def unread(
    read: Callable[..., Unread], strict: bool | None, repair: bool, runtime: Sequence[str] | None
) -> tuple[Unread, Sequence[str] | None]:
    """What a reader has to read, and the names of run-time parameters as they are handed on."""
    strict = None if strict is None else given_flag("strict", strict, refusal=ModelError)
    repair = given_flag("repair", repair, refusal=ModelError)
    listed = listed_names(runtime)
    runtime = runtime if listed is None else tuple(listed)
    # what is no list of names is refused with the other options
    names = runtime if isinstance(runtime, tuple) else None
    return read(strict=strict, runtime=names, repair=repair), runtime


def touching(
    description: RobotDescription,
    contacts: str | os.PathLike[str],
    floating_base: bool | None,
    runtime: Sequence[str] | None,
    beside: Mapping[str, Any],
    strict: bool | None,
    file: str | os.PathLike[str] | None = None,
) -> RobotDescription:
    """The robot with contacts from beside its ``file``."""
    names = runtime if isinstance(runtime, tuple) else None
    folders = (*beside["package_paths"], *(() if file is None else own_folders(description, Path(file))))
    return with_contacts(description, contacts, floating_base, names, beside["ignore"], folders, strict is False)


def said_beside(
    loops: str | os.PathLike[str] | None,
    folders: Sequence[str | os.PathLike[str]],
    xacro_args: Mapping[str, str] | None,
    package_paths: Sequence[str | os.PathLike[str]],
    ignore: Sequence[str],
) -> dict[str, Any]:
    """What readers are told beside a file, checked, with what they need of symdyn."""
    given: object = ignore
    if isinstance(given, str) or not isinstance(given, Sequence) or not all(isinstance(own, str) for own in given):
        raise ArgumentError(f"ignore is a list of names, got {ignore!r}")
    lists = {"folders": _folders("folders", folders), "package_paths": _folders("package_paths", package_paths)}
    return {"loops": loops, "xacro_args": xacro_args, "ignore": tuple(ignore), **lists, **_AIDS}


def _folders(name: str, folders: Sequence[str | os.PathLike[str]]) -> tuple[Path, ...]:
    if isinstance(folders, str | os.PathLike) or not isinstance(folders, Sequence):
        raise ArgumentError(f"{name} is a list of folders, got {type(folders).__name__}")
    found = tuple(given_path(name, folder) for folder in folders)
    for folder in found:
        if not folder.is_dir():
            raise RequestError(f"{name} holds '{folder}'; expected a folder that exists")
    return found


def recalled(said: Sequence[bytes], make: Callable[[], _Made]) -> _Made:
    """What was made before from the same bytes, from the cache; now, and kept there, where nothing was."""
    import pickle

    from symdyn.interface.manifest import text_digest
    from symdyn.toolchain import remembered

    address = remembered.address(list(map(text_digest, said)))
    data = remembered.recall_bytes("robots", address)
    if data is not None:
        return pickle.loads(data)  # type: ignore[no-any-return]  # noqa: S301  (from the private cache, by its hash)
    made = make()
    remembered.remember_bytes("robots", address, pickle.dumps(made))
    return made


def _run(program: Path, files: Mapping[str, bytes], what: str) -> bytes:
    from symdyn.toolchain.run_program import run_program

    return run_program(program, files, what)


_AIDS: dict[str, Any] = {"recalling": recalled, "running": _run}
"""What readers are given beside files and options."""


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
