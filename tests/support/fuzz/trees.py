"""Mutations of nested data, as YAML and JSON hold them: entries dropped, doubled, moved, and replaced by odd ones."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

NUMBERS: tuple[Any, ...] = (
    *(0, -1, 1, 0.0, -0.0, float("nan"), float("inf"), float("-inf"), 1e300, -1e300, 1e-300, 5e-324, 10**30, -(10**18)),
    *(1e-12, 1e12, 0.5, 3, 255, 2**63, 2**31 - 1, 1e154, 1e-154),
)
ODD: tuple[Any, ...] = (
    *("", "x", "nan", "1e300", "tip", "end", "1/0", "x**2", "1/x", "x - 0.1", "é", "a b", "\x00", None, True, False),
    *([], {}, [1], [1, 2, 3], [0, 0, 0], [0, 0, 1], [[1]], {"a": 1}, [None], [[[[[1]]]]], list(range(40)), ["x", 1]),
    *({"value": 1}, {"runtime": True}, {"": {}}, [1e300, -1e300, 1e300], [float("nan")] * 3),
)
Place = tuple[Any, Any]
"""A mapping or list, and a key or index of it."""


def places(data: Any) -> Iterator[Place]:
    """Every place in nested data that holds something."""
    rows = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, inner in rows:
        yield data, key
        yield from places(inner)


def _dropped(data: Any, place: Place, rng: random.Random) -> None:
    del place[0][place[1]]


def _number(data: Any, place: Place, rng: random.Random) -> None:
    place[0][place[1]] = rng.choice(NUMBERS)


def _scaled(data: Any, place: Place, rng: random.Random) -> None:
    old = place[0][place[1]]
    if isinstance(old, int | float) and not isinstance(old, bool):
        place[0][place[1]] = float(old) * rng.choice((-1.0, 1e-3, 1e3, 1e-9, 1e9, 1e100, 1.0000000001, 2.0))
    elif isinstance(old, str):
        place[0][place[1]] = rng.choice((f"-({old})", f"1e9*({old})", f"{old}{old}", f"({old})/0", old[:-1], f"{old} "))


def _odd(data: Any, place: Place, rng: random.Random) -> None:
    place[0][place[1]] = copy.deepcopy(rng.choice(ODD))


def _doubled(data: Any, place: Place, rng: random.Random) -> None:
    holder, key = place
    if isinstance(holder, list):
        holder[key:key] = [copy.deepcopy(holder[key])] * rng.choice((1, 1, 2, 30))
    else:
        other = rng.choice((f"{key}_2", *map(str, holder), "tip", "end", "x", ""))
        holder[other] = copy.deepcopy(holder[key])


def _moved(data: Any, place: Place, rng: random.Random) -> None:
    """What stands elsewhere in the data stands here too."""
    holder, key = rng.choice(list(places(data)))
    place[0][place[1]] = copy.deepcopy(holder[key])


def _nested(data: Any, place: Place, rng: random.Random) -> None:
    inner = place[0][place[1]]
    for _ in range(rng.choice((1, 1, 2, 60))):
        inner = [inner] if rng.random() < 0.5 else {rng.choice(("a", "link", "value", "x")): inner}
    place[0][place[1]] = inner


def _renamed(data: Any, place: Place, rng: random.Random) -> None:
    """A key is another one of the data."""
    holder, key = place
    if isinstance(holder, dict):
        names = sorted({str(own) for inside, own in places(data) if isinstance(inside, dict)})
        holder[rng.choice(names)] = holder.pop(key)


_EDITS: tuple[Callable[[Any, Place, random.Random], None], ...] = (
    *(_dropped, _dropped, _number, _number, _number, _scaled, _scaled, _odd, _odd, _doubled, _moved, _moved, _nested),
    _renamed,
)


def edited(data: Any, rng: random.Random, within: str = "") -> Any:
    """A copy of nested data with one to four edits; nine in ten of them inside an entry whose key is ``within``.

    Half of the copies have only values changed: then more of them pass the checks of form.
    """
    data = copy.deepcopy(data)
    edits = _EDITS if rng.random() < 0.5 else (_number, _scaled, _scaled)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 4))):
        inner = [holder[key] for holder, key in places(data) if key == within] if within else []
        found = [own for part in inner for own in places(part)] if inner and rng.random() < 0.9 else list(places(data))
        if found:
            if edits is not _EDITS:
                found = [own for own in found if not isinstance(own[0][own[1]], dict | list)] or found
            rng.choice(edits)(data, rng.choice(found), rng)
    return data
