"""The inputs that a motion needs, by eigenvectors of B^T B with fifty digits."""

from __future__ import annotations

from collections.abc import Sequence

from mpmath import mp

from symdyn.verify.base.dense import Rows, magnitudes, matrix_product, matrix_sum, matrix_times, negative, zero_matrix
from symdyn.verify.base.matrices import Real, in_rows, transpose
from symdyn.verify.oracle.actuation import actuation_matrix
from symdyn.verify.oracle.exact import Exact, joined
from symdyn.verify.oracle.joint_forces import inverse_dynamics
from symdyn.verify.oracle.setting import Inputs, Setting

_LEAST = "1e-26"
"""Of the trace of B^T B: eigenvalues that count."""


def inverse_actuation(setting: Setting, inputs: Inputs) -> Exact:
    """``u = (D B)^+ D tau`` and ``tau - B u``, D being the roots of weights, or 1.

    Errors of B and of tau, and how they move both (Wedin 1973), are what errors are measured against.
    """
    weights = inputs.get("weights") or setting.weights or [1] * setting.tree.nv
    roots = [mp.sqrt(weight) for weight in weights]
    forces, made = inverse_dynamics(setting, inputs), actuation_matrix(setting, inputs)
    count = len(made.values) // setting.tree.nv
    B, sizes = (_scaled(roots, in_rows(entries, count)) for entries in (made.values, made.scales))
    inverse_of_G = _pseudo_inverse_of_gram(B)
    across = matrix_product(inverse_of_G, transpose(B))
    tau = [root * own for root, own in zip(roots, forces.values, strict=True)]
    u = matrix_times(across, tau)
    left = [own - given for own, given in zip(tau, matrix_times(B, u), strict=True)]
    terms = forces.terms() if forces.terms is not None else forces.scales
    felt = [
        root * max(size, own) + given
        for root, size, own, given in zip(
            roots, terms, forces.scales, matrix_times(sizes, list(map(abs, u))), strict=True
        )
    ]
    back = matrix_times(transpose(sizes), list(map(abs, left)))
    idle = _complement(matrix_product(across, B))
    turned = matrix_times(transpose(sizes), list(map(abs, matrix_times(transpose(across), u))))
    by_forces, by_rest = magnitudes(across), magnitudes(inverse_of_G)
    around = magnitudes(_complement(matrix_product(B, across)))
    u_sizes = (
        matrix_times(by_forces, felt),
        matrix_times(by_rest, back),
        matrix_times(magnitudes(idle), turned),
    )
    left_sizes = (felt, matrix_times(around, felt), matrix_times(transpose(by_forces), back))
    parts = ((u, u_sizes), (left, left_sizes))
    found, rest = (Exact(values, [sum(own) for own in zip(*sizes, strict=True)]) for values, sizes in parts)
    values, scales = ([own / root for own, root in zip(row, roots, strict=True)] for row in (rest.values, rest.scales))
    return joined([found, Exact(values, scales)])


def _pseudo_inverse_of_gram(B: Rows) -> Rows:
    """``(B^T B)^+``, of inputs that act on rows in common together."""
    count = len(B[0])
    found = zero_matrix(count, count)
    for group in _groups(B):
        own = [[row[column] for column in group] for row in B]
        values, vectors = mp.eigsy(mp.matrix(matrix_product(transpose(own), own)))
        least = mp.mpf(_LEAST) * mp.fsum(values)
        for i, row in enumerate(group):
            for j, column in enumerate(group):
                found[row][column] = mp.fsum(
                    vectors[i, k] * vectors[j, k] / value for k, value in enumerate(values) if value > least
                )
    return found


def _scaled(roots: Sequence[Real], rows: Rows) -> Rows:
    return [[root * entry for entry in row] for root, row in zip(roots, rows, strict=True)]


def _groups(B: Rows) -> list[list[int]]:
    groups: list[list[int]] = []
    for column in range(len(B[0])):
        meets = [own for own in groups if any(row[column] and any(row[other] for other in own) for row in B)]
        groups = [own for own in groups if own not in meets]
        groups.append(sorted([column, *(other for own in meets for other in own)]))
    return groups


def _complement(a: Rows) -> Rows:
    unit = [[mp.mpf(row == column) for column in range(len(a))] for row in range(len(a))]
    return matrix_sum(unit, negative(a))
