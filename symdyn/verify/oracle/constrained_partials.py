"""Exact partial derivatives of constrained dynamics: the equations of motion and of the loops, differentiated.

    M a + b - A^T lambda = tau,    A a + e'' + 2 e' / T + e / T^2 = 0

Both are differenced with fifty digits at the solved a and lambda, along body-frame perturbations of q, along v and p,
and one linear system gives what the unknowns do.
"""

from __future__ import annotations

from collections.abc import Sequence

from mpmath import mp

from symdyn.verify.base.dense import (
    Rows,
    block,
    flat,
    inverse,
    magnitudes,
    matrix_product,
    negative,
    solution_scales,
    zero_matrix,
)
from symdyn.verify.base.matrices import Real, transpose, vector
from symdyn.verify.oracle.accelerations import driven, known_rows
from symdyn.verify.oracle.actuation import actuation_matrix
from symdyn.verify.oracle.constrained import bordered, constrained_forward_dynamics, constrained_hybrid_dynamics
from symdyn.verify.oracle.dependence import BORDERED
from symdyn.verify.oracle.exact import Exact, joined
from symdyn.verify.oracle.loops import held_rows, slopes
from symdyn.verify.oracle.mass_matrix import mass_terms
from symdyn.verify.oracle.partial_derivatives import in_reals, perturbations
from symdyn.verify.oracle.pose import robot_pose
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.tangent import central_difference
from symdyn.verify.oracle.tree_alone import TreeAlone


def constrained_forward_dynamics_partials(setting: Setting, inputs: Inputs) -> Exact:
    """Derivatives of a and then of lambda, by q, v, tau, and p where the robot has run-time parameters."""
    return _partials(setting, in_reals(inputs), "tau")


def constrained_hybrid_dynamics_partials(setting: Setting, inputs: Inputs) -> Exact:
    """Derivatives of w and then of lambda, by q, v, u, and p where the robot has run-time parameters."""
    return _partials(setting, in_reals(inputs), "u")


def _partials(setting: Setting, inputs: dict[str, list[Real]], given: str) -> Exact:
    nv, known = setting.tree.nv, known_rows(setting, inputs, given)
    solve = constrained_forward_dynamics if given == "tau" else constrained_hybrid_dynamics
    solved = solve(setting, inputs)
    a = [known[row] if row in setting.prescribed else solved.values[row] for row in range(nv)]
    multipliers = solved.values[nv:]
    sizes = [mp.mpf(0) if row in setting.prescribed else solved.scales[row] for row in range(nv)] + solved.scales[nv:]
    found: list[tuple[Exact, Exact]] = []
    response = _Response(setting, inputs)
    for name in ("q", "v", "p"):
        if name == "p":
            found += response.by_known()  # after q and v
            if not setting.parameter_names:
                break
        columns, terms = _differences(setting, inputs, name, a, multipliers, sizes)
        found.append(response.to(columns, terms))
    return joined([*(first for first, _ in found), *(second for _, second in found)])


def _differences(
    setting: Setting,
    inputs: dict[str, list[Real]],
    name: str,
    a: Sequence[Real],
    multipliers: Sequence[Real],
    sizes: Sequence[Real],
) -> tuple[Rows, Rows]:
    """How forces, and then errors of the loops, change at the solved a and lambda, as columns, and sizes of the terms.

    ``sizes`` are those that errors of a and lambda are measured against.
    """
    nv = setting.tree.nv
    reach = [max(abs(x), size) for x, size in zip([*a, *multipliers], sizes, strict=True)]
    columns, terms = [], []
    for perturbed, step in perturbations(setting, inputs, name):

        def needed(h: Real, at=perturbed) -> list[Real]:  # type: ignore[no-untyped-def]
            state = at(h)
            A, _ = slopes(setting, state)
            pulled = [mp.fsum(own[row] * x for own, x in zip(A, multipliers, strict=True)) for row in range(nv)]
            forces = [x - y for x, y in zip(setting.force(state, a=a), pulled, strict=True)]
            if given_forces := driven(setting, state):
                own = [mp.mpf(0) if row in setting.prescribed else x for row, x in enumerate(given_forces)]
                forces = [x - y for x, y in zip(forces, own, strict=True)]
            return [*forces, *(mp.fdot(row, a) + x for row, x in zip(A, held_terms(setting, state)[0], strict=True))]

        def felt(h: Real, at=perturbed) -> list[Real]:  # type: ignore[no-untyped-def]
            state = at(h)
            M, _ = mass_terms(robot_pose(setting, state["q"], state))
            return flat(bordered(M, slopes(setting, state)[0], -1))

        change = central_difference(needed, step)
        columns.append(change)
        own = [abs(x) for x in change]
        if name != "v":
            rate, width = central_difference(felt, step), nv + len(multipliers)
            more = [mp.fdot([abs(x) for x in rate[row * width : (row + 1) * width]], reach) for row in range(width)]
            own = [x + y for x, y in zip(own, more, strict=True)]
        terms.append(own)
    _, held_sizes = held_terms(setting, inputs)
    # terms of errors may cancel in their derivatives; these are as large as they are, per radian and second
    floors = [*([mp.mpf(0)] * nv), *held_sizes]
    listed = [[max(x, floor) for x, floor in zip(row, floors, strict=True)] for row in terms]
    return transpose(columns), transpose(listed)


