"""Impacts of one step, one pair of bodies after another; the C is ``templates/c/contact_impacts.c.jinja``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.contacts.chosen import Problem, work_of
from symdyn.analysis.contacts.solve import Impulses
from symdyn.interface.contact_solving import IMPACTS_PER_SET, TIE, ContactCode, SetKind
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


@dataclass(frozen=True, eq=False)
class Impact:
    """One impact: which sets take part (k,), velocities of rows before and after it (m,), impulses (m,), states (k,).

    ``bounces`` (m,) are the rows of normals that give back ``shares`` (m,) of the velocity before it.
    """

    part: list[bool]
    bounces: NDArray[np.bool_]
    shares: Array
    before: Array
    after: Array
    impulses: Array
    states: NDArray[np.intc]
    ended: Impulses


def each_impact(
    problem: Problem, impacting: Impacting, before: Array, restitution: Array, h: float
) -> Iterator[Impact]:
    """Newton's law of impact for the pair of bodies that closes fastest, and so on while one closes.

    Contacts and ranges hit that close faster than the least velocity of impacts and would be passed within the step h.
    Each time the contacts of one pair of bodies, or one range, are solved for c_n = -e c_n-, with closed loops.
    """
    sets, kinds, rows = problem.sets, problem.sets.kinds, problem.rows
    closing, speeds = sets.contacts + sets.limits, before
    last = [row_slice.stop - 1 for row_slice in rows]
    for _ in range(IMPACTS_PER_SET * closing):
        hit = _fastest(speeds[last[:closing]], problem.gap, h, impacting.least)
        if hit is None:
            break
        part = [kind is SetKind.FREE for kind in kinds]
        for k in range(closing):
            with_it = max(k, hit) < sets.contacts and impacting.pairs[k] == impacting.pairs[hit]
            part[k] = k == hit or (with_it and problem.gap[k] + h * min(speeds[last[k]], 0.0) <= 0.0)
        bounces, shares = np.zeros(len(before), bool), np.zeros(len(before))
        for k in range(closing):
            bounces[last[k]] = part[k] and speeds[last[k]] < -impacting.least
            shares[last[k]] = restitution[k] if bounces[last[k]] else 0.0
        problem.keep_deepest(part)
        pushed, states, ended = problem.solve(part, speeds + shares * speeds, np.zeros(len(before)), h)
        after = speeds + problem.delassus @ pushed
        yield Impact(part, bounces, shares, speeds, after, pushed, states, ended)
        speeds = after
        if ended.code is ContactCode.NOT_FINITE:
            break


def pairwise_impacts(problem: Problem, impacting: Impacting, before: Array, restitution: Array, h: float) -> Impacts:
    """The sum of :func:`each_impact`."""
    sets = problem.sets
    total = Impacts(np.zeros(len(before)), np.zeros(len(sets.kinds), np.intc))
    for hit in each_impact(problem, impacting, before, restitution, h):
        total = Impacts(
            total.impulses + hit.impulses,
            np.where(hit.part, hit.states, total.states).astype(np.intc),
            total.work + work_of(sets.kinds, problem.rows, hit.impulses, hit.after),
            max(total.residual, hit.ended.residual),
            total.newton + hit.ended.newton,
            total.sweeps + hit.ended.sweeps,
            total.solved and hit.ended.code is ContactCode.SOLVED,
        )
    return total


def _fastest(speeds: Array, gap: Array, h: float, least: float) -> int | None:
    """The contact or range that closes fastest of those that hit; the first of some that are as fast to rounding."""
    hit = None
    for k, speed in enumerate(speeds):
        bar = -least if hit is None else TIE * speeds[hit]
        if speed < bar and gap[k] + h * speed < 0.0:
            hit = k
    return hit
