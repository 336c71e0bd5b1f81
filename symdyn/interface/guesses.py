"""Which known name somebody meant."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import NoReturn, TypeVar

from symdyn.errors import UnknownNameError

_Value = TypeVar("_Value")

_COMPARED = 200


class ByName(dict[str, _Value]):
    """Values by names, which says what names there are where one is unknown.

    Parameters
    ----------
    what
        What has these names, such as ``joint of robot 'arm'``.
    values
        The values.
    """

    def __init__(self, what: str, values: Mapping[str, _Value]) -> None:
        super().__init__(values)
        self._what = what

    def __missing__(self, name: object) -> NoReturn:
        known = some_of(str(name), self) or "none"
        raise UnknownNameError(f"{self._what}: {name!r} does not exist; there are {known}{hint(name, self)}")

    def __reduce__(self) -> tuple[type[ByName[_Value]], tuple[str, dict[str, _Value]]]:
        return ByName, (self._what, dict(self))


def did_you_mean(name: object, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The known name with the letters of ``name``, or else that closest to it, regardless of case, if any is close."""
    if not isinstance(name, str) or len(name) > _COMPARED:
        return None
    lowered = {candidate.lower(): candidate for candidate in known}
    letters = sorted(name.lower())
    swapped = [candidate for candidate in lowered if sorted(candidate) == letters]
    if len(swapped) == 1:
        return lowered[swapped[0]]
    close = difflib.get_close_matches(name.lower(), lowered, n=1, cutoff=cutoff)
    return lowered[close[0]] if close else None


def some_of(name: str, known: Iterable[str], most: int = 12) -> str:
    """Known names with commas; of many, those that begin or end as ``name`` does up to ``_``, ``.`` or ``/``."""
    names = list(known)
    if len(names) <= most:
        return ", ".join(names)
    parts = [part for part in re.split(r"[_./]", name.lower()) if len(part) > 1]
    first, last = tuple(parts[:1]), tuple(parts[-1:])
    alike = [own for own in names if own.lower().startswith(first) or own.lower().endswith(last)]
    shown = (alike if parts and alike else names)[:most]
    return f"{', '.join(shown)} and {len(names) - len(shown)} more"


def hint(name: object, known: Iterable[str]) -> str:
    """``; did you mean 'x'?`` or nothing."""
    close = did_you_mean(name, known)
    return "" if close is None else f"; did you mean '{close}'?"
