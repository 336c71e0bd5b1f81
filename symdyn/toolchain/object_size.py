"""How much code and constants there are in a shared object: what competes for the instruction cache."""

from __future__ import annotations

import struct
from pathlib import Path

INSTRUCTION_CACHE = 32 * 1024
"""Bytes of first-level instruction cache that the layouts were tuned for; x86-64 cores have had as many for long."""

_COUNTED = frozenset((b".text", b".rodata"))


def text_bytes(path: Path) -> int:
    """Bytes of machine code and read-only constants in a shared object.

    64-bit little-endian ELF files are asked section by section (``.text`` and ``.rodata``, their numbered and hot or
    cold parts included); for any other format it is the size of the file.
    """
    data = path.read_bytes()
    if data[:6] != b"\x7fELF\x02\x01" or len(data) < 64:
        return len(data)
    table, entry, count, names = (*struct.unpack_from("<Q", data, 0x28), *struct.unpack_from("<HHH", data, 0x3A))
    if count == 0 or entry < 64 or table + entry * count > len(data) or names >= count:
        return len(data)
    sections = [struct.unpack_from("<II4Q", data, table + entry * index) for index in range(count)]
    names_offset = sections[names][4]
    total = 0
    for name, _kind, _flags, _address, _offset, size in sections:
        start = names_offset + name
        label = data[start : data.find(b"\0", start)]
        if b"." + label.removeprefix(b".").split(b".")[0] in _COUNTED:
            total += size
    return total
