"""How messages point into a robot file."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_SHOWN = 60
_COMPARED = 200


def at(source: str, line: int | None) -> str:
    """Prefix of an error: ``arm.urdf:12``, or the file alone where the line is unknown."""
    return source if line is None else f"{source}:{line}"


def on_line(line: int | None) -> str:
    """Prefix of a warning: ``line 12: `` or nothing; whoever prints warnings knows the file."""
    return "" if line is None else f"line {line}: "


def shown(text: object) -> str:
    """What was found in the file, quoted on one line and cut to a readable length."""
    quoted = repr(text)
    return quoted if len(quoted) <= _SHOWN else f"{quoted[:_SHOWN]}..."


def did_you_mean(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The known name closest to ``name`` regardless of case, if any is close."""
    if len(name) > _COMPARED:
        return None
    lowered = {candidate.lower(): candidate for candidate in known}
    close = difflib.get_close_matches(name.lower(), lowered, n=1, cutoff=cutoff)
    return lowered[close[0]] if close else None


def hint(name: str, known: Iterable[str]) -> str:
    """``; did you mean 'x'?`` or nothing."""
    close = did_you_mean(name, known)
    return "" if close is None else f"; did you mean '{close}'?"
