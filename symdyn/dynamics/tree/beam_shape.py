"""How a bent link weighs: what its mass looks like to the body that carries it, and to its own coordinates.

With the amplitudes e(d) and u = sum s_i e_i, of the constants H, C, D of :mod:`symdyn.model.flexible_link`,

    C~_i = integral s_i r^T dm = C_i + sum_j D_ij e_j,
    h = h_0 + sum H_i e_i,      Sigma = Sigma_0 + integral (u r0^T + r0 u^T + u u^T) dm,

so that the carrier weighs like a rigid body of the bent link's first and second moments: these take the place of its
constants, and every recursion goes on as it is. To the carrier's acceleration (a; alpha) a coordinate answers by

    integral s . (a + alpha x r) dm = H . a + (integral r x s dm) . alpha,

which is the wrench too that its own acceleration asks of the carrier (Mohan & Saha, eq. 24a). Where amplitudes are
products of coordinates, sums over (de/dd)^T lead from amplitudes to coordinates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import Matrix, add, matrix_from, scale
from symdyn.dynamics.tree.ports import Reads, Writes
from symdyn.model.bind import FIRST_MOMENT, SECOND_MOMENT
from symdyn.model.joints import Flexure, JointModel
from symdyn.model.joints.bending import amplitudes, per_coordinate, weighted
from symdyn.plan.plan import Mode, Port, Step

MOMENTS = (*FIRST_MOMENT, *SECOND_MOMENT)
"""Constants of the carrier that change as the link bends."""
BENT_SIZE = len(MOMENTS)
SHAPE_SIZE = 9
"""Scalars per amplitude of what :func:`bend_link` finds: C~, row by row."""
_AXES = "xyz"


@dataclass(frozen=True, slots=True)
class BeamVariant:
    """What is structural about a flexible link.

    ``carried`` tells whether a body feels it, not the ground; ``first`` that no other link bends on that body before;
    ``writes_forces`` whether forces of its own rows are requested; ``free`` per row whether its acceleration is
    unknown, and counts as zero; it is empty where all are known.
    """

    kind: Flexure
    carried: bool
    first: bool = False
    writes_forces: bool = True
    free: tuple[bool, ...] = ()


def first_names(kind: Flexure) -> tuple[str, ...]:
    """Names of H."""
    return tuple(f"H{i}{axis}" for i in range(kind.amplitudes) for axis in _AXES)


def second_names(kind: Flexure) -> tuple[str, ...]:
    """Names of C and D."""
    entries = [f"{r}{c}" for r in _AXES for c in _AXES]
    own = (f"C{i}{entry}" for i in range(kind.amplitudes) for entry in entries)
    return (*own, *(f"D{i}_{j}{entry}" for i, j in _pairs(kind) for entry in entries))


def trace_names(kind: Flexure) -> tuple[str, ...]:
    """Names of the traces of D."""
    return tuple(f"T{i}_{j}" for i, j in _pairs(kind))


def _pairs(kind: Flexure) -> list[tuple[int, int]]:
    return [(i, j) for i in range(kind.amplitudes) for j in range(i, kind.amplitudes)]


def firsts(kind: Flexure, constants: Mapping[str, Scalar]) -> list[list[Scalar]]:
    """H per amplitude."""
    return [[constants[f"H{i}{axis}"] for axis in _AXES] for i in range(kind.amplitudes)]


def product_of(constants: Mapping[str, Scalar], i: int, j: int) -> Matrix:
    """D_ij."""
    if i > j:
        return [[constants[f"D{j}_{i}{c}{r}"] for c in _AXES] for r in _AXES]
    return [[constants[f"D{i}_{j}{r}{c}"] for c in _AXES] for r in _AXES]


def trace_of(constants: Mapping[str, Scalar], i: int, j: int) -> Scalar:
    """Tr D_ij."""
    return constants[f"T{min(i, j)}_{max(i, j)}"]


def combined(kind: Flexure, constants: Mapping[str, Scalar], weights: Sequence[Scalar]) -> list[Matrix]:
    """Per amplitude i the sum over j of D_ij times weights_j."""
    found = []
    for i in range(kind.amplitudes):
        total: Matrix = [[0.0] * 3 for _ in range(3)]
        for j, weight in enumerate(weights):
            total = _plus(total, product_of(constants, i, j), weight)
        found.append(total)
    return found


def _plus(total: Matrix, matrix: Matrix, weight: Scalar) -> Matrix:
    return [add(row, scale(weight, other)) for row, other in zip(total, matrix, strict=True)]


def summed(matrices: Sequence[Matrix], weights: Sequence[Scalar]) -> Matrix:
    """Sum of matrices times weights."""
    total: Matrix = [[0.0] * 3 for _ in range(3)]
    for matrix, weight in zip(matrices, weights, strict=True):
        total = _plus(total, matrix, weight)
    return total


def bend_link(variant: BeamVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per flexible link: C~ of its amplitudes, and moments of the bent link for the body that carries it."""
    kind = variant.kind
    e = amplitudes(kind.pairs, reads["q"])
    straight = [[[constants[f"C{i}{r}{c}"] for c in _AXES] for r in _AXES] for i in range(kind.amplitudes)]
    bent = [
        [add(row, other) for row, other in zip(own, change, strict=True)]
        for own, change in zip(straight, combined(kind, constants, e), strict=True)
    ]
    writes: dict[str, Sequence[Scalar]] = {"shape": [entry for matrix in bent for row in matrix for entry in row]}
    if variant.carried:
        first = weighted(firsts(kind, constants), e)
        own, whole = summed(straight, e), summed(bent, e)
        second = [whole[i][j] + own[j][i] for i in range(3) for j in range(i, 3)]
        moments = [*first, *second]
        if variant.first:
            moments = [constants[name] + change for name, change in zip(MOMENTS, moments, strict=True)]
        writes["bent"] = moments
    return writes


