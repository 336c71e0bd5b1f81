"""Exact gradients and Hessians of weighted sums: from exact partials, and by second differences of exact forces.

Forces are differenced twice before they are weighed, so that the sizes of what is weighed are known. Accelerations are
solved for: with ID(q, v, a) = tau and mu = M^-1 lambda, d2(lambda^T a) is minus mu^T of the second derivative of ID
along changes of the state that the acceleration follows. Where inputs u of actuators are given, ID - B(q) u = 0 is
what is solved, and d2(lambda^T a)/dq du has the rates of B besides.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from mpmath import mp

from symdyn.verify.base.compare import CANCELLATION
from symdyn.verify.base.dense import (
    Rows,
    block,
    flat,
    magnitudes,
    matrix_product,
    matrix_sum,
    matrix_times,
    negative,
    solution_scales,
)
from symdyn.verify.base.matrices import Real, in_rows, transpose
from symdyn.verify.oracle.accelerations import driven, known_rows, solve
from symdyn.verify.oracle.actuation import actuation_matrix
from symdyn.verify.oracle.coriolis import coriolis_matrix
from symdyn.verify.oracle.exact import Exact, TruthFunction, joined
from symdyn.verify.oracle.mass_matrix import mass_terms
from symdyn.verify.oracle.partial_derivatives import (
    forward_dynamics_partials,
    hybrid_dynamics_partials,
    in_reals,
)
from symdyn.verify.oracle.pose import robot_pose
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.tangent import NOISE, moved, unit_row

_STEP = mp.ldexp(1, -42)
"""Of second differences: with fifty digits both the error of the formula and that of rounding stay near 1e-25."""
_DRIVEN_STEP = mp.ldexp(1, -27)
"""That of forces of inputs, which are differences themselves, with some 34 digits: errors stay near 1e-16."""
State = dict[str, list[Real]]
Change = Callable[[State, Real], State]
"""A state with one thing moved by a step."""
Forces = Callable[[State], Sequence[Real]]


def inverse_dynamics_weighted_hessian(setting: Setting, inputs: Inputs) -> Exact:
    """H_qq, H_qv, H_vv and H_qa."""
    exact = in_reals(inputs)
    weights = exact.pop("lambda")
    roots = roots_of(mass_terms(robot_pose(setting, exact["q"], exact))[0])
    return joined([floored_block(*block, roots) for block in _second(setting, exact, weights, list(map(abs, weights)))])


def forward_dynamics_weighted_hessian(setting: Setting, inputs: Inputs) -> Exact:
    """H_qq, H_qv, H_vv and H_qtau, or H_qu."""
    return _of_solution(setting, inputs, "tau", forward_dynamics_partials)


def hybrid_dynamics_weighted_hessian(setting: Setting, inputs: Inputs) -> Exact:
    """H_qq, H_qv, H_vv and H_qu; where u are inputs of actuators, H_qa too."""
    return _of_solution(setting, inputs, "u", hybrid_dynamics_partials)


def _of_solution(setting: Setting, inputs: Inputs, known: str, partials: TruthFunction) -> Exact:
    """Second derivatives of lambda^T w, from M_FF mu_F = lambda_F + M_FP lambda_P and mu_P = -lambda_P."""
    exact, nv, bound = in_reals(inputs), setting.tree.nv, setting.prescribed
    weights = exact.pop("lambda")
    solved = solve(setting, exact, known_rows(setting, exact, known))
    mu, sizes = [-x for x in weights], list(map(abs, weights))
    right = [weights[row] + mp.fdot([(solved.mass[row][k], weights[k]) for k in bound]) for row in solved.free]
    column = [[sizes[row] + mp.fdot([(solved.mass_sizes[row][k], sizes[k]) for k in bound])] for row in solved.free]
    inner = matrix_times(solved.inverse_free, right)
    coefficients = block(solved.mass_sizes, solved.free, solved.free)
    scales = solution_scales(coefficients, solved.inverse_free, [[x] for x in inner], column)
    for row, value, (size,) in zip(solved.free, inner, scales, strict=True):
        mu[row], sizes[row] = value, size
    state = {**exact, "a": solved.acceleration}
    qq, qv, vv, qa = _second(setting, state, mu, sizes)
    slopes = partials(setting, exact)
    driven_by_u = setting.inputs == "actuators"
    widths = (nv, nv, len(exact["u"]) if driven_by_u else nv, *([nv] if driven_by_u and bound else []))
    led = []
    for k, width in enumerate(widths):
        own = slice(nv * sum(widths[:k]), nv * sum(widths[: k + 1]))
        by, by_sizes = (in_rows(of[own], width) for of in (slopes.values, slopes.scales))
        steep = accelerations_of(by, by_sizes, bound, k, widths)
        led.append((matrix_product(qa[0], steep[0]), matrix_product(qa[1], steep[1])))
    blocks = [sum_of(qq, led[0], tuple(map(transpose, led[0]))), sum_of(qv, led[1]), vv, *led[2:]]  # type: ignore[arg-type]
    roots = roots_of(solved.mass)
    columns = [roots, roots, roots, *([roots] * (len(widths) - 2))]
    if driven_by_u:
        # B u drives free rows alone
        free = (
            [x * (row not in bound) for row, x in enumerate(mu)],
            [x * (row not in bound) for row, x in enumerate(sizes)],
        )
        more = pulled(setting, state, *free)
        blocks[0], blocks[3], columns[3] = sum_of(blocks[0], more[0]), sum_of(led[2], more[1]), [mp.mpf(1)] * widths[2]
    return joined(
        [floored_block(negative(rows), terms, roots, own) for (rows, terms), own in zip(blocks, columns, strict=True)]
    )


def accelerations_of(found: Rows, sizes: Rows, bound: Collection[int], k: int, widths: Sequence[int]) -> Block:
    """Derivatives of accelerations from those of w: in prescribed rows 1 by what is given last, and else 0."""
    for row in bound:
        found[row] = [mp.mpf(k == len(widths) - 1 and column == row) for column in range(widths[k])]
        sizes[row] = list(found[row])
    return found, sizes


def pulled(setting: Setting, state: State, mu: Sequence[Real], sizes: Sequence[Real]) -> tuple[Block, Block]:
    """What -mu^T B u adds to second derivatives by q, q and by q, u."""
    moves, count = along_moves(setting), len(state["u"])

    def columns(own: State) -> list[Real]:
        return [-value for value in actuation_matrix(setting, own).values]

    def forces(own: State) -> list[Real]:
        return [-value for value in driven(setting, own)]

    rates = [_rates([columns(move(state, _STEP))], [columns(move(state, -_STEP))])[0] for move in moves]
    curved = [[_mixed(forces, state, first, second, _DRIVEN_STEP) for second in moves] for first in moves]
    by_u = [[mp.fdot(mu, own[number::count]) for number in range(count)] for own in rates]
    by_u_sizes = [[mp.fdot(sizes, map(abs, own[number::count])) for number in range(count)] for own in rates]
    by_q = [[mp.fdot(mu, own) for own in row] for row in curved]
    by_q_sizes = [[mp.fdot(sizes, map(abs, own)) for own in row] for row in curved]
    return (by_q, by_q_sizes), (by_u, by_u_sizes)


Block = tuple[Rows, Rows]
"""Values, and the sizes of the terms that they are sums of."""


def sum_of(*blocks: Block) -> Block:
    """The sum of blocks."""
    values, sizes = blocks[0]
    for own, terms in blocks[1:]:
        values, sizes = matrix_sum(values, own), matrix_sum(sizes, terms)
    return values, sizes


def roots_of(M: Rows) -> list[Real]:
    """The roots of M's diagonal, 1 where it is zero."""
    return [mp.sqrt(M[row][row]) or mp.mpf(1) for row in range(len(M))]


