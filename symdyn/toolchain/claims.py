"""Temporary folders that their owner holds a lock on, so that what a killed process left is told from what is in use.

The lock is on the folder itself and ends with the process, however that ends. Where a file system has no such locks,
nothing is swept: better left behind than taken from under somebody.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # no POSIX
    fcntl = None  # type: ignore[assignment]

_ATTEMPTS = 20


@contextlib.contextmanager
def claimed_folder(parent: Path, prefix: str, mode: int = 0o700) -> Iterator[Path]:
    """A fresh folder that no sweep removes while it is in use; removed afterwards unless it was moved.

    Raises
    ------
    OSError
        It cannot be made.
    """
    folder, handle = _claim(parent, prefix, mode)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if handle is not None:
            os.close(handle)


def unclaimed(parent: Path, prefix: str) -> Iterator[Path]:
    """Folders of that prefix whose owner is gone; each is locked while it is looked at."""
    try:
        found = sorted(path for path in parent.iterdir() if path.name.startswith(prefix))
    except OSError:
        return
    for folder in found:
        try:
            handle = _lock(folder)
        except OSError:  # no folder, or no locks
            continue
        if handle is not None:
            try:
                yield folder
            finally:
                os.close(handle)


def sweep(parent: Path, prefix: str) -> None:
    """Remove the folders of that prefix whose owner is gone."""
    for folder in unclaimed(parent, prefix):
        shutil.rmtree(folder, ignore_errors=True)


def _claim(parent: Path, prefix: str, mode: int) -> tuple[Path, int | None]:
    for _ in range(_ATTEMPTS):
        folder = parent / f"{prefix}{secrets.token_hex(8)}"
        try:
            folder.mkdir(mode=mode)
        except FileExistsError:
            continue
        try:
            handle = _lock(folder)
        except FileNotFoundError:  # a sweep came between
            continue
        except OSError:
            return folder, None
        if handle is not None:
            return folder, handle
    raise FileExistsError(f"no temporary folder could be claimed in {parent}")


def _lock(folder: Path) -> int | None:
    """A handle that holds the folder's lock; None where somebody else does.

    Raises
    ------
    OSError
        No folder, or a file system without such locks.
    """
    if fcntl is None:
        raise OSError("no locks on this system")
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(handle), os.lstat(folder)):
            return handle
    except BlockingIOError:
        os.close(handle)
        return None
    except BaseException:
        os.close(handle)
        raise
    os.close(handle)
    return None
