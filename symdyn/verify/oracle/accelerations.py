"""Exact forward and hybrid dynamics: the equations of motion solved for what is unknown, with fifty digits.

``M a + b = tau`` with b the inverse dynamics at a = 0. With P the prescribed rows and F the others,

    a_F = M_FF^-1 (tau_F - b_F - M_FP a_P),    tau_P = M_PF a_F + M_PP a_P + b_P.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mpmath import mp

from symdyn.verify.base.dense import Rows, block, inverse, matrix_times, solution_scales
from symdyn.verify.base.matrices import Real, vector
from symdyn.verify.oracle.actuation import actuation_matrix
from symdyn.verify.oracle.exact import Exact
from symdyn.verify.oracle.mass_matrix import mass_terms
from symdyn.verify.oracle.pose import robot_pose
from symdyn.verify.oracle.setting import Inputs, Setting


@dataclass(frozen=True, slots=True)
class Solved:
    """The equations of motion at a state, solved.

    ``acceleration`` (nv) and ``unknown`` (nv; tau where prescribed, else a), with the sizes that errors of ``unknown``
    are measured against in ``scales``. ``inverse_free`` is M_FF^-1; ``mass_sizes`` are those of the terms of M.
    """

    mass: Rows
    mass_sizes: Rows
    inverse_free: Rows
    free: tuple[int, ...]
    acceleration: list[Real]
    unknown: list[Real]
    scales: list[Real]


def solve(setting: Setting, inputs: Inputs, known: Sequence[Real]) -> Solved:
    """Solve at a state; ``known`` holds a where prescribed, else tau."""
    nv = setting.tree.nv
    free = tuple(row for row in range(nv) if row not in setting.prescribed)
    M, coefficients = mass_terms(robot_pose(setting, inputs["q"], inputs))
    b = setting.force(inputs, a=[mp.mpf(0)] * nv)
    given = [known[row] if row in setting.prescribed else mp.mpf(0) for row in range(nv)]
    pushed = matrix_times(M, given)
    a = list(given)
    W = inverse(block(M, free, free))
    sizes = [mp.mpf(0)] * nv
    if free:
        solution = matrix_times(W, [known[row] - b[row] - pushed[row] for row in free])
        terms = [[abs(known[row]) + abs(b[row]) + abs(pushed[row])] for row in free]
        for row, value, size in zip(
            free,
            solution,
            solution_scales(block(coefficients, free, free), W, [[x] for x in solution], terms),
            strict=True,
        ):
            a[row], sizes[row] = value, size[0]
    reached = matrix_times(coefficients, [max(abs(x), size) for x, size in zip(a, sizes, strict=True)])
    unknown, scales = list(a), list(sizes)
    for row in setting.prescribed:
        unknown[row] = mp.fdot(M[row], a) + b[row]
        scales[row] = reached[row] + abs(b[row])
    return Solved(M, coefficients, W, free, a, unknown, scales)


def driven(setting: Setting, inputs: Inputs) -> list[Real]:
    """The forces ``B u`` of inputs of actuators; none where forces are given."""
    if setting.inputs != "actuators":
        return []
    B, u = actuation_matrix(setting, inputs).values, vector(inputs["u"])
    return [mp.fdot(B[row * len(u) : (row + 1) * len(u)], u) for row in range(setting.tree.nv)]


def known_rows(setting: Setting, inputs: Inputs, name: str) -> list[Real]:
    """A where prescribed, else tau: the input ``name``, or what inputs of actuators give and the input a."""
    known = driven(setting, inputs)
    if known and setting.prescribed:
        known = [mp.mpf(inputs["a"][row]) if row in setting.prescribed else own for row, own in enumerate(known)]
    return known or vector(inputs[name])


def forward_dynamics(setting: Setting, inputs: Inputs) -> Exact:
    """``a`` from tau, or from inputs of actuators."""
    found = solve(setting, inputs, known_rows(setting, inputs, "tau"))
    return Exact(found.unknown, found.scales)


def hybrid_dynamics(setting: Setting, inputs: Inputs) -> Exact:
    """``w`` from u, and from the accelerations of prescribed rows where u are inputs of actuators."""
    found = solve(setting, inputs, known_rows(setting, inputs, "u"))
    return Exact(found.unknown, found.scales)
