"""The inputs that a motion needs, by eigenvectors of B^T B with fifty digits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mpmath import mp

from symdyn.verify.base.dense import Rows, magnitudes, matrix_product, matrix_sum, matrix_times, negative, zero_matrix
from symdyn.verify.base.matrices import Real, in_rows, transpose
from symdyn.verify.oracle.actuation import actuation_matrix
from symdyn.verify.oracle.exact import Exact, joined
from symdyn.verify.oracle.joint_forces import inverse_dynamics
from symdyn.verify.oracle.partial_derivatives import in_reals, inverse_dynamics_partials, perturbations
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.tangent import central_difference

_LEAST = "1e-26"
"""Of the trace of B^T B: eigenvalues that count."""
_LONGER = mp.ldexp(1, 15)
"""How much longer steps are where B changes, which is a difference itself, with errors of some 1e-32."""


def inverse_actuation(setting: Setting, inputs: Inputs) -> Exact:
    """``u = (D B)^+ D tau`` and ``tau - B u``, D being the roots of weights, or 1.

    Errors of B and of tau, and how they move both (Wedin 1973), are what errors are measured against.
    """
    roots = _roots(setting, inputs)
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


def _roots(setting: Setting, inputs: Inputs) -> list[Real]:
    """The roots of the weights of rows."""
    weights = inputs.get("weights") or setting.weights or [1] * setting.tree.nv
    return [mp.sqrt(weight) for weight in weights]


def inverse_actuation_partials(setting: Setting, inputs: Inputs) -> Exact:
    """Derivatives of u and of the residual by moves of q, by v, a and p: differences of :func:`inverse_actuation`.

    What errors are measured against has the terms of Golub & Pereyra 1973: of forces by the pseudo-inverse, of B by
    what moves with it, and of what inputs cannot give.
    """
    setting = replace(setting, feedback=True)  # as for inverse_actuation
    exact, nv, roots = in_reals(inputs), setting.tree.nv, _roots(setting, inputs)
    u, r = _parts(inverse_actuation(setting, exact).values, nv)
    B = _scaled(roots, in_rows(actuation_matrix(setting, exact).values, len(u)))
    inverse_of_G = _pseudo_inverse_of_gram(B)
    across = matrix_product(inverse_of_G, transpose(B))
    idle, around = _complement(matrix_product(across, B)), _complement(matrix_product(B, across))
    turned = list(map(abs, matrix_times(transpose(across), u)))
    left, of_u = [abs(x * root) for x, root in zip(r, roots, strict=True)], list(map(abs, u))
    forces = inverse_dynamics_partials(setting, exact).scales
    columns: dict[str, list[tuple[list[Real], list[Real]]]] = {}
    start = 0
    for name in ("q", "v", "a", *(["p"] if setting.parameter_names else [])):
        found = perturbations(setting, exact, name)
        sizes = in_rows(forces[start : start + nv * len(found)], len(found))
        start += nv * len(found)
        for place, (at, step) in enumerate(found):
            longer = step * _LONGER
            slope = central_difference(lambda h, at=at: inverse_actuation(setting, at(h)).values, longer)  # type: ignore[misc]
            turning = central_difference(lambda h, at=at: actuation_matrix(setting, at(h)).values, longer)  # type: ignore[misc]
            du, dr = _parts(slope, nv)
            dB = magnitudes(_scaled(roots, in_rows(turning, len(u))))
            felt = [
                root * row[place] + by_u + by_du
                for root, row, by_u, by_du in zip(
                    roots,
                    sizes,
                    matrix_times(dB, of_u),
                    matrix_times(magnitudes(B), list(map(abs, du))),
                    strict=True,
                )
            ]
            back = [
                x + y
                for x, y in zip(
                    matrix_times(transpose(dB), left),
                    matrix_times(transpose(magnitudes(B)), [abs(x * root) for x, root in zip(dr, roots, strict=True)]),
                    strict=True,
                )
            ]
            aside = matrix_times(transpose(dB), turned)
            u_sizes = (
                matrix_times(magnitudes(across), felt),
                matrix_times(magnitudes(inverse_of_G), back),
                matrix_times(magnitudes(idle), aside),
            )
            r_sizes = (
                felt,
                matrix_times(magnitudes(around), felt),
                matrix_times(transpose(magnitudes(across)), back),
            )
            own = [sum(each) / root for *each, root in zip(*r_sizes, roots, strict=True)]
            columns.setdefault(f"u {name}", []).append((du, [sum(each) for each in zip(*u_sizes, strict=True)]))
            columns.setdefault(f"residual {name}", []).append((dr, own))
    names = ("q", "v", "a", *(["p"] if setting.parameter_names else []))
    return joined([_across(columns[f"{of} {name}"]) for of in ("u", "residual") for name in names])


def _parts(values: Sequence[Real], nv: int) -> tuple[list[Real], list[Real]]:
    """Of u and of the residual."""
    count = len(values) - nv
    return list(values[:count]), list(values[count:])


def _across(columns: Sequence[tuple[list[Real], list[Real]]]) -> Exact:
    """A matrix from columns and what their errors are measured against."""
    values, scales = ([x for row in zip(*own, strict=True) for x in row] for own in zip(*columns, strict=True))
    return Exact(values, scales)


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
