"""Loops over rows of calls that are alike but not equally long: triangles, and walks from every body to the root.

A sequence of calls is cut into rows. Each row is a list of *tokens*, a pattern of kernels and how often it repeats. All
rows together are laid over one list of patterns that has every row as a part; a pattern that a row lacks runs
zero times in it. So the code has one place per pattern instead of one per pattern and row, and the numbers of runs are
affine in the row, or come from a table where branches are of unequal depth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

from symdyn.tracing.rolled.flat_calls import FlatCall, codes_of
from symdyn.tracing.rolled.tokens import Codes, Cuts, EvenTokens, PatternTokens, Row, Token

_MOST_PATTERNS = 400
"""Patterns up to which rows are laid over each other."""

_PLACE = 60
"""Bytes of code for a call with its addresses."""

_ENTRY = 6
"""Bytes of index tables for a pattern in a row: its number of runs, and some of its addresses."""

_MOST_UNLIKE = 40
"""Rows that may add patterns in their middle, which takes a comparison of all patterns."""


@dataclass(frozen=True, slots=True)
class Folding:
    """Rows over patterns: ``rows[group][row]`` has a token per pattern, or None where it lacks the pattern."""

    patterns: tuple[tuple[int, ...], ...]
    rows: tuple[tuple[tuple[Token | None, ...], ...], ...]

    @property
    def places(self) -> int:
        """Calls in the code."""
        return sum(map(len, self.patterns))

    @property
    def likely_size(self) -> int:
        """A guess of the bytes of code and index tables, as if all groups of rows were alike."""
        size = _PLACE * self.places
        for number in range(len(self.patterns)):
            tokens = [(row, members[row][number]) for members in self.rows for row in range(len(members))]
            size += _ENTRY * len({(row, token.count if token else 0) for row, token in tokens})
        return size


def foldings(calls: Sequence[FlatCall], independent: bool, places: int) -> Iterator[Folding]:
    """Ways to lay a sequence of calls over fewer patterns.

    Parameters
    ----------
    calls
        The calls in their order.
    independent
        Whether their order is free, so that even stretches are kept whole.
    places
        Most places of calls that a way may have.
    """
    codes = codes_of([call.shape for call in calls])
    splitter = EvenTokens(calls, codes) if independent else PatternTokens(codes)
    seen: set[tuple[Cuts, Cuts]] = set()
    for cuts in _cuts(calls, codes):
        groups = _groups(cuts)
        whole = tuple(cuts[row] for row in groups)
        for inner, outer in ((cuts, (0, len(cuts) - 1)), (cuts, groups), (whole, (0, len(whole) - 1))):
            if len(inner) < 3 or (inner, outer) in seen:
                continue
            seen.add((inner, outer))
            for tokens in splitter.ways(inner):
                patterns = _overlaid(tokens, places)
                if patterns is not None:
                    yield _folding(tokens, patterns, outer)


def _folding(tokens: Sequence[Row], patterns: Sequence[Token], groups: Cuts) -> Folding:
    laid = [_laid(row, patterns) for row in tokens]
    used = [n for n in range(len(patterns)) if any(row[n] is not None for row in laid)]
    kept = [tuple(row[n] for n in used) for row in laid]
    grouped = tuple(tuple(kept[start:end]) for start, end in pairwise(groups))
    return Folding(tuple(patterns[n].pattern for n in used), grouped)


def _cuts(calls: Sequence[FlatCall], codes: Codes) -> Iterator[Cuts]:
    """Places where rows may start: where offsets turn back, and before calls of the first kind."""
    moves: dict[tuple[str, int], list[tuple[int, bool]]] = {}
    held: dict[tuple[str, int], int] = {}
    for place, call in enumerate(calls):
        met: Counter[str] = Counter()
        for buffer, offset in call.places:
            port = (buffer, met[buffer])
            met[buffer] += 1
            before = held.get(port, offset)
            if offset != before:
                moves.setdefault(port, []).append((place, offset > before))
            held[port] = offset
    found: dict[Cuts, None] = {}
    for turns in moves.values():
        # Offsets of a port move one way within rows and back between them: the rarer way marks the starts of rows.
        rare = 2 * sum(up for _, up in turns) < len(turns)
        found[_with_ends([place for place, up in turns if up is rare], calls)] = None
    found[_with_ends([place for place, code in enumerate(codes) if code == codes[0]], calls)] = None
    return (cuts for cuts in found if 3 <= len(cuts) <= len(calls) // 2 + 1)


def _with_ends(starts: Sequence[int], calls: Sequence[FlatCall]) -> Cuts:
    return (0, *(start for start in starts if start), len(calls))


def _groups(cuts: Cuts) -> Cuts:
    """Rows at which groups of rows start: where the lengths of the rows turn back."""
    lengths = [end - start for start, end in pairwise(cuts)]
    moves = [(row + 1, after > before) for row, (before, after) in enumerate(pairwise(lengths)) if after != before]
    rare = 2 * sum(up for _, up in moves) < len(moves)
    return (0, *(row for row, up in moves if up is rare), len(lengths))


def _overlaid(rows: Sequence[Row], places: int) -> list[Token] | None:
    """A sequence of patterns that has every row as a part; None if rows have too little in common."""
    patterns: list[Token] = []
    unlike = 0
    kinds = {tuple((token.pattern, token.steps) for token in row): row for row in rows}
    # The longest row first: the others are then likely to be parts of what is there, which is cheap to test.
    for row in sorted(kinds.values(), key=len, reverse=True):
        if max(len(patterns), len(row)) > min(_MOST_PATTERNS, places) or unlike > _MOST_UNLIKE:
            return None
        if not patterns:
            patterns = list(row)
        elif not _is_part(row, patterns):
            patterns = _merged(patterns, row)
            unlike += 1
    return patterns if len(patterns) <= min(_MOST_PATTERNS, places) else None


def _is_part(row: Row, patterns: Sequence[Token]) -> bool:
    remaining = iter(patterns)
    return all(any(token.fits(pattern) for pattern in remaining) for token in row)


def _merged(patterns: Sequence[Token], row: Row) -> list[Token]:
    """The shortest sequence found by comparison that has both as parts."""
    one, other = ([(token.pattern, token.steps) for token in side] for side in (patterns, row))
    merged: list[Token] = []
    for tag, i, j, k, n in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        merged += patterns[i:j]
        if tag != "equal":
            merged += row[k:n]
    return merged


def _laid(row: Row, patterns: Sequence[Token]) -> tuple[Token | None, ...]:
    """The token of a row at each pattern."""
    found: list[Token | None] = []
    tokens = iter(row)
    token = next(tokens, None)
    for pattern in patterns:
        if token is not None and token.fits(pattern):
            found.append(token)
            token = next(tokens, None)
        else:
            found.append(None)
    assert token is None
    return tuple(found)
