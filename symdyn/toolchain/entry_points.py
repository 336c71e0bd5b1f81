"""C functions of a compiled library, with the types that ctypes passes."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from symdyn.errors import ToolchainError

POINTER = ctypes.c_void_p
SIZE = ctypes.c_size_t


def entry_point(library: ctypes.CDLL, name: str, *arguments: Any, result: Any = ctypes.c_int) -> Any:
    """A function of a library by name; AttributeError where it is not there."""
    function = library[name]
    function.restype, function.argtypes = result, arguments
    return function


@contextmanager
def opened_library(path: str, what: str) -> Iterator[ctypes.CDLL]:
    """A library from which functions are taken.

    Raises
    ------
    ToolchainError
        It cannot be opened, or lacks a function; the message says that it is not ``what``.
    """
    try:
        yield ctypes.CDLL(path)
    except (OSError, AttributeError) as failure:
        raise ToolchainError(f"{path} {what} ({failure}); compile it anew") from None
