"""Steps with rigid contacts to forty digits: the equations of given states, solved from the doubles of a step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mpmath import mp

from support.agreement import signature_of
from symdyn.analysis.contacts.impacts import Impact
from symdyn.generation.called_functions import contact_sets
from symdyn.interface.contact_solving import ContactPartials, ContactStep, SetKind
from symdyn.robot.robot import Robot
from symdyn.verify.base.matrices import Real, add, scale
from symdyn.verify.oracle.contact_problem import contact_system
from symdyn.verify.oracle.contact_slopes import moved_end, small_move
from symdyn.verify.oracle.rigid_contacts import moved_touching
from symdyn.verify.oracle.setting import Setting, make_setting
from symdyn.verify.oracle.tangent import STEP, moved

PROXIMAL = 1e-9
"""What the impulses of a set give way by, of the power of two at or below its largest diagonal entry."""


def worst_error(
    robot: Robot,
    given: dict[str, Any],
    step: ContactStep,
    partials: ContactPartials,
    seed: int,
    impacts: Sequence[Impact] = (),
) -> float:
    """The largest error of derivatives along random directions, relative to the largest of each matrix.

    ``impacts`` are those that the step begins with, of which the states count; ``step`` is then what follows them.

    Where rows that press depend on each other, a thousandth of the error of velocities alone is given back: the shares
    of such rows follow the proximal term, of which rounding leaves little.
    """
    by_all = ("q", "v", "tau", "p", *(("h",) if partials.dv_next_dh is not None else ()))
    setting = make_setting(robot.description, signature_of(robot, "contact_system"), robot.load_options())
    rng, worst = np.random.default_rng(seed), 0.0
    with mp.workdps(50):
        exact = {name: [mp.mpf(float(x)) for x in np.ravel(value)] for name, value in given.items()}
        solve = _Step(robot, setting, step, impacts)
        base = solve.after(exact)
        for by in [name for name in by_all if name in exact]:
            size = len(exact[by]) if by != "q" else robot.nv
            along = rng.normal(size=size) * (np.abs(given["p"]) + 0.1 if by == "p" else 1.0)
            direction = [mp.mpf(float(x)) for x in along]
            ends = [solve.after(_shifted(setting, exact, by, direction, sign * STEP)) for sign in (1, -1)]
            for place, of in enumerate(("q_next", "v_next", "lambda") if solve.independent else ("q_next", "v_next")):
                parts = [end[place] if of != "q_next" else solve.moves(base[0], end[0]) for end in ends]
                rate = np.array([float((x - y) / (2 * STEP)) for x, y in zip(*parts, strict=True)])
                slopes_by = getattr(partials, f"d{of}_d{by}")
                largest = np.abs(slopes_by).max(initial=0.0)
                if by == "h":  # of what rests nothing moves: against what gravity alone would do
                    largest = max(largest, {"q_next": 9.81 * float(given["h"][0]), "v_next": 9.81}.get(of, 0.0))
                if largest > 0.0 or np.abs(rate).max(initial=0.0) > 0.0:
                    worst = max(worst, np.abs(slopes_by @ along - rate).max() / (largest * np.abs(along).max()))
    return float(worst if solve.independent else 1e-3 * worst)


def _shifted(
    setting: Setting, exact: dict[str, list[Real]], by: str, direction: Sequence[Real], step: Real
) -> dict[str, list[Real]]:
    shifted = {**exact, by: add(exact[by], scale(step, direction))} if by != "q" else dict(exact)
    if by == "q":
        shifted["q"] = moved(setting, exact["q"], direction, step)
    if "touching" in exact:
        shifted["touching"] = moved_touching(setting, exact, shifted)
    return shifted


class _Step:
    """The step whose states are those of a step in doubles."""

    def __init__(self, robot: Robot, setting: Setting, step: ContactStep, impacts: Sequence[Impact]) -> None:
        self.kinds, self.impacts = contact_sets(robot).kinds, impacts
        self.in_turn = contact_sets(robot).impacting is not None
        self.setting, self.start, self.independent = setting, step.impulses, True
        self.sets = self._sets(step.state)

    def _sets(self, states: Sequence[int]) -> list[tuple[list[int], SetKind, int]]:
        """Rows, kind and state of the sets that are not open."""
        starts = np.cumsum([0, *(kind.width for kind in self.kinds)])
        return [
            (list(range(first, first + kind.width)), kind, int(state))
            for first, kind, state in zip(starts, self.kinds, states, strict=False)
            if state
        ]

    def after(self, inputs: dict[str, list[Real]]) -> tuple[list[Real], list[Real], list[Real]]:
        """q_next, v_next and impulses."""
        nv, m = self.setting.tree.nv, len(self.start)
        values = contact_system(self.setting, inputs).values
        limited = sum(kind in (SetKind.CONE, SetKind.NOT_NEGATIVE) for kind in self.kinds)
        shares, before = (values[-limited:], values[-limited - m : -limited]) if self.in_turn else ([], [])
        values = values[: -limited - m] if self.in_turn else values
        sizes, parts, at = (nv, m * m, m, m * nv), [], 0
        for size in sizes:
            parts.append(values[at : at + size])
            at += size
        free, G, c, response = parts
        soft, bound = values[-m:], values[-2 * m : -m]
        pressing = [
            row for rows, kind, state in self.sets for row in rows if kind is not SetKind.INTERVAL or state == 1
        ]
        dense = np.array([[float(G[m * i + j]) for j in pressing] for i in pressing])
        self.independent = not pressing or np.linalg.cond(dense) < 1e8
        rows_of_G = [G[m * i : m * i + m] for i in range(m)]
        struck = self._struck(rows_of_G, before, shares, bound, soft)
        c = add(c, [mp.fdot(row, struck) for row in rows_of_G])
        x = add(struck, self._impulses(self.sets, self.start, rows_of_G, c, bound, soft))
        w = [v + mp.fdot([response[nv * i + j] for i in range(m)], x) for j, v in enumerate(free)]
        q_next, v_next = list(inputs["q"]), list(w)
        h = inputs["h"][0]
        for place in self.setting.tree.places:
            if place.owns_rows:
                nq, width = place.rows
                rows, v_rows = slice(place.q_row, place.q_row + nq), slice(place.v_row, place.v_row + width)
                end = moved_end(self.setting, place, inputs["q"][rows], w[v_rows], h)
                q_next[rows], v_next[v_rows] = end
        return q_next, v_next, x

    def _struck(
        self,
        G: list[list[Real]],
        before: Sequence[Real],
        shares: Sequence[Real],
        bound: Sequence[Real],
        soft: Sequence[Real],
    ) -> list[Real]:
        """The sum of the impulses of impacts, each by Newton's law from the velocities that those before it leave."""
        speeds, struck = list(before), [mp.mpf(0)] * len(G)
        for hit in self.impacts:
            asked, row = list(speeds), -1
            for k, share in enumerate(shares):
                row += self.kinds[k].width
                asked[row] += share * speeds[row] if hit.part[k] and hit.bounces[row] else 0
            pushed = self._impulses(self._sets(hit.states), hit.impulses, G, asked, bound, soft)
            struck = add(struck, pushed)
            speeds = [speed + mp.fdot(of_row, pushed) for speed, of_row in zip(speeds, G, strict=True)]
        return struck

    def moves(self, start: Sequence[Real], end: Sequence[Real]) -> list[Real]:
        """The small move between two positions, along rows of v."""
        velocity = [mp.mpf(0)] * self.setting.tree.nv
        for place in self.setting.tree.places:
            if place.owns_rows:
                nq, width = place.rows
                rows = slice(place.q_row, place.q_row + nq)
                velocity[place.v_row : place.v_row + width] = small_move(self.setting, place, start[rows], end[rows])
        return velocity

    def _impulses(
        self,
        sets: list[tuple[list[int], SetKind, int]],
        start: Sequence[float],
        G: list[list[Real]],
        c: Sequence[Real],
        bound: Sequence[Real],
        soft: Sequence[Real],
    ) -> list[Real]:
        """Newton's method on the equations of the states."""
        x = [mp.mpf(float(value)) for value in start]
        every = [row for rows, _, _ in sets for row in rows]
        for row in range(len(x)):
            x[row] = x[row] if row in every else mp.mpf(0)
        if not every:
            return x
        H = [list(row) for row in G]
        for rows, _, _ in sets:
            largest = max(G[row][row] + soft[row] for row in rows)
            near = mp.mpf(PROXIMAL) * mp.mpf(2) ** (mp.frexp(largest)[1] - 1)
            for row in rows:
                H[row][row] += soft[row] + near
        for _ in range(6):
            speeds = [mp.fdot(H[i], x) + c[i] for i in range(len(x))]
            F, slopes = list[Real](), list[list[Real]]()
            for rows, kind, state in sets:
                law_F, law_slopes = _law(rows, kind, state, x, speeds, H, bound)
                F, slopes = F + law_F, slopes + law_slopes
            matrix = mp.matrix([[row[j] for j in every] for row in slopes])
            change = mp.lu_solve(matrix, mp.matrix(F))
            for row, entry in zip(every, change, strict=True):
                x[row] -= entry
        return x


