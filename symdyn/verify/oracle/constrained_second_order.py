"""Exact Hessians of weighted accelerations and multipliers: second differences of what the loops and the motion need.

    R(q, v, a, l) = (ID - A^T l - tau, A a + e'' + 2 e' / T + e / T^2) = 0

With z = -K^-T (lambda; kappa), K = dR/d(a, l), d2(lambda^T a + kappa^T l) is z^T of the second derivative of R along
changes of the state that both follow. Entries of z^T R are differenced row by row, so that sizes are known.
"""

from __future__ import annotations

from collections.abc import Sequence

from mpmath import mp

from symdyn.verify.base.dense import (
    Rows,
    block,
    inverse,
    matrix_product,
    matrix_sum,
    matrix_times,
    solution_scales,
)
from symdyn.verify.base.matrices import Real, transpose
from symdyn.verify.oracle.accelerations import known_rows
from symdyn.verify.oracle.constrained import bordered, constrained_forward_dynamics, constrained_hybrid_dynamics
from symdyn.verify.oracle.constrained_partials import (
    constrained_forward_dynamics_partials,
    constrained_hybrid_dynamics_partials,
    held_terms,
)
from symdyn.verify.oracle.dependence import BORDERED
from symdyn.verify.oracle.exact import Exact, TruthFunction, joined
from symdyn.verify.oracle.loops import slopes
from symdyn.verify.oracle.mass_matrix import mass_terms
from symdyn.verify.oracle.partial_derivatives import in_reals
from symdyn.verify.oracle.pose import robot_pose
from symdyn.verify.oracle.second_order import (
    Block,
    State,
    accelerations_of,
    along_moves,
    along_speeds,
    floored_block,
    pulled,
    rates_along,
    roots_of,
    second_differences,
    sum_of,
    turning,
)
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.tree_alone import TreeAlone


def constrained_forward_dynamics_weighted_hessian(setting: Setting, inputs: Inputs) -> Exact:
    """H_qq, H_qv, H_vv and H_qtau, or H_qu."""
    return _of_solution(setting, inputs, constrained_forward_dynamics, constrained_forward_dynamics_partials)


def constrained_hybrid_dynamics_weighted_hessian(setting: Setting, inputs: Inputs) -> Exact:
    """H_qq, H_qv, H_vv and H_qu; where u are inputs of actuators, H_qa too."""
    return _of_solution(setting, inputs, constrained_hybrid_dynamics, constrained_hybrid_dynamics_partials)


def _of_solution(setting: Setting, inputs: Inputs, dynamics: TruthFunction, partials: TruthFunction) -> Exact:
    exact, nv, bound = in_reals(inputs), setting.tree.nv, setting.prescribed
    weights = [*exact.pop("lambda"), *exact.pop("kappa")]
    solved = dynamics(setting, exact)
    known = known_rows(setting, exact, "u") if bound else ()
    a = [known[row] if row in bound else solved.values[row] for row in range(nv)]
    state = {**exact, "a": a, "multipliers": solved.values[nv:]}
    z, sizes, M = _weighed(setting, exact, weights)
    moves, speeds = along_moves(setting), along_speeds(setting)

    def needed(own: State) -> list[Real]:
        A, _ = slopes(setting, own)
        exerted = [mp.fdot([row[k] for row in A], own["multipliers"]) for k in range(nv)]
        held = [mp.fdot(row, own["a"]) + x for row, x in zip(A, held_terms(setting, own)[0], strict=True)]
        return [*(x - y for x, y in zip(setting.force(own), exerted, strict=True)), *held]

    pairs = ((moves, moves), (moves, speeds), (speeds, speeds))
    qq, qv, vv = (second_differences(needed, state, z, sizes, *pair) for pair in pairs)
    vv = vv[0], matrix_sum(vv[1], turning(setting, state, sizes[:nv]))

    def operator(own: State) -> tuple[Rows, Rows]:
        (M, M_sizes), (A, A_sizes) = mass_terms(robot_pose(setting, own["q"], own)), slopes(setting, own)
        return transpose(bordered(M, A, -1)), transpose(bordered(M_sizes, A_sizes, 1))

    by_found = rates_along(operator, state, z, sizes, moves)
    driven_by_u = setting.inputs == "actuators"
    widths = (nv, nv, len(exact["u"]) if driven_by_u else nv, *([nv] if driven_by_u and bound else []))
    steep = _steep(partials(setting, exact), setting, widths)
    led = [(matrix_product(by_found[0], own), matrix_product(by_found[1], size)) for own, size in steep]
    across = transpose(led[0][0]), transpose(led[0][1])
    blocks: list[Block] = [sum_of(qq, led[0], across), sum_of(qv, led[1]), vv, *led[2:]]
    roots = roots_of(M)
    columns = [roots] * len(blocks)
    if driven_by_u:
        free = [int(row not in bound) for row in range(nv)]  # B u drives free rows alone
        more = pulled(setting, state, *([x * own for x, own in zip(of, free, strict=False)] for of in (z, sizes)))
        blocks[0], blocks[3] = sum_of(blocks[0], more[0]), sum_of(blocks[3], more[1])
        columns[3] = [mp.mpf(1)] * widths[2]
    return joined([floored_block(*block, roots, own) for block, own in zip(blocks, columns, strict=True)])


