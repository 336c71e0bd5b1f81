"""Meshes that a robot file names: found in folders that the user names and nowhere else, read by trimesh."""

from __future__ import annotations

import importlib
import io
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symdyn.description.visual import Colour, clear_colour
from symdyn.errors import RequestError, one_line
from symdyn.interface.regular_files import read_regular

Array = NDArray[np.float64]
Faces = NDArray[np.int64]
FORMATS = (".stl", ".obj", ".dae")
MOST_BYTES, MOST_FACES = 64 * 1024 * 1024, 20000
"""Larger files are not read. Meshes with more faces are made coarser, as pages and painting would take long."""
MOST_COLOURS = 64
"""Pieces of more colours are drawn as one piece."""
_MATERIALS = ("newmtl", "kd", "d", "tr")
"""Lines of a file of materials that are read: names, colours and opacities, no images."""
_PACKAGE, _FILE = "package://", "file://"
_STL_COLOUR = b"COLOR="


@dataclass(frozen=True, slots=True)
class Piece:
    """The part of a mesh that has one colour, None where its file says none: vertices (m, 3), faces (k, 3)."""

    vertices: Array
    faces: Faces
    colour: Colour | None = None


class UnreadableMeshError(Exception):
    """A mesh that cannot be shown, with the reason."""