def _law(
    rows: list[int],
    kind: SetKind,
    state: int,
    x: list[Real],
    c: list[Real],
    H: list[list[Real]],
    bound: Sequence[Real],
) -> tuple[list[Real], list[list[Real]]]:
    """What must vanish in the rows of a set, and its slopes by all impulses."""
    unit = [[mp.mpf(i == j) for j in range(len(x))] for i in rows]
    if kind is SetKind.INTERVAL and state == 2:
        (row,) = rows
        return [x[row] - mp.sign(x[row]) * bound[row]], unit
    if kind is not SetKind.CONE or state == 1:
        return [c[row] for row in rows], [H[row] for row in rows]
    first, second, last = rows
    speed, mu = mp.hypot(c[first], c[second]), bound[last]
    e = [c[first] / speed, c[second] / speed]
    F = [x[row] + mu * x[last] * e[k] for k, row in enumerate((first, second))]
    slopes = []
    for k in range(2):
        across = [(mp.mpf(k == j) - e[k] * e[j]) * mu * x[last] / speed for j in range(2)]
        slopes.append(
            [
                unit[k][j] + mu * e[k] * unit[2][j] + across[0] * H[first][j] + across[1] * H[second][j]
                for j in range(len(x))
            ]
        )
    return [*F, c[last]], [*slopes, H[last]]
