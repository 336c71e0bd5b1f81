"""How messages point into a robot file."""

from __future__ import annotations

from symdyn.interface.guesses import did_you_mean, hint

__all__ = ["at", "did_you_mean", "hint", "on_line", "shown"]

_SHOWN = 60


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