class MeshFolders:
    """The folders in which meshes may be, in the order in which they are searched.

    Parameters
    ----------
    folders
        For ``package://name/rest`` a folder holds the package, or has the name of one of the folders in the address;
        what comes after that is looked for in it. Other relative addresses begin in it, and absolute ones lie below it.

    Raises
    ------
    RequestError
        One that is no folder.
    """

    def __init__(self, folders: Sequence[str | os.PathLike[str]] = ()) -> None:
        self._folders = [Path(folder) for folder in folders]
        self._read: dict[Path, tuple[Piece, ...]] = {}
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
            names = {base.name, folder.absolute().name}
            after = [steps[k + 1 :] for k, name in enumerate(steps[:-1]) if package and name in names]
            ways = [steps, *after]
            for way in ways:
                file = base.joinpath(*way).resolve()
                if not file.is_relative_to(base):
                    raise RequestError(
                        f"mesh '{address}': a symbolic link below folder '{folder}' leads to '{file}' outside of it, "
                        "which is not opened; name the folder to which the link leads as a mesh folder instead"
                    )
                if file.is_file():
                    return file
        return None

    def missing(self, address: str) -> str:
        """What is said of an address that no folder has: where it was looked for, and which folder would have it."""
        looked = ", ".join(f"'{folder}'" for folder in self._folders) or "none is named"
        names = _steps(address)[:-1] if address.startswith(_PACKAGE) else ()
        wanted = "the folder in which the address begins"
        if names:
            wanted = f"a folder that holds '{names[0]}', or is named {' or '.join(map(repr, names[:3]))}"
        return f"mesh '{address}' is in none of the mesh folders ({looked}); expected {wanted}"

    def _inside(self, address: str) -> Path | None:
        """The file of an absolute address, as xacro writes it for ``$(find package)``, where it is in a folder."""
        file = Path(address.removeprefix(_FILE))
        if not file.is_absolute() or not any(file.resolve().is_relative_to(own.resolve()) for own in self._folders):
            return None
        return file.resolve() if file.is_file() else None

    def read(self, address: str) -> tuple[Piece, ...]:
        """The pieces of a mesh, a colour each, in the file's lengths, metres where it says so.

        Colours are those of COLLADA's materials, of vertices and faces, of binary STL files that have some, and of OBJ
        files whose file of materials is in the same folder.

        Raises
        ------
        RequestError
            As for :meth:`find`.
        UnreadableMeshError
            No such file, or one that is too large or that trimesh cannot read.
        """
        file = self.find(address)
        if file is None:
            raise UnreadableMeshError(self.missing(address))
        if file not in self._read:
            pieces = _pieces(file, address)
            most = [max(MOST_FACES * len(own.faces) // sum(len(p.faces) for p in pieces), 16) for own in pieces]
            self._read[file] = tuple(map(_coarser, pieces, most))
        return self._read[file]


def all_vertices(folders: MeshFolders, address: str) -> Array:
    """All vertices (m, 3) of a mesh, in the file's lengths; errors as for :meth:`MeshFolders.read`."""
    file = folders.find(address)
    if file is None:
        raise UnreadableMeshError(folders.missing(address))
    return np.concatenate([own.vertices for own in _pieces(file, address)])


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


def _pieces(file: Path, address: str) -> list[Piece]:
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
        # From bytes, and with a resolver that knows materials beside an OBJ file: a mesh makes it open nothing else.
        asked: dict[str, Any] = {"resolver": _Materials(file)} if kind == ".obj" else {}
        scene = importlib.import_module("trimesh").load_scene(io.BytesIO(data), file_type=kind[1:], **asked)
        scene = scene.convert_units("meters") if scene.units else scene
        whole = _stl_colour(data) if kind == ".stl" else None
        pieces = [own for node in scene.graph.nodes_geometry for own in _node_pieces(scene, node, whole)]
    except Exception as failure:  # whatever a parser says about a file of anyone
        raise UnreadableMeshError(f"mesh '{address}' cannot be read: {one_line(failure)[:200]}") from None
    if not pieces or not all(np.isfinite(own.vertices).all() for own in pieces):
        raise UnreadableMeshError(f"mesh '{address}' has no faces, or vertices that are not finite")
    return _by_colour(pieces)


class _Materials:
    """What an OBJ file may ask for: colours of a file of materials in its own folder, without images."""

    def __init__(self, file: Path) -> None:
        self._folder = file.parent

    def get(self, name: str) -> bytes:
        """The lines of names and colours; nothing of other files."""
        plain = PurePosixPath(name).name == name and name.lower().endswith(".mtl")
        file = (self._folder / name).resolve() if plain else None
        if file is None or file.parent != self._folder or not file.is_file():
            return b""
        lines = read_regular(file, MOST_BYTES).splitlines()
        return b"\n".join(own for own in lines if own.decode("utf-8", "replace").split(maxsplit=1)[:1] and _said(own))

    __getitem__ = get


def _said(line: bytes) -> bool:
    return line.decode("utf-8", "replace").split(maxsplit=1)[0].lower() in _MATERIALS


def _node_pieces(scene: Any, node: str, whole: Colour | None = None) -> list[Piece]:
    """The triangles of one node of a scene in the axes of the scene, by the colours of faces where these have some.

    ``whole`` is the colour that the head of an STL file says.
    """
    transform, name = scene.graph[node]
    mesh = scene.geometry[name]
    if not len(getattr(mesh, "faces", ())):
        return []
    vertices = np.asarray(mesh.vertices, dtype=np.float64) @ transform[:3, :3].T + transform[:3, 3]
    faces = np.asarray(mesh.faces, dtype=np.int64)
    if np.linalg.det(transform[:3, :3]) < 0.0:
        faces = faces[:, ::-1]
    if "stl" in mesh.face_attributes:
        return _stl_pieces(vertices, faces, np.asarray(mesh.face_attributes["stl"]).reshape(-1), whole)
    if mesh.visual.kind in ("face", "vertex"):
        painted, own = np.unique(np.asarray(mesh.visual.face_colors), axis=0, return_inverse=True)
        if len(painted) <= MOST_COLOURS:
            return [
                Piece(vertices, faces[own.reshape(-1) == number], clear_colour((colour / 255.0).tolist()))
                for number, colour in enumerate(painted)
            ]
        return [Piece(vertices, faces, clear_colour((np.median(painted, axis=0) / 255.0).tolist()))]
    return [Piece(vertices, faces, _material_colour(getattr(mesh.visual, "material", None)))]


def _stl_colour(data: bytes) -> Colour | None:
    """The colour of a whole binary STL file: four bytes after ``COLOR=`` in its head, as by Materialise Magics."""
    head = data[:80]
    start = head.find(_STL_COLOUR) + len(_STL_COLOUR)
    if _STL_COLOUR not in head or len(head) < start + 4:
        return None
    return clear_colour([part / 255.0 for part in head[start : start + 4]])


def _stl_pieces(vertices: Array, faces: Faces, words: NDArray[Any], whole: Colour | None) -> list[Piece]:
    """The triangles of a binary STL file by colour: 15 bits of the word that follows each.

    In files with a colour of the whole, bit 15 tells of triangles that have it, and red is in the lowest bits. In other
    files, those of VisCAM and SolidView, bit 15 tells of triangles that have a colour, and blue is in the lowest bits.
    """
    words = words.astype(np.int64)
    coloured = (words >> 15 == 0) if whole else (words >> 15 == 1)
    words = np.where(coloured, words & 0x7FFF, -1)
    found = []
    for word in np.unique(words).tolist():
        parts = [(word >> shift & 31) / 31.0 for shift in ((0, 5, 10) if whole else (10, 5, 0))]
        found.append(Piece(vertices, faces[words == word], whole if word < 0 else clear_colour([*parts, 1.0])))
    return found if len(found) <= MOST_COLOURS else [Piece(vertices, faces, whole)]


def _material_colour(material: Any) -> Colour | None:
    """The colour of a material; None where its file says none."""
    said = getattr(material, "baseColorFactor", None)
    if said is None and "kd" in getattr(material, "kwargs", {}):
        said = material.main_color
        clear = material.kwargs.get("d") or [1.0 - float(own) for own in material.kwargs.get("tr", ())]
        said = [*said[:3], 255.0 * float(clear[0])] if clear else said
    return None if said is None else clear_colour((np.asarray(said, dtype=float) / 255.0).tolist())


def _by_colour(pieces: Sequence[Piece]) -> list[Piece]:
    """Pieces of one colour as one, in an order that rests on colours alone."""
    found: dict[Colour | None, list[Piece]] = {}
    for own in pieces:
        found.setdefault(own.colour, []).append(own)
    if len(found) > MOST_COLOURS:
        found = {None: list(pieces)}
    return [_joined(colour, found[colour]) for colour in sorted(found, key=lambda own: own or ())]


def _joined(colour: Colour | None, alike: Sequence[Piece]) -> Piece:
    firsts = np.cumsum([0, *(len(own.vertices) for own in alike)])
    faces = np.concatenate([own.faces + first for own, first in zip(alike, firsts, strict=False)])
    used, renumbered = np.unique(faces, return_inverse=True)
    return Piece(np.concatenate([own.vertices for own in alike])[used], renumbered.reshape(-1, 3), colour)


def _coarser(piece: Piece, most: int) -> Piece:
    """At most so many faces: vertices in one cell of a grid become one, and cells grow until that holds."""
    vertices, faces = piece.vertices, piece.faces
    extent = max(float(np.ptp(vertices, axis=0).max()), 1e-12)
    cells = 256
    while len(faces) > most and cells > 2:
        _, first, own = np.unique(np.round(vertices * (cells / extent)), axis=0, return_index=True, return_inverse=True)
        vertices, faces = vertices[first], own.reshape(-1)[faces]
        flat = (faces == np.roll(faces, 1, axis=1)).any(axis=1)
        faces = np.unique(faces[~flat], axis=0)
        cells = cells * 3 // 4
    return Piece(vertices, faces, piece.colour)
