"""The contact problem of those sets of a step that take part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.contacts.solve import Impulses, solve_rows
from symdyn.interface.contact_solving import SetKind
from symdyn.interface.stepping import ContactSets

Array = NDArray[np.float64]


def rows_of(kinds: Sequence[SetKind]) -> list[slice]:
    """The rows of each set."""
    starts = list(accumulate((kind.width for kind in kinds), initial=0))
    return [slice(start, end) for start, end in pairwise(starts)]


def work_of(kinds: Sequence[SetKind], rows: Sequence[slice], impulses: Array, c: Array) -> float:
    """Of friction: of tangents of contacts, and of dry joints."""
    width = {SetKind.CONE: 2, SetKind.INTERVAL: 1}
    parts = [
        slice(row_slice.start, row_slice.start + width.get(kind, 0))
        for kind, row_slice in zip(kinds, rows, strict=True)
    ]
    return float(sum(impulses[part] @ c[part] for part in parts))


@dataclass(frozen=True, eq=False)
class Problem:
    """What is the same for all choices of sets: how impulses move the rows, gaps of contacts and ranges, bounds."""

    sets: ContactSets
    delassus: Array
    gap: Array
    bound: Array
    compliance: Array
    rows: Sequence[slice]

    def keep_deepest(self, part: list[bool]) -> bool:
        """Leave out contacts beyond those that there is room for; whether there are any."""
        touching = sorted((k for k in range(self.sets.contacts) if part[k]), key=lambda k: self.gap[k])
        for k in touching[self.sets.most :]:
            part[k] = False
        return len(touching) > self.sets.most

    def solve(
        self, part: Sequence[bool], free: Array, guess: Array, h: float
    ) -> tuple[Array, NDArray[np.intc], Impulses]:
        """Impulses (m,) and states (k,) of the sets that take part, 0 of others, by velocities without impulses."""
        chosen = [k for k, taken in enumerate(part) if taken]
        at = [row for k in chosen for row in range(self.rows[k].start, self.rows[k].stop)]
        matrix = self.delassus[np.ix_(at, at)] + np.diag(self.compliance[at])
        bounds, kinds = [self.bound[self.rows[k].stop - 1] for k in chosen], [self.sets.kinds[k] for k in chosen]
        allowed = self.sets.allowed * h
        result = solve_rows(matrix, free[at], kinds, bounds, guess[at], allowed, self.sets.effort)
        impulses, states = np.zeros(len(free)), np.zeros(len(part), np.intc)
        impulses[at], states[chosen] = result.x, result.states
        return impulses, states, result
