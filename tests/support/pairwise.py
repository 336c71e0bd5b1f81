"""Few of many cases that together hold all that any of them holds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from typing import TypeVar

One = TypeVar("One")


def cover(
    cases: Sequence[One], held: Callable[[One], Collection[Hashable]], met: Collection[Hashable] = ()
) -> list[One]:
    """Cases that hold whatever one of them holds; those are taken first that hold most of what others do not.

    Parameters
    ----------
    cases
        All of them, in an order that decides between equal ones.
    held
        What a case stands for, such as pairs of its layout, its function and its robot.
    met
        What needs no case, because other tests hold it.
    """
    own = [frozenset(held(case)) for case in cases]
    left = frozenset().union(*own) - frozenset(met)
    chosen: set[int] = set()
    for least in range(max(map(len, own), default=0), 0, -1):
        for place, items in enumerate(own):
            if len(items & left) >= least:
                left -= items
                chosen.add(place)
    return [cases[place] for place in sorted(chosen)]
