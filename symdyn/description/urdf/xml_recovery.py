"""Slips of XML that change no meaning: undeclared prefixes, a version that does not exist, tags after the end."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any
from xml.parsers import expat

from symdyn.description.text.position import on_line, shown

ROUNDS = 8
"""How often a document is parsed again with more prefixes declared: the parser tells of a hundred slips at a time."""

_PREFIX = re.compile(r"Namespace prefix (\S+) (?:for \S+ )?on ")
_SAFE = re.compile(r"[\w.-]+")
_TAG = re.compile(r"<[^\s/>]+")
_CLOSING = re.compile(r"(?:\s|<!--.*?-->|</[\w.:-]+\s*>)*", re.DOTALL)
_WHOLE_TAG = re.compile(rb"""<(?:[^>"']|"[^"]*"|'[^']*')*>""")
_VERSION = re.compile(r"""<\?xml\s+version\s*=\s*(["'])(?P<version>[A-Za-z0-9_.:-]{1,20})\1""")


def with_known_version(text: str, warnings: list[str]) -> str:
    """The document with a version that does not exist, such as Bullet's 0.0, read as 1.0."""
    found = _VERSION.match(text)
    if found is None or found["version"].startswith("1."):
        return text
    warnings.append(f"line 1: XML has no version {shown(found['version'])}; the file is read as version 1.0")
    return f"{text[: found.start('version')]}1.0{text[found.end('version') :]}"


def without_stray_tags(text: str, warnings: list[str]) -> str:
    """The document without end tags that follow the end of its root, which parsers of robot files pass over."""
    data, parser = text.encode("utf-8"), expat.ParserCreate("utf-8")
    depth, end = 0, 0

    def opened(_tag: str, _attributes: object) -> None:
        nonlocal depth, end
        tag = None if depth else _WHOLE_TAG.match(data, parser.CurrentByteIndex)
        end = tag.end() if tag and tag[0].endswith(b"/>") else end
        depth += 1

    def closed(_tag: str) -> None:
        nonlocal depth, end
        depth -= 1
        tag = None if depth or end else _WHOLE_TAG.match(data, parser.CurrentByteIndex)
        end = tag.end() if tag else end

    parser.StartElementHandler, parser.EndElementHandler = opened, closed
    with suppress(expat.ExpatError):
        parser.Parse(data, True)
    rest = data[end:].decode("utf-8").strip()
    if not end or not rest or not _CLOSING.fullmatch(rest):
        return text
    line = data.count(b"\n", 0, end) + 1
    warnings.append(f"line {line}: {shown(rest)} stands behind the end of the root element and is left out")
    return data[:end].decode("utf-8")


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
