"""The step with rigid contacts in NumPy, as the C of ``templates/c/STEP_CONTACTS.c.jinja`` takes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.contacts.chosen import Problem, rows_of, work_of
from symdyn.analysis.contacts.impacts import Impact, Impacts, each_impact, pairwise_impacts
from symdyn.interface.contact_solving import NUMBERS, ROUNDS, ContactCode, ContactReport, ContactStep
from symdyn.interface.stepping import ContactSets, Rates
from symdyn.model.coordinates import coordinate_rows, integrate
from symdyn.model.model import Model

Array = NDArray[np.float64]


@np.errstate(all="ignore")  # what overflows ends as not finite
def contact_step_by(
    system: Sequence[Array], model: Model, sets: ContactSets, q: Array, v: Array, h: float, guess: Array
) -> ContactStep:
    """A step from (q, v) by the outputs of ``contact_system`` there: v_free, delassus, c_free, response, gap, ...

    guess (m,) are impulses to start from. Loops are as the step leaves them; quaternions are unit.
    """
    v_free, delassus, c_free, response, gap, bound, compliance, *before = map(np.asarray, system)
    kinds, rows = sets.kinds, rows_of(sets.kinds)
    problem = Problem(sets, delassus, gap, bound, compliance, rows)
    hit = Impacts(np.zeros(len(c_free)), np.zeros(len(kinds), np.intc))
    if np.isnan(c_free).any():  # what is left out must not hide it
        return _not_finite(q, v, hit)
    if sets.impacting is not None:
        hit = pairwise_impacts(problem, sets.impacting, before[0], before[1], h)
        c_free = c_free + delassus @ hit.impulses
    closing = sets.contacts + sets.limits
    last = [row_slice.stop - 1 for row_slice in rows]
    closes = not (c_free[last[:closing]] >= 0.0).all()  # else a guess of impulses tells of a contact that is over
    part = [
        k >= closing or (closes and not (c_free[last_row] >= 0.0 and guess[last_row] <= 0.0))
        for k, last_row in enumerate(last)
    ]
    impulses, newton, sweeps = guess.copy(), hit.newton, hit.sweeps
    for row_slice, last_row in zip(rows[:closing], last, strict=False):
        if c_free[last_row] >= 0.0:
            impulses[row_slice] = 0.0  # the nearer guess
    for turn in range(ROUNDS + 1):
        left = problem.keep_deepest(part)
        impulses, state, solution = problem.solve(part, c_free, impulses, h)
        newton, sweeps = newton + solution.newton, sweeps + solution.sweeps
        c = c_free + delassus @ impulses
        slack = NUMBERS["float64"].slack * impulses[2 : 3 * sets.contacts : 3].sum() if left else 0.0
        closed = [
            k
            for k, last_row in enumerate(last[:closing])
            if not part[k] and c[last_row] < -slack * delassus[last_row, last_row]
        ]
        left = left and bool(closed)
        if not closed or turn == ROUNDS:
            break
        if left:  # those that bear nothing make room
            part = [taken and (k >= sets.contacts or impulses[3 * k + 2] > 0.0) for k, taken in enumerate(part)]
        part = [taken or k in closed or (turn == ROUNDS - 1 and not left) for k, taken in enumerate(part)]
    work = hit.work + work_of(kinds, rows, impulses, c)
    state, impulses = np.where(state, state, hit.states).astype(np.intc), impulses + hit.impulses
    move = v_free + response.T @ impulses
    q_next, v_next = straight(model, q, move, h)
    finite = np.isfinite(q_next).all() and np.isfinite(v_next).all() and np.isfinite(work)
    if not finite or solution.code is ContactCode.NOT_FINITE:
        return _not_finite(q, v, hit, newton, sweeps)
    code = ContactCode.TOO_MANY if left else solution.code if hit.solved else ContactCode.NOT_SOLVED
    report = ContactReport(max(solution.residual, hit.residual), work, solution.margin, newton, sweeps, code)
    return ContactStep(q_next, v_next, impulses, state, report)


def impacts_by(system: Sequence[Array], sets: ContactSets, h: float) -> list[Impact] | None:
    """The impacts that a step begins with, by the outputs of ``contact_system``; None where they are solved at once."""
    if sets.impacting is None:
        return None
    _, delassus, _, _, gap, bound, compliance, before, restitution = map(np.asarray, system)
    problem = Problem(sets, delassus, gap, bound, compliance, rows_of(sets.kinds))
    return list(each_impact(problem, sets.impacting, before, restitution, h))


def _not_finite(q: Array, v: Array, hit: Impacts, newton: int = 0, sweeps: int = 0) -> ContactStep:
    """No step: the state before it."""
    nothing = ContactReport(0.0, 0.0, 0.0, newton, sweeps, ContactCode.NOT_FINITE)
    return ContactStep(q.copy(), v.copy(), np.zeros_like(hit.impulses), np.zeros_like(hit.states), nothing)


def straight(model: Model, q: Array, v: Array, h: float) -> tuple[Array, Array]:
    """The position after a step, and the velocity, given in axes at the start of the step, in those at its end.

    Bodies without joints above them move straight while they turn.
    """
    end, turned = integrate(model, q, h * v), v.copy()
    for entry in coordinate_rows(model):
        at, row = entry.q, entry.v
        if entry.rates is Rates.FREE:
            shift = h * _turned(q[at + 3 : at + 7], v[row : row + 3])
            end[at : at + 3] = q[at : at + 3] + shift
            turned[row : row + 3] = _turned(_conjugate(end[at + 3 : at + 7]), shift / h)
        elif entry.rates is Rates.FREE_SPATIAL:
            omega, place = v[row : row + 3], q[at : at + 3]
            shift = h * (v[row + 3 : row + 6] + np.cross(omega, place))
            end[at : at + 3] = place + shift
            turned[row + 3 : row + 6] -= np.cross(omega, shift)
        elif entry.rates is Rates.PLANAR:
            end[at : at + 2] = q[at : at + 2] + h * _plane(q[at + 2]) @ v[row : row + 2]
            turned[row : row + 2] = _plane(-h * v[row + 2]) @ v[row : row + 2]
    return end, turned


def _turned(quaternion: Array, x: Array) -> Array:
    u, w = quaternion[:3], quaternion[3]
    t = 2.0 * np.cross(u, x)
    return np.asarray(x + w * t + np.cross(u, t))


def _conjugate(quaternion: Array) -> Array:
    return np.concatenate([-quaternion[:3], quaternion[3:]])


def _plane(angle: Any) -> Array:
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array([[cosine, -sine], [sine, cosine]])
