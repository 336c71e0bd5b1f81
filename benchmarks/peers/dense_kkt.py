"""The rival of constrained forward dynamics: M, the bias, and the Jacobian of held points, put together densely.

    M a + bias = tau + J^T lambda,    J a + J' v = 0,    J M^-1 J^T lambda = -J M^-1 (tau - bias) - J' v

M by composite rigid bodies and the bias by recursive Newton-Euler, as in ``symdyn compare``; J column by column in the
world; M is factored from the leaves on, so that its zeros stay, and J M^-1 J^T as it is. CasADi makes one line of it
and removes what is computed twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import casadi as ca

import symdyn
from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.casadi_sx import CasadiAlgebra, casadi_c_source
from symdyn.algebra.spatial.vectors import add, cross, dot, product, subtract, times, transpose
from symdyn.analysis.compare.measurement import Code, casadi_code
from symdyn.analysis.compare.plain_articulated_body import Factor
from symdyn.analysis.compare.plain_mass_matrix import plain_mass_matrix
from symdyn.analysis.compare.plain_newton_euler import plain_inverse_dynamics
from symdyn.analysis.compare.six_vectors import ZERO, MovingBody, SixVector, moving_bodies

NAME = "rival"
Points = Sequence[tuple[int, Sequence[float]]]
"""What is held to the world: bodies, and places in their frames."""


def dense_kkt_code(robot: symdyn.Robot) -> Code:
    """(q, v, tau) to a and the multipliers of a robot whose loops hold points of bodies to the world."""
    algebra = CasadiAlgebra()
    sizes = [robot.nq, robot.nv, robot.nv]
    inputs = [ca.SX.sym(name, size) for name, size in zip(("q", "v", "tau"), sizes, strict=True)]
    q, v, tau = ([row[place] for place in range(row.shape[0])] for row in inputs)
    points = [
        (index, times(transpose(body.alignment), placed.load.pair[0].point))
        for index, body in enumerate(robot.model.bodies)
        for placed in body.loads
    ]
    tree = symdyn.from_description(replace(robot.description, acting=()))
    outputs = ca.vertcat(*constrained_forward_dynamics(tree, algebra, points, q, v, tau))
    made = ca.Function(NAME, inputs, [outputs], {"cse": True})
    return casadi_code(casadi_c_source(made), NAME, sizes, outputs.shape[0])


def constrained_forward_dynamics(
    tree: symdyn.Robot, algebra: Algebra, points: Points, q: Sequence[Any], v: Sequence[Any], tau: Sequence[Any]
) -> list[Scalar]:
    """Accelerations (nv,), then the forces on the points in the world's axes, three each."""
    model, still = tree.model, [0.0] * tree.nv
    bias = plain_inverse_dynamics(model, algebra, q, v, still)
    M = plain_mass_matrix(model, algebra, q)
    J, drift = _point_rows(moving_bodies(model, algebra, q, v, still), points, tree.nv)
    leaves_first = Factor([row[::-1] for row in M[::-1]])

    def solve(right: Sequence[Scalar]) -> list[Scalar]:
        return leaves_first.solve(right[::-1])[::-1]

    free = solve([force - own for force, own in zip(tau, bias, strict=True)])
    columns = [solve(row) for row in J]
    S = [[dot(row, column) for column in columns] for row in J]
    held = Factor(S).solve([-dot(row, free) - own for row, own in zip(J, drift, strict=True)])
    found = [x + dot([column[row] for column in columns], held) for row, x in enumerate(free)]
    return [*found, *held]


def _point_rows(bodies: Sequence[MovingBody], points: Points, count: int) -> tuple[list[list[Scalar]], list[Scalar]]:
    """J (3 per point, nv) and J' v."""
    velocity: list[SixVector] = []
    acceleration: list[SixVector] = []
    placed: list[tuple[Any, Any]] = []
    for moving in bodies:
        parent, X = moving.body.parent, moving.transform
        above = velocity[parent] if parent >= 0 else ZERO
        own = X.to_child(above).plus(moving.along)
        rate = X.to_child(acceleration[parent] if parent >= 0 else ZERO).plus(moving.rate)
        velocity.append(own)
        acceleration.append(rate.plus(own.cross_motion(moving.along)))
        turn, at = placed[parent] if parent >= 0 else ([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [0.0] * 3)
        placed.append((product(turn, X.rotation), add(at, times(turn, X.origin))))
    J: list[list[Scalar]] = []
    drift: list[Scalar] = []
    for body, offset in points:
        turn, at = placed[body]
        point = add(at, times(turn, offset))
        rows: list[list[Scalar]] = [[0.0] * count for _ in range(3)]
        carrier = body
        while carrier >= 0:
            moving, (own, origin) = bodies[carrier], placed[carrier]
            places = range(count)[moving.velocity_rows]
            for place, column in zip(places, moving.subspace, strict=True):
                omega = times(own, column.angular)
                for row, x in zip(
                    rows, add(times(own, column.linear), cross(omega, subtract(point, origin))), strict=True
                ):
                    row[place] = x
            carrier = moving.body.parent
        J += rows
        moved, rate = velocity[body], acceleration[body]
        passing = add(moved.linear, cross(moved.angular, offset))
        drift += times(turn, add(add(rate.linear, cross(rate.angular, offset)), cross(moved.angular, passing)))
    return J, drift
