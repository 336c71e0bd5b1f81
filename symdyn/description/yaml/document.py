"""YAML 1.2 to mappings, lists and text, event by event: no aliases, tags, repeated keys or implicit types.

Every scalar stays text; the schema decides which ones are numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from symdyn.description.text.encoding import decode
from symdyn.description.text.position import shown
from symdyn.description.text.validation import Path
from symdyn.errors import DescriptionError

MAX_BYTES = 8 * 1024 * 1024
"""Largest YAML file; the pure parser takes seconds for this much."""
MAX_NODES = 300_000
"""Most keys, values, lists and mappings of a YAML file."""
_MAX_DEPTH = 20
_NULLS = ("", "~", "null")
_ABSENT = object()
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """Plain data (dict, list, str, None) and the line of every node by its path."""

    data: Any
    lines: dict[Path, int]

    def line(self, path: Path) -> int | None:
        """Line of the node at ``path`` or of the nearest node around it."""
        return self.lines.get(self.nearest(path))

    def remove(self, path: Path) -> bool:
        """Take a key out of the data; whether it was there. Steps of a schema that no data has are passed over."""
        inside = self.data
        for step in path[:-1]:
            known = isinstance(inside, list) and isinstance(step, int) and step < len(inside)
            if known or (isinstance(inside, dict) and step in inside):
                inside = inside[step]
        return isinstance(inside, dict) and inside.pop(path[-1], _ABSENT) is not _ABSENT

    def nearest(self, path: Path) -> Path:
        """``path``, or that of the nearest node around it."""
        while path and path not in self.lines:
            path = path[:-1]
        return path


def parse_document(data: bytes, source: str) -> YamlDocument:
    """Parse one YAML document.

    Raises
    ------
    DescriptionError
        Malformed YAML (with line and column), more than MAX_NODES nodes, or anything beyond mappings, lists and
        scalars.
    """
    if len(data) > MAX_BYTES:
        raise DescriptionError(f"{source}: larger than {MAX_BYTES // 2**20} MiB, the most that is read as YAML")
    builder = _Builder(source)
    try:
        for event in YAML(typ="safe", pure=True).parse(decode(data, source)):
            builder.take(event)
    except MarkedYAMLError as failure:
        mark = failure.problem_mark or failure.context_mark
        place = source if mark is None else f"{source}:{mark.line + 1}"
        column = "" if mark is None else f" at column {mark.column + 1}"
        raise DescriptionError(f"{place}: not well-formed YAML{column}: {failure.problem}") from None
    except DescriptionError:
        raise
    except (YAMLError, ValueError, OverflowError) as failure:
        reason = " ".join(str(failure).split())
        raise DescriptionError(f"{source}: not well-formed YAML: {reason}") from None
    if builder.documents != 1:
        raise DescriptionError(f"{source}: expected one YAML document, got {builder.documents}")
    return YamlDocument(builder.data, builder.lines)


@dataclass(slots=True)
class _Level:
    container: dict[str, Any] | list[Any]
    key: Any = _ABSENT


@dataclass(slots=True)
class _Builder:
    source: str
    data: Any = None
    documents: int = 0
    nodes: int = 0
    lines: dict[Path, int] = field(default_factory=dict)
    _levels: list[_Level] = field(default_factory=list)
    _path: list[int | str] = field(default_factory=list)

    def take(self, event: Any) -> None:
        """Add one parser event to the document."""
        match event:
            case DocumentStartEvent():
                self.documents += 1
                if event.version not in (None, (1, 2)):
                    raise self._refusal(event, "expected YAML 1.2; delete the %YAML line")
            case AliasEvent():
                raise self._refusal(event, f"alias *{event.anchor} is refused; write the value out")
            case ScalarEvent() | MappingStartEvent() | SequenceStartEvent():
                self._check_node(event)
                self._node(event)
            case MappingEndEvent() | SequenceEndEvent():
                self._levels.pop()
                self._close()

    def _node(self, event: Any) -> None:
        level = self._levels[-1] if self._levels else None
        if level is not None and isinstance(level.container, dict) and level.key is _ABSENT:
            self._key(event, level)
            return
        if level is not None and isinstance(level.container, list):
            self._path.append(len(level.container))
        self.lines[tuple(self._path)] = event.start_mark.line + 1
        value: Any
        if isinstance(event, ScalarEvent):
            plain = event.style is None
            value = None if plain and event.value in _NULLS else self._text(event)
        else:
            value = {} if isinstance(event, MappingStartEvent) else []
        if level is None:
            self.data = value
        elif isinstance(level.container, dict):
            level.container[level.key] = value
        else:
            level.container.append(value)
        if isinstance(event, ScalarEvent):
            self._close()
        else:
            self._levels.append(_Level(value))
            if len(self._levels) > _MAX_DEPTH:
                raise self._refusal(event, f"nested deeper than {_MAX_DEPTH} levels")

    def _key(self, event: Any, level: _Level) -> None:
        if not isinstance(event, ScalarEvent):
            raise self._refusal(event, "a key must be text, not a mapping or list; quote it if it begins with { or [")
        key = self._text(event)
        if key in level.container:
            raise self._refusal(event, f"key {shown(key)} occurs twice in one mapping; keep one")
        level.key = key
        self._path.append(key)

    def _text(self, event: Any) -> str:
        """A scalar's text. As in JSON, two escapes that are a surrogate pair are one character; one alone is none."""
        value: str = event.value
        if not _SURROGATE.search(value):
            return value
        try:
            return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
        except UnicodeDecodeError as failure:
            raise self._refusal(
                event,
                f"{shown(value)} holds half of a surrogate pair, which is no character; write \\U and eight digits",
            ) from failure

    def _close(self) -> None:
        """The node at the current path is complete."""
        if self._levels:
            self._levels[-1].key = _ABSENT
            self._path.pop()

    def _check_node(self, event: Any) -> None:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise self._refusal(event, f"more than {MAX_NODES} keys, values, lists and mappings; split the file up")
        if event.anchor is not None:
            raise self._refusal(event, f"anchor &{event.anchor} is refused; write values out, or use 'parameters'")
        if event.tag is not None:
            raise self._refusal(event, f"tag {shown(str(event.tag))} is refused; write plain values")

    def _refusal(self, event: Any, reason: str) -> DescriptionError:
        return DescriptionError(f"{self.source}:{event.start_mark.line + 1}: {reason}")
