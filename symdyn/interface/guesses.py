"""Which known name somebody meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_COMPARED = 200


def did_you_mean(name: object, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The known name closest to ``name`` regardless of case, if any is close; of what is no text there is none."""
    if not isinstance(name, str) or len(name) > _COMPARED:
        return None
    lowered = {candidate.lower(): candidate for candidate in known}
    close = difflib.get_close_matches(name.lower(), lowered, n=1, cutoff=cutoff)
    return lowered[close[0]] if close else None


def hint(name: object, known: Iterable[str]) -> str:
    """``; did you mean 'x'?`` or nothing."""
    close = did_you_mean(name, known)
    return "" if close is None else f"; did you mean '{close}'?"