def floored_block(values: Rows, sizes: Rows, roots: Sequence[Real], columns: Sequence[Real] = ()) -> Exact:
    """A block, of which no entry is measured against less than a thousandth of the largest, units apart."""
    pairs = [(left, right) for left in roots for right in columns or roots]
    largest = max(size / (left * right) for size, (left, right) in zip(flat(sizes), pairs, strict=True))
    floors = [CANCELLATION * largest * left * right for left, right in pairs]
    return Exact(flat(values), [max(pair) for pair in zip(flat(sizes), floors, strict=True)])


def _second(setting: Setting, state: State, weights: Sequence[Real], reached: Sequence[Real]) -> tuple[Block, ...]:
    """The blocks by q, q; q, v; v, v and q, a; ``reached`` are the sizes of the weights."""
    moves, speeds = along_moves(setting), along_speeds(setting)
    blocks = [
        second_differences(setting.force, state, weights, reached, first, second)
        for first, second in ((moves, moves), (moves, speeds), (speeds, speeds))
    ]
    blocks[2] = (blocks[2][0], matrix_sum(blocks[2][1], turning(setting, state, reached)))
    by_a = rates_along(lambda own: mass_terms(robot_pose(setting, own["q"], own)), state, weights, reached, moves)
    return (*blocks, by_a)


