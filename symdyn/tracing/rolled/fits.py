"""Whole numbers over loop indices, offsets or counts, in the shortest form in which loops can look them up.

A number is affine in the indices if it can be. If not, a table over as few of the indices as possible holds it, and it
advances evenly in the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

Indices = tuple[int, int, int]
"""Of three nested loops, the outermost first: groups of rows, rows, and repetitions in a row."""

Number = tuple[int, int, int, int]
"""Indices, and the number that is wanted there."""


@dataclass(frozen=True, slots=True)
class Fit:
    """``base + sum(steps_k * i_k)``, and an entry of ``table`` more if there is one.

    ``strides`` tell where in the table the entry of some indices lies; entries that nobody looks up are None.
    """

    base: int
    steps: tuple[int, ...]
    table: tuple[int | None, ...] = ()
    strides: tuple[int, ...] = ()

    def over(self, loops: Sequence[int]) -> Fit:
        """The same for those of the three loops that exist; the index of another one is always 0."""
        steps = tuple(self.steps[loop] for loop in loops)
        return Fit(self.base, steps, self.table, tuple(self.strides[loop] for loop in loops) if self.table else ())


def fitted(numbers: Sequence[Number], extents: Indices, even: bool = False, steps: bool = True) -> Fit | None:
    """The form with the smallest table.

    Parameters
    ----------
    numbers
        In the order in which the loops run; indices without a number are never asked for.
    extents
        Number of values that each index takes.
    even
        Whether the numbers must advance evenly in the last index, as vector instructions need.
    steps
        Whether something may be added to an entry of a table.

    Returns
    -------
    None if ``even`` cannot be met.
    """
    axes = [axis for axis in range(3) if extents[axis] > 1]
    subsets = [chosen for size in range(len(axes) + 1) for chosen in combinations(axes, size)]
    # Without a table first (the empty subset), then the smallest tables.
    for chosen in sorted(subsets, key=lambda chosen: prod(extents[axis] for axis in chosen)):
        if even and 2 in chosen:
            continue
        strides = _row_major(chosen, extents)
        found = _evenly(numbers, strides, [axis for axis in axes if axis not in chosen])
        if found is None:
            continue
        advance, entries = found
        if not chosen:
            return Fit(entries[0], advance)
        if steps or not any(advance):
            least = min(0, *entries.values()) if steps else 0  # entries of tables are not negative
            places = range(prod(extents[axis] for axis in chosen))
            table = tuple(entries[place] - least if place in entries else None for place in places)
            return Fit(least, advance, table, strides)
    return None


def _row_major(chosen: Sequence[int], extents: Indices) -> Indices:
    """Strides of a table over the chosen indices."""
    strides, size = [0, 0, 0], 1
    for axis in reversed(chosen):
        strides[axis], size = size, size * extents[axis]
    return strides[0], strides[1], strides[2]


def _evenly(numbers: Sequence[Number], strides: Indices, free: Sequence[int]) -> tuple[Indices, dict[int, int]] | None:
    """Steps along the free axes by which all numbers of a table entry advance, and the entries; None if they do not."""
    steps = _steps(numbers, strides, free)
    if steps is None:
        return None
    (in_group, in_row, in_repeat), (by_group, by_row, by_repeat) = strides, steps
    # An entry is the number less its steps along the free axes; all indices that share the entry must agree on it.
    entries: dict[int, int] = {}
    for group, row, repeat, value in numbers:
        place = in_group * group + in_row * row + in_repeat * repeat
        start = value - by_group * group - by_row * row - by_repeat * repeat
        if entries.setdefault(place, start) != start:
            return None
    return steps, entries


def _steps(numbers: Sequence[Number], strides: Indices, free: Sequence[int]) -> Indices | None:
    """Steps along the free axes, from numbers of one table entry that differ along one axis not known yet."""
    steps, unknown = [0, 0, 0], set(free)
    # Two numbers of one entry that differ along a single unknown axis give its step. A new step may leave a single
    # unknown axis elsewhere, so passes are repeated while they find steps.
    known_before = -1
    while unknown and len(free) - len(unknown) != known_before:
        known_before = len(free) - len(unknown)
        last: dict[int, Number] = {}
        for number in numbers:
            place = strides[0] * number[0] + strides[1] * number[1] + strides[2] * number[2]
            before = last.get(place)
            last[place] = number
            if before is None:
                continue
            moved = [axis for axis in unknown if number[axis] != before[axis]]
            if len(moved) == 1:
                (axis,) = moved
                change = number[3] - before[3] - sum(steps[k] * (number[k] - before[k]) for k in free)
                steps[axis], rest = divmod(change, number[axis] - before[axis])
                if rest:
                    return None
                unknown.remove(axis)
                if not unknown:
                    break
    return steps[0], steps[1], steps[2]
