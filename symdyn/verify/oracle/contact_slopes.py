"""Exact slopes of a step with rigid contacts: fifty-digit differences at fixed velocities after it and impulses.

Where joints are no scalars, the end of the step is differenced too: its place by moves in the axes there, its velocity
by components.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mpmath import mp

from symdyn.description.robot import JointKind
from symdyn.verify.base.compare import CANCELLATION
from symdyn.verify.base.curves import QUATERNION_AT, quaternion_product, scalar_first, scalar_last
from symdyn.verify.base.dense import Rows, flat, inverse, magnitudes, matrix_times, solution_scales
from symdyn.verify.base.matrices import Real, add, cross, dot, scale, subtract, transpose
from symdyn.verify.oracle.actuation import actuation_matrix
from symdyn.verify.oracle.contact_problem import (
    Equations,
    before_impacts,
    bounds_of,
    contact_rows,
    equations,
    in_turn,
    roots,
    shifts,
)
from symdyn.verify.oracle.exact import Exact, joined, summed
from symdyn.verify.oracle.partial_derivatives import floored, in_reals, parameter_terms, perturbations
from symdyn.verify.oracle.place import Place
from symdyn.verify.oracle.rigid_contacts import moved_touching
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.tangent import STEP, central_difference, exponential, moved

_PART = 32
"""Of the largest entry of a matrix of slopes, what others are measured against at the least."""
_KINDS = (JointKind.SPHERICAL, JointKind.FLOATING, JointKind.PLANAR)


def contact_slopes(setting: Setting, inputs: Inputs) -> Exact:
    """All outputs of the function, in order."""
    given = in_reals(inputs)
    rows, balance, pressed = contact_rows(setting, given), equations(setting, given), given["lambda"]
    inverted = inverse(balance.Mh)
    right = add(balance.right, matrix_times(transpose(rows.J), pressed))
    right_sizes = add(balance.right_sizes, matrix_times(transpose(rows.sizes), [abs(x) for x in pressed]))
    change = matrix_times(inverted, right)
    columns = ([[x] for x in change], [[x] for x in right_sizes])
    w = add(given["v"], change)
    w_sizes = [
        abs(x) + y for x, (y,) in zip(given["v"], solution_scales(balance.Mh_sizes, inverted, *columns), strict=True)
    ]
    shift, shift_sizes = shifts(setting, given, rows)
    c = add([dot(row, w) for row in rows.J], shift)
    c_sizes = [
        dot(magnitudes([row])[0], w_sizes) + dot(size, [abs(x) for x in w]) + shift_size
        for row, size, shift_size in zip(rows.J, rows.sizes, shift_sizes, strict=True)
    ]
    bounds, softs = bounds_of(setting, given, rows)
    parts = [
        *reversed(roots(setting, given)),
        summed(c, c_sizes),
        summed(bounds, [abs(x) for x in bounds]),
        summed(softs, [abs(x) for x in softs]),
        *([actuation_matrix(setting, given)] if setting.inputs == "actuators" else []),
        *_slopes(setting, given, (w, w_sizes), pressed, balance.Mh),
    ]
    ends = _ends(setting, given, w)
    if len(setting.axes[-1]) == 1:  # slopes by h are vectors, and all others matrices
        ends += _by_length(setting, given, (w, w_sizes), pressed, balance)
    return joined([*parts, *ends])


def _slopes(
    setting: Setting,
    given: dict[str, list[Real]],
    reached: tuple[Sequence[Real], Sequence[Real]],
    pressed: Sequence[Real],
    Mh: Rows,
) -> list[Exact]:
    """Slopes of impulses, of c and of bounds by q, v and p.

    What errors of w do to these, by slopes of Mh and J, is among the sizes of terms.
    """
    w, w_sizes = reached
    nv, count = setting.tree.nv, len(pressed)

    def at(state: dict[str, list[Real]]) -> list[Real]:
        if "touching" in given:
            state = {**state, "touching": moved_touching(setting, given, state)}
        balance, rows = equations(setting, state), contact_rows(setting, state)
        moved_by = subtract(balance.right, matrix_times(balance.Mh, subtract(w, state["v"])))
        bounds, softs = bounds_of(setting, state, rows)
        shift, _ = shifts(setting, state, rows)
        yielding = [mp.mpf(0)] * count if in_turn(setting) else [s * x for s, x in zip(softs, pressed, strict=True)]
        c = [dot(row, w) + s + x for row, s, x in zip(rows.J, shift, yielding, strict=True)]
        before, _, shares = before_impacts(setting, state, rows) if in_turn(setting) else ([], [], [])
        apart = [*before, *shares, *(softs if in_turn(setting) else [])]
        pressing = add(moved_by, matrix_times(transpose(rows.J), pressed))
        return [*pressing, *c, *bounds, *flat(balance.Mh), *flat(rows.J), *apart]

    roots, ones = [mp.sqrt(Mh[row][row]) or mp.mpf(1) for row in range(nv)], [mp.mpf(1)] * count
    named: dict[str, Exact] = {}
    for by in ("q", "v", "p") if setting.parameter_names else ("q", "v"):
        matrix = _differences(setting, given, by, at)
        slopes = magnitudes(matrix[nv + 2 * count :])
        felt = [_by_errors(slopes[nv * row : nv * row + nv], w_sizes) for row in range(nv + count)]
        parts = {"impulse": (0, roots), "c": (nv, ones), **({"bound": (nv + count, ones)} if by == "p" else {})}
        for of, (first, row_sizes) in parts.items():
            block = matrix[first : first + len(row_sizes)]
            terms = [[mp.mpf(0)] * len(block[0])] * len(block) if of == "bound" else felt[first : first + len(block)]
            column_sizes = roots
            if by == "p":
                column_sizes = [mp.mpf(1)] * len(block[0])
                largest = [CANCELLATION * max(abs(x) for x in column) for column in zip(*block, strict=True)]
                if of == "impulse":
                    terms = [
                        add(*rows) for rows in zip(terms, parameter_terms(setting, {**given, "a": w}), strict=True)
                    ]
                terms = [[max(x, y) for x, y in zip(row, largest, strict=True)] for row in terms]
            named[f"{of} by {by}"] = floored(
                block, row_sizes, column_sizes, _not_below(block, row_sizes, column_sizes, terms)
            )
        if in_turn(setting):
            first = nv + 2 * count + nv * nv + count * nv
            cuts = {"before": (first, first + count)}
            cuts |= {"share": (first + count, len(matrix) - count), "soft": (len(matrix) - count, len(matrix))}
            columns = [mp.mpf(1)] * len(matrix[0]) if by == "p" else roots
            for of, (begin, end) in cuts.items():
                block, ones_of = matrix[begin:end], [mp.mpf(1)] * (end - begin)
                terms = [[mp.mpf(0)] * len(columns)] * (end - begin)
                named[f"{of} by {by}"] = floored(block, ones_of, columns, _not_below(block, ones_of, columns, terms))
    order = [f"{of} by {by}" for of in ("impulse", "c", "bound") for by in ("q", "v", "p")]
    order += [*(f"before by {by}" for by in ("q", "v", "p")), "share by p", "soft by p"]
    return [named[name] for name in order if name in named]


def _by_length(
    setting: Setting,
    given: dict[str, list[Real]],
    reached: tuple[Sequence[Real], Sequence[Real]],
    pressed: Sequence[Real],
    balance: Equations,
) -> list[Exact]:
    """Slopes by h of impulses, of c and of bounds; moves of q_next and of v_next."""
    (w, w_sizes), (h,), nv = reached, given["h"], setting.tree.nv
    step = STEP * h

    def at(length: Real) -> list[list[Real]]:
        state = {**given, "h": [length]}
        now, rows = equations(setting, state), contact_rows(setting, state)
        impulse = subtract(now.right, matrix_times(now.Mh, subtract(w, given["v"])))
        bounds, softs = bounds_of(setting, state, rows)
        shift, _ = shifts(setting, state, rows)
        yielding = [mp.mpf(0) if in_turn(setting) else soft * x for soft, x in zip(softs, pressed, strict=True)]
        return [impulse, add(shift, yielding), bounds]

    later, earlier = at(h + step), at(h - step)
    impulse, c, bounds = (
        [(x - y) / (2 * step) for x, y in zip(*both, strict=True)] for both in zip(later, earlier, strict=True)
    )
    terms = [x / h for x in balance.right_sizes]
    felt = [dot(row, w_sizes) / h for row in magnitudes(balance.Mh)]
    ends, turned, end_sizes, turned_sizes = list(w), [mp.mpf(0)] * nv, list(w_sizes), [mp.mpf(0)] * nv
    for place in setting.tree.places:
        if place.owns_rows and place.joint.kind in _KINDS and not place.bends:
            nq, width = place.rows
            q, rows = given["q"][place.q_row : place.q_row + nq], slice(place.v_row, place.v_row + width)
            start, *two = (moved_end(setting, place, q, w[rows], h + sign * step) for sign in (0, 1, -1))
            moves = [small_move(setting, place, start[0], end[0]) for end in two]
            ends[rows] = [(x - y) / (2 * step) for x, y in zip(*moves, strict=True)]
            turned[rows] = [(x - y) / (2 * step) for x, y in zip(two[0][1], two[1][1], strict=True)]
            fast = max(w_sizes[rows]) * (1 + max(abs(x) for x in q)) * (1 + h * max(w_sizes[rows]))
            end_sizes[rows], turned_sizes[rows] = [fast] * width, [fast * max(w_sizes[rows])] * width
    return [
        summed(impulse, add(terms, felt)),
        summed(c, [abs(x) for x in c]),
        summed(bounds, [abs(x) for x in bounds]),
        summed(ends, end_sizes),
        summed(turned, turned_sizes),
    ]


def _not_below(matrix: Rows, rows: Sequence[Real], columns: Sequence[Real], terms: Rows) -> Rows:
    """Sizes of terms, but not below a part of the largest: moves of a base as a whole cancel in many terms."""
    scaled = [
        [abs(x) / (a * b) for x, b in zip(row, columns, strict=True)] for row, a in zip(matrix, rows, strict=True)
    ]
    least = max(map(max, scaled), default=mp.mpf(0)) / _PART
    return [
        [max(x, least * a * b) for x, b in zip(row, columns, strict=True)] for row, a in zip(terms, rows, strict=True)
    ]


def _by_errors(slopes: Rows, sizes: Sequence[Real]) -> list[Real]:
    """A row of a matrix of slopes, each the sum of the slopes of a row of Mh or J times sizes of w."""
    return [dot(column, sizes) for column in zip(*slopes, strict=True)]


def _differences(
    setting: Setting,
    given: dict[str, list[Real]],
    by: str,
    function: Callable[[dict[str, list[Real]]], list[Real]],
) -> Rows:
    columns = [
        central_difference(lambda h, at=perturbed: function(at(h)), step)  # type: ignore[misc]
        for perturbed, step in perturbations(setting, given, by)
    ]
    return [list(row) for row in zip(*columns, strict=True)]


def _ends(setting: Setting, given: dict[str, list[Real]], w: Sequence[Real]) -> list[Exact]:
    """Blocks of joints with quaternions or in a plane: moves of q_next by q and w, and those of v_next."""
    nv, h, q = setting.tree.nv, given["h"][0], given["q"]
    places = [
        candidate
        for candidate in setting.tree.places
        if candidate.owns_rows and candidate.joint.kind in _KINDS and not candidate.bends
    ]
    if not places:
        return []
    blocks: list[Rows] = [[[mp.mpf(0)] * nv for _ in range(nv)] for _ in range(4)]
    for place in places:
        its_rows = range(place.v_row, place.v_row + place.rows[1])

        def end(q: Sequence[Real], w: Sequence[Real], place: Place = place) -> End:
            nq, width = place.rows
            return moved_end(setting, place, q[place.q_row : place.q_row + nq], w[place.v_row : place.v_row + width], h)

        reached = end(q, w)
        for column in its_rows:
            along = [mp.mpf(row == column) for row in range(nv)]
            by_q = [end(moved(setting, q, along, sign * STEP), w) for sign in (1, -1)]
            by_w = [end(q, add(w, scale(sign * STEP, along))) for sign in (1, -1)]
            for ends, two in ((blocks[0::2], by_q), (blocks[1::2], by_w)):
                moves = [small_move(setting, place, reached[0], at) for at, _ in two]
                for row, x, y, a, b in zip(its_rows, *moves, two[0][1], two[1][1], strict=True):
                    ends[0][row][column] = (x - y) / (2 * STEP)
                    ends[1][row][column] = (a - b) / (2 * STEP)
    sizes = [mp.mpf(1)] * nv
    return [floored(block, sizes, sizes, [[mp.mpf(1)] * nv] * nv) for block in blocks]


End = tuple[list[Real], list[Real]]
"""The coordinates of a joint, and its velocity, after a step."""


def moved_end(setting: Setting, place: Place, q: Sequence[Real], w: Sequence[Real], h: Real) -> End:
    """The end of a step at one joint, from its own coordinates and velocity in axes at the start."""
    kind, angular_first = place.joint.kind, setting.spatial and place.implicit
    if place.bends or kind not in _KINDS:
        return add(q, scale(h, w)), list(w)
    if kind is JointKind.PLANAR:
        turned = _plane(q[2], w[:2])
        return [q[0] + h * turned[0], q[1] + h * turned[1], q[2] + h * w[2]], [*_plane(-h * w[2], w[:2]), w[2]]
    if place.mujoco:
        scalar_end, at = scalar_last(kind, list(q)), QUATERNION_AT[kind]
        moved = [
            *add(scalar_end[:at], scale(h, w[:at])),
            *quaternion_product(scalar_end[at:], exponential(scale(h, w[at:]))),
        ]
        return list(scalar_first(kind, moved)), list(w)
    if kind is JointKind.SPHERICAL:
        return quaternion_product(q, exponential(scale(h, w))), list(w)
    if angular_first:
        shift = scale(h, add(w[3:], cross(w[:3], q[:3])))
        turn = quaternion_product(exponential(scale(h, w[:3])), q[3:])
        return [*add(q[:3], shift), *turn], [*w[:3], *subtract(w[3:], cross(w[:3], shift))]
    turn = exponential(scale(h, w[3:]))
    back = [-turn[0], -turn[1], -turn[2], turn[3]]
    return [*add(q[:3], _turned(q[3:], scale(h, w[:3]))), *quaternion_product(q[3:], turn)], [
        *_turned(back, w[:3]),
        *w[3:],
    ]


def small_move(setting: Setting, place: Place, start: Sequence[Real], end: Sequence[Real]) -> list[Real]:
    """A small move from one to the other, along rows of v."""
    kind, angular_first = place.joint.kind, setting.spatial and place.implicit
    if place.bends or kind not in _KINDS:
        return subtract(end, start)
    if kind is JointKind.PLANAR:
        shift = subtract(end[:2], start[:2])
        return [*_plane(-start[2], shift), end[2] - start[2]]
    at = QUATERNION_AT[kind]
    first, second = (scalar_last(kind, list(x)) if place.mujoco else list(x) for x in (start, end))
    back = [-first[at], -first[at + 1], -first[at + 2], first[at + 3]]
    shift = subtract(second[:at], first[:at])
    if angular_first:
        turn = scale(2, quaternion_product(second[at:], back)[:3])
        return [*turn, *subtract(shift, cross(turn, first[:3]))]
    turn = scale(2, quaternion_product(back, second[at:])[:3])
    return [*(_turned(back, shift) if at and not place.mujoco else shift), *turn]


def _turned(quaternion: Sequence[Real], x: Sequence[Real]) -> list[Real]:
    back = [-quaternion[0], -quaternion[1], -quaternion[2], quaternion[3]]
    return quaternion_product(quaternion_product(quaternion, [*x, mp.mpf(0)]), back)[:3]


def _plane(angle: Real, x: Sequence[Real]) -> list[Real]:
    c, s = mp.cos(angle), mp.sin(angle)
    return [c * x[0] - s * x[1], s * x[0] + c * x[1]]
