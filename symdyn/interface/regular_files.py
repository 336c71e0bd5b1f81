"""Files that users name, read only where they are regular: pipes and devices may never end. It imports no room."""

from __future__ import annotations

import os
import stat
from typing import BinaryIO

NOT_REGULAR = "not a regular file"
"""The words of the OSError for a pipe, a device, a socket or a folder."""


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """A file, opened to be read as bytes.

    Raises
    ------
    OSError
        It cannot be opened, or is no regular file. Neither opening nor the refusal waits for another process.
    """
    # Without O_NONBLOCK a pipe that nobody writes to would not even open. What is told of the open file cannot change.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(0, NOT_REGULAR, os.fspath(path))
    return os.fdopen(handle, "rb")


def read_regular(path: str | os.PathLike[str], most: int = -1) -> bytes:
    """The bytes of a file, or its first ``most``; see :func:`open_regular` for the errors."""
    with open_regular(path) as stream:
        return stream.read(most)
