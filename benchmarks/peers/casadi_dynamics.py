"""The rival: Featherstone's recursions written plainly in CasADi SX, and automatic differentiation of them.

Recursive Newton-Euler, composite rigid bodies and articulated bodies after *Rigid Body Dynamics Algorithms* (2008),
tables 5.1, 6.2 and 7.1, in body frames and in Pinocchio's order and conventions; then ``casadi.cse``. The counts of SX
instructions in docs/benchmarks.md show that this is as strong as tracing Pinocchio's own algorithms over SX. Forward
dynamics is the shorter of articulated bodies and of solving with a sparsely factorised mass matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import casadi as ca
from peers.casadi_spatial import Body, Spatial, bodies_at, constant, cross_force, cross_motion, skew, zero


def rnea(model: Any, q: Any, v: Any, a: Any) -> Any:
    """The forces tau."""
    velocity, acceleration = {0: zero()}, {0: _lifted(model)}
    force: dict[int, Spatial] = {0: zero()}
    bodies = bodies_at(model, q)
    for index, body in bodies.items():
        along = body.subspace.times(v[body.rows])
        V = body.transform.motion(velocity[body.parent]) + along
        gained = body.subspace.times(a[body.rows]) + cross_motion(V, along)
        A = body.transform.motion(acceleration[body.parent]) + gained
        velocity[index], acceleration[index] = V, A
        force[index] = body.inertia.times(A) + cross_force(V, body.inertia.times(V))
    tau = ca.SX(model.nv, 1)
    for index, body in reversed(bodies.items()):
        tau[body.rows] = body.subspace.transpose_times(force[index])
        if body.parent:
            force[body.parent] = force[body.parent] + body.transform.force(force[index])
    return tau


def crba(model: Any, q: Any) -> Any:
    """The mass matrix, both triangles."""
    bodies = bodies_at(model, q)
    composite = {index: body.inertia for index, body in bodies.items()}
    M = ca.SX(model.nv, model.nv)
    for index, body in reversed(bodies.items()):
        if body.parent:
            composite[body.parent] = composite[body.parent] + composite[index].to_parent(body.transform)
        for row, column in zip(_rows(body), body.subspace.columns(), strict=True):
            force = composite[index].times(column)
            _fill(M, row, body, force)
            at = body
            while at.parent:
                force = at.transform.force(force)
                at = bodies[at.parent]
                _fill(M, row, at, force)
    return M


def aba(model: Any, q: Any, v: Any, tau: Any, gravity: bool = True) -> Any:
    """The accelerations a."""
    bodies = bodies_at(model, q)
    velocity, bias = {0: zero()}, {}
    for index, body in bodies.items():
        along = body.subspace.times(v[body.rows])
        velocity[index] = body.transform.motion(velocity[body.parent]) + along
        bias[index] = cross_motion(velocity[index], along)
    inertia = {index: body.inertia.articulated() for index, body in bodies.items()}
    force = {index: cross_force(velocity[index], body.inertia.times(velocity[index])) for index, body in bodies.items()}
    factors: dict[int, tuple[Spatial, Any, Any]] = {}
    for index, body in reversed(bodies.items()):
        if body.subspace.kind == "free":
            continue  # below, once all its children have added to it
        (column,) = body.subspace.columns()
        U = inertia[index].times(column)
        D = body.subspace.transpose_times(U)
        u = tau[body.rows] - body.subspace.transpose_times(force[index])
        factors[index] = U, D, u
        if body.parent:
            seen = inertia[index].without(U, D)
            passed = force[index] + seen.times(bias[index]) + U * (u / D)
            inertia[body.parent] = inertia[body.parent] + seen.to_parent(body.transform)
            force[body.parent] = force[body.parent] + body.transform.force(passed)
    a = ca.SX(model.nv, 1)
    acceleration = {0: _lifted(model) if gravity else zero()}
    for index, body in bodies.items():
        A = body.transform.motion(acceleration[body.parent]) + bias[index]
        if body.subspace.kind == "free":
            I = inertia[index]  # noqa: E741
            D = ca.vertcat(ca.horzcat(I.M, I.H.T), ca.horzcat(I.H, I.I))
            u = tau[body.rows] - body.subspace.transpose_times(force[index])
            # the free body's whole acceleration follows from the force on it; A is then taken off
            a[body.rows] = _solve(D, u) - ca.vertcat(A.linear, A.angular)
        else:
            U, D, u = factors[index]
            a[body.rows] = (u - U.dot(A)) / D
        acceleration[index] = A + body.subspace.times(a[body.rows])
    return a


def solved(model: Any, q: Any, v: Any, tau: Any) -> Any:
    """The accelerations a from ``M a = tau - bias``, with Featherstone's sparse L^T D L of M (table 6.3)."""
    above, last = _rows_above(model), model.nv - 1
    factor, x = crba(model, q), ca.vertsplit(tau - rnea(model, q, v, ca.SX(model.nv, 1)))
    for row in range(last, -1, -1):
        for i, column in enumerate(above[row]):
            scale = factor[row, column] / factor[row, row]
            for other in above[row][i:]:
                factor[column, other] -= scale * factor[row, other]
            factor[row, column] = scale
    for row in range(last, -1, -1):
        for column in above[row]:
            x[column] -= factor[row, column] * x[row]
    x = [value / factor[row, row] for row, value in enumerate(x)]
    for row in range(model.nv):
        for column in above[row]:
            x[row] -= factor[row, column] * x[column]
    return ca.vertcat(*x)


