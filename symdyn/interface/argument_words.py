"""Paths, words, names and callables as users give them, checked; this file imports no room."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from math import inf
from numbers import Real
from operator import index
from pathlib import Path
from typing import Any

from symdyn.errors import ArgumentError, RequestError, SymdynError
from symdyn.interface.guesses import hint


def given_path(what: str, path: Any) -> Path:
    """The name of a file or folder; an ArgumentError for what is none."""
    try:
        return Path(path)
    except TypeError as failure:
        raise ArgumentError(f"{what} is the name of a file or folder, got {type(path).__name__}") from failure


def given_word(what: str, value: Any, example: str) -> str:
    """A text that is a name, whose meaning is for the caller to check; a RequestError for all else."""
    if not isinstance(value, str):
        raise RequestError(f"{what} is a name such as '{example}', got {value!r}")
    return value


def given_flag(
    what: str, value: Any, choices: str = "True or False", refusal: type[SymdynError] = RequestError
) -> bool:
    """A flag from Python's or NumPy's; a ``refusal`` for all else, numbers and arrays among it."""
    found = value.item() if getattr(value, "shape", None) == () and hasattr(value, "item") else value
    if not isinstance(found, bool):
        raise refusal(f"{what} is {choices}, got {value!r}")
    return found


def given_choice(what: str, value: Any, choices: Collection[str]) -> str:
    """One of a few words; a RequestError, with a guess at what was meant, for all else."""
    if not isinstance(value, str) or value not in choices:
        listed = " or ".join(map(repr, choices))
        raise RequestError(f"{what} is {listed}, got {value!r}{hint(value, choices)}")
    return value


def given_whole(what: str, value: Any, least: int = 0) -> int:
    """A whole number from ``least``; a RequestError otherwise."""
    try:
        whole = least - 1 if isinstance(value, bool) else index(value)
    except TypeError:
        whole = least - 1
    if whole < least:
        raise RequestError(f"{what} is a whole number from {least}, got {value!r}")
    return whole


def given_positive(what: str, value: Any) -> float:
    """A positive finite number; a RequestError otherwise."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0.0 < float(value) < inf:
        raise RequestError(f"{what}: expected a positive number, got {value!r}")
    return float(value)


def given_mapping(what: str, value: Any, example: str) -> Mapping[str, Any]:
    """Values by names; a RequestError for all else."""
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise RequestError(f"{what}: expected values by names such as {example}, got {value!r}")
    return value


def given_names(what: str, names: Any, example: str) -> list[str]:
    """A list of names; a RequestError for one without a list, and for what holds other things."""
    if isinstance(names, str):
        raise RequestError(f"{what} is a list of names such as {list(map(str.strip, names.split(',')))}, got '{names}'")
    found = listed_names(names)
    if found is None:
        raise RequestError(f"{what} is a list of names such as ['{example}'], got {names!r}")
    return found


def listed_names(names: Any) -> list[str] | None:
    """The names of a list; None for what is none, such as one text, or values by names, which would be dropped."""
    if isinstance(names, str | Mapping) or not isinstance(names, Iterable):
        return None
    found = list(names)
    return found if all(isinstance(name, str) for name in found) else None


def parted(names: Iterable[str], known: Collection[str]) -> list[str]:
    """Single names: a text that is none of the known ones may hold several with commas."""
    return [part for name in names for part in ([name] if name in known else map(str.strip, name.split(",")))]


def given_callable(what: str, takes: str, value: Any) -> Callable[..., Any]:
    """What can be called; an ArgumentError otherwise."""
    if not callable(value):
        raise ArgumentError(f"{what}: expected a function of ({takes}), got {value!r}")
    return value  # type: ignore[no-any-return]


def coordinate_places(owner: str, name: Any, names: Sequence[str]) -> int | list[int]:
    """The place of the coordinate of that name, or those of all coordinates of a joint; a RequestError for all else."""
    if name in names:
        return names.index(name)
    places = [place for place, own in enumerate(names) if own.rpartition(".")[0] == name]
    if not places:
        raise RequestError(f"{owner}: no coordinate '{name}'{hint(name, names)}")
    return places


def named_row(owner: str, name: Any, names: Sequence[str]) -> int:
    """The row of an input; a RequestError, with the names that there are, for all else."""
    if name not in names:
        raise RequestError(f"input '{name}' of {owner} does not exist; there are {', '.join(names)}{hint(name, names)}")
    return names.index(name)
