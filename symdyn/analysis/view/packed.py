"""Data of a page as one text: plain values and arrays, compressed, in letters that are no markup."""

from __future__ import annotations

import base64
import gzip
import json
import struct
from typing import Any

import numpy as np

_WIDTH = 8
_LINE = 4096
TYPES = {"f4": np.float32, "f8": np.float64, "u4": np.uint32, "u1": np.uint8}
"""Kinds of arrays by the word that a page knows them by."""


def packed(value: Any) -> str:
    """Values as JSON has them, in which arrays and bytes may stand, as lines of base64.

    The text decodes to a gzip of: the length of a header in four bytes, the header in JSON, and after it all arrays,
    each at a multiple of eight bytes. In the header an array is ``{"$": [kind, offset, count]}``. Floats go as they
    are: ``float64`` arrays keep all bits.
    """
    parts: list[bytes] = []
    header = json.dumps(_without_arrays(value, parts), allow_nan=False, separators=(",", ":")).encode()
    data = _aligned(struct.pack("<I", len(header)) + header) + b"".join(parts)
    text = base64.b64encode(gzip.compress(data, 9, mtime=0)).decode("ascii")
    return "\n".join(text[place : place + _LINE] for place in range(0, len(text), _LINE))


def _without_arrays(value: Any, parts: list[bytes]) -> Any:
    if isinstance(value, bytes):
        value = np.frombuffer(value, dtype=np.uint8)
    if isinstance(value, np.ndarray):
        kind = next(kind for kind, dtype in TYPES.items() if value.dtype == dtype)
        offset = sum(map(len, parts))
        parts.append(_aligned(np.ascontiguousarray(value).tobytes()))
        return {"$": [kind, offset, value.size]}
    if isinstance(value, dict):
        return {name: _without_arrays(own, parts) for name, own in value.items()}
    if isinstance(value, list | tuple):
        return [_without_arrays(own, parts) for own in value]
    return value


def _aligned(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % _WIDTH)
