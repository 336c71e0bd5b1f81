"""Derivatives of a step with rigid contacts by the implicit function theorem, for the state that the step reports.

    Mh dw - J^T dlambda = dimpulse,    N dlambda = -dF at fixed lambda,    dw = W (W^T dimpulse + (J W)^T dlambda)

F = lambda - P(lambda - r c) is the natural map of the solver and N its slopes by lambda, with dc = G dlambda
there, G = J W (J W)^T and Mh^-1 = W W^T.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.contacts.rows import power_below
from symdyn.errors import RequestError
from symdyn.interface.contact_solving import NUMBERS, ContactPartials, SetKind

Array = NDArray[np.float64]
_NUMBERS = NUMBERS["float64"]


def step_partials_by(
    slopes: Mapping[str, Array], kinds: Sequence[SetKind], h: float, impulses: Array, state: NDArray[np.int32]
) -> ContactPartials:
    """Derivatives of a step by the outputs of ``contact_slopes`` there, by its impulses (m,) and state (k,).

    Raises
    ------
    RequestError
        Slopes that are singular.
    """
    spread, whitened = slopes["spread"], slopes["whitened"]
    forces = {"u": h * slopes["B"]} if "B" in slopes else {"tau": h * np.eye(len(spread))}
    given = {"q": slopes["dimpulse_dq"], "v": slopes["dimpulse_dv"], **forces}
    rates = {"q": slopes["dc_dq"], "v": slopes["dc_dv"]}
    rates |= {by: np.zeros((len(whitened), force.shape[1])) for by, force in forces.items()}
    for by in ("p", "h"):
        if f"dimpulse_d{by}" in slopes:
            given[by] = slopes[f"dimpulse_d{by}"].reshape(len(spread), -1)
            rates[by] = slopes[f"dc_d{by}"].reshape(len(whitened), -1)
    cuts = list(accumulate((columns.shape[1] for columns in given.values()), initial=0))
    parts = {by: slice(*cut) for by, cut in zip(given, pairwise(cuts), strict=True)}
    starts = list(accumulate((kind.width for kind in kinds), initial=0))
    every = [slice(*ends) for ends in pairwise(starts)]
    chosen = [
        (rows, kind, int(its_state)) for rows, kind, its_state in zip(every, kinds, state, strict=True) if its_state
    ]
    at = np.array([row for rows, _, _ in chosen for row in range(rows.start, rows.stop)], int)
    pressed, white = whitened[at], spread @ np.hstack(list(given.values()))
    moved = pressed @ white + np.hstack(list(rates.values()))[at]
    bounds = np.zeros_like(moved)
    for by in {"p", "h"} & given.keys():
        bounds[:, parts[by]] = slopes[f"dbound_d{by}"].reshape(len(whitened), -1)[at]
    by_inputs = np.zeros((len(whitened), white.shape[1]))
    if len(at):
        matrix = pressed @ pressed.T + np.diag(slopes["compliance"][at])
        try:
            by_inputs[at] = _impulses(
                chosen, matrix, slopes["c"][at], slopes["bound"][at], impulses[at], moved, bounds, at
            )
        except np.linalg.LinAlgError:
            raise RequestError("contact_step_partials: the slopes of the impulses are singular in this state") from None
    velocities = spread.T @ (white + whitened.T @ by_inputs)
    ends, turned = _ends(slopes, velocities, h)
    if "h" in parts:
        ends[:, parts["h"]] += slopes["end_by_h"][:, None]
        turned[:, parts["h"]] += slopes["turned_by_h"][:, None]
    return ContactPartials(
        **{
            f"d{of}_d{by}": np.ascontiguousarray(whole[:, cut])
            for of, whole in (("q_next", ends), ("v_next", turned), ("lambda", by_inputs))
            for by, cut in parts.items()
        }
    )


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