def _weighed(setting: Setting, exact: State, weights: Sequence[Real]) -> tuple[list[Real], list[Real], Rows]:
    """Z, the sizes of its terms, and M. In prescribed rows z is the weight of the force that is found there."""
    M, M_sizes = mass_terms(robot_pose(setting, exact["q"], exact))
    A, A_sizes = slopes(setting, exact)
    nv, bound = len(M), setting.prescribed
    free = [row for row in range(nv) if row not in bound]
    others = [*free, *range(nv, nv + len(A))]

    def operator(mass: Rows, rows: Rows, sign: int) -> Rows:
        return transpose(bordered(mass, rows, sign))

    whole, whole_sizes = operator(M, A, -1), operator(M_sizes, A_sizes, 1)
    right = [weights[row] + mp.fdot([(whole[row][k], weights[k]) for k in bound]) for row in others]
    terms = [[abs(weights[row]) + mp.fdot([(whole_sizes[row][k], abs(weights[k])) for k in bound])] for row in others]
    inverted = inverse(block(whole, others, others), *BORDERED)
    inner = [-x for x in matrix_times(inverted, right)]
    found = solution_scales(block(whole_sizes, others, others), inverted, [[x] for x in inner], terms)
    alone = TreeAlone.of(block(M, free, free), block(A, range(len(A)), free))
    least = alone.sizes(terms[: len(free)], terms[len(free) :])
    z, sizes = list(weights), list(map(abs, weights))
    for row, value, (size,), (own,) in zip(others, inner, found, least, strict=True):
        z[row], sizes[row] = value, max(size, own)
    return z, sizes, M


def _steep(found: Exact, setting: Setting, widths: Sequence[int]) -> list[Block]:
    """Derivatives of accelerations and multipliers by q, v and what is given, those of both one above the other."""
    nv, rows = setting.tree.nv, len(setting.held)
    every = (*widths, *([len(setting.parameter_names)] if setting.parameter_names else []))
    starts, start = [], 0
    for count in (nv, rows):
        starts.append([start + count * sum(every[:k]) for k in range(len(every))])
        start += count * sum(every)

    def matrix(of: Sequence[Real], k: int) -> Rows:
        width = widths[k]
        return [
            list(of[starts[part][k] + row * width : starts[part][k] + (row + 1) * width])
            for part, count in enumerate((nv, rows))
            for row in range(count)
        ]

    pairs = [(matrix(found.values, k), matrix(found.scales, k)) for k in range(len(widths))]
    return [accelerations_of(*pair, setting.prescribed, k, widths) for k, pair in enumerate(pairs)]
