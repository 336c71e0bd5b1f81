"""Exact rates of states y = (q, v), and their Jacobians: of coordinates by the motion of the robot, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from mpmath import mp

from symdyn.verify.base.dense import Rows, flat, inverse, magnitudes, matrix_product, zero_matrix
from symdyn.verify.base.matrices import Real, dot, transpose, vector
from symdyn.verify.oracle.accelerations import forward_dynamics, hybrid_dynamics, known_rows
from symdyn.verify.oracle.constrained import constrained_forward_dynamics, constrained_hybrid_dynamics
from symdyn.verify.oracle.constrained_partials import (
    constrained_forward_dynamics_partials,
    constrained_hybrid_dynamics_partials,
)
from symdyn.verify.oracle.exact import Exact
from symdyn.verify.oracle.partial_derivatives import forward_dynamics_partials, hybrid_dynamics_partials, in_reals
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.tangent import STEP, central_difference, moved, unit_row
from symdyn.verify.oracle.truth import DIGITS

_WITH_FORCES = {
    (False, False): (forward_dynamics, forward_dynamics_partials),
    (False, True): (hybrid_dynamics, hybrid_dynamics_partials),
    (True, False): (constrained_forward_dynamics, constrained_forward_dynamics_partials),
    (True, True): (constrained_hybrid_dynamics, constrained_hybrid_dynamics_partials),
}
"""What finds accelerations and their derivatives, by whether loops hold and velocities are prescribed."""

_NOTHING = mp.ldexp(1, -200)
"""Of rates per second: what differences of twice fifty digits leave, while a step of v changes them by 2^-53."""


def state_derivative(setting: Setting, inputs: Inputs) -> Exact:
    """Rates of q, then accelerations."""
    inner, nv = _inner(setting, inputs), setting.tree.nv
    y = vector(inputs["y"])
    along = _sizes_of_rates(setting, inner)
    known = known_rows(setting, inner, "u" if setting.prescribed else "tau")
    solved = _WITH_FORCES[bool(setting.held), bool(setting.prescribed)][0](setting, inner)
    a = [known[row] if row in setting.prescribed else solved.values[row] for row in range(nv)]
    sizes = [abs(known[row]) if row in setting.prescribed else solved.scales[row] for row in range(nv)]
    return Exact([*_rates(setting, y), *a], [*along, *sizes])


def state_jacobian(setting: Setting, inputs: Inputs) -> Exact:
    """Derivatives by y, and by what is given: forces, inputs of actuators, and accelerations where some are."""
    inner, (nq, nv) = _inner(setting, inputs), (setting.tree.nq, setting.tree.nv)
    y = vector(inputs["y"])
    found = _WITH_FORCES[bool(setting.held), bool(setting.prescribed)][1](setting, inner)
    widths = [nv, nv, len(inner["u"]) if setting.inputs == "actuators" else nv]
    if setting.inputs == "actuators" and setting.prescribed:
        widths.append(nv)
    blocks, start = [], 0
    for width in widths:
        ends = [start + width * row for row in range(nv + 1)]
        rows = [slice(*pair) for pair in pairwise(ends)]
        blocks.append(([found.values[own] for own in rows], [found.scales[own] for own in rows]))
        start = ends[-1]
    steep = _moves_by_coordinates(setting, inner["q"], y)
    (by_q, by_q_sizes), (by_v, by_v_sizes), *others = blocks
    rates, rate_sizes = _slopes_of_rates(setting, inner, y)
    right = zip(matrix_product(by_q, steep), by_v, strict=True)
    right_sizes = zip(matrix_product(by_q_sizes, magnitudes(steep)), by_v_sizes, strict=True)
    whole = [([*rates, *([*x, *z] for x, z in right)], [*rate_sizes, *([*x, *z] for x, z in right_sizes)])]
    for (values, sizes), width in zip(others, widths[2:], strict=True):
        above = zero_matrix(nq, width)
        whole.append(([*above, *values], [*above, *sizes]))
    for number, (values, sizes) in enumerate(whole):
        for row in setting.prescribed:
            unit = [mp.mpf(number == len(whole) - 1 and column == row) for column in range(len(values[0]))]
            values[nq + row], sizes[nq + row] = unit, unit
    return Exact(
        [x for values, _ in whole for x in flat(values)],
        [x for _, sizes in whole for x in flat(sizes)],
    )


def _lengths(setting: Setting, q: Sequence[Real]) -> list[Real]:
    """Per row of q the length of its quaternion, 1 in rows of none."""
    found = [mp.mpf(1)] * setting.tree.nq
    for row in setting.tree.quaternions:
        turn = q[row : row + 4]
        found[row : row + 4] = [mp.sqrt(dot(turn, turn))] * 4
    return found


def _unit(setting: Setting, q: Sequence[Real]) -> list[Real]:
    return [x / length for x, length in zip(q, _lengths(setting, q), strict=True)]


def _inner(setting: Setting, inputs: Inputs) -> dict[str, list[Real]]:
    """The inputs of functions that take q and v."""
    exact = in_reals(inputs)
    y, nq = exact.pop("y"), setting.tree.nq
    return {**exact, "q": _unit(setting, y[:nq]), "v": y[nq:]}


def _rates(setting: Setting, y: Sequence[Real]) -> list[Real]:
    """How fast the coordinates change, exact enough to be differenced again; what rounding leaves of 0 counts as 0."""
    nq, step = setting.tree.nq, STEP**2
    with mp.workdps(2 * DIGITS):
        q, lengths = _unit(setting, y[:nq]), _lengths(setting, y[:nq])
        forth, back = (moved(setting, q, y[nq:], sign * step) for sign in (1, -1))
        changes = [ahead - behind for ahead, behind in zip(forth, back, strict=True)]
        rates = [length * change / (2 * step) for length, change in zip(lengths, changes, strict=True)]
    return [rate if abs(rate) > _NOTHING else mp.mpf(0) for rate in rates]


def _map(setting: Setting, q: Sequence[Real]) -> Rows:
    """How the coordinates change along the directions of v, (nq, nv)."""
    directions = (unit_row(setting.tree.nv, row) for row in range(setting.tree.nv))
    return transpose([central_difference(lambda h, d=own: moved(setting, q, d, h)) for own in directions])  # type: ignore[misc]


def _sizes_of_rates(setting: Setting, inner: Inputs) -> list[Real]:
    """The sizes of the terms of rates."""
    speeds = [abs(x) for x in inner["v"]]
    return [mp.fdot([abs(x) for x in row], speeds) for row in _map(setting, inner["q"])]


def _slopes_of_rates(setting: Setting, inner: Inputs, y: Sequence[Real]) -> tuple[Rows, Rows]:
    """Derivatives of rates by y, (nq, nq + nv), and the sizes of their terms."""
    nq, size = setting.tree.nq, len(y)
    columns = []
    with mp.workdps(2 * DIGITS):  # differences of differences
        for row in range(size):

            def shifted(h: Real, row: int = row) -> list[Real]:
                return _rates(setting, [x + h * (place == row) for place, x in enumerate(y)])

            columns.append(central_difference(shifted))
    lengths, reach = _lengths(setting, y[:nq]), _sizes_of_rates(setting, inner)
    found = transpose(columns)
    sizes = [[abs(x) for x in row] for row in found]
    for first in setting.tree.quaternions:
        for column in range(first, first + 4):
            for row in range(nq):
                if sizes[row][column]:
                    sizes[row][column] += reach[row] / lengths[column]
    return found, sizes


def _moves_by_coordinates(setting: Setting, q: Sequence[Real], y: Sequence[Real]) -> Rows:
    """E, (nv, nq): moves along rows of v per change of its coordinates as they stand."""
    nq = setting.tree.nq
    N = _map(setting, q)
    back = matrix_product(inverse(matrix_product(transpose(N), N)), transpose(N))
    lengths = _lengths(setting, y[:nq])
    onto = [[mp.mpf(row == column) / lengths[column] for column in range(nq)] for row in range(nq)]
    for first in setting.tree.quaternions:
        for row in range(first, first + 4):
            for column in range(first, first + 4):
                onto[row][column] -= q[row] * q[column] / lengths[column]
    return matrix_product(back, onto)
