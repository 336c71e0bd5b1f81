"""The text of symdyn itself: what it made before is found again only where that text is the same."""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

_PACKAGES = ("symdyn", "symdyn.templates")
_SUFFIXES = (".py", ".jinja", ".yaml")
_LAG = 0.01
"""Seconds that the clock of a file system may lag behind."""
_STARTED = time.time() - _LAG
"""When this process began to import symdyn, less that lag."""
_CLOCK = "st_ctime" if os.name == "posix" else "st_mtime"
"""Which time of a file tells a change. A file's own can be set to anything, but Windows has no other."""


@cache
def digest() -> str:
    """SHA-256 over names and contents of symdyn's own files.

    If a source file changed after this process began, it is a random number, so that no cache entry matches.
    """
    if changed():
        return os.urandom(32).hex()
    found = hashlib.sha256()
    for name, file in _files():
        with open(file, "rb") as stream:  # noqa: PTH123  (a path for each of a thousand files costs as much again)
            data = stream.read()
        found.update(f"{name} {len(data)}\n".encode())
        found.update(data)
    return found.hexdigest()


def stamp() -> str:
    """What stands for the contents of symdyn's own files: their names, sizes, numbers and clocks; nothing on Windows.

    Whoever writes a file cannot choose the time of its last change that POSIX systems keep. Nothing, too, where a file
    changed after this process began.
    """
    if os.name != "posix" or _gone():
        return ""
    found = hashlib.sha256()
    for name, file in _files():
        own = os.stat(file)  # noqa: PTH116  (as above)
        if own.st_ctime > _STARTED:
            return ""
        found.update(f"{file}\0{name}\0{own.st_ino} {own.st_size} {own.st_mtime_ns} {own.st_ctime_ns}\n".encode())
    return found.hexdigest()


def changed() -> bool:
    """Whether a file was changed after this process began, or code that was loaded is gone.

    The process may then run either text, and nobody knows which.
    """
    return any(_changed_at(file) > _STARTED for _, file in _files()) or _gone()


def _changed_at(path: str) -> float:
    return float(getattr(os.stat(path), _CLOCK))  # noqa: PTH116  (as above)


def _gone() -> bool:
    """Whether the file of a module of symdyn that this process has loaded is not there any more."""
    own = [module for name, module in list(sys.modules.items()) if name.partition(".")[0] == "symdyn"]
    files = [file for module in own if (file := getattr(module, "__file__", None))]
    return any(not os.path.exists(file) for file in files)  # noqa: PTH110  (as above)


def _files() -> Iterator[tuple[str, str]]:
    for package in _PACKAGES:
        spec = find_spec(package)
        if spec is None or spec.origin is None:
            from symdyn.errors import ToolchainError

            raise ToolchainError(
                f"'{package}' is missing beside '{Path(__file__).parent}': Python found the sources before the "
                "installed package; start it in another folder, or install them by pip install -e ."
            )
        yield from _below(str(Path(spec.origin).parent), package)


_Pairs = list[tuple[str, str]]
_LISTED: dict[tuple[str, str], tuple[float, _Pairs, _Pairs]] = {}
"""When a folder, of a path and a name, last got or lost an entry, with names and paths of its files and its folders."""


def _below(folder: str, name: str) -> Iterator[tuple[str, str]]:
    """Names and paths of the files below a folder, which is listed again only where its own clock is another."""
    at = _changed_at(folder)
    known, files, folders = _LISTED.get((folder, name), (None, [], []))
    if known != at:
        began = time.time() - _LAG
        files, folders = _entries(folder, name)
        if at < began:  # else an entry that comes now may leave the clock as it is
            _LISTED[folder, name] = at, files, folders
    yield from files
    for inner, path in folders:
        yield from _below(path, inner)


def _entries(folder: str, name: str) -> tuple[_Pairs, _Pairs]:
    files, folders = [], []
    with os.scandir(folder) as listed:
        entries = sorted(listed, key=lambda entry: entry.name)
    for entry in entries:
        if entry.is_dir():
            if entry.name != "__pycache__":
                folders.append((f"{name}/{entry.name}", entry.path))
        elif entry.name.endswith(_SUFFIXES):
            files.append((f"{name}/{entry.name}", entry.path))
    return files, folders
