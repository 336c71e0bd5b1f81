"""How much code and constants there are, in a shared object or estimated: what competes for the instruction cache."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symdyn.compiler.tape.program import Program

INSTRUCTION_CACHE = 32 * 1024
"""Bytes of first-level instruction cache that the layouts were tuned for; x86-64 cores have had as many for long."""

_BYTES = {"operation": 7.3, "scalar": 4.2, "lone pair": 690.0, "pair": 330.0, "pairs": 1800.0, "call": 95.0}
"""Bytes of machine code and tables per operation, scalar that a kernel or piece stores, sine-cosine pair that is alone
in its kernel or has company, for having company at all, and per call in the source. Least relative squares over five
functions of an arm, of a free base with two arms and of trees of 21 and 51 bodies in three layouts, function and batch
function together: within 25 % of each of 54 and 10 % of half of them (gcc 12.2, -O3 -march=native, with AVX-512); pairs
in company from three functions of four robots, of which each is met within 9 %. Straight lines have 10 to 33 bytes per
operation, long ones the fewest.
"""

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


def estimated_bytes(program: Program) -> int:
    """Machine code and tables of a program on x86-64, within some 25 %."""
    from symdyn.compiler.tape.tape import operation_total

    total = _BYTES["call"] * sum(1 for _ in program.calls())
    if any(tape.counts()["sincos"] > 1 for tape in program.tapes):
        total += _BYTES["pairs"]
    for tape in program.tapes:
        counts = tape.counts()
        pairs = counts.pop("sincos", 0)
        total += _BYTES["operation"] * operation_total(counts) + _BYTES["pair" if pairs > 1 else "lone pair"] * pairs
        total += _BYTES["scalar"] * sum(port.width for port in tape.outputs)
    return round(total)
