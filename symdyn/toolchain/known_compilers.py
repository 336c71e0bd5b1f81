"""Compilers that were tried before, by the files that they are: trying one takes as long as loading a module.

Each answer lies in the cache under the command, the file that it starts, and every compiler on the path, for a wrapper
such as ccache starts one of those. A command with arguments may start anything, and is tried by each process.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from symdyn.interface import processor
from symdyn.toolchain import remembered

_ROOM = "compilers"
_STARTED = ("cc", "gcc", "clang", "as", "ld")
"""What wrappers and drivers start by name."""


def recall_probe(command: tuple[str, ...], path: str) -> dict[str, Any] | None:
    """The fields of a compiler that a trial of that command told, or None; lists are tuples again."""
    address = _address(command, path)
    data = remembered.recall_bytes(_ROOM, address) if address else None
    told = {} if data is None else json.loads(data)
    return {name: tuple(own) if isinstance(own, list) else own for name, own in told.items()} or None


def remember_probe(command: tuple[str, ...], path: str, told: Mapping[str, Any]) -> None:
    """Keep what a trial of a command told."""
    address = _address(command, path)
    if address:
        remembered.remember_bytes(_ROOM, address, json.dumps(told).encode())


def _address(command: tuple[str, ...], path: str) -> str:
    stamps = [_stamp(Path(command[0])), *_others(path)]
    if len(command) > 1 or os.name != "posix" or not stamps[0]:
        return ""
    return remembered.address([*command, processor.cpu_features(), *stamps])


def _others(path: str) -> Iterator[str]:
    for folder in path.split(os.pathsep):
        yield from (stamp for name in _STARTED if (stamp := _stamp(Path(folder) / name)))


def _stamp(file: Path) -> str:
    """The file that a name leads to, its number, size and clocks; empty where it leads nowhere."""
    try:
        own = file.stat()
        return f"{file.resolve()} {own.st_ino} {own.st_size} {own.st_mtime_ns} {own.st_ctime_ns}"
    except (OSError, RuntimeError):
        return ""
