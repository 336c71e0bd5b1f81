"""Rows of calls as tokens: a pattern of kernels, and how often it repeats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from symdyn.tracing.rolled.flat_calls import FlatCall, best_period, steps_between

Codes = Sequence[int]
Cuts = tuple[int, ...]
"""First calls of rows, and the number of calls."""

_MOST_KNOWN = 8
"""Patterns of several kernels that are also seen where they do not repeat."""


@dataclass(frozen=True, slots=True)
class Token:
    """A pattern of kernels, by code, that repeats ``count`` times from call ``start``.

    ``steps`` is by how much the addresses of independent calls advance; a single call fits any.
    """

    pattern: tuple[int, ...]
    count: int
    start: int
    steps: tuple[int, ...] | None = None

    def fits(self, other: Token) -> bool:
        """Whether both can be the same place in the code."""
        return self.pattern == other.pattern and (self.steps == other.steps or None in (self.steps, other.steps))


Row = tuple[Token, ...]


class PatternTokens:
    """Rows as patterns that repeat, covered from either end, for patterns may be in phase at one end only."""

    def __init__(self, codes: Codes) -> None:
        self._codes = codes
        self._covers: dict[tuple[tuple[int, ...], tuple[tuple[int, ...], ...]], tuple[_Piece, ...]] = {}

    def ways(self, cuts: Cuts) -> Iterator[list[Row]]:
        """The rows between cuts as tokens, once or twice."""
        rows = [tuple(self._codes[start:end]) for start, end in pairwise(cuts)]
        forward = self._tokens(rows, cuts, backward=False)
        backward = self._tokens([row[::-1] for row in rows], cuts, backward=True)
        yield forward
        if backward != forward:
            yield backward

    def _tokens(self, rows: Sequence[tuple[int, ...]], cuts: Cuts, backward: bool) -> list[Row]:
        long = Counter(
            row[at : at + period]
            for row in set(rows)
            for at, period, repeats in self._cover(row, ())
            if period > 1 and repeats > 1
        )
        known = tuple(sorted(long, key=lambda pattern: (-long[pattern], pattern)))[:_MOST_KNOWN]
        tokens = []
        for row, start, end in zip(rows, cuts, cuts[1:], strict=False):
            made = [
                Token(row[at : at + period][::-1], repeats, end - at - period * repeats)
                if backward
                else Token(row[at : at + period], repeats, start + at)
                for at, period, repeats in self._cover(row, known)
            ]
            tokens.append(tuple(reversed(made) if backward else made))
        return tokens

    def _cover(self, row: tuple[int, ...], known: tuple[tuple[int, ...], ...]) -> tuple[_Piece, ...]:
        if (row, known) not in self._covers:
            self._covers[row, known] = tuple(_cover(row, known))
        return self._covers[row, known]


_Piece = tuple[int, int, int]


def _cover(codes: tuple[int, ...], known: Sequence[tuple[int, ...]]) -> Iterator[_Piece]:
    """(start, period, repeats) of patterns that cover a row; ``known`` ones count from one repeat."""
    start = 0
    while start < len(codes):
        period, repeats = best_period(codes, start)
        if period == 1 and repeats == 1:
            period = next((len(one) for one in known if codes[start : start + len(one)] == one), 1)
        yield start, period, repeats
        start += period * repeats


class EvenTokens:
    """Rows of independent calls as stretches of one kernel over which all addresses advance evenly."""

    def __init__(self, calls: Sequence[FlatCall], codes: Codes) -> None:
        self._codes = codes
        self._steps = [
            steps_between(one, other) if codes[place] == codes[place + 1] else None
            for place, (one, other) in enumerate(pairwise(calls))
        ]

    def ways(self, cuts: Cuts) -> Iterator[list[Row]]:
        """The rows between cuts as tokens."""
        yield [tuple(self._stretches(start, end)) for start, end in pairwise(cuts)]

    def _stretches(self, start: int, end: int) -> Iterator[Token]:
        while start < end:
            steps = self._steps[start] if start + 1 < end else None
            stop = start + 1
            while steps is not None and stop < end and self._steps[stop - 1] == steps:
                stop += 1
            yield Token((self._codes[start],), stop - start, start, steps)
            start = stop