def minverse(model: Any, q: Any) -> Any:
    """The inverse of the mass matrix: responses to unit forces at rest without gravity, factors shared by ``cse``."""
    still = ca.SX(model.nv, 1)
    columns = [aba(model, q, still, constant(unit), gravity=False) for unit in ca.DM.eye(model.nv).full().T]
    return ca.cse(ca.horzcat(*columns))


def partials(model: Any, result: Any, q: Any, v: Any, u: Any) -> tuple[Any, ...]:
    """Derivatives of ``rnea`` or ``aba`` by automatic differentiation; of q along its tangent, as Pinocchio has it."""
    tangent = ca.SX(model.nq, model.nv)
    for joint in model.joints[1:]:
        at, row = joint.idx_q, joint.idx_v
        if joint.nq == 7:
            x, w = q[at + 3 : at + 6], q[at + 6]
            rotation = ca.SX.eye(3) + 2 * w * skew(x) + 2 * (x @ x.T - ca.dot(x, x) * ca.SX.eye(3))
            tangent[at : at + 3, row : row + 3] = rotation
            tangent[at + 3 : at + 6, row + 3 : row + 6] = 0.5 * (w * ca.SX.eye(3) + skew(x))
            tangent[at + 6, row + 3 : row + 6] = -0.5 * x.T
        else:
            tangent[at, row] = 1
    # values first: what a result and its derivatives share is then shared in the graph already
    result = ca.cse(result)
    return ca.jacobian(result, q) @ tangent, ca.jacobian(result, v), ca.jacobian(result, u)


def casadi_function(model: Any, name: str) -> ca.Function | None:
    """A function of symdyn's catalogue, (q, v, u) to its outputs, row-major; None where there is no plain rival."""
    q, v, u = ca.SX.sym("q", model.nq), ca.SX.sym("v", model.nv), ca.SX.sym("u", model.nv)
    recursions: dict[str, Callable[[], Sequence[Any]]] = {
        "inverse_dynamics": lambda: [rnea(model, q, v, u)],
        "forward_dynamics": lambda: [_shorter(aba(model, q, v, u), solved(model, q, v, u), [q, v, u])],
        "mass_matrix": lambda: [crba(model, q)],
        "mass_matrix_inverse": lambda: [minverse(model, q)],
        "inverse_dynamics_partials": lambda: partials(model, rnea(model, q, v, u), q, v, u),
        "forward_dynamics_partials": lambda: partials(model, aba(model, q, v, u), q, v, u),
    }
    if name not in recursions:
        return None
    # CasADi's vectors run down the columns, symdyn's along the rows
    outputs: Any = ca.cse([ca.densify(part.T if part.shape[1] > 1 else part) for part in recursions[name]()])
    return ca.Function("rival", [q, v, u], outputs)


def _shorter(one: Any, other: Any, inputs: list[Any]) -> Any:
    """Whichever result takes fewer instructions."""
    made = [(ca.cse(result), result) for result in (one, other)]
    return min(made, key=lambda pair: ca.Function("counted", inputs, [pair[0]]).n_instructions())[1]


def _rows_above(model: Any) -> list[list[int]]:
    """For each row of v, the rows that M couples it with on the way to the root, nearest first."""
    above: list[list[int]] = []
    last: dict[int, list[int]] = {0: []}
    for index in range(1, model.njoints):
        way = last[model.parents[index]]
        for row in range(model.joints[index].idx_v, model.joints[index].idx_v + model.joints[index].nv):
            above.append(way)
            way = [row, *way]
        last[index] = way
    return above


def _lifted(model: Any) -> Spatial:
    """Gravity as an acceleration of the world."""
    return Spatial(ca.SX(3, 1), constant(-model.gravity.linear))


def _rows(body: Body) -> range:
    return range(body.rows.start, body.rows.stop)


def _fill(M: Any, row: int, body: Body, force: Spatial) -> None:
    """Entries of M between one row of v and those of a body on the way to the root."""
    for other, value in zip(_rows(body), ca.vertsplit(body.subspace.transpose_times(force)), strict=True):
        M[row, other] = value
        M[other, row] = value


def _solve(D: Any, u: Any) -> Any:
    """``D^-1 u`` for a symmetric positive definite D by L D L^T."""
    size = u.shape[0]
    lower: Any = ca.SX.eye(size)
    pivots: list[Any] = []
    for column in range(size):
        scaled = [lower[column, k] * pivots[k] for k in range(column)]
        pivots.append(D[column, column] - sum((lower[column, k] * scaled[k] for k in range(column)), start=ca.SX(0)))
        for row in range(column + 1, size):
            left = D[row, column] - sum((lower[row, k] * scaled[k] for k in range(column)), start=ca.SX(0))
            lower[row, column] = left / pivots[column]
    x = [u[row] for row in range(size)]
    for row in range(size):
        x[row] -= sum((lower[row, k] * x[k] for k in range(row)), start=ca.SX(0))
    x = [value / pivot for value, pivot in zip(x, pivots, strict=True)]
    for row in reversed(range(size)):
        x[row] -= sum((lower[k, row] * x[k] for k in range(row + 1, size)), start=ca.SX(0))
    return ca.vertcat(*x)
