"""Scalars, lists and mappings as symdyn writes them into YAML: on one line, in ASCII, read back to the last bit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from symdyn.description.quantities.expression import Expression
from symdyn.description.quantities.number import is_number
from symdyn.description.quantities.placement import Matrix3, Number

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
_LONGEST_KEY = 1000
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


def mapping(entries: dict[str, str]) -> str:
    """A mapping on one line; its values are written already."""
    return "{" + ", ".join(f"{key}: {value}" for key, value in entries.items()) + "}"


def block(entries: dict[str, str]) -> str:
    """A mapping on lines below its key."""
    return "".join(f"\n  {key}: {value}" for key, value in entries.items())


def lines(entries: dict[str, str]) -> Iterator[str]:
    """Lines of a mapping; values that begin with a new line are blocks."""
    for key, value in entries.items():
        yield from f"{key}:{'' if value.startswith(chr(10)) else ' '}{value}".split("\n")


def matrix(rows: Matrix3) -> str:
    """A matrix, row by row."""
    return "[" + ", ".join(listed(row) for row in rows) + "]"


def listed(numbers: Iterable[Number]) -> str:
    """A list of numbers."""
    return "[" + ", ".join(number(entry) for entry in numbers) + "]"


def number(value: Number) -> str:
    """A number that returns to the last bit, or an expression in quotes."""
    return f'"{value.text}"' if isinstance(value, Expression) else repr(float(value))


def along(expression: str) -> str:
    """An expression in x, quoted; one that is a number is written as all others are."""
    return number(float(expression)) if is_number(expression) else f'"{expression}"'


def flag(value: bool) -> str:
    """``true`` or ``false``."""
    return "true" if value else "false"


def text(value: str) -> str:
    """A scalar that every YAML reader takes for this text."""
    if _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return '"' + "".join(_escaped(character) for character in value) + '"'


def key(name: str, indent: str) -> str:
    """A key with its colon, ready for a value; one too long for YAML's short form of a key is written in the long."""
    written = text(name)
    return f"{indent}{written}:" if len(written) <= _LONGEST_KEY else f"{indent}? {written}\n{indent}:"


def flow_key(name: str) -> str:
    """A key of :func:`mapping`, in YAML's long form where it is too long for the short one."""
    written = text(name)
    return written if len(written) <= _LONGEST_KEY else f"? {written} "


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    if " " <= character <= "~":
        return character
    code = ord(character)
    return f"\\x{code:02X}" if code < 0x100 else f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"
