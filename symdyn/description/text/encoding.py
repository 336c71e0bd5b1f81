"""Bytes of a robot file to text, by byte order mark and declaration, never by guessing."""

from __future__ import annotations

import codecs
import re

from symdyn.errors import DescriptionError

_MARKS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = re.compile(rb"""\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
_ACCEPTED = frozenset({"utf-8", "ascii", "iso8859-1", "iso8859-15", "cp1252"})
_REMEDY = "save the file as UTF-8"


def decode(data: bytes, source: str) -> str:
    """Text of a file in UTF-8, in UTF-16 with a byte order mark, or in a one-byte encoding that its XML declares.

    Raises
    ------
    DescriptionError
        Another encoding, or bytes that the encoding does not allow; the message names the encoding.
    """
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    if encoding is None:
        if b"\0" in data[:4]:
            raise DescriptionError(f"{source}: looks like UTF-16 or UTF-32 without a byte order mark; {_REMEDY}")
        encoding = _declared(data, source)
    elif encoding == "utf-32":
        raise DescriptionError(f"{source}: encoding UTF-32 is not read; {_REMEDY}")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as failure:
        line = data.count(b"\n", 0, failure.start) + 1
        raise DescriptionError(f"{source}:{line}: byte {failure.start} is not valid {encoding}; {_REMEDY}") from None


def _declared(data: bytes, source: str) -> str:
    found = _DECLARED.match(data)
    if not found:
        return "utf-8"
    name = found[1].decode("ascii")
    try:
        encoding = codecs.lookup(name).name
    except LookupError:
        encoding = ""
    if encoding not in _ACCEPTED:
        raise DescriptionError(f"{source}:1: encoding '{name}' is not read; {_REMEDY}")
    return encoding
