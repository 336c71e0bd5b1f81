"""Poses of rods written down once more: products of exponentials of 4 x 4 strain matrices, at any number of digits.

Numbers may be complex, so that a step into the imaginary direction differentiates. Nothing here comes from the oracle.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from mpmath import mp

from symdyn.description.soft import Soft, Strain, StrainBasis, StrainFunctions

Matrix = list[list[Any]]

GAUSS = {
    1: [("0", "2")],
    2: [("-sqrt(1/3)", "1"), ("sqrt(1/3)", "1")],
    3: [("-sqrt(3/5)", "5/9"), ("0", "8/9"), ("sqrt(3/5)", "5/9")],
}
"""Nodes on [-1, 1] and weights, from the books."""


def number(text: str, x: Any = 0) -> Any:
    """An expression with all its divisions taken in ``mpmath``."""
    names = {name: getattr(mp, name) for name in ("sqrt", "sin", "cos", "tan", "exp", "pi", "mpf")}
    return eval(re.sub(r"(\d+(\.\d+)?)", r"mpf('\1')", text), {**names, "x": x})  # a test's own text


def gauss(start: Any, end: Any, count: int) -> list[tuple[Any, Any]]:
    """Places and weights on an interval."""
    half, middle = (end - start) / 2, (start + end) / 2
    return [(middle + half * number(at), half * number(weight)) for at, weight in GAUSS[count]]


def functions(own: StrainFunctions, length: Any, x: Any) -> list[Any]:
    """The functions of a strain at x."""
    s = x / length
    z = 2 * s - 1
    turn = 2 * mp.pi * s
    table = {
        StrainBasis.LEGENDRE: [mp.mpf(1), z, (3 * z**2 - 1) / 2, (5 * z**3 - 3 * z) / 2],
        StrainBasis.MONOMIAL: [mp.mpf(1), s, s**2, s**3],
        StrainBasis.CHEBYSHEV: [mp.mpf(1), z, 2 * z**2 - 1, 4 * z**3 - 3 * z],
        StrainBasis.FOURIER: [mp.mpf(1), mp.cos(turn), mp.sin(turn), mp.cos(2 * turn), mp.sin(2 * turn)],
        StrainBasis.PIECEWISE_CONSTANT: [mp.mpf(int(s * own.count) == place) for place in range(own.count)],
        StrainBasis.PIECEWISE_LINEAR: [_hat(s * (own.count - 1), place) for place in range(own.count)],
        StrainBasis.GAUSSIAN: [mp.exp(-(((x - centre) / mp.mpf(own.width)) ** 2)) for centre in own.centres],
        StrainBasis.EXPRESSIONS: [number(text, x) for text in own.functions],
    }
    return table[own.basis][: own.count]


def _hat(place: Any, node: int) -> Any:
    if node - 1 <= place <= node:
        return place - node + 1
    return node + 1 - place if node < place <= node + 1 else mp.mpf(0)


def columns(soft: Soft, x: Any) -> list[dict[Strain, Any]]:
    """Per coordinate what it adds to each strain at x."""
    return _columns(soft, x, mp.prec)


@cache
def _columns(soft: Soft, x: Any, _precision: int) -> list[dict[Strain, Any]]:
    length = mp.mpf(soft.length)

    def sized(strain: Strain, value: Any) -> Any:
        turns = strain.value in ("twist", "curvature_y", "curvature_z")
        return value / length if turns else value

    found = [{own.strain: sized(own.strain, value)} for own in soft.strains for value in functions(own, length, x)]
    return found + [{strain: sized(strain, number(text, x)) for strain, text in own.functions} for own in soft.coupled]


def strain_matrix(soft: Soft, q: Sequence[Any], x: Any) -> Matrix:
    """The derivative of the pose at x, seen from there."""
    field = {strain: mp.mpf(0) for strain in Strain} | {Strain.STRETCH: mp.mpf(1)}
    field |= {strain: number(text, x) for strain, text in soft.reference}
    for value, column in zip(q, columns(soft, x), strict=True):
        for strain, share in column.items():
            field[strain] += value * share
    a, b, c, u, v, w = (field[strain] for strain in Strain)
    return [[0, -c, b, u], [c, 0, -a, v], [-b, a, 0, w], [0, 0, 0, 0]]


def stations(soft: Soft) -> list[tuple[Any, Any]]:
    """Places and weights of what the rod is divided at, the tip last."""
    assert soft.stations is not None
    found, start = [], mp.mpf(0)
    for end in map(mp.mpf, soft.pieces):
        found += [*gauss(start, end, soft.stations), (end, mp.mpf(0))]
        start = end
    return found


def poses(soft: Soft, q: Sequence[Any]) -> list[Matrix]:
    """4 x 4 poses of all stations in the root section's axes."""
    pose: Matrix = [[mp.mpf(row == column) for column in range(4)] for row in range(4)]
    found, before = [], mp.mpf(0)
    for x, _ in stations(soft):
        pace = (x - before) / soft.substeps
        for step in range(soft.substeps):
            pose = times(pose, exponential(_magnus(soft, q, before + step * pace, pace)))
        found.append(pose)
        before = x
    return found


def _magnus(soft: Soft, q: Sequence[Any], start: Any, h: Any) -> Matrix:
    count = {2: 1, 4: 2, 6: 3}[soft.magnus]
    A = [strain_matrix(soft, q, x) for x, _ in gauss(start, start + h, count)]
    if count == 1:
        return combined((h, A[0]))
    if count == 2:  # poses grow on the right, so that commutators have the other sign than in the books
        return combined((h / 2, A[0]), (h / 2, A[1]), (-mp.sqrt(3) * h**2 / 12, commutator(A[1], A[0])))
    a = combined((h, A[1]))
    b = combined((mp.sqrt(15) * h / 3, A[2]), (-mp.sqrt(15) * h / 3, A[0]))
    c = combined((10 * h / 3, A[2]), (-20 * h / 3, A[1]), (10 * h / 3, A[0]))
    C1 = commutator(b, a)
    C2 = combined((-mp.mpf(1) / 60, commutator(combined((2, c), (1, C1)), a)))
    last = commutator(combined((1, b), (1, C2)), combined((-20, a), (-1, c), (1, C1)))
    return combined((1, a), (mp.mpf(1) / 12, c), (mp.mpf(1) / 240, last))


def combined(*terms: tuple[Any, Matrix]) -> Matrix:
    """A sum of multiples."""
    return [[sum(factor * a[row][column] for factor, a in terms) for column in range(4)] for row in range(4)]


def times(a: Matrix, b: Matrix) -> Matrix:
    """The product."""
    turned = list(zip(*b, strict=True))
    return [[mp.fdot(row, column) for column in turned] for row in a]


def commutator(a: Matrix, b: Matrix) -> Matrix:
    """``A B - B A``."""
    return combined((1, times(a, b)), (-1, times(b, a)))


def exponential(a: Matrix) -> Matrix:
    """By its series, of an eighth of the matrix."""
    eighth = combined((mp.mpf(1) / 8, a))
    total = power = [[mp.mpf(row == column) for column in range(4)] for row in range(4)]
    count = 0
    while max(abs(value) for row in power for value in row) > mp.eps / 1000:
        count += 1
        power = combined((mp.mpf(1) / count, times(power, eighth)))
        total = combined((1, total), (1, power))
    for _ in range(3):
        total = times(total, total)
    return total
