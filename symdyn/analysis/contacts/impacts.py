"""Impacts of one step, one pair of bodies after another; the C is ``templates/c/contact_impacts.c.jinja``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.contacts.chosen import Problem, work_of
from symdyn.interface.contact_solving import IMPACTS_PER_SET, TIE, ContactCode, SetKind
from symdyn.interface.records import dataclass
from symdyn.interface.stepping import Impacting

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Impacts:
    """Impulses (m,) of the impacts of a step, states of their sets (k,), and how they were solved."""

    impulses: Array
    states: NDArray[np.intc]
    work: float = 0.0
    residual: float = 0.0
    newton: int = 0
    sweeps: int = 0
    solved: bool = True


def pairwise_impacts(problem: Problem, impacting: Impacting, before: Array, restitution: Array, h: float) -> Impacts:
    """Newton's law of impact for the pair of bodies that closes fastest, and so on while one closes.

    Contacts and ranges hit that close faster than the least velocity of impacts and would be passed within the step h.
    Each time the contacts of one pair of bodies, or one range, are solved for c_n = -e c_n-, with closed loops.
    """
    sets, kinds, rows = problem.sets, problem.sets.kinds, problem.rows
    closing, speeds = sets.contacts + sets.limits, before.copy()
    last = [row_slice.stop - 1 for row_slice in rows]
    total = Impacts(np.zeros(len(before)), np.zeros(len(kinds), np.intc))
    for _ in range(IMPACTS_PER_SET * closing):
        hit = _fastest(speeds[last[:closing]], problem.gap, h, impacting.least)
        if hit is None:
            break
        part = [kind is SetKind.FREE for kind in kinds]
        for k in range(closing):
            with_it = max(k, hit) < sets.contacts and impacting.pairs[k] == impacting.pairs[hit]
            part[k] = k == hit or (with_it and problem.gap[k] + h * min(speeds[last[k]], 0.0) <= 0.0)
        free = speeds.copy()
        for k in range(closing):
            if part[k] and speeds[last[k]] < -impacting.least:
                free[last[k]] += restitution[k] * speeds[last[k]]
        problem.keep_deepest(part)
        pushed, states, ended = problem.solve(part, free, np.zeros(len(before)), h)
        speeds += problem.delassus @ pushed
        total = Impacts(
            total.impulses + pushed,
            np.where(part, states, total.states).astype(np.intc),
            total.work + work_of(kinds, rows, pushed, speeds),
            max(total.residual, ended.residual),
            total.newton + ended.newton,
            total.sweeps + ended.sweeps,
            total.solved and ended.code is ContactCode.SOLVED,
        )
        if ended.code is ContactCode.NOT_FINITE:
            break
    return total


def _fastest(speeds: Array, gap: Array, h: float, least: float) -> int | None:
    """The contact or range that closes fastest of those that hit; the first of some that are as fast to rounding."""
    hit = None
    for k, speed in enumerate(speeds):
        bar = -least if hit is None else TIE * speeds[hit]
        if speed < bar and gap[k] + h * speed < 0.0:
            hit = k
    return hit
