"""How a language spells the instructions of a tape."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from symdyn.tape.ops import LEAVES, OPS

_WITHOUT_TEXT = LEAVES | {"sincos", "sin_of", "cos_of", "lane_sum", "product"}

CODES_WITH_TEXT: frozenset[str] = frozenset(OPS) - _WITHOUT_TEXT
"""Codes that a dialect must spell; the others are elements, literals, pairs, the value itself (with one lane), or
products that become part of the statement that adds them to their place."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """How a language spells the sines and cosines of ``count`` angles ``{0}``, ``{1}`` ... as one value.

    ``idle`` is the text of an angle that nobody asked for; ``halves`` read the sine and the cosine of angle ``{1}``
    from the value ``{0}``.
    """

    count: int
    call: str
    idle: str
    halves: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a language spells each code of ``CODES_WITH_TEXT`` over operands ``{0}``, ``{1}``, ``{2}``.

    ``literal`` makes the text of a constant. ``pair`` spells a sine-cosine pair that is one value, of which ``halves``
    read the sine and the cosine; without it the two are computed one by one. ``pairs`` spells several of them at once.
    ``product`` spells a product that is added to its place; without it, the product is part of that statement.
    ``rounded`` spells a value that may be a product where something is taken from it: no compiler may fuse the two.
    """

    operations: Mapping[str, str]
    literal: Callable[[float], str]
    pair: str = ""
    halves: tuple[str, str] = ("", "")
    pairs: Pairs | None = None
    product: str = ""
    rounded: str = ""

    def __post_init__(self) -> None:
        assert self.operations.keys() == CODES_WITH_TEXT, self.operations.keys() ^ CODES_WITH_TEXT


@dataclass(frozen=True, slots=True)
class Lanes:
    """How the instructions of a tape are spelled that have one value per lane; the others keep the plain dialect.

    ``varying`` tells them, one flag per instruction. ``spread`` and ``spread_truth`` give a number and a truth value
    that all lanes share to each lane; sums, products and quotients take them as they are.
    """

    dialect: Dialect
    varying: Sequence[bool]
    spread: str
    spread_truth: str
