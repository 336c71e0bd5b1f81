"""A robot file, whatever its format, to a RobotDescription."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symdyn.description.formats import MAX_BYTES, format_of
from symdyn.errors import ArgumentError, DescriptionError, RequestError
from symdyn.interface.argument_words import given_choice, given_path
from symdyn.interface.keywords import names_keywords
from symdyn.interface.regular_files import NOT_REGULAR, read_regular

if TYPE_CHECKING:
    from symdyn.description.control.problem import OptimalControlProblem
    from symdyn.description.robot import RobotDescription

FORMATS = ("urdf", "yaml", "mjcf")
_TEXT = "<text>"

Recalling = Callable[[Sequence[bytes], Callable[[], "RobotDescription"]], "RobotDescription"]
"""Finds again what was read before from the same, or calls what reads it."""
Running = Callable[[Path, Mapping[str, bytes], str], bytes]
"""Runs a program of ours on files in a folder of its own, apart from this process, and gives one file that it made."""
Folders = Sequence[str | os.PathLike[str]]


@dataclass(frozen=True, slots=True)
class Told:
    """What a reader is told beside a file.

    Parameters
    ----------
    strict
        Refuse a file that gives any warning. None leaves nothing out that changes forces or motions of an MJCF file;
        False leaves that out with a warning.
    runtime
        YAML parameters that the caller will make run-time inputs: what depends on them stays an expression although
        they have a value. Other names are ignored. None leaves it to the file.
    repair
        Mend indefinite inertias, links without ``<inertia>`` and joints that mimic unknown ones, each with a warning.
    loops
        A YAML file with the keys ``loops`` and ``frames``, for a robot whose own file has no loops.
    folders
        Where an MJCF file may read other files, beside its own folder.
    ignore
        Names of elements, attributes or unknown keys that are left out of the file, with a warning each.
    package_paths
        Folders that are packages or hold them, in which xacro finds ``$(find package)``.
    xacro_args
        Arguments of a xacro file, which is then expanded by xacro. That executes expressions of the file. None refuses
        such files.
    recalling
        What may know the robot of these bytes from before; it is asked while no reader of this format is loaded, for
        loading one takes longer than reading with it.
    running
        What runs the programs that MJCF and xacro need; None refuses these.
    """

    strict: bool | None = None
    runtime: Collection[str] | None = None
    repair: bool = False
    loops: str | os.PathLike[str] | None = None
    folders: Folders = ()
    ignore: Collection[str] = ()
    package_paths: Folders = ()
    xacro_args: Mapping[str, str] | None = None
    recalling: Recalling | None = None
    running: Running | None = None


@dataclass(frozen=True, slots=True)
class Unread:
    """A robot file whose bytes are here, before it is parsed.

    Parameters
    ----------
    said
        All that the robot depends on, as an address in a cache; None where reading it again is quicker than a look
        there, because its reader is loaded.
    parse
        Reads the robot.
    recalling
        As in :class:`Told`.
    """

    said: tuple[bytes, ...] | None
    parse: Callable[[], RobotDescription]
    recalling: Recalling | None

    def read(self) -> RobotDescription:
        """The robot, from before where it is known; errors are those of :func:`read_robot`."""
        if self.said is None or self.recalling is None:
            return self.parse()
        return self.recalling(self.said, self.parse)


def read_robot(path: str | os.PathLike[str], **told: Any) -> RobotDescription:
    """Read a robot from a URDF, MJCF or YAML file, told apart by content, then by suffix.

    Parameters
    ----------
    path
        A regular file of at most ``MAX_BYTES`` bytes.
    told
        The fields of :class:`Told`.

    Raises
    ------
    DescriptionError
        The file cannot be read, is another format (xacro and SDF are recognised), or does not describe a robot.
    RequestError
        The text of a file in place of its name.
    """
    return unread_robot(path, **told).read()


def unread_robot(path: str | os.PathLike[str], **told: Any) -> Unread:
    """The bytes of a robot file, which is parsed later; parameters and errors are those of :func:`read_robot`."""
    if isinstance(path, str) and ("\n" in path or path.lstrip().startswith("<")):
        raise RequestError("load takes the name of a file, got its text; use symdyn.loads(text, format='urdf')")
    file, own = given_path("a robot", path), Told(**told)
    data, source = _read_bytes(file)
    if own.xacro_args is not None:
        from symdyn.description.urdf.xacro import expanded

        data = expanded(file, source, own.xacro_args, own.package_paths, own.running)
    return _unread(data, source, format_of(data, file.suffix.lower(), source), file.absolute().parent, own)


def read_text(text: str, format: str, **told: Any) -> RobotDescription:
    """Read a robot from the text of a file; ``format`` is one of ``FORMATS``, the rest as for :func:`read_robot`.

    Raises
    ------
    RequestError
        An unknown format, no text, or arguments of xacro, which reads files.
    DescriptionError
        As for :func:`read_robot`; messages call the text ``<text>``.
    """
    return unread_text(text, format, **told).read()


def unread_text(text: str, format: str, **told: Any) -> Unread:
    """As :func:`unread_robot`, for the text of a file; errors are those of :func:`read_text`."""
    given_choice("format", format, FORMATS)
    if not isinstance(text, str):
        raise ArgumentError(f"loads takes text, got {type(text).__name__}; symdyn.load takes the name of a file")
    own = Told(**told)
    if own.xacro_args is not None:
        raise RequestError("xacro_args is for files; write the text to a file and use symdyn.load")
    return _unread(text.encode("utf-8", "surrogatepass"), _TEXT, format, None, own)


def _unread(data: bytes, source: str, format: str, folder: Path | None, told: Told) -> Unread:
    beside = None if told.loops is None else _read_bytes(given_path("loops", told.loops))
    read, known = _reader(data, source, format, folder, told)
    finish = partial(_finish, read, source, told, beside)
    if told.recalling is None or (format != "mjcf" and f"symdyn.description.{format}.read" in sys.modules):
        return Unread(None, finish, None)
    runtime = None if told.runtime is None else list(told.runtime)
    words = repr((source, format, told.strict, runtime, told.repair, sorted(told.ignore), beside and beside[1]))
    said = (*known, beside[0] if beside else b"", words.encode("utf-8", "surrogatepass"))
    return Unread(said, finish, told.recalling)


def _reader(
    data: bytes, source: str, format: str, folder: Path | None, told: Told
) -> tuple[Callable[[], RobotDescription], tuple[bytes, ...]]:
    """What reads a file, and all bytes that it rests on."""
    # The schemas and their parsers are imported here so that importing symdyn stays light.
    if format != "mjcf":
        return partial(_parse, data, source, format, told), (data,)
    from symdyn.description.mjcf.document import document_of
    from symdyn.description.mjcf.read import mujoco_version, parse_mjcf

    if told.running is None:
        raise DescriptionError(f"{source}: this is MJCF, which symdyn.load and symdyn.loads read")
    document = document_of(data, source, folder, told.folders, told.ignore)
    compiler = mujoco_version()
    known = (document.xml, *chain.from_iterable((name.encode(), own) for name, own in document.files.items()))
    told_of = repr((document.meshes, document.origins, document.warnings)).encode("utf-8", "surrogatepass")
    lenient, runtime = told.strict is False, told.runtime or ()
    read = partial(parse_mjcf, document, source, told.running, lenient=lenient, repair=told.repair, runtime=runtime)
    return read, (*known, told_of, compiler.encode())


def _parse(data: bytes, source: str, format: str, told: Told) -> RobotDescription:
    if format == "urdf":
        from symdyn.description.urdf.read import parse_urdf

        return parse_urdf(data, source, repair=told.repair, ignore=told.ignore)
    from symdyn.description.yaml.read import parse_yaml

    return parse_yaml(data, source, runtime=told.runtime, repair=told.repair, ignore=told.ignore)


def _finish(
    read: Callable[[], RobotDescription], source: str, told: Told, loops: tuple[bytes, str] | None
) -> RobotDescription:
    description = read()
    if loops is not None:
        description = _with_loops(description, *loops, told.runtime, told.ignore)
    if told.strict and description.warnings:
        listed = "; ".join(description.warnings)
        count = len(description.warnings)
        raise DescriptionError(f"{source}: strict mode refuses {count} warning{'s' * (count > 1)}: {listed}")
    return description


def read_loops(
    robot: RobotDescription, path: str | os.PathLike[str], *, runtime: Collection[str] | None = None
) -> RobotDescription:
    """The robot with the loops of a file beside its own.

    Raises
    ------
    DescriptionError
        The file cannot be read, or does not fit the robot.
    """
    return _with_loops(robot, *_read_bytes(given_path("loops", path)), runtime)


def read_beside(what: str, path: str | os.PathLike[str]) -> tuple[bytes, str]:
    """The bytes of a file beside a robot's, and what messages call it; a DescriptionError where it cannot be read."""
    return _read_bytes(given_path(what, path))


