"""Exact impulses of loops that close in no time, and their partial derivatives.

    M (v+ - v) = A^T Lambda,    A v+ + e A v = 0

are one linear system for v+ and Lambda. Both are differenced with fifty digits at the solved v+ and Lambda, along
body-frame perturbations of q, along v and p, and the same system gives what the unknowns do.
"""

from __future__ import annotations

from collections.abc import Sequence

from mpmath import mp

from symdyn.verify.base.dense import (
    Rows,
    flat,
    inverse,
    magnitudes,
    matrix_product,
    matrix_times,
    negative,
    solution_scales,
)
from symdyn.verify.base.matrices import Real, transpose, vector
from symdyn.verify.oracle.constrained import bordered
from symdyn.verify.oracle.dependence import BORDERED, refuse_dependent, refuse_vanishing
from symdyn.verify.oracle.exact import Exact, joined
from symdyn.verify.oracle.loops import slopes
from symdyn.verify.oracle.mass_matrix import mass_terms
from symdyn.verify.oracle.partial_derivatives import in_reals, perturbations
from symdyn.verify.oracle.pose import robot_pose
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.switched import loop_of_row
from symdyn.verify.oracle.tangent import central_difference


def impulse_dynamics(setting: Setting, inputs: Inputs) -> Exact:
    """``v_plus`` and ``impulses`` from v.

    Raises
    ------
    SingularMatrixError
        Rows of the loops depend on each other in this state.
    """
    return _solved(setting, inputs)[0]


def impulse_dynamics_partials(setting: Setting, inputs: Inputs) -> Exact:
    """Derivatives of v_plus and then of the impulses, by q, v, and p where the robot has run-time parameters.

    Raises
    ------
    SingularMatrixError
        Rows of the loops depend on each other in this state.
    """
    given = in_reals(inputs)
    (solved, inverted, sizes), nv = _solved(setting, given), setting.tree.nv
    reach = [max(abs(x), size) for x, size in zip(solved.values, solved.scales, strict=True)]
    tree = magnitudes(inverse(_matrices(setting, given)[0]))
    found: list[tuple[Exact, Exact]] = []
    for name in ("q", "v", *(["p"] if setting.parameter_names else [])):
        columns, terms = _differences(setting, given, name, solved.values, reach)
        answer = negative(matrix_product(inverted, columns))
        scales = solution_scales(sizes, inverted, answer, terms)
        # what the tree alone would do: loops may take all of it off again
        alone = matrix_product(tree, terms[:nv])
        scales[:nv] = [[max(pair) for pair in zip(*rows, strict=True)] for rows in zip(scales, alone, strict=False)]
        first, second = (Exact(flat(answer[own]), flat(scales[own])) for own in (slice(0, nv), slice(nv, None)))
        found.append((first, second))
    return joined([*(first for first, _ in found), *(second for _, second in found)])


def _solved(setting: Setting, inputs: Inputs) -> tuple[Exact, Rows, Rows]:
    """The unknowns, the inverse of the system, and the sizes of its terms."""
    M, M_sizes, A, A_sizes = _matrices(setting, inputs)
    refuse_vanishing(A, A_sizes, setting.held)
    refuse_dependent(M, A, setting.held)
    v, e = vector(inputs["v"]), _restitution(setting, inputs)
    speeds = magnitudes([v])[0]
    inverted, sizes = inverse(bordered(M, A, -1), *BORDERED), bordered(M_sizes, A_sizes, 1)
    right = matrix_times(M, v) + [-share * mp.fdot(row, v) for share, row in zip(e, A, strict=True)]
    terms = matrix_times(M_sizes, speeds) + [
        (1 + share) * mp.fdot(row, speeds) for share, row in zip(e, A_sizes, strict=True)
    ]
    found = matrix_times(inverted, right)
    scales = solution_scales(sizes, inverted, [[x] for x in found], [[x] for x in terms])
    return Exact(found, [x for (x,) in scales]), inverted, sizes


def _matrices(setting: Setting, inputs: Inputs) -> tuple[Rows, Rows, Rows, Rows]:
    return (*mass_terms(robot_pose(setting, inputs["q"], inputs)), *slopes(setting, inputs))


def _restitution(setting: Setting, inputs: Inputs) -> list[Real]:
    """How much each row of the errors gives back."""
    if "restitution" not in inputs:
        return [mp.mpf(0)] * len(setting.held)
    loops = loop_of_row(setting.description)
    share = dict(zip(dict.fromkeys(loops.values()), vector(inputs["restitution"]), strict=True))
    return [share[loops[row]] for row in setting.held]


def _differences(
    setting: Setting, inputs: dict[str, list[Real]], name: str, solved: Sequence[Real], reach: Sequence[Real]
) -> tuple[Rows, Rows]:
    """How what must vanish changes at the solved unknowns, as columns, and the sizes of the terms."""
    nv, before = setting.tree.nv, vector(inputs["v"])
    speeds = [x + abs(y) for x, y in zip(reach[:nv], before, strict=True)]
    # terms of errors may cancel in their derivatives; these are as large as they are, per radian
    _, M_sizes, _, A_sizes = _matrices(setting, inputs)
    floors = [*([mp.mpf(0)] * nv), *(mp.fdot(row, speeds) for row in A_sizes)]
    shares = _restitution(setting, inputs)
    by_v = transpose([*M_sizes, *([(1 + e) * x for x in row] for e, row in zip(shares, A_sizes, strict=True))])
    columns, terms = list[list[Real]](), list[list[Real]]()
    for perturbed, step in perturbations(setting, inputs, name):

        def missed(h: Real, at=perturbed) -> list[Real]:  # type: ignore[no-untyped-def]
            state = at(h)
            M, _, A, _ = _matrices(setting, state)
            v, e = vector(state["v"]), _restitution(setting, state)
            jump = [x - y for x, y in zip(solved, v, strict=False)]
            pulled = [mp.fsum(own[row] * x for own, x in zip(A, solved[nv:], strict=True)) for row in range(nv)]
            held = [mp.fdot(row, solved[:nv]) + share * mp.fdot(row, v) for share, row in zip(e, A, strict=True)]
            return [x - y for x, y in zip(matrix_times(M, jump), pulled, strict=True)] + held

        def felt(h: Real, at=perturbed) -> list[Real]:  # type: ignore[no-untyped-def]
            M, _, A, _ = _matrices(setting, at(h))
            return flat(bordered(M, A, -1))

        change = central_difference(missed, step)
        own = [abs(x) for x in change]
        if name != "v":
            rate, width = central_difference(felt, step), nv + len(setting.held)
            moved = [*speeds, *reach[nv:]]
            more = [mp.fdot([abs(x) for x in rate[row * width : (row + 1) * width]], moved) for row in range(width)]
            own = [max(x + y, floor) for x, y, floor in zip(own, more, floors, strict=True)]
        columns.append(change)
        terms.append(own if name != "v" else by_v[len(terms)])
    return transpose(columns), transpose(terms)
