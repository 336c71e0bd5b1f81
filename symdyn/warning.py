"""Warnings, told at the user's line, and lines on stderr that are no warnings."""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from symdyn.errors import SymdynWarning

_HEARD: ContextVar[list[str] | None] = ContextVar("_HEARD", default=None)


@contextmanager
def heard() -> Iterator[list[str]]:
    """What this thread is warned of meanwhile; it is warned all the same."""
    messages: list[str] = []
    before = _HEARD.set(messages)
    try:
        yield messages
    finally:
        _HEARD.reset(before)


def warn(message: str) -> None:
    """Warn at the innermost line outside of symdyn that led here; at symdyn's own outermost line where there is none.

    Parameters
    ----------
    message
        What is worse than it could be, and how to mend it.
    """
    level = 1
    frame = inspect.currentframe()
    while frame is not None and frame.f_back is not None and _is_ours(frame.f_globals.get("__name__")):
        frame = frame.f_back
        level += 1
    if (heard_of := _HEARD.get()) is not None:
        heard_of.append(message)
    warnings.warn(message, SymdynWarning, stacklevel=level)


def note(message: str) -> None:
    """Say on stderr what is no fault but may surprise; the command line says it in its way, or not at all."""
    _SAYING[-1](message)


def say_notes_by(say: Callable[[str], object]) -> None:
    """Let notes of this process be said by this from now on."""
    _SAYING[:] = [say]


def _on_stderr(message: str) -> None:
    sys.stderr.write(f"{message}\n")


_SAYING: list[Callable[[str], object]] = [_on_stderr]


def _is_ours(module: object) -> bool:
    return str(module).partition(".")[0] == "symdyn"
