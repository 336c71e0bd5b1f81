"""What is written beside a compiled module: what it is, and by which contents it is known."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from symdyn.interface.manifest import text_digest
from symdyn.interface.regular_files import read_regular

IN_CACHE = "record.json"
"""The record of the one module in a folder; beside others it has the module's name, and ``.json``."""

_KINDS: Mapping[Any, type | tuple[type, ...]] = {"str": str, "int": int, "float": (int, float)}


@dataclass(frozen=True, slots=True)
class Entry:
    """A compiled module: its file, the seconds its build took, its kind, its size of code, and hashes.

    ``sha256`` is that of the file, ``manifest`` that of the text of the manifest it was compiled with, ``processor``
    that of the features of the processor it was compiled for.
    """

    path: Path
    seconds: float
    kind: str
    text_bytes: int
    sha256: str
    manifest: str
    processor: str


@dataclass(frozen=True, slots=True)
class _Record:
    file: str
    sha256: str
    seconds: float
    kind: str
    text_bytes: int
    manifest: str
    processor: str


def beside(module: Path) -> Path:
    """Where the record of a module lies that may have others beside it."""
    return module.with_name(f"{module.name}.json")


def write_record(place: Path, entry: Entry) -> None:
    """Write the record of a module."""
    told = {item.name: getattr(entry, item.name) for item in fields(_Record) if item.name != "file"}
    record = _Record(entry.path.name, **told)
    place.write_text(json.dumps(asdict(record), sort_keys=True), encoding="utf-8")


def read_record(place: Path) -> Entry | None:
    """The module that a record is about; None where one of the two is absent, damaged, or does not fit the other."""
    try:
        record = _Record(**json.loads(read_regular(place).decode("utf-8")))
        path = place.parent / Path(record.file).name
        whole = all(isinstance(getattr(record, item.name), _KINDS[item.type]) for item in fields(record))
        if not whole or text_digest(read_regular(path)) != record.sha256:
            return None
    except (OSError, ValueError, TypeError, RecursionError):
        return None
    told = {item.name: getattr(record, item.name) for item in fields(Entry) if item.name != "path"}
    return Entry(path, **told)
