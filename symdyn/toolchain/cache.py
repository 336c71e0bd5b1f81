"""A private, content-addressed cache of compiled modules that many processes may fill at once.

``<root>/entries/<key>/`` holds one shared object, its manifest and its record; builds happen in ``<root>/builds/`` on
the same file system and are renamed into place whole, so a reader sees an entry complete or not at all. What a killed
process left in ``<root>/builds/`` goes at the next run. Generated sources are kept in ``<root>/sources/`` and robots
that were read in ``<root>/robots/`` (see ``remembered.py``), modules in Python in ``<root>/folders/``, and sources that
a compiler refused in ``<root>/failed/``.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import platformdirs

from symdyn.errors import ToolchainError
from symdyn.interface import processor
from symdyn.interface.manifest import FILE_NAME, text_digest
from symdyn.toolchain import claims
from symdyn.toolchain.record import IN_CACHE, Entry, read_record, write_record

VARIABLE = "SYMDYN_CACHE_DIR"
_REMEDY = f"set ${VARIABLE} to a folder of your own"
_FOLDERS = ("entries", "sources", "robots", "folders", "builds", "failed", "zig", "stamps", "compilers", "objects")
_PREFIX = "tmp"
_ATTEMPTS = 20


def root() -> Path:
    """The cache folder, created with mode 0700 where absent: ``$SYMDYN_CACHE_DIR``, else the user's cache folder.

    Raises
    ------
    ToolchainError
        It cannot be created or written, belongs to another user, or others may write to it: code is loaded from it.
    """
    folder = _chosen()
    _make_private(folder, parents=True)
    return folder


def _chosen() -> Path:
    chosen = os.environ.get(VARIABLE)
    try:
        folder = Path(chosen) if chosen else platformdirs.user_cache_path("symdyn")
        # With an unknown user in it, or without a home or a working directory, a path leads nowhere.
        return folder.expanduser().absolute()
    except (OSError, RuntimeError) as failure:
        said = f"${VARIABLE} is '{chosen}'" if chosen else "there is no user's cache folder"
        raise ToolchainError(f"{said}, which leads nowhere ({failure}); {_REMEDY}") from None


def _make_private(folder: Path, parents: bool) -> None:
    try:
        folder.mkdir(mode=0o700, parents=parents, exist_ok=True)
        status = folder.stat()
    except (OSError, ValueError) as failure:
        raise ToolchainError(f"cannot use cache folder {folder} ({failure}); {_REMEDY}") from None
    _check_private(folder, status)


def _check_private(folder: Path, status: os.stat_result) -> None:
    user = getattr(os, "geteuid", lambda: status.st_uid)()
    if status.st_uid != user:
        raise ToolchainError(
            f"cache folder {folder} belongs to user {status.st_uid}, expected {user}: code is loaded from it; {_REMEDY}"
        )
    # Neither a sticky bit nor a group that has one member today changes this: names can still be taken first, and
    # members added. An access list that lets others write shows as the group's bit.
    others = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if os.name == "posix" and others:
        who = "every user" if others & stat.S_IWOTH else f"everyone in group {status.st_gid}"
        raise ToolchainError(
            f"cache folder {folder} is writable by {who}: code is loaded from it; run chmod 700 on it, or {_REMEDY}"
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ToolchainError(f"cache folder {folder} is not writable; {_REMEDY}")


def place(name: str) -> Path:
    """A folder inside the cache, created with mode 0700 where absent, held to the same rules as the cache itself."""
    folder = root() / name
    _make_private(folder, parents=False)
    return folder


def key(parts: Sequence[str]) -> str:
    """Content address of a build: the hash of everything that shapes its result, in order."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


def lookup(address: str) -> Entry | None:
    """The entry of that key, or None where it is absent or its files are not those that were built."""
    return _whole(place("entries") / address)


@contextlib.contextmanager
def build_folder() -> Iterator[Path]:
    """A fresh folder to build in, on the cache's file system; removed afterwards unless it was moved."""
    with contextlib.ExitStack() as stack:
        with writing():
            folder = stack.enter_context(claims.claimed_folder(place("builds"), _PREFIX))
        yield folder


@contextlib.contextmanager
def writing() -> Iterator[None]:
    """What is written into the cache fails as the cache's fault."""
    try:
        yield
    except OSError as failure:
        raise ToolchainError(f"cannot write to the cache ({failure}); set ${VARIABLE} to another folder") from None


def sweep() -> None:
    """Remove the folders of builds that were killed."""
    claims.sweep(place("builds"), _PREFIX)


def discard(folder: Path) -> None:
    """Take out a folder; processes that have its module loaded keep it."""
    with build_folder() as aside, contextlib.suppress(OSError):
        folder.rename(aside / "discarded")


def publish(
    address: str,
    built: Path,
    *,
    seconds: float,
    kind: str,
    text_bytes: int,
    manifest: str,
    beside: Mapping[str, str] | None = None,
) -> Entry:
    """Move a built file into the cache under a key, in one step; where another process was faster, take its entry.

    ``manifest`` is the text of the manifest that it was compiled with, ``beside`` further texts by their path there.

    Raises
    ------
    ToolchainError
        The cache folder cannot be written.
    """
    final = place("entries") / address
    digests = text_digest(built.read_bytes()), text_digest(manifest), text_digest(processor.cpu_features())
    entry = Entry(final / built.name, seconds, kind, text_bytes, *digests)
    with writing(), build_folder() as folder:
        built.replace(folder / built.name)
        for name, text in {FILE_NAME: manifest, **(beside or {})}.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
        write_record(folder / IN_CACHE, entry)
        for _ in range(_ATTEMPTS):
            try:
                folder.rename(final)
            except OSError:
                faster = _whole(final)
                if faster is not None:
                    return faster
                # A damaged entry: out of the way with it. Processes that have it loaded keep their copy.
                discard(final)
            else:
                return entry
    raise ToolchainError(f"cannot write to the cache: {final} could not be replaced; remove it by hand")


def keep_failed(address: str, folder: Path) -> Path:
    """Keep a build folder that a compiler refused, for inspection; replaces an earlier one of the same key."""
    kept = place("failed") / address
    for _ in range(_ATTEMPTS):
        discard(kept)
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


def _whole(folder: Path) -> Entry | None:
    entry = read_record(folder / IN_CACHE)
    try:
        return entry if entry and text_digest((folder / FILE_NAME).read_bytes()) == entry.manifest else None
    except OSError:
        return None
