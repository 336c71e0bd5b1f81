"""A robot file, whatever its format, to a RobotDescription."""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path

from symdyn.description.robot import RobotDescription
from symdyn.errors import ArgumentError, DescriptionError, RequestError
from symdyn.given_words import given_choice, given_path

MAX_BYTES = 64 * 1024 * 1024
"""Largest robot file."""

FORMATS = ("urdf", "yaml")
_TEXT = "<text>"

_BLANK = re.compile(rb"[\xef\xbb\xbf\xff\xfe]{0,3}[\0 \t\r\n\v\f]*")
Recalling = Callable[[Sequence[bytes], Callable[[], RobotDescription]], RobotDescription]
"""Finds again what was read before from the same, or calls what reads it."""

_XML_SUFFIXES = (".urdf", ".xml", ".xacro")
_YAML_SUFFIXES = (".yaml", ".yml")


def read_robot(
    path: str | os.PathLike[str],
    *,
    strict: bool = False,
    runtime: Collection[str] | None = None,
    repair: bool = False,
    loops: str | os.PathLike[str] | None = None,
    recalling: Recalling | None = None,
) -> RobotDescription:
    """Read a robot from a URDF file or a file in symdyn's YAML, told apart by content, then by suffix.

    Parameters
    ----------
    path
        A regular file of at most ``MAX_BYTES`` bytes.
    strict
        Refuse a file that gives any warning.
    runtime
        YAML parameters that the caller will make run-time inputs: what depends on them stays an expression although
        they have a value. Other names are ignored. None leaves it to the file.
    repair
        Mend indefinite inertias, links without ``<inertia>`` and joints that mimic unknown ones, each with a warning.
    loops
        A YAML file with the keys ``loops`` and ``frames``, for a robot whose own file has no loops.
    recalling
        What may know the robot of these bytes from before; it is asked while no reader of this format is loaded, for
        loading one takes longer than reading with it.

    Raises
    ------
    DescriptionError
        The file cannot be read, is another format (xacro, MJCF and SDF are recognised), or does not describe a robot.
    RequestError
        The text of a file in place of its name.
    """
    if isinstance(path, str) and ("\n" in path or path.lstrip().startswith("<")):
        raise RequestError("load takes the name of a file, got its text; use symdyn.loads(text, format='urdf')")
    file = given_path("a robot", path)
    data, source = _read_bytes(file)
    xml = _is_xml(data, file.suffix.lower(), source)
    return _read_or_recall(data, source, xml, strict, runtime, repair, loops, recalling)


def read_text(
    text: str,
    format: str,
    *,
    strict: bool = False,
    runtime: Collection[str] | None = None,
    repair: bool = False,
    loops: str | os.PathLike[str] | None = None,
    recalling: Recalling | None = None,
) -> RobotDescription:
    """Read a robot from the text of a file; ``format`` is ``"urdf"`` or ``"yaml"``, the rest as for :func:`read_robot`.

    Raises
    ------
    RequestError
        An unknown format, or no text.
    DescriptionError
        As for :func:`read_robot`; messages call the text ``<text>``.
    """
    given_choice("format", format, FORMATS)
    if not isinstance(text, str):
        raise ArgumentError(f"loads takes text, got {type(text).__name__}; symdyn.load takes the name of a file")
    return _read_or_recall(text.encode(), _TEXT, format == "urdf", strict, runtime, repair, loops, recalling)


def _read_or_recall(
    data: bytes,
    source: str,
    xml: bool,
    strict: bool,
    runtime: Collection[str] | None,
    repair: bool,
    loops: str | os.PathLike[str] | None,
    recalling: Recalling | None,
) -> RobotDescription:
    beside = None if loops is None else _read_bytes(given_path("loops", loops))
    read = partial(_read, data, source, xml, strict, runtime, repair, beside)
    if recalling is None or f"symdyn.description.{'urdf' if xml else 'yaml'}.read" in sys.modules:
        return read()
    told = (source, xml, strict, None if runtime is None else list(runtime), repair, beside and beside[1])
    return recalling((data, beside[0] if beside else b"", repr(told).encode("utf-8", "surrogatepass")), read)


def _read(
    data: bytes,
    source: str,
    xml: bool,
    strict: bool,
    runtime: Collection[str] | None,
    repair: bool,
    loops: tuple[bytes, str] | None,
) -> RobotDescription:
    # The schemas and their parsers are imported here so that importing symdyn stays light.
    if xml:
        from symdyn.description.urdf.read import parse_urdf

        description = parse_urdf(data, source, repair=repair)
    else:
        from symdyn.description.yaml.read import parse_yaml

        description = parse_yaml(data, source, runtime=runtime, repair=repair)
    if loops is not None:
        description = _with_loops(description, *loops, runtime)
    if strict and description.warnings:
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


def _with_loops(robot: RobotDescription, data: bytes, source: str, runtime: Collection[str] | None) -> RobotDescription:
    from symdyn.description.yaml.read import with_loops

    return with_loops(robot, data, source, runtime=runtime)


def _read_bytes(path: Path) -> tuple[bytes, str]:
    """A file's bytes, and what messages call it."""
    source = "".join(c if unicodedata.category(c)[0] not in "CZ" or c == " " else "?" for c in path.name or str(path))
    try:
        if not path.exists():
            raise DescriptionError(f"{source}: no such file; check the path")
        # Devices and pipes may never end.
        if not path.is_file():
            raise DescriptionError(f"{source}: not a regular file; give the robot file itself")
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except DescriptionError:
        raise
    except (OSError, ValueError) as failure:
        reason = failure.strerror if isinstance(failure, OSError) and failure.strerror else str(failure)
        raise DescriptionError(f"{source}: cannot be read: {reason}") from failure
    if len(data) > MAX_BYTES:
        raise DescriptionError(f"{source}: larger than {MAX_BYTES // 2**20} MiB; robot files hold no meshes")
    return data, source


def _is_xml(data: bytes, suffix: str, source: str) -> bool:
    # Past a byte order mark, the zero bytes of UTF-16, and any number of blank lines.
    first = _BLANK.match(data)
    assert first is not None
    if first.end() == len(data):
        raise DescriptionError(f"{source}: the file is empty")
    if data.startswith(b"<", first.end()) or suffix in _XML_SUFFIXES:
        return True
    if suffix in _YAML_SUFFIXES:
        return False
    raise DescriptionError(
        f"{source}: neither XML nor named as YAML; expected a URDF file (.urdf) or symdyn's YAML (.yaml)"
    )
