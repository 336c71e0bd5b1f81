"""How a language spells the operations and values of a kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from symdyn.compiler.emit.tree.kernel import ROUNDED_SUB, Kind
from symdyn.compiler.tape.ops import LEAVES, OPS

_WITHOUT_TEXT = LEAVES | {"sincos", "sin_of", "cos_of", "lane_sum", "product"}

CODES_WITH_TEXT: frozenset[str] = frozenset(OPS) - _WITHOUT_TEXT | {ROUNDED_SUB}
"""Codes that a dialect must spell; the others are nodes of their own, or the value itself (with one lane)."""


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

    ``literal`` makes the text of a constant. ``pair`` spells the sine and cosine of an angle as one value, from which
    ``halves`` read the two; without it they are computed one by one. ``pairs`` spells those of several angles at once.
    ``product`` spells a product that is added to its place; without it, the product is part of that statement.
    ``types`` names the types of values, in languages that have names for them.
    ``spread`` gives a value that all lanes share to each lane; codes in ``takes_shared`` take it as it is.
    """

    operations: Mapping[str, str]
    literal: Callable[[float], str]
    pair: str = ""
    halves: tuple[str, str] = ("", "")
    pairs: Pairs | None = None
    product: str = ""
    types: Mapping[Kind, str] = field(default_factory=dict)
    spread: Mapping[Kind, str] = field(default_factory=dict)
    takes_shared: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        assert self.operations.keys() == CODES_WITH_TEXT, self.operations.keys() ^ CODES_WITH_TEXT