def _with_loops(
    robot: RobotDescription,
    data: bytes,
    source: str,
    runtime: Collection[str] | None,
    ignore: Collection[str] = (),
) -> RobotDescription:
    from symdyn.description.yaml.read import with_loops

    return with_loops(robot, data, source, runtime=runtime, ignore=ignore)


def _read_bytes(path: Path) -> tuple[bytes, str]:
    """A file's bytes, and what messages call it."""
    source = "".join(c if unicodedata.category(c)[0] not in "CZ" or c == " " else "?" for c in path.name or str(path))
    try:
        if not path.exists():
            raise DescriptionError(f"{source}: no such file; check the path")
        if not path.is_file():
            raise DescriptionError(f"{source}: {NOT_REGULAR}; give the robot file itself")
        data = read_regular(path, MAX_BYTES + 1)
    except DescriptionError:
        raise
    except (OSError, ValueError) as failure:
        reason = failure.strerror if isinstance(failure, OSError) and failure.strerror else str(failure)
        raise DescriptionError(f"{source}: cannot be read: {reason}") from None
    if len(data) > MAX_BYTES:
        raise DescriptionError(f"{source}: larger than {MAX_BYTES // 2**20} MiB; robot files hold no meshes")
    return data, source


@names_keywords
def load_problem(path: str | os.PathLike[str]) -> OptimalControlProblem:
    """Read an optimal-control problem from a YAML file of its own, with the key ``control``.

    Raises
    ------
    DescriptionError
        The file cannot be read, or holds something else.
    """
    from symdyn.description.yaml.read_problem import parse_problem

    return parse_problem(*_read_bytes(given_path("problem", path)))


def given_problem(problem: Any) -> OptimalControlProblem:
    """A problem, or that of a file by its name."""
    from symdyn.description.control.problem import OptimalControlProblem

    return problem if isinstance(problem, OptimalControlProblem) else load_problem(problem)
