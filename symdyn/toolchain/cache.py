"""A private, content-addressed cache of compiled modules that many processes may fill at once.

``<root>/entries/<key>/`` holds one shared object and its record; builds happen in ``<root>/builds/`` on the same file
system and are renamed into place whole, so a reader sees an entry complete or not at all. Sources that a compiler
refused are kept in ``<root>/failed/``.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import shutil
import stat
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import platformdirs

from symdyn.errors import ToolchainError

VARIABLE = "SYMDYN_CACHE_DIR"
_RECORD = "record.json"
_FOLDERS = ("entries", "builds", "failed", "zig")
_ATTEMPTS = 20


@dataclass(frozen=True, slots=True)
class Entry:
    """A compiled module in the cache: its file, the seconds its build took, its kind and its size of code."""

    path: Path
    seconds: float
    kind: str
    text_bytes: int


@dataclass(frozen=True, slots=True)
class _Record:
    file: str
    sha256: str
    seconds: float
    kind: str
    text_bytes: int


def root() -> Path:
    """The cache folder, created with mode 0700 where absent: ``$SYMDYN_CACHE_DIR``, else the user's cache folder.

    Raises
    ------
    ToolchainError
        It cannot be created or written, belongs to another user, or anyone may write to it: code is loaded from it.
    """
    chosen = os.environ.get(VARIABLE)
    folder = Path(chosen).expanduser().absolute() if chosen else platformdirs.user_cache_path("symdyn")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
    except OSError as failure:
        raise ToolchainError(
            f"cannot use cache folder {folder} ({failure}); set ${VARIABLE} to a folder of your own"
        ) from failure
    _check_private(folder, status)
    return folder


def _check_private(folder: Path, status: os.stat_result) -> None:
    user = getattr(os, "geteuid", lambda: status.st_uid)()
    if status.st_uid != user:
        raise ToolchainError(
            f"cache folder {folder} belongs to user {status.st_uid}, expected {user}: code is loaded from it; "
            f"set ${VARIABLE} to a folder of your own"
        )
    if os.name == "posix" and status.st_mode & stat.S_IWOTH:
        raise ToolchainError(
            f"cache folder {folder} is writable by every user: code is loaded from it; run chmod 700 on it, "
            f"or set ${VARIABLE} to a folder of your own"
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ToolchainError(f"cache folder {folder} is not writable; set ${VARIABLE} to a folder of your own")


def place(name: str) -> Path:
    """A folder inside the cache, created with mode 0700 where absent, held to the same rules as the cache itself."""
    folder = root() / name
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.stat()
    except OSError as failure:
        raise ToolchainError(
            f"cannot use cache folder {folder} ({failure}); set ${VARIABLE} to another one"
        ) from failure
    _check_private(folder, status)
    return folder


def key(parts: Sequence[str]) -> str:
    """Content address of a build: the hash of everything that shapes its result, in order."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


def cpu_features() -> str:
    """What this CPU can execute, as the operating system names it: a module built for more than that would crash."""
    with contextlib.suppress(OSError):
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        for line in text.splitlines():
            label, _, features = line.partition(":")
            if label.strip().lower() in ("flags", "features"):
                return f"{platform.machine()} {' '.join(sorted(features.split()))}"
    return f"{platform.machine()} {platform.processor()}"


def lookup(address: str) -> Entry | None:
    """The entry of that key, or None where it is absent or its file is not the one that was built."""
    return _read(place("entries") / address)


@contextlib.contextmanager
def build_folder() -> Iterator[Path]:
    """A fresh folder to build in, on the cache's file system; removed afterwards unless it was moved."""
    folder = Path(tempfile.mkdtemp(dir=place("builds")))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def publish(address: str, built: Path, *, seconds: float, kind: str, text_bytes: int) -> Entry:
    """Move a built file into the cache under a key, in one step; where another process was faster, take its entry.

    Raises
    ------
    ToolchainError
        The cache folder cannot be written.
    """
    final = place("entries") / address
    record = _Record(built.name, _sha256(built), seconds, kind, text_bytes)
    try:
        folder = Path(tempfile.mkdtemp(dir=place("builds")))
        built.replace(folder / built.name)
        (folder / _RECORD).write_text(json.dumps(asdict(record), sort_keys=True), encoding="utf-8")
        for _ in range(_ATTEMPTS):
            try:
                folder.rename(final)
            except OSError:
                entry = _read(final)
                if entry is not None:
                    shutil.rmtree(folder, ignore_errors=True)
                    return entry
                # A damaged entry: out of the way with it. Processes that have it loaded keep their copy.
                _discard(final)
            else:
                return Entry(final / built.name, seconds, kind, text_bytes)
    except OSError as failure:
        raise ToolchainError(f"cannot write to the cache ({failure}); set ${VARIABLE} to another folder") from failure
    raise ToolchainError(f"cannot write to the cache: {final} could not be replaced; remove it by hand")


def keep_failed(address: str, folder: Path) -> Path:
    """Keep a build folder that a compiler refused, for inspection; replaces an earlier one of the same key."""
    kept = place("failed") / address
    for _ in range(_ATTEMPTS):
        _discard(kept)
        with contextlib.suppress(OSError):
            folder.rename(kept)
            return kept
    return folder


def clear() -> None:
    """Remove every entry, unfinished build and kept source; modules that are loaded stay usable."""
    base = root()
    for name in _FOLDERS:
        if (base / name).is_symlink():
            (base / name).unlink()
        elif (base / name).exists():
            shutil.rmtree(base / name, ignore_errors=True)


def _discard(folder: Path) -> None:
    with contextlib.suppress(OSError):
        aside = Path(tempfile.mkdtemp(dir=place("builds")))
        folder.rename(aside / "discarded")
        shutil.rmtree(aside, ignore_errors=True)


def _read(folder: Path) -> Entry | None:
    try:
        record = _Record(**json.loads((folder / _RECORD).read_text(encoding="utf-8")))
        path = folder / Path(record.file).name
        if _sha256(path) != record.sha256:
            return None
    except (OSError, ValueError, TypeError):
        return None
    return Entry(path, record.seconds, record.kind, record.text_bytes)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