def held_terms(setting: Setting, inputs: Inputs) -> tuple[list[Real], list[Real]]:
    """How errors accelerate at a = 0, with what stabilises them, and the sizes of the terms."""
    factors = (mp.mpf(0), mp.mpf(0), mp.mpf(2))
    if setting.stabilisation is not None:
        T = mp.mpf(setting.stabilisation)
        factors = (1 / T**2, 2 / T, mp.mpf(2))
    held = held_rows(setting, inputs, vector(inputs["v"]), 2)
    return [mp.fdot(factors, row) for row in held.rows], [mp.fdot(factors, row) for row in held.sizes]


class _Response:
    """What the unknowns do, from the equations of a state."""

    def __init__(self, setting: Setting, inputs: Inputs) -> None:
        self._setting, self._inputs, nv = setting, inputs, setting.tree.nv
        M, M_sizes = mass_terms(robot_pose(setting, inputs["q"], inputs))
        A, A_sizes = slopes(setting, inputs)
        self._whole, self._whole_sizes = bordered(M, A, -1), bordered(M_sizes, A_sizes, 1)
        self._rows = range(nv + len(A))
        self._solved = [row for row in self._rows if row not in setting.prescribed]
        self._inverse = inverse(block(self._whole, self._solved, self._solved), *BORDERED)
        self._free = [row for row in self._solved if row < nv]
        free = self._free
        self._parts = TreeAlone.of(block(M, free, free), block(A, range(len(A)), free))

    def to(self, columns: Rows, terms: Rows) -> tuple[Exact, Exact]:
        """Derivatives of w and of the multipliers, where what the motion needs grows by columns."""
        width, nv = len(columns[0]), self._setting.tree.nv
        every, solved = range(width), self._solved
        answer, sizes = zero_matrix(len(self._rows), width), zero_matrix(len(self._rows), width)
        found = negative(matrix_product(self._inverse, block(columns, solved, every)))
        coefficients = block(self._whole_sizes, solved, solved)
        scales = solution_scales(coefficients, self._inverse, found, block(terms, solved, every))
        # what the tree alone would do, and what loops take off: in sum there may be nothing left
        forces, errors = block(terms, self._free, every), block(terms, range(nv, len(self._rows)), every)
        alone = self._parts.sizes(forces, errors)
        alone += zero_matrix(len(solved) - len(alone), width)
        scales = [
            [max(pair) for pair in zip(own, least, strict=True)] for own, least in zip(scales, alone, strict=True)
        ]
        for row, values, own in zip(solved, found, scales, strict=True):
            answer[row], sizes[row] = values, own
        for row in self._setting.prescribed:
            along = [self._whole[row][column] for column in solved]
            steep = [self._whole_sizes[row][column] for column in solved]
            for column in every:
                answer[row][column] = columns[row][column] + mp.fdot(along, [own[column] for own in found])
                sizes[row][column] = terms[row][column] + mp.fdot(steep, [sizes[own][column] for own in solved])
        parts = ((answer[:nv], sizes[:nv]), (answer[nv:], sizes[nv:]))
        first, second = (Exact(flat(values), flat(own)) for values, own in parts)
        return first, second

    def by_known(self) -> list[tuple[Exact, Exact]]:
        """Derivatives by what is given: forces and accelerations at once, or inputs of actuators, and accelerations."""
        setting = self._setting
        by_a, sizes = self._by_accelerations()
        if setting.inputs == "actuators":
            B, count = actuation_matrix(setting, self._inputs).values, len(self._inputs["u"])
            by_u = zero_matrix(len(self._rows), count)
            for row in self._free:
                by_u[row] = [-x for x in B[row * count : (row + 1) * count]]
            found = [self.to(by_u, magnitudes(by_u))]
            return [*found, self.to(by_a, sizes)] if setting.prescribed else found
        for column in self._free:
            by_a[column][column], sizes[column][column] = mp.mpf(-1), mp.mpf(2)
        return [self.to(by_a, sizes)]

    def _by_accelerations(self) -> tuple[Rows, Rows]:
        """How forces and errors change with given accelerations, by columns, and sizes of the terms."""
        nv = self._setting.tree.nv
        columns, sizes = zero_matrix(len(self._rows), nv), zero_matrix(len(self._rows), nv)
        for column in self._setting.prescribed:
            for row in self._rows:
                columns[row][column] = self._whole[row][column]
                sizes[row][column] = abs(self._whole[row][column]) + self._whole_sizes[row][column]
        return columns, sizes
