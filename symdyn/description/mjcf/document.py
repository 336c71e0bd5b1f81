"""One MJCF document out of a file and what it includes, with the other files that MuJoCo needs, all read here."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from lxml import etree

from symdyn.description.formats import MAX_BYTES
from symdyn.description.mjcf.inside_frames import checked_by_schema, refuse_unknown
from symdyn.description.mjcf.repeated import check_repeated, made_with_models
from symdyn.description.mjcf.stand_ins import stand_in
from symdyn.description.text.notice import Notice
from symdyn.description.text.position import at, on_line, shown
from symdyn.description.urdf.left_out import leave_out
from symdyn.description.urdf.xml_document import line_of, parse_xml
from symdyn.errors import DescriptionError
from symdyn.interface.regular_files import read_regular

MOST_FILES, MOST_BYTES = 4000, 512 * 1024 * 1024
"""Of one model, meshes and all."""
_ROOTS = ("mujoco", "mujocoinclude")
_LOOKS = ("texture", "skin")
"""Files of these change no motion, and are not opened."""
_READ = ("mesh", "hfield")
_ORIGIN = "symdyn_origin"
_REFUSED = {
    "extension": "plugins are programs, and none is run",
    "plugin": "plugins are programs, and none is run",
}


@dataclass(slots=True)
class Document:
    """A model that names no file but those in ``files``.

    ``xml`` has the start tag of its k-th element on line k, and ``origins[k - 1]`` is where that came from. ``meshes``
    has the address of each mesh's file, as viewers are told it.
    """

    xml: bytes = b""
    files: dict[str, bytes] = field(default_factory=dict)
    origins: list[tuple[str, int | None, str]] = field(default_factory=list)
    meshes: dict[str, str] = field(default_factory=dict)
    name: str | None = None
    schema: bytes = b""
    """The document in a form by which MuJoCo checks what it lets pass inside frames; see :mod:`.inside_frames`."""
    warnings: list[str] = field(default_factory=list)

    def line(self, tag: str, name: str) -> int | None:
        """The line of a named element in the robot's own file."""
        return self._lines().get((tag, name))

    def _lines(self) -> dict[tuple[str, str], int | None]:
        if not self._known:
            own = self.origins[0][0]
            self._known = {
                (str(element.tag), element.get("name", "")): line
                for element, (source, line, _) in zip(etree.fromstring(self.xml).iter(), self.origins, strict=True)
                if source == own
            }
        return self._known

    _known: dict[tuple[str, str], int | None] = field(default_factory=dict)


class MissingFileError(DescriptionError):
    """No folder has the file."""


class Files:
    """The folders out of which a model may read: its own, those beside it by ``..``, and those that the user names."""

    def __init__(self, own: Path | None, folders: Sequence[str | os.PathLike[str]]) -> None:
        self._bases = [base.resolve() for base in ([own] if own is not None else []) + [Path(one) for one in folders]]
        self._own = None if own is None else own.resolve()
        self._left = MOST_BYTES
        self.number = 0

    def find(self, address: PurePosixPath, where: str) -> Path:
        """The file of an address, which is relative to one of the folders and lies below one of them or beside it.

        Raises
        ------
        MissingFileError
            No such file.
        DescriptionError
            One that lies elsewhere.
        """
        outside = None
        for base in self._bases:
            try:
                file = (base / address).resolve()
                if not file.is_file():
                    continue
            except (OSError, ValueError, RuntimeError):
                continue
            if any(file.is_relative_to(allowed) for allowed in self._bases) or self._is_beside(file, address):
                return file
            outside = file
        if outside is not None:
            raise DescriptionError(
                f"{where}: file {shown(str(address))} lies outside the folder of the model; name a folder above it: "
                "folders=[...], on the command line --folder"
            )
        missing = "no such file in the folder of the model" if self._bases else "a text has no folder to read it from"
        raise MissingFileError(
            f"{where}: file {shown(str(address))}: {missing}; name the folder that it is relative to: folders=[...], "
            "on the command line --folder"
        )

    def _is_beside(self, file: Path, address: PurePosixPath) -> bool:
        """Whether it lies in a folder beside the model's own, such as ``../meshes``, not in the root of all."""
        if self._own is None or ".." not in address.parts or address.is_absolute():
            return False
        holds = self._own.parent
        return holds != holds.parent and file.is_relative_to(holds) and file.parent != holds

    def read(self, file: Path, where: str, most: int = MOST_BYTES) -> bytes:
        """The bytes of a file; of one with more than ``most`` one byte more than these.

        Raises
        ------
        DescriptionError
            It cannot be read, or the model's files are too many or too large.
        """
        self.number += 1
        try:
            data = read_regular(file, min(self._left, most) + 1)
        except OSError as failure:
            raise DescriptionError(f"{where}: cannot be read: {failure.strerror or failure}") from None
        self._left -= len(data)
        if self._left < 0 or self.number > MOST_FILES:
            raise DescriptionError(
                f"{where}: the files of the model are more than {MOST_FILES} or larger than {MOST_BYTES // 2**20} MiB"
            )
        return data