def shape_from(kind: Flexure, row: Sequence[Scalar]) -> list[Matrix]:
    """C~ per amplitude."""
    return [matrix_from(row[SHAPE_SIZE * i : SHAPE_SIZE * (i + 1)]) for i in range(kind.amplitudes)]


def lever(matrix: Matrix) -> list[Scalar]:
    """``integral r x s dm`` of ``integral s r^T dm``."""
    return [matrix[2][1] - matrix[1][2], matrix[0][2] - matrix[2][0], matrix[1][0] - matrix[0][1]]


def coupling(kind: JointModel, constants: Mapping[str, Scalar], reads: Reads) -> list[list[Scalar]]:
    """Per coordinate the wrench (f; n) that its unit acceleration asks of the carrier, in its axes.

    Of the ports ``q`` and ``shape``, and the constants H. Empty where nothing bends.
    """
    if not isinstance(kind, Flexure):
        return []
    shape = shape_from(kind, reads["shape"])
    force = per_coordinate(kind, reads["q"], firsts(kind, constants))
    moment = per_coordinate(kind, reads["q"], [lever(matrix) for matrix in shape])
    return [[*f, *n] for f, n in zip(force, moment, strict=True)]


def modal_mass(kind: JointModel, constants: Mapping[str, Scalar], d: Sequence[Scalar]) -> list[list[Scalar]]:
    """The mass matrix of the coordinates among themselves, (m, m): (de/dd)^T tr(D) de/dd."""
    assert isinstance(kind, Flexure)
    count = kind.rows
    traces = [[trace_of(constants, i, j) for j in range(kind.amplitudes)] for i in range(kind.amplitudes)]
    if not kind.pairs:
        return traces
    half = [[row[0] for row in per_coordinate(kind, d, [[column[i]] for column in traces])] for i in range(len(traces))]
    rows = per_coordinate(kind, d, half)
    return [[rows[i][j] if i <= j else rows[j][i] for j in range(count)] for i in range(count)]


BEND_LINK = Step("bend_link", bend_link, (Port("q", Mode.READ), Port("shape", Mode.WRITE), Port("bent", Mode.ADD)))
