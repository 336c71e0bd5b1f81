"""Ports whose scalars do not lie evenly: the rows of a joint that follows several others.

Such a port is bound scalar by scalar, as ports ``v``, ``v+1``, ``v+2``. Its kernel notices nothing: what is read is put
together for it, and what it writes is taken apart.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from symdyn.plan.plan import Access, Kernel

_MARK = "+"


@dataclass(frozen=True, slots=True)
class Pieces:
    """The scalars of a port, one by one."""

    scalars: tuple[Access, ...]


@dataclass(frozen=True, slots=True)
class Apart:
    """A variant some of whose ports are in pieces."""

    variant: Hashable
    ports: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Joined:
    """A kernel some of whose visits have ports in pieces."""

    kernel: Kernel

    def __call__(
        self, variant: Any, algebra: Any, constants: Mapping[str, Any], reads: Mapping[str, Sequence[Any]]
    ) -> Mapping[str, Sequence[Any]]:
        """What the kernel writes."""
        if not isinstance(variant, Apart):
            return self.kernel(variant, algebra, constants, reads)
        whole: dict[str, list[Any]] = {}
        for name, values in reads.items():
            whole.setdefault(name.partition(_MARK)[0], []).extend(values)
        found: dict[str, Sequence[Any]] = {}
        for name, values in self.kernel(variant.variant, algebra, constants, whole).items():
            apart = name in variant.ports
            found |= zip(piece_names(name), ([value] for value in values), strict=False) if apart else {name: values}
        return found


def piece_names(port: str) -> Iterator[str]:
    """Names of the pieces of a port, as many as are requested."""
    yield port
    yield from (f"{port}{_MARK}{place}" for place in count(1))


def scalars_at(field: str, places: Sequence[int], start: int = 0, step: int = 1) -> Access | Pieces:
    """The scalars ``start + step * place`` of a field, in pieces where the places are no range."""
    if isinstance(places, range):
        return Access(field, start + step * places.start, len(places), step)
    return Pieces(tuple(Access(field, start + step * place, 1) for place in places))
