"""The rival of the mass matrix: Featherstone's composite rigid bodies written plainly, and what follows from them.

Featherstone 2008, tables 6.2 and 6.3, in body frames. The benchmarks time them as CasADi's C.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.analysis.compare.plain_articulated_body import plain_forward_dynamics
from symdyn.analysis.compare.plain_newton_euler import plain_inverse_dynamics
from symdyn.analysis.compare.six_vectors import MovingBody, moving_bodies
from symdyn.model.model import Model

Rows = list[list[Scalar]]


def plain_mass_matrix(model: Model, algebra: Algebra, q: Sequence[Scalar]) -> Rows:
    """M (nv, nv), both triangles, by composite rigid bodies."""
    still = [0.0] * model.nv
    bodies = moving_bodies(model, algebra, q, still, still)
    composite = [moving.inertia for moving in bodies]
    M: Rows = [[0.0] * model.nv for _ in range(model.nv)]
    for index in range(len(bodies) - 1, -1, -1):
        moving, parent = bodies[index], bodies[index].body.parent
        if parent >= 0:
            composite[parent] = composite[parent].plus(composite[index].to_parent(moving.transform))
        for row, column in zip(_rows(moving), moving.subspace, strict=True):
            force, at = composite[index].times(column), index
            while True:
                for other, value in zip(_rows(bodies[at]), bodies[at].joint_force(force), strict=True):
                    M[row][other] = M[other][row] = value
                above = bodies[at].body.parent
                if above < 0:
                    break
                force, at = bodies[at].transform.to_parent(force), above
            M[row][row] = M[row][row] + moving.constants["armature"]
    return M


def solved_forward_dynamics(
    model: Model, algebra: Algebra, q: Sequence[Scalar], v: Sequence[Scalar], tau: Sequence[Scalar]
) -> list[Scalar]:
    """Accelerations a (nv,) from ``M a = tau - bias``, with the sparse L^T D L of M."""
    above, M = _rows_above(model), plain_mass_matrix(model, algebra, q)
    bias = plain_inverse_dynamics(model, algebra, q, v, [0.0] * model.nv)
    x = [force - own for force, own in zip(tau, bias, strict=True)]
    for row in range(model.nv - 1, -1, -1):
        for place, column in enumerate(above[row]):
            share = M[row][column] / M[row][row]
            for other in above[row][place:]:
                M[column][other] = M[column][other] - share * M[row][other]
            M[row][column] = share
    for row in range(model.nv - 1, -1, -1):
        for column in above[row]:
            x[column] = x[column] - M[row][column] * x[row]
    x = [value / M[row][row] for row, value in enumerate(x)]
    for row in range(model.nv):
        for column in above[row]:
            x[row] = x[row] - M[row][column] * x[column]
    return x


def plain_mass_matrix_inverse(model: Model, algebra: Algebra, q: Sequence[Scalar]) -> Rows:
    """The inverse of M (nv, nv): responses of articulated bodies to unit forces at rest without gravity."""
    weightless, still = replace(model, gravity=(0.0, 0.0, 0.0)), [0.0] * model.nv
    units = [[1.0 if row == column else 0.0 for row in range(model.nv)] for column in range(model.nv)]
    return [plain_forward_dynamics(weightless, algebra, q, still, unit) for unit in units]


def _rows(moving: MovingBody) -> range:
    return range(moving.velocity_rows.start, moving.velocity_rows.stop)


def _rows_above(model: Model) -> list[list[int]]:
    """For each row of v, the rows that M couples it with on the way to the root, nearest first."""
    above: list[list[int]] = [[] for _ in range(model.nv)]
    ways: list[list[int]] = []
    for body in model.bodies:
        joint, way = body.joint, ways[body.parent] if body.parent >= 0 else []
        for row in range(joint.v_index, joint.v_index + len(joint.coordinates.v)):
            above[row] = way
            way = [row, *way]
        ways.append(way)
    return above
