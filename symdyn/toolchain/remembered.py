"""What was made before, found again by what was asked: sources of modules, and descriptions that were read.

Both lie in the cache, a file each, under the hash of the request and of symdyn itself. A damaged file counts as absent,
and so does a cache that cannot be used: then things are made again. A process whose own files were changed while it ran
keeps nothing.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache as once
from pathlib import Path

from symdyn.compiler.emit.source import SourceFile
from symdyn.errors import ToolchainError
from symdyn.interface import package_digest
from symdyn.interface.distribution import listed_versions
from symdyn.interface.manifest import text_digest
from symdyn.toolchain import cache

_SOURCES = "sources"
_STAMPS = "stamps"
_SHAPING = ("numpy", "casadi", "sympy", "mpmath", "jinja2", "pydantic", "pydantic-xml", "lxml", "ruamel.yaml")
"""Packages whose version may change a text, or what is read from one."""


def address(request: Sequence[str]) -> str:
    """Where what was made of a request lies; another state of symdyn or of what it rests on is another address."""
    return cache.key([*_this_symdyn(), *request])


def recall(address: str) -> tuple[SourceFile, ...] | None:
    """The sources of that address, or None."""
    data = recall_bytes(_SOURCES, address)
    return None if data is None else tuple(SourceFile(path, content) for path, content in json.loads(data))


def remember(address: str, sources: Sequence[SourceFile]) -> None:
    """Keep sources; whoever reads them sees all or nothing."""
    remember_bytes(_SOURCES, address, json.dumps([(source.path, source.text) for source in sources]).encode())


def recall_bytes(room: str, address: str) -> bytes | None:
    """What was kept in a folder of the cache under that address, or None."""
    try:
        digest, _, data = (cache.place(room) / address).read_bytes().partition(b"\n")
    except (OSError, ToolchainError):
        return None
    return data if text_digest(data).encode() == digest else None


def remember_bytes(room: str, address: str, data: bytes) -> None:
    """Keep data in a folder of the cache, where there is one; whoever reads it sees all or nothing."""
    remember_all(room, {address: data})


def remember_all(room: str, found: Mapping[str, bytes]) -> None:
    """As :func:`remember_bytes` for data by address, with one look at symdyn's own files."""
    if not found or package_digest.changed():
        return
    try:
        folder = cache.place(room)
        for address, data in found.items():
            handle, name = tempfile.mkstemp(dir=folder, prefix=".writing-")
            try:
                with os.fdopen(handle, "wb") as stream:
                    stream.write(text_digest(data).encode() + b"\n" + data)
                Path(name).replace(folder / address)
            finally:
                Path(name).unlink(missing_ok=True)
    except (OSError, ToolchainError):
        return


@once
def _this_symdyn() -> tuple[str, ...]:
    return (_digest(), sys.version, *map(_version, _SHAPING))


def _digest() -> str:
    """The digest of symdyn's own files, read only where their clocks and sizes are new to the cache."""
    stamp = package_digest.stamp()
    known = recall_bytes(_STAMPS, stamp) if stamp else None
    if known is not None:
        return known.decode()
    digest = package_digest.digest()
    if stamp:
        remember_bytes(_STAMPS, stamp, digest.encode())
    return digest


def _version(package: str) -> str:
    listed = listed_versions().get(package.replace(".", "-"))
    if listed:
        return f"{package} {listed}"
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return package
