"""Which format a robot file has: told by its content, and by the suffix of its name where content does not tell."""

from __future__ import annotations

import re

from symdyn.errors import DescriptionError

MAX_BYTES = 64 * 1024 * 1024
"""Largest robot file, and largest file that one includes."""
_BLANK = re.compile(rb"[\xef\xbb\xbf\xff\xfe]{0,3}[\0 \t\r\n\v\f]*")
_XML_SUFFIXES = (".urdf", ".xml", ".xacro", ".mjcf")
_YAML_SUFFIXES = (".yaml", ".yml")
_MJCF = (b"mujoco", b"mujocoinclude")


def format_of(data: bytes, suffix: str, source: str) -> str:
    """``urdf``, ``mjcf`` or ``yaml``; other formats in XML count as URDF, whose reader knows them.

    Raises
    ------
    DescriptionError
        An empty file, or neither XML nor named as YAML.
    """
    # Past a byte order mark, the zero bytes of UTF-16, and any number of blank lines.
    first = _BLANK.match(data)
    assert first is not None
    if first.end() == len(data):
        raise DescriptionError(f"{source}: the file is empty")
    if data.startswith(b"<", first.end()) or suffix in _XML_SUFFIXES:
        return "mjcf" if _root_tag(data, first.end()) in _MJCF else "urdf"
    if suffix in _YAML_SUFFIXES:
        return "yaml"
    raise DescriptionError(
        f"{source}: neither XML nor named as YAML; expected a URDF or MJCF file (.urdf, .xml) or symdyn's YAML (.yaml)"
    )


def _root_tag(data: bytes, position: int) -> bytes:
    """The name of the first element, past comments and instructions; nothing where there is none."""
    while position >= 0:
        while data[position : position + 1] in (b" ", b"\t", b"\r", b"\n"):
            position += 1
        for start, end in ((b"<!--", b"-->"), (b"<?", b"?>")):
            if data.startswith(start, position):
                found = data.find(end, position + len(start))
                position = found if found < 0 else found + len(end)
                break
        else:
            name = re.compile(rb"<([A-Za-z]+)").match(data, position)
            return name[1] if name else b""
    return b""
