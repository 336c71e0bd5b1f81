"""Slips of XML that change no meaning: prefixes that nobody declared, and a version that does not exist."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from symdyn.description.text.position import on_line, shown

ROUNDS = 8
"""How often a document is parsed again with more prefixes declared: the parser tells of a hundred slips at a time."""

_PREFIX = re.compile(r"Namespace prefix (\S+) (?:for \S+ )?on ")
_SAFE = re.compile(r"[\w.-]+")
_TAG = re.compile(r"<[^\s/>]+")
_VERSION = re.compile(r"""<\?xml\s+version\s*=\s*(["'])(?P<version>[A-Za-z0-9_.:-]{1,20})\1""")


def with_known_version(text: str, warnings: list[str]) -> str:
    """The document with a version that does not exist, such as Bullet's 0.0, read as 1.0."""
    found = _VERSION.match(text)
    if found is None or found["version"].startswith("1."):
        return text
    warnings.append(f"line 1: XML has no version {shown(found['version'])}; the file is read as version 1.0")
    return f"{text[: found.start('version')]}1.0{text[found.end('version') :]}"


def is_undeclared_prefix(error: Any) -> bool:
    """Whether an entry of a parser's log is about a prefix alone."""
    return bool(error.type_name == "NS_ERR_UNDEFINED_NAMESPACE")


def undeclared_prefixes(errors: Iterable[Any]) -> dict[str, int]:
    """Undeclared prefixes in a parser's log, each with the line of its first use; none where anything else is wrong."""
    found: dict[str, int] = {}
    for error in errors:
        told = _PREFIX.match(error.message) if is_undeclared_prefix(error) else None
        if told is None or not _SAFE.fullmatch(told[1]):
            return {}
        found.setdefault(told[1], error.line)
    return found


def with_prefixes(text: str, root: int, prefixes: Mapping[str, int]) -> str:
    """The document with prefixes declared in the start tag of its root, which begins at ``root``; lines stay."""
    tag = _TAG.match(text, root)
    if tag is None:
        return text
    declared = "".join(f' xmlns:{prefix}="urn:undeclared:{number}"' for number, prefix in enumerate(prefixes))
    return text[: tag.end()] + declared + text[tag.end() :]


def prefix_warnings(prefixes: Mapping[str, int]) -> list[str]:
    """One warning per prefix."""
    return [
        f"{on_line(line)}the namespace prefix {shown(prefix)} is declared nowhere; what it marks is none of URDF's own"
        for prefix, line in prefixes.items()
    ]