def document_of(
    data: bytes,
    source: str,
    own: Path | None,
    folders: Sequence[str | os.PathLike[str]],
    ignore: Collection[str] = (),
) -> Document:
    """The document of an MJCF file.

    Parameters
    ----------
    data, source
        The file's bytes, and what messages call it.
    own
        Its folder; None for a text.
    folders
        Where else it may read.
    ignore
        Names of elements and attributes that are left out, with a warning each.

    Raises
    ------
    DescriptionError
        A folder that does not exist, malformed XML, a file that is missing or lies elsewhere, an element that asks for
        programs or other models.
    """
    for folder in folders:
        if not Path(folder).is_dir():
            raise DescriptionError(f"folder {shown(os.fspath(folder))}: expected a folder that exists")
    document = Document()
    root = _prepared(data, source, _Reading(Files(own, folders), document, ignore))
    document.name = root.get("model")
    _lay_out(root, document)
    return document


@dataclass(slots=True)
class _Reading:
    """What is known while a document is read: its files under their plain names, and models around that which is read.

    ``attached`` has the number of elements that each attached model makes, by its file. Addresses of a model start from
    its own ``folder``, which is relative to that of the robot.
    """

    files: Files
    document: Document
    ignore: Collection[str]
    brought: dict[Path, str] = field(default_factory=dict)
    around: list[Path] = field(default_factory=list)
    attached: dict[Path, int] = field(default_factory=dict)
    folder: PurePosixPath = field(default_factory=PurePosixPath)

    def bring(self, file: Path, suffix: str, data: bytes) -> str:
        """The plain name of a file, which it gets here."""
        self.brought[file] = f"file{len(self.brought)}.{suffix}"
        self.document.files[self.brought[file]] = data
        return self.brought[file]


def _prepared(data: bytes, source: str, reading: _Reading) -> etree._Element:
    """A model that names no file but those that have been brought."""
    root, told = parse_xml(data, source)
    if root.tag != _ROOTS[0]:
        what = (
            "is a part of a model; load the whole model"
            if root.tag in _ROOTS
            else f"is no model; expected <{_ROOTS[0]}>"
        )
        raise DescriptionError(f"{at(source, line_of(root))}: <{root.tag}> {what}")
    reading.document.warnings += told
    _mark(root, source)
    _include(root, reading)
    leave_out(root, reading.ignore, reading.document.warnings)
    refuse_unknown(root, where)
    check_repeated(root, where)
    _bring(root, reading)
    return root


def _attach(element: etree._Element, reading: _Reading) -> None:
    """Read the model that an element of the assets names, with all that it attaches in turn."""
    written, place, outer = str(element.get("file")), where(element), reading.folder
    address = outer / _address(written)
    file = reading.files.find(address, place)
    if file in reading.around:
        raise DescriptionError(f"{place}: file {shown(written)} attaches itself; remove one of both elements")
    if file not in reading.attached:
        data = reading.files.read(file, place, MAX_BYTES)
        if len(data) > MAX_BYTES:
            raise DescriptionError(f"{place}: file {shown(written)} is larger than {MAX_BYTES // 2**20} MiB")
        reading.around.append(file)
        reading.folder = address.parent
        root = _prepared(data, file.name, reading)
        reading.folder = outer
        reading.around.pop()
        reading.attached[file] = made_with_models(root, _sizes(root, reading), where)
        if element.get("name") is None and root.get("model") is not None:
            element.set("name", str(root.get("model")))
        for own in root.iter():
            own.attrib.pop(_ORIGIN, None)
        reading.bring(file, "xml", etree.tostring(root, encoding="utf-8"))
    element.set("file", reading.brought[file])


def _sizes(root: etree._Element, reading: _Reading) -> dict[str, int]:
    """How many elements the models make that a document attaches, by the names that it gives them."""
    files = {name: file for file, name in reading.brought.items()}
    own = ((model.get("name", ""), files.get(model.get("file", ""))) for model in root.iter("model"))
    return {name: reading.attached[file] for name, file in own if file in reading.attached}


def where(element: etree._Element) -> str:
    """File, line and element, for messages."""
    name = element.get("name")
    return (
        f"{at(element.get(_ORIGIN, ''), line_of(element))}: <{element.tag}>{'' if name is None else ' ' + shown(name)}"
    )


