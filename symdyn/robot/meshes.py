"""Meshes that a robot file names: found in folders that the user names and nowhere else, read by trimesh."""

from __future__ import annotations

import importlib
import io
import os
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symdyn.errors import RequestError, one_line
from symdyn.interface.regular_files import read_regular

Array = NDArray[np.float64]
Faces = NDArray[np.int64]
FORMATS = (".stl", ".obj", ".dae")
MOST_BYTES, MOST_FACES = 64 * 1024 * 1024, 4000
"""Larger files are not read. Meshes with more faces are made coarser, as pages and painting would take long."""
_PACKAGE, _FILE = "package://", "file://"


class UnreadableMeshError(Exception):
    """A mesh that cannot be shown, with the reason."""


class MeshFolders:
    """The folders in which meshes may be, in the order in which they are searched.

    Parameters
    ----------
    folders
        For ``package://name/rest`` a folder is either the package itself, if that is its name, or holds it. Other
        relative addresses begin in it, and absolute ones lie below it.

    Raises
    ------
    RequestError
        One that is no folder.
    """

    def __init__(self, folders: Sequence[str | os.PathLike[str]] = ()) -> None:
        self._folders = [Path(folder) for folder in folders]
        self._read: dict[Path, tuple[Array, Faces]] = {}
        for folder in self._folders:
            if not folder.is_dir():
                raise RequestError(f"mesh folder '{folder}': expected a folder that exists")

    @property
    def named(self) -> bool:
        """Whether there is any."""
        return bool(self._folders)

    def find(self, address: str) -> Path | None:
        """The file of an address; None where no folder has it.

        Raises
        ------
        RequestError
            An address that leads out of the folders, goes upwards, or is another kind of address than ``package://``; a
            file that a symbolic link puts outside the folder in which it was found.
        """
        if (file := self._inside(address)) is not None:
            return file
        steps = _steps(address)
        package = address.startswith(_PACKAGE)
        for folder in self._folders:
            base = folder.resolve()
            ways = [steps, steps[1:]] if package and base.name == steps[0] else [steps]
            for way in ways:
                file = base.joinpath(*way).resolve()
                if not file.is_relative_to(base):
                    raise RequestError(
                        f"mesh '{address}' leads out of folder '{folder}' by a symbolic link; name the folder that it "
                        "leads to as a mesh folder, or name none"
                    )
                if file.is_file():
                    return file
        return None

    def _inside(self, address: str) -> Path | None:
        """The file of an absolute address, as xacro writes it for ``$(find package)``, where it is in a folder."""
        file = Path(address.removeprefix(_FILE))
        if not file.is_absolute() or not any(file.resolve().is_relative_to(own.resolve()) for own in self._folders):
            return None
        return file.resolve() if file.is_file() else None

    def read(self, address: str) -> tuple[Array, Faces]:
        """Vertices (m, 3) in the file's lengths, metres where it says so, and faces (k, 3) of a mesh.

        Raises
        ------
        RequestError
            As for :meth:`find`.
        UnreadableMeshError
            No such file, or one that is too large or that trimesh cannot read.
        """
        file = self.find(address)
        if file is None:
            raise UnreadableMeshError(f"mesh '{address}' is in none of the mesh folders")
        if file not in self._read:
            self._read[file] = _coarser(*_triangles(file, address))
        return self._read[file]


def all_vertices(folders: MeshFolders, address: str) -> Array:
    """All vertices (m, 3) of a mesh, in the file's lengths; errors as for :meth:`MeshFolders.read`."""
    file = folders.find(address)
    if file is None:
        raise UnreadableMeshError(f"mesh '{address}' is in none of the mesh folders")
    return _triangles(file, address)[0]


def _steps(address: str) -> tuple[str, ...]:
    """The parts of an address, none of which leads elsewhere."""
    if any(ord(letter) < 32 for letter in address) or not address:
        raise RequestError(f"mesh address '{address}': expected the name of a file")
    rest = address.removeprefix(_PACKAGE)
    path = PurePosixPath(rest.replace("\\", "/"))
    if "://" in rest or path.is_absolute() or ":" in rest.partition("/")[0]:
        raise RequestError(
            f"mesh '{address}': only package:// and relative addresses are opened, inside the mesh folders; write one "
            "of these in the robot file, or name no mesh folder"
        )
    if ".." in path.parts or not path.parts:
        raise RequestError(
            f"mesh '{address}': an address with '..' leads out of the mesh folders and is not opened; write package:// "
            "or a path below a mesh folder in the robot file, or name no mesh folder"
        )
    return path.parts


def _triangles(file: Path, address: str) -> tuple[Array, Faces]:
    kind = file.suffix.lower()
    if kind not in FORMATS:
        raise UnreadableMeshError(f"mesh '{address}': read are {', '.join(FORMATS)}")
    data = read_regular(file, MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise UnreadableMeshError(f"mesh '{address}' is larger than {MOST_BYTES // 2**20} MiB")
    if kind == ".dae" and b"\0" in data:
        raise UnreadableMeshError(f"mesh '{address}' is no text in UTF-8")
    if kind == ".dae" and b"<!" in data.replace(b"<!--", b"").replace(b"<![CDATA[", b""):
        raise UnreadableMeshError(f"mesh '{address}' has a document type, which could name other files")
    try:
        # From bytes and without a resolver: a mesh cannot make it open its materials or other files.
        asked: dict[str, Any] = {"skip_materials": True} if kind == ".obj" else {}
        scene = importlib.import_module("trimesh").load_scene(io.BytesIO(data), file_type=kind[1:], **asked)
        mesh = (scene.convert_units("meters") if scene.units else scene).to_mesh()
        vertices, faces = np.asarray(mesh.vertices, dtype=np.float64), np.asarray(mesh.faces, dtype=np.int64)
    except Exception as failure:  # whatever a parser says about a file of anyone
        raise UnreadableMeshError(f"mesh '{address}' cannot be read: {one_line(failure)[:200]}") from failure
    if not len(faces) or not np.isfinite(vertices).all():
        raise UnreadableMeshError(f"mesh '{address}' has no faces, or vertices that are not finite")
    return vertices, faces


def _coarser(vertices: Array, faces: Faces) -> tuple[Array, Faces]:
    """At most ``MOST_FACES`` faces: vertices in one cell of a grid become one, and cells grow until that holds."""
    extent = max(float(np.ptp(vertices, axis=0).max()), 1e-12)
    cells = 96
    while len(faces) > MOST_FACES and cells > 2:
        _, first, own = np.unique(np.round(vertices * (cells / extent)), axis=0, return_index=True, return_inverse=True)
        vertices, faces = vertices[first], own.reshape(-1)[faces]
        flat = (faces == np.roll(faces, 1, axis=1)).any(axis=1)
        faces = np.unique(faces[~flat], axis=0)
        cells = cells * 3 // 4
    return vertices, faces
