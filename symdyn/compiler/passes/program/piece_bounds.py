"""Where a long straight line is cut: where the fewest values are alive."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate

from symdyn.compiler.tape.ops import LEAVES, OPS
from symdyn.compiler.tape.tape import Op, Tape

_SHORTEST = 0.6
"""A piece is cut where the fewest values are alive, between this part of its greatest length and the whole."""

_HALVES = frozenset({"sin_of", "cos_of"})


def piece_numbers(tape: Tape, length: int) -> tuple[tuple[int, ...], int]:
    """The piece of each instruction but leaves, and how many there are, of about ``length`` operations each."""
    ops = tape.ops
    last = list(range(len(ops)))
    for position, op in enumerate(ops):
        for argument in op.args:
            last[argument] = position
    live = _live_counts(ops, last)
    line = [position for position, op in enumerate(ops) if op.code not in LEAVES and op.code not in _HALVES]
    spent = [0, *accumulate(OPS[ops[position].code].cost for position in line)]
    starts, start = set(), 0
    while spent[-1] - spent[start] > length:
        first = bisect_left(spent, spent[start] + _SHORTEST * length)
        final = max(bisect_right(spent, spent[start] + length) - 1, first)
        while final < len(line) - 1 and min(live[line[place]] for place in range(first, final + 1)) >= len(ops):
            final += 1  # truth values are alive everywhere before
        start = min(range(first, min(final, len(line) - 1) + 1), key=lambda place: (live[line[place]], -place))
        if live[line[start]] >= len(ops):
            break
        starts.add(line[start])
    piece: list[int] = []
    here = 0
    for position, op in enumerate(ops):
        here += position in starts
        piece.append(piece[op.args[0]] if op.code in _HALVES else here)  # a pair is never stored, its halves are
    return tuple(piece), here + 1


def _live_counts(ops: Sequence[Op], last: Sequence[int]) -> list[int]:
    """Per position, values made before it that are used there or later."""
    changes = [0] * (len(ops) + 1)
    for position, op in enumerate(ops):
        if op.code not in LEAVES and last[position] > position:
            # A truth value lives in no workspace, so that no cut may pass between it and its use.
            weight = len(ops) if OPS[op.code].boolean else 1
            changes[position + 1] += weight
            changes[last[position] + 1] -= weight
    return list(accumulate(changes))
