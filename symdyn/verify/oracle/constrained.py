"""Exact dynamics of robots with closed loops: the equations of motion and of the loops, solved together.

    M a + b = tau + A^T lambda,    A a + e'' + 2 e' / T + e / T^2 = 0

for the accelerations of the free rows and the multipliers; forces of prescribed rows follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mpmath import mp

from symdyn.description.actuation import JointActuator
from symdyn.verify.base.dense import (
    Rows,
    block,
    flat,
    inverse,
    magnitudes,
    matrix_product,
    matrix_times,
    solution_scales,
    zero_matrix,
)
from symdyn.verify.base.matrices import Real, transpose, vector
from symdyn.verify.oracle.accelerations import known_rows
from symdyn.verify.oracle.dependence import BORDERED, refuse_dependent, refuse_vanishing, unit_matrix
from symdyn.verify.oracle.exact import Exact, summed
from symdyn.verify.oracle.joint_forces import inverse_dynamics
from symdyn.verify.oracle.loops import held_rows, slopes
from symdyn.verify.oracle.mass_matrix import mass_terms
from symdyn.verify.oracle.pose import robot_pose
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.tree_alone import TreeAlone


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
    refuse_vanishing(A, A_sizes, setting.held)
    refuse_dependent(block(M, free, free), block(A, range(len(A)), free), setting.held)
    parts = TreeAlone.of(block(M, free, free), block(A, range(len(A)), free))
    system = bordered(block(M, free, free), block(A, range(len(A)), free), -1)
    sizes = bordered(block(M_sizes, free, free), block(A_sizes, range(len(A)), free), 1)
    inverted = inverse(system, *BORDERED)
    found = matrix_times(inverted, right)
    columns = [[x] for x in terms]
    alone = parts.sizes(columns[: len(free)], columns[len(free) :])
    scales = [
        max(x, least)
        for (x,), (least,) in zip(solution_scales(sizes, inverted, [[x] for x in found], columns), alone, strict=True)
    ]
    multipliers, reached = found[len(free) :], [mp.mpf(0)] * nv
    for row, x, size in zip(free, found, scales, strict=False):
        a[row], reached[row] = x, size
    unknown, measures = list(a), list(reached)
    for row in setting.prescribed:
        unknown[row] = mp.fdot(M[row], a) + b[row] - mp.fdot([own[row] for own in A], multipliers)
        measures[row] = abs(b[row]) + mp.fdot(M_sizes[row], [max(abs(x), s) for x, s in zip(a, reached, strict=True)])
        measures[row] += mp.fdot([own[row] for own in A_sizes], scales[len(free) :])
    return Exact([*unknown, *multipliers], [*measures, *scales[len(free) :]])


@dataclass(frozen=True, slots=True)
class Sharing:
    """The linear system for the multipliers and for mu of the passive rows, and what forces are left with them.

    ``system``, ``right`` and the sizes of their terms; ``required`` are the forces of the tree with their sizes, ``A``
    the slopes with theirs, and ``actuated`` the rows that have forces.
    """

    system: Rows
    sizes: Rows
    right: list[Real]
    terms: list[Real]
    required: list[Real]
    reach: list[Real]
    A: Rows
    A_sizes: Rows
    actuated: tuple[int, ...]

    @classmethod
    def at(cls, setting: Setting, inputs: Inputs) -> Sharing:
        """That of a state: A_a W A_a^T lambda + A_p mu = A_a W tau_a and A_p^T lambda = tau_p, or lambda + A_p mu = 0.

        Raises
        ------
        SingularMatrixError
            Rows of the loops depend on each other in this state, or passive rows do.
        """
        nv, required = setting.tree.nv, inverse_dynamics(setting, inputs)
        A, A_sizes = slopes(setting, inputs)
        refuse_vanishing(A, A_sizes, setting.held)
        count = len(A)
        actuated = setting.actuated if setting.actuated is not None else actuated_rows(setting)
        passive = [row for row in range(nv) if row not in actuated]
        weights = vector(inputs["weights"] if "weights" in inputs else setting.weights or [1] * nv)
        parts, parts_sizes = zero_matrix(count, count), zero_matrix(count, count)
        right, terms = [mp.mpf(0)] * count, [mp.mpf(0)] * count
        reach = summed(required.scales, required.terms()).scales if required.terms is not None else required.scales
        for row in range(count):
            for other in range(count):
                if setting.objective == "force":
                    parts[row][other] = parts_sizes[row][other] = mp.mpf(row == other)
                else:
                    parts[row][other] = mp.fsum(weights[k] * A[row][k] * A[other][k] for k in actuated)
                    sizes = (weights[k] * A_sizes[row][k] * A_sizes[other][k] for k in actuated)
                    parts_sizes[row][other] = mp.fsum(sizes)
            if setting.objective != "force":
                right[row] = mp.fsum(weights[k] * A[row][k] * required.values[k] for k in actuated)
                terms[row] = mp.fsum(weights[k] * A_sizes[row][k] * reach[k] for k in actuated)
        across = transpose(block(A, range(count), passive)) if passive else []
        across_sizes = transpose(block(A_sizes, range(count), passive)) if passive else []
        if across:
            forces = "forces of the loops in rows {} of v without an actuator"
            refuse_dependent(unit_matrix(count), across, [str(row) for row in passive], forces)
        if setting.objective != "force":
            refuse_dependent(unit_matrix(nv), A, setting.held)
        return cls(
            bordered(parts, across, 1),
            bordered(parts_sizes, across_sizes, 1),
            right + [required.values[row] for row in passive],
            terms + [reach[row] for row in passive],
            required.values,
            reach,
            A,
            A_sizes,
            tuple(actuated),
        )

    def scales(self, inverted: Rows, found: Sequence[Real], terms: Sequence[Real]) -> list[Real]:
        """What the errors of multipliers are measured against, from the sizes of the right-hand side."""
        return [x for (x,) in solution_scales(self.sizes, inverted, [[x] for x in found], [[x] for x in terms])]


def constrained_inverse_dynamics(setting: Setting, inputs: Inputs) -> Exact:
    """``tau`` and ``lambda`` from a: of all that give the motion, those of the least forces or multipliers.

    Raises
    ------
    SingularMatrixError
        Rows of the loops depend on each other in this state, or passive rows do.
    """
    own, nv = Sharing.at(setting, inputs), setting.tree.nv
    inverted, count = inverse(own.system, *BORDERED), len(own.A)
    found = matrix_times(inverted, own.right)
    scales = own.scales(inverted, found, own.terms)
    tau, tau_sizes = [mp.mpf(0)] * nv, [mp.mpf(0)] * nv
    for k in own.actuated:
        tau[k] = own.required[k] - mp.fsum(row[k] * x for row, x in zip(own.A, found, strict=False))
        tau_sizes[k] = own.reach[k] + mp.fsum(row[k] * x for row, x in zip(own.A_sizes, scales, strict=False))
    return Exact([*tau, *found[:count]], [*tau_sizes, *scales[:count]])


def actuated_rows(setting: Setting) -> tuple[int, ...]:
    """The rows of the file's actuators that drive joints, or else those of all joints."""
    joints = {place.joint.name for place in setting.tree.places}
    named: set[str] = set()
    for own in setting.description.actuation.actuators:
        named |= {name for name, _ in own.joints} if isinstance(own, JointActuator) else set()
        named |= {own} if isinstance(own, str) else set()
    driven = joints.intersection(named)
    rows: set[int] = set()
    for place in setting.tree.places:
        moves = place.names_body and not (place.bends or place.implicit)
        if moves and (not driven or place.joint.name in driven):
            rows |= {row for own in range(place.rows[1]) for row, _ in place.moved_by(own)}
    return tuple(sorted(rows))