def rates_along(
    of: Callable[[State], tuple[Rows, Rows]],
    state: State,
    weights: Sequence[Real],
    reached: Sequence[Real],
    changes: Sequence[Change],
) -> Block:
    """The derivatives along changes of a matrix times weights, row by row; the matrix comes with sizes."""
    values, sizes = [], []
    for change in changes:
        rates, terms = (_rates(*pair) for pair in zip(of(change(state, _STEP)), of(change(state, -_STEP)), strict=True))
        values.append(matrix_times(rates, weights))
        sizes.append(matrix_times(matrix_sum(magnitudes(rates), magnitudes(terms)), reached))
    return values, sizes


def along_moves(setting: Setting) -> list[Change]:
    """Body-frame moves of q, a row of v each."""
    return [_move(setting, row) for row in range(setting.tree.nv)]


def along_speeds(setting: Setting) -> list[Change]:
    """The same of v."""
    return [_faster(row) for row in range(setting.tree.nv)]


def turning(setting: Setting, state: State, reached: Sequence[Real]) -> Rows:
    """The sizes of the terms of forces that are quadratic in v: twice those of Christoffel's symbols."""
    nv, christoffel = setting.tree.nv, replace(setting, factorization="christoffel")
    columns = []
    for row in range(nv):
        terms = coriolis_matrix(christoffel, {**state, "v": unit_row(nv, row)}).scales
        columns.append([2 * mp.fdot(reached, terms[column::nv]) for column in range(nv)])
    return [
        [x + y for x, y in zip(*pair, strict=True)] for pair in zip(columns, zip(*columns, strict=True), strict=True)
    ]


def _rates(ahead: Rows, behind: Rows) -> Rows:
    """Central differences of matrices."""
    return [[(x - y) / (2 * _STEP) for x, y in zip(*rows, strict=True)] for rows in zip(ahead, behind, strict=True)]


def second_differences(
    of: Forces,
    state: State,
    weights: Sequence[Real],
    reached: Sequence[Real],
    first: Sequence[Change],
    second: Sequence[Change],
) -> Block:
    """The derivative along the second change of that along the first, row by row."""
    found: list[list[Real]] = []
    sizes: list[list[Real]] = []
    for inner in first:
        values = [_mixed(of, state, inner, outer) for outer in second]
        found.append([mp.fdot(weights, own) for own in values])
        sizes.append([mp.fdot(reached, map(abs, own)) for own in values])
    return found, sizes


def _mixed(of: Forces, state: State, inner: Change, outer: Change, step: Real = _STEP) -> list[Real]:
    """Second derivatives of forces: from where the outer change leads, along the inner one."""
    forces = {(s, t): of(inner(outer(state, s * step), t * step)) for s in (1, -1) for t in (1, -1)}
    found = []
    for ahead, left, right, behind in zip(*(forces[key] for key in ((1, 1), (1, -1), (-1, 1), (-1, -1))), strict=True):
        change = (ahead - left) - (right - behind)
        noise = NOISE * max(map(abs, (ahead, left, right, behind)))
        found.append(change / (4 * step**2) if abs(change) > noise else mp.mpf(0))
    return found


def _move(setting: Setting, row: int) -> Change:
    direction = unit_row(setting.tree.nv, row)
    return lambda state, step: {**state, "q": moved(setting, state["q"], direction, step)}


def _faster(row: int) -> Change:
    return lambda state, step: {**state, "v": [x + step * (place == row) for place, x in enumerate(state["v"])]}
