"""Sources that were generated before, found again by what was asked: a module in the cache needs no new trace.

They lie in ``<cache>/sources/``, a file each, under the hash of the request and of symdyn itself. A damaged file counts
as absent.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from functools import cache as once
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from symdyn.emit.source import SourceFile
from symdyn.toolchain import cache

_FOLDER = "sources"
_SHAPING = ("numpy", "casadi", "sympy", "mpmath", "jinja2")
"""Packages whose version may change a text."""


def address(request: Sequence[str]) -> str:
    """Where the sources of a request lie; another state of symdyn or of what it rests on is another address."""
    return cache.key([*_this_symdyn(), *request])


def recall(address: str) -> tuple[SourceFile, ...] | None:
    """The sources of that address, or None."""
    try:
        digest, _, text = (cache.place(_FOLDER) / address).read_text(encoding="utf-8").partition("\n")
        if cache.key([text]) != digest:
            return None
        return tuple(SourceFile(path, content) for path, content in json.loads(text))
    except (OSError, UnicodeDecodeError):
        return None


def remember(address: str, sources: Sequence[SourceFile]) -> None:
    """Keep sources; whoever reads them sees all or nothing."""
    text = json.dumps([(source.path, source.text) for source in sources])
    folder = cache.place(_FOLDER)
    with cache.writing():
        handle, name = tempfile.mkstemp(dir=folder, prefix=".writing-")
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(f"{cache.key([text])}\n{text}")
        Path(name).replace(folder / address)


@once
def _this_symdyn() -> tuple[str, ...]:
    """Names, sizes and times of symdyn's own files, as Python itself tells new ones from old, and versions."""
    found = []
    for package in ("symdyn", "symdyn.templates"):
        spec = find_spec(package)
        assert spec is not None and spec.origin is not None
        folder = Path(spec.origin).parent
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".py", ".jinja", ".yaml"):
                status = path.stat()
                found.append(f"{path.relative_to(folder)} {status.st_size} {status.st_mtime_ns}")
    return (*found, *map(_version, _SHAPING))


def _version(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return package
