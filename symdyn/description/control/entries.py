"""Values by rows in problems: a number for all rows, a list, numbers by names of rows or joints, or a word."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from symdyn.description.forms import SCALAR, Scalar, quantity, scalar
from symdyn.description.quantities.written import flow_key, mapping, number, text
from symdyn.description.text.position import hint
from symdyn.description.text.validation import Path, kind_of, refusal
from symdyn.errors import DescriptionError, ModelError


class UnplacedError(DescriptionError):
    """What is wrong with a value, without the place where it stands."""


class UnfitError(ModelError):
    """What does not fit the robot in a problem, with the keys below ``control`` where it stands."""

    def __init__(self, message: str, keys: Path = ()) -> None:
        super().__init__(message)
        self.keys = keys


@contextmanager
def below(*keys: str) -> Iterator[None]:
    """Say below which keys a problem does not fit the robot."""
    try:
        yield
    except ModelError as fault:
        inner = fault.keys if isinstance(fault, UnfitError) else ()
        raise UnfitError(str(fault), (*keys, *inner)) from None


@contextmanager
def placed(given: Any, path: Path) -> Iterator[None]:
    """Say where a record stands that is refused."""
    try:
        yield
    except UnplacedError as fault:
        raise given.refusal(path, f": {fault}") from None


Entries = Any
"""A float, a word, a tuple of floats by rows, or a tuple of pairs of a name and what stands for its rows."""
INPUT, START, GRAVITY, FILE = "input", "start", "gravity", "file"
"""Words: given at run time, that of the start, generalised gravity at the start, what the robot's file has."""


def entries(words: Iterable[str] = (), least: float = -math.inf) -> Scalar:
    """The form of such values, with the words that may stand for them, and the least number."""
    known = tuple(words)
    listed = f", {' or '.join(known)}" if known else ""

    def read(value: object) -> Any:
        if isinstance(value, str):
            return value if value in known else quantity(value)
        if isinstance(value, list):
            return [quantity(entry) for entry in value]
        if isinstance(value, dict):
            return {name: read(entry) for name, entry in value.items()}
        raise refusal(f"expected a number, a list, numbers by names{listed}, got {kind_of(value)}")

    def make(raw: Any, given: Any, path: Path) -> Entries:
        if isinstance(raw, str) and raw in known:
            return raw
        if isinstance(raw, list):
            found: Entries = tuple(given.number(entry, path) for entry in raw)
        elif isinstance(raw, dict):
            return tuple((name, make(entry, given, (*path, name))) for name, entry in raw.items())
        else:
            found = given.number(raw, path, known)
        with placed(given, path):
            return normal("value", found, known, least)

    json: dict[str, Any] = {
        "anyOf": [SCALAR, {"type": "array", "items": SCALAR}, {"type": "object"}, *({"const": own} for own in known)]
    }
    return scalar(read, json, written, make)


def written(value: Entries) -> str:
    """The text of such a value."""
    if isinstance(value, str):
        return text(value)
    if isinstance(value, float):
        return number(value)
    if value and isinstance(value[0], tuple):
        return mapping({flow_key(name): written(own) for name, own in value})
    return f"[{', '.join(map(number, value))}]"


def normal(what: str, value: Any, words: Iterable[str] = (), least: float = -math.inf) -> Entries:
    """A value as Python gives it, such as a list or a mapping, in the form that records have.

    Raises
    ------
    DescriptionError
        Another word, no numbers, numbers that are not finite or below the least.
    """
    known = tuple(words)
    expected = "a number, a list of numbers, or numbers by names" + (f"; or {' or '.join(known)}" if known else "")
    if isinstance(value, str):
        if value not in known:
            raise UnplacedError(f"{what}: expected {expected}, got {value!r}{hint(value, known)}")
        return value
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        value = tuple(value.items())
    if isinstance(value, list | tuple):
        if value and all(isinstance(own, list | tuple) and len(own) == 2 and isinstance(own[0], str) for own in value):
            return tuple((name, normal(f"{what}.{name}", own, known, least)) for name, own in value)
        return tuple(finite(what, own, expected, least) for own in value)
    return finite(what, value, expected, least)


def finite(what: str, value: Any, expected: str = "a number", least: float = -math.inf) -> float:
    """A finite number, not below the least."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UnplacedError(f"{what}: expected {expected}, got {value!r}")
    if not math.isfinite(value):
        raise UnplacedError(f"{what} is {value!r}; give a finite number")
    if value < least:
        raise UnplacedError(f"{what} is {float(value)!r}; it must be at least {least:g}")
    return float(value)
