"""Derivatives of a step with rigid contacts by the implicit function theorem, for the state that the step reports.

    Mh dw - J^T dlambda = dimpulse,    N dlambda = -dF at fixed lambda,    dw = W (W^T dimpulse + (J W)^T dlambda)

F = lambda - P(lambda - r c) is the natural map of the solver and N its slopes by lambda, with dc = G dlambda
there, G = J W (J W)^T and Mh^-1 = W W^T. Impacts that are solved one after another are such problems too, in a row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.contacts.chosen import rows_of
from symdyn.analysis.contacts.impacts import Impact
from symdyn.analysis.contacts.rows import power_below
from symdyn.errors import RequestError
from symdyn.interface.contact_solving import NUMBERS, ContactPartials, SetKind

Array = NDArray[np.float64]
_NUMBERS = NUMBERS["float64"]
_BESIDE = ("p", "h")
"""What inputs there may be besides q, v and forces."""


@dataclass(frozen=True, eq=False)
class _Moves:
    """How impulses in the coordinates, velocities of rows and bounds move by all inputs, side by side."""

    given: Array
    rates: Array
    bounds: Array
    parts: Mapping[str, slice]

    @classmethod
    def of(cls, slopes: Mapping[str, Array], h: float) -> _Moves:
        """Those of the outputs of ``contact_slopes``."""
        nv, rows = len(slopes["spread"]), len(slopes["whitened"])
        forces = {"u": h * slopes["B"]} if "B" in slopes else {"tau": h * np.eye(nv)}
        given = {"q": slopes["dimpulse_dq"], "v": slopes["dimpulse_dv"], **forces}
        given |= {by: slopes[f"dimpulse_d{by}"].reshape(nv, -1) for by in _BESIDE if f"dimpulse_d{by}" in slopes}
        cuts = list(accumulate((columns.shape[1] for columns in given.values()), initial=0))
        parts = {by: slice(*cut) for by, cut in zip(given, pairwise(cuts), strict=True)}
        rates, bounds = _side_by_side(slopes, "c", parts, rows), _side_by_side(slopes, "bound", parts, rows)
        return cls(np.hstack(list(given.values())), rates, bounds, parts)


def _side_by_side(slopes: Mapping[str, Array], of: str, parts: Mapping[str, slice], rows: int) -> Array:
    """Slopes of something by all inputs, 0 by those of which there are none."""
    whole = np.zeros((rows, max(cut.stop for cut in parts.values())))
    for by, cut in parts.items():
        if f"d{of}_d{by}" in slopes:
            whole[:, cut] = slopes[f"d{of}_d{by}"].reshape(rows, -1)
    return whole


def step_partials_by(
    slopes_at: Callable[[Array], Mapping[str, Array]],
    kinds: Sequence[SetKind],
    h: float,
    impulses: Array,
    state: NDArray[np.int32],
    impacts: Sequence[Impact] | None = None,
) -> ContactPartials:
    """Derivatives of a step by the outputs of ``contact_slopes`` there, by its impulses (m,) and state (k,).

    ``slopes_at`` gives these outputs by impulses. ``impacts`` are those that the step begins with, where it solves them
    one after another.

    Raises
    ------
    RequestError
        Slopes that are singular.
    """
    slopes = slopes_at(impulses)
    spread, whitened, moves = slopes["spread"], slopes["whitened"], _Moves.of(slopes, h)
    white, rates, x = spread @ moves.given, moves.rates, impulses
    by_impacts = np.zeros((len(whitened), white.shape[1]))
    every = rows_of(kinds)
    try:
        if impacts is not None:
            by_impacts = _through(impacts, slopes_at, slopes, moves, every, kinds, h)
            x = impulses - sum((hit.impulses for hit in impacts), np.zeros(len(impulses)))
            state = _left(state, slopes, x, every, kinds)
            white = white + whitened.T @ by_impacts
            rates = rates + _yielding(slopes, moves.parts, h) * x[:, None]
        chosen = _chosen(every, kinds, state)
        at = _rows_in(chosen)
        by_inputs = np.zeros_like(by_impacts)
        if len(at):
            matrix = whitened[at] @ whitened[at].T + np.diag(slopes["compliance"][at])
            moved = whitened[at] @ white + rates[at]
            by_inputs[at] = _impulses(
                chosen, matrix, slopes["c"][at], slopes["bound"][at], x[at], moved, moves.bounds[at], at
            )
    except np.linalg.LinAlgError:
        raise RequestError("contact_step_partials: the slopes of the impulses are singular in this state") from None
    velocities = spread.T @ (white + whitened.T @ by_inputs)
    by_inputs += by_impacts
    ends, turned = _ends(slopes, velocities, h)
    if "h" in moves.parts:
        ends[:, moves.parts["h"]] += slopes["end_by_h"][:, None]
        turned[:, moves.parts["h"]] += slopes["turned_by_h"][:, None]
    return ContactPartials(
        **{
            f"d{of}_d{by}": np.ascontiguousarray(whole[:, cut])
            for of, whole in (("q_next", ends), ("v_next", turned), ("lambda", by_inputs))
            for by, cut in moves.parts.items()
        }
    )


def _through(
    impacts: Sequence[Impact],
    slopes_at: Callable[[Array], Mapping[str, Array]],
    slopes: Mapping[str, Array],
    moves: _Moves,
    every: Sequence[slice],
    kinds: Sequence[SetKind],
    h: float,
) -> Array:
    """How the sum of the impulses of impacts moves: each starts from what those before it leave.

    Slopes are linear in impulses and in the velocity after them. So what impulses of an impact give less what none
    give are slopes of J^T lambda - Mh dw and of J dw, with the change dw of the velocity in the impact.
    """
    spread, whitened, yielding = slopes["spread"], slopes["whitened"], _yielding(slopes, moves.parts, h)
    rows, total = len(whitened), np.zeros((len(whitened), moves.given.shape[1]))
    speeds = _side_by_side(slopes, "c_before", moves.parts, rows)
    shares = _of_normals(_side_by_side(slopes, "restitution", moves.parts, _closing(kinds)), every, rows)
    none = _Moves.of(slopes_at(np.zeros(rows)), h) if impacts else moves
    for hit in impacts:
        own = _Moves.of(slopes_at(hit.impulses), h)
        coupled = own.rates - none.rates + whitened @ (spread @ (own.given - none.given))
        given_back = hit.shares[:, None] * speeds + np.where(hit.bounces, hit.before, 0.0)[:, None] * shares
        chosen = _chosen(every, kinds, np.where(hit.part, hit.states, 0))
        at, moved = _rows_in(chosen), speeds + given_back + coupled + yielding * hit.impulses[:, None]
        by_inputs = np.zeros_like(total)
        if len(at):
            matrix = whitened[at] @ whitened[at].T + np.diag(slopes["compliance"][at])
            by_inputs[at] = _impulses(
                chosen, matrix, hit.after[at], slopes["bound"][at], hit.impulses[at], moved[at], moves.bounds[at], at
            )
        speeds = speeds + coupled + whitened @ (whitened.T @ by_inputs)
        total += by_inputs
    return total


def _closing(kinds: Sequence[SetKind]) -> int:
    """Contacts and ranges, which come first."""
    return sum(kind in (SetKind.CONE, SetKind.NOT_NEGATIVE) for kind in kinds)


def _of_normals(per_set: Array, every: Sequence[slice], rows: int) -> Array:
    """What is given per contact and range, in the rows of their normals."""
    whole = np.zeros((rows, per_set.shape[1]))
    whole[[own.stop - 1 for own in every[: len(per_set)]]] = per_set
    return whole


def _yielding(slopes: Mapping[str, Array], parts: Mapping[str, slice], h: float) -> Array:
    """Slopes of compliance / h^2."""
    whole = _side_by_side(slopes, "compliance", parts, len(slopes["whitened"]))
    if "h" in parts:
        whole[:, parts["h"]] = (-2.0 / h * slopes["compliance"])[:, None]
    return whole


def _left(
    state: NDArray[np.int32],
    slopes: Mapping[str, Array],
    x: Array,
    every: Sequence[slice],
    kinds: Sequence[SetKind],
) -> NDArray[np.int32]:
    """The states after the impacts: 0 of contacts and ranges that a step reports for these alone."""
    left = state.copy()
    diagonal = np.einsum("ij,ij->i", slopes["whitened"], slopes["whitened"]) + slopes["compliance"]
    for k, own in enumerate(every[: _closing(kinds)]):
        last, largest = own.stop - 1, diagonal[own].max()
        if not largest * x[last] > slopes["c"][last] + slopes["compliance"][last] * x[last]:
            left[k] = 0
    return left


def _chosen(
    every: Sequence[slice], kinds: Sequence[SetKind], state: NDArray[np.int32]
) -> list[tuple[slice, SetKind, int]]:
    """Rows, kind and state of the sets that are not open."""
    return [(own, kind, int(its)) for own, kind, its in zip(every, kinds, state, strict=True) if its]


def _rows_in(chosen: Sequence[tuple[slice, SetKind, int]]) -> NDArray[np.int_]:
    return np.array([row for own, _, _ in chosen for row in range(own.start, own.stop)], int)


def _impulses(
    chosen: Sequence[tuple[slice, SetKind, int]],
    matrix: Array,
    c: Array,
    bound: Array,
    x: Array,
    moved: Array,
    bounds: Array,
    at: NDArray[np.int_],
) -> Array:
    """Dlambda of the rows that are not open, from how c and bounds move at fixed lambda."""
    scaled, right = np.empty_like(matrix), np.empty_like(moved)
    diagonal, row = np.diag(matrix).copy(), 0
    for rows, kind, its_state in chosen:
        here = slice(row, row + rows.stop - rows.start)
        row = here.stop
        largest = diagonal[here].max()
        if not largest > _NUMBERS.singular:
            scaled[here], right[here] = np.eye(len(at))[here], 0.0
            continue
        r = 1.0 / largest
        if kind is SetKind.INTERVAL and its_state == 2:
            scaled[here], right[here] = np.eye(len(at))[here], np.sign(x[here])[:, None] * bounds[here]
            continue
        scaled[here] = r * matrix[here]
        near = _NUMBERS.compliance * power_below(largest)
        scaled[here, here] += r * near * np.eye(here.stop - here.start)
        right[here] = -r * moved[here]
        if kind is SetKind.CONE and its_state == 2:
            last, tangents = here.stop - 1, slice(here.start, here.start + 2)
            c_t = c[tangents] + near * x[tangents]
            z = x[tangents] - r * c_t
            length, friction = float(np.hypot(*z)), bound[last]
            e = z / length
            across = friction * x[last] / length * (np.eye(2) - np.outer(e, e))
            grow = friction * e
            scaled[tangents] = across @ scaled[tangents] + np.outer(grow, scaled[last])
            scaled[tangents, tangents] += np.eye(2) - across
            scaled[tangents, last] -= grow
            right[tangents] = (
                across @ right[tangents] + np.outer(grow, right[last]) + x[last] * np.outer(e, bounds[last])
            )
    return np.asarray(np.linalg.solve(scaled, right), np.float64)


def _ends(slopes: Mapping[str, Array], velocities: Array, h: float) -> tuple[Array, Array]:
    """Moves of q_next and of v_next, from those of the velocity in axes at the start; of q by the first columns."""
    nv = len(velocities)
    ends, turned = h * velocities, velocities.copy()
    ends[:, :nv] += np.eye(nv)
    if "end_by_q" not in slopes:
        return ends, turned
    rows = np.flatnonzero(np.diag(slopes["end_by_v"]))
    ends[rows] = slopes["end_by_v"][rows] @ velocities
    ends[rows, :nv] += slopes["end_by_q"][rows]
    turned[rows] = slopes["turned_by_v"][rows] @ velocities
    turned[rows, :nv] += slopes["turned_by_q"][rows]
    return ends, turned
