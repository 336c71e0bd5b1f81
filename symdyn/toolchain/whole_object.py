"""Whether a file is a whole shared object: mapping one whose end is missing would kill the process."""

from __future__ import annotations

import struct
from pathlib import Path

_SHARED = 3  # ET_DYN


def defect(path: Path) -> str:
    """What is wrong with a shared object as far as its headers tell; empty where nothing is.

    64-bit little-endian ELF files must be shared objects whose segments lie inside the file. Of other formats the
    loader itself is asked.
    """
    try:
        data = path.read_bytes()
    except OSError as failure:
        return f"it cannot be read: {failure}"
    if not data:
        return "it is empty"
    if data[:6] != b"\x7fELF\x02\x01":
        return ""
    if len(data) < 64:
        return "its header is cut off"
    (kind,) = struct.unpack_from("<H", data, 0x10)
    if kind != _SHARED:
        return "it is no shared object"
    (table,) = struct.unpack_from("<Q", data, 0x20)
    entry, count = struct.unpack_from("<HH", data, 0x36)
    if count == 0 or entry < 56 or table + entry * count > len(data):
        return "its table of segments is cut off"
    for index in range(count):
        (offset,), (size,) = (struct.unpack_from("<Q", data, table + entry * index + at) for at in (0x08, 0x20))
        if offset + size > len(data):
            return "its segments are cut off"
    return ""