def operational_inertia(setting: Setting, inputs: Inputs) -> Exact:
    """``A M^-1 A^T`` and its inverse.

    Raises
    ------
    SingularMatrixError
        Rows of the loops depend on each other in this state.
    """
    M, M_sizes = mass_terms(robot_pose(setting, inputs["q"], inputs))
    A, A_sizes = slopes(setting, inputs)
    refuse_vanishing(A, A_sizes, setting.held)
    refuse_dependent(M, A, setting.held)
    count, W = len(A), inverse(M)
    moved = transpose(matrix_product(W, transpose(A)))
    S = matrix_product(A, transpose(moved))
    L = inverse(S, *BORDERED)
    felt = matrix_product(magnitudes(moved), matrix_product(M_sizes, transpose(magnitudes(moved))))
    leaned = matrix_product(A_sizes, transpose(magnitudes(moved)))
    S_sizes = [[felt[i][j] + leaned[i][j] + leaned[j][i] for j in range(count)] for i in range(count)]
    L_sizes = matrix_product(magnitudes(L), matrix_product(S_sizes, magnitudes(L)))
    return Exact([*flat(S), *flat(L)], [*flat(S_sizes), *flat(L_sizes)])


def bordered(M: Rows, A: Rows, sign: int) -> Rows:
    """[M, sign A^T; A, 0], which may have no rows of A."""
    above = [[*row, *(sign * own[column] for own in A)] for column, row in enumerate(M)]
    return above + [[*row, *(mp.mpf(0) for _ in A)] for row in A]