def _mark(root: etree._Element, source: str) -> None:
    for element in root.iter():
        element.set(_ORIGIN, source)


def _include(root: etree._Element, reading: _Reading) -> None:
    """Put the elements of included files in their places, one file after the other."""
    files, warnings = reading.files, reading.document.warnings
    seen: set[Path] = set()
    while (asked := next(root.iter("include"), None)) is not None:
        place = where(asked)
        address = asked.get("file")
        parent = asked.getparent()
        if not address or parent is None or len(asked):
            raise DescriptionError(f"{place}: expected the attribute 'file' and nothing inside")
        file = files.find(reading.folder / _address(address), place)
        if file in seen:
            raise DescriptionError(f"{place}: file {shown(address)} is included twice; MuJoCo allows it once")
        seen.add(file)
        data = files.read(file, place, MAX_BYTES)
        if len(data) > MAX_BYTES:
            raise DescriptionError(
                f"{place}: file {shown(address)} is larger than {MAX_BYTES // 2**20} MiB; robot files hold no meshes"
            )
        part, told = parse_xml(data, file.name)
        warnings += (f"{file.name}: {text}" for text in told)
        if part.tag not in _ROOTS:
            raise DescriptionError(
                f"{place}: file {shown(address)} has the root <{part.tag}>, expected <mujocoinclude>"
            )
        _mark(part, file.name)
        for child in list(part):
            asked.addprevious(child)
        parent.remove(asked)


def _bring(root: etree._Element, reading: _Reading) -> None:
    """Read the files that elements name, and name them by plain names."""
    own, strips = _folders(root)
    folders = reading.folder / own
    for element in list(root.iter()):
        tag = str(element.tag)
        if tag in _REFUSED:
            raise DescriptionError(f"{where(element)}: {_REFUSED[tag]}")
        if tag == "model" and element.get("file") is not None:
            _attach(element, reading)
            continue
        if tag in _LOOKS or (tag == "layer" and element.get("texture") is not None):
            parent = element.getparent()
            if parent is not None:
                parent.remove(element)
            continue
        if tag == "material":
            element.attrib.pop("texture", None)
        for key in [str(key) for key in element.attrib if str(key).startswith("file")]:
            if tag not in _READ or key != "file":
                raise DescriptionError(f"{where(element)}: '{key}' names a file; only meshes and height fields do here")
            _bring_one(element, _address(str(element.get(key)), strips), folders, reading)
    made_with_models(root, _sizes(root, reading), where)


def _bring_one(
    element: etree._Element,
    written: PurePosixPath,
    folder: PurePosixPath,
    reading: _Reading,
) -> None:
    address, document = folder / written, reading.document
    if element.get("name") is None:  # which MuJoCo would take from the file's own name
        element.set("name", written.stem)
    try:
        file = reading.files.find(address, where(element))
    except MissingFileError:
        if not stand_in(element):
            raise
        said = f"{on_line(line_of(element))}{element.tag} {shown(element.get('name'))}: no file {shown(str(address))}"
        document.warnings.append(Notice(f"{said}; no mass depends on it", f"{{{element.tag}}} without a file"))
        return
    if file not in reading.brought:
        suffix = "".join(letter for letter in file.suffix.lower() if letter.isalnum() and letter.isascii())[:8]
        reading.bring(file, suffix, reading.files.read(file, where(element)))
    element.set("file", reading.brought[file])
    if element.tag == "mesh":
        document.meshes[element.get("name", "")] = str(address)


def _folders(root: etree._Element) -> tuple[PurePosixPath, bool]:
    """Where meshes are, by all <compiler> elements, and whether folders of addresses count for nothing."""
    meshes, strips = "", False
    for compiler in root.iter("compiler"):
        both = compiler.attrib.pop("assetdir", None)
        meshes = str(compiler.attrib.pop("meshdir", meshes if both is None else both))
        compiler.attrib.pop("texturedir", None)
        strips = str(compiler.attrib.pop("strippath", "true" if strips else "false")) == "true"
    return _address(meshes), strips


def _address(text: str, strips: bool = False) -> PurePosixPath:
    path = PurePosixPath(text.replace("\\", "/"))
    return PurePosixPath(path.name) if strips else path


def _lay_out(root: etree._Element, document: Document) -> None:
    """Write the document with a line for each element's start tag, by which MuJoCo's messages are understood."""
    for element in root.iter():
        document.origins.append((element.attrib.pop(_ORIGIN, ""), line_of(element), str(element.tag)))
        element.text = "\n" if len(element) else None
        element.tail = None if element.getnext() is None else "\n"
    document.xml = etree.tostring(root, encoding="utf-8")
    document.schema = checked_by_schema(root)
