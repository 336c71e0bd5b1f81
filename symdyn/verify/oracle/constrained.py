"""Exact dynamics of robots with closed loops: the equations of motion and of the loops, solved together.

    M a + b = tau + A^T lambda,    A a + e'' + 2 e' / T + e / T^2 = 0

for the accelerations of the free rows and the multipliers; forces of prescribed rows follow.
"""

from __future__ import annotations

from collections.abc import Sequence

from mpmath import mp

from symdyn.verify.base.dense import (
    Rows,
    SingularMatrixError,
    block,
    inverse,
    magnitudes,
    matrix_product,
    matrix_times,
    solution_scales,
)
from symdyn.verify.base.matrices import Real, transpose, vector
from symdyn.verify.oracle.accelerations import known_rows
from symdyn.verify.oracle.exact import Exact
from symdyn.verify.oracle.loops import held_rows, slopes
from symdyn.verify.oracle.mass_matrix import mass_terms
from symdyn.verify.oracle.pose import robot_pose
from symdyn.verify.oracle.setting import Inputs, Setting

_LEAST = "1e-6"
"""Of the largest singular value of the rows of A, each of length one in the metric of M^-1: below it, rows depend."""


def constrained_forward_dynamics(setting: Setting, inputs: Inputs) -> Exact:
    """``a`` and ``lambda`` from tau."""
    return _solved(setting, inputs, known_rows(setting, inputs, "tau"))


def constrained_hybrid_dynamics(setting: Setting, inputs: Inputs) -> Exact:
    """``w`` and ``lambda`` from u."""
    return _solved(setting, inputs, known_rows(setting, inputs, "u"))


def _solved(setting: Setting, inputs: Inputs, known: Sequence[Real]) -> Exact:
    """One linear system for the accelerations of the free rows and the multipliers.

    Raises
    ------
    SingularMatrixError
        Rows of the loops depend on each other in the free rows of this state: multipliers are not unique.
    """
    nv = setting.tree.nv
    free = [row for row in range(nv) if row not in setting.prescribed]
    M, M_sizes = mass_terms(robot_pose(setting, inputs["q"], inputs))
    A, A_sizes = slopes(setting, inputs)
    held = held_rows(setting, inputs, vector(inputs["v"]), 2)
    b = setting.force(inputs, a=[mp.mpf(0)] * nv)
    a = [known[row] if row in setting.prescribed else mp.mpf(0) for row in range(nv)]
    factors = (mp.mpf(0), mp.mpf(0), mp.mpf(2))
    if setting.stabilisation is not None:
        T = mp.mpf(setting.stabilisation)
        factors = (1 / T**2, 2 / T, mp.mpf(2))
    right = [known[row] - b[row] - mp.fdot(M[row], a) for row in free]
    right += [-mp.fdot(factors, own) - mp.fdot(row, a) for row, own in zip(A, held.rows, strict=True)]
    given = magnitudes([a])[0]
    terms = [abs(known[row]) + abs(b[row]) + mp.fdot(M_sizes[row], given) for row in free]
    terms += [mp.fdot(factors, own) + mp.fdot(row, given) for row, own in zip(A_sizes, held.sizes, strict=True)]
    refuse_dependent(block(M, free, free), block(A, range(len(A)), free))
    system = _bordered(block(M, free, free), block(A, range(len(A)), free), -1)
    sizes = _bordered(block(M_sizes, free, free), block(A_sizes, range(len(A)), free), 1)
    inverted = inverse(system)
    found = matrix_times(inverted, right)
    scales = [x for (x,) in solution_scales(sizes, inverted, [[x] for x in found], [[x] for x in terms])]
    multipliers, reached = found[len(free) :], [mp.mpf(0)] * nv
    for row, x, size in zip(free, found, scales, strict=False):
        a[row], reached[row] = x, size
    unknown, measures = list(a), list(reached)
    for row in setting.prescribed:
        unknown[row] = mp.fdot(M[row], a) + b[row] - mp.fdot([own[row] for own in A], multipliers)
        measures[row] = abs(b[row]) + mp.fdot(M_sizes[row], [max(abs(x), s) for x, s in zip(a, reached, strict=True)])
        measures[row] += mp.fdot([own[row] for own in A_sizes], scales[len(free) :])
    return Exact([*unknown, *multipliers], [*measures, *scales[len(free) :]])


def _bordered(M: Rows, A: Rows, sign: int) -> Rows:
    """[M, sign A^T; A, 0]."""
    above = [[*row, *(sign * own[column] for own in A)] for column, row in enumerate(M)]
    return above + [[*row, *(mp.mpf(0) for _ in A)] for row in A]


def refuse_dependent(M: Rows, A: Rows) -> None:
    """Refuse rows of A that depend on each other, or nearly so, in the metric of M^-1.

    Raises
    ------
    SingularMatrixError
        They do.
    """
    S = matrix_product(matrix_product(A, inverse(M)), transpose(A))
    count = range(len(S))
    if any(S[row][row] == 0 for row in count):
        raise SingularMatrixError("a row of the loops is held by no free row")
    lengths = [mp.sqrt(S[row][row]) for row in count]
    scaled = [[S[row][other] / (lengths[row] * lengths[other]) for other in count] for row in count]
    values = mp.eigsy(mp.matrix(scaled), eigvals_only=True)
    if min(values) < mp.mpf(_LEAST) ** 2 * max(values):
        raise SingularMatrixError("rows of the loops depend on each other")
