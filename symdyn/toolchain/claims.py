"""Temporary folders that their owner holds a lock on, so that what a killed process left is told from what is in use.

The lock is on the folder itself and ends with the process, however that ends. On Windows, which has no locks on
folders, it is on a file beside it. Where a file system has no such locks, nothing is swept: better left behind than
taken from under somebody.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from filelock import BaseFileLock

try:
    import fcntl
except ImportError:  # Windows
    HAS_FOLDER_LOCKS = False
else:
    HAS_FOLDER_LOCKS = True

_Handle: TypeAlias = "int | BaseFileLock"
_ATTEMPTS = 20
_POLL_S = 0.01
_HELD, _NO_LOCKS = -1, -2


class Claim:
    """A fresh folder that no sweep removes while it is in use.

    ``folder`` is where it was made; with ``keep`` set it is left behind by :meth:`release`, for a later run to find.

    Raises
    ------
    OSError
        It cannot be made.
    """

    def __init__(self, parent: Path, prefix: str, mode: int = 0o700) -> None:
        self.folder, self._handle = _claim(parent, prefix, mode)
        self.keep = False

    def release(self) -> None:
        """Let go of the folder, and remove it unless it was moved or is to be kept."""
        if not self.keep:
            shutil.rmtree(self.folder, ignore_errors=True)
        if self._handle is not None:
            _let_go(self._handle)


@contextlib.contextmanager
def claimed_folder(parent: Path, prefix: str, mode: int = 0o700) -> Iterator[Path]:
    """As :class:`Claim`, released at the end."""
    claim = Claim(parent, prefix, mode)
    try:
        yield claim.folder
    finally:
        claim.release()


@contextlib.contextmanager
def locked(folder: Path, seconds: float) -> Iterator[None]:
    """Hold the lock of a folder that exists; where the file system has none, go on without.

    Raises
    ------
    OSError
        No folder, or somebody else has held it for so many seconds.
    """
    deadline = time.monotonic() + seconds
    while (handle := _lock_if_any(folder)) == _HELD:
        if time.monotonic() > deadline:
            raise BlockingIOError(f"another process has been writing to it for {seconds:g} s")
        time.sleep(_POLL_S)
    try:
        yield
    finally:
        if handle != _NO_LOCKS:
            _let_go(handle)


def _lock_if_any(folder: Path) -> _Handle:
    try:
        handle = _lock(folder, follow=True)
    except OSError:
        if folder.is_dir():
            return _NO_LOCKS
        raise
    return _HELD if handle is None else handle


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
                _let_go(handle)


def sweep(parent: Path, prefix: str) -> None:
    """Remove the folders of that prefix whose owner is gone."""
    for folder in unclaimed(parent, prefix):
        shutil.rmtree(folder, ignore_errors=True)


def _claim(parent: Path, prefix: str, mode: int) -> tuple[Path, _Handle | None]:
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


def _let_go(handle: _Handle) -> None:
    if isinstance(handle, int):
        os.close(handle)
        return
    handle.release(force=True)
    with contextlib.suppress(OSError):  # somebody else has opened it by now
        Path(handle.lock_file).unlink()


def _lock(folder: Path, follow: bool = False) -> _Handle | None:
    """A handle that holds the folder's lock; None where somebody else does.

    Raises
    ------
    OSError
        No folder, or a file system without such locks.
    """
    if not HAS_FOLDER_LOCKS:
        return _lock_beside(folder, follow)
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | (0 if follow else os.O_NOFOLLOW))
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(handle), folder.stat(follow_symlinks=follow)):
            return handle
    except BlockingIOError:
        os.close(handle)
        return None
    except BaseException:
        os.close(handle)
        raise
    os.close(handle)
    return None


def _lock_beside(folder: Path, follow: bool) -> _Handle | None:
    """As :func:`_lock`, on a file beside the folder: a folder with an open file in it cannot be moved on Windows."""
    from filelock import FileLock, Timeout

    def check() -> None:
        if not folder.is_dir() or (folder.is_symlink() and not follow):
            raise FileNotFoundError(f"{folder} is no folder")

    check()
    lock = FileLock(folder.with_name(f".{folder.name}.lock"), timeout=0, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        return None
    try:
        check()  # a sweep may have come between
    except FileNotFoundError:
        _let_go(lock)
        raise
    return lock
