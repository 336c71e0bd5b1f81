"""A plan of implicit Euler steps by IPOPT: states and inputs are unknowns, compiled functions of symdyn the equations.

The residual of a step and the costs are functions of CasADi with exact Jacobians. Hessians are those of Gauss and
Newton, without curvatures of the equations, as in symdyn's own solver.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

import symdyn

Array = NDArray[np.float64]
FUNCTIONS = ("implicit_residual_partials", "stage_cost", "end_cost", "stage_cost_derivatives", "end_cost_derivatives")


@dataclass(frozen=True)
class IpoptPlan:
    """What IPOPT found: its inputs (N, nu), and the thread's processor time [s]."""

    status: str
    cost: float
    iterations: int
    seconds: float
    inputs: Array


def plan(
    robot: symdyn.Robot, start: Array, first: Array, target: Array, bounds: tuple[Array, Array], steps: int, h: float
) -> IpoptPlan:
    """The plan from rest at ``start``, begun there with the inputs ``first``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", symdyn.SymdynWarning)  # no one asks for derivatives of what is one already
        module = symdyn.compile(robot, FUNCTIONS, target="casadi", inputs="actuators", lanes=False)
    partials, stage, end, stage_slopes, end_slopes = map(module.casadi, FUNCTIONS)
    n, m = robot.nv, len(first)
    Q, V, U = ca.MX.sym("Q", n, steps), ca.MX.sym("V", n, steps), ca.MX.sym("U", m, steps)
    q, v = ca.horzcat(start, Q[:, :-1]), ca.horzcat(np.zeros(n), V[:, :-1])
    y = (ca.MX(target),) if len(target) else ()
    found = [partials(Q[:, k], V[:, k], (V[:, k] - v[:, k]) / h, U[:, k]) for k in range(steps)]
    rows = ca.vec(Q - q - h * V), *(own[0] for own in found)
    cost, slopes = end(Q[:, -1], V[:, -1], *y), []
    for k in range(steps):
        at = q[:, k], v[:, k], U[:, k], *y
        cost += stage(*at)
        slopes.append(stage_slopes(*at))
    last = end_slopes(Q[:, -1], V[:, -1], *y)[3:]
    # Derivatives of a stage cost are by its q, v and u: those by the first state do not count.
    qq, qv, vv = (ca.diagcat(*(own[4 + part] for own in slopes[1:]), last[part]) for part in range(3))
    hessian = ca.diagcat(ca.blockcat([[qq, qv], [qv.T, vv]]), *(own[7] for own in slopes))
    z = ca.vertcat(ca.vec(Q), ca.vec(V), ca.vec(U))
    nlp = {"x": z, "f": cost, "g": ca.vertcat(*rows)}
    weights = ca.MX.sym("f"), ca.MX.sym("g", nlp["g"].numel())
    lagrangian = ca.Function("curvature", [z, ca.MX.sym("p", 0), *weights], [weights[0] * ca.triu(hessian)])
    usual: dict[str, Any] = {"print_level": 0, "sb": "yes", "tol": 1e-9, "bound_relax_factor": 0.0, "max_iter": 300}
    slopes_g = ca.Function("slopes", [z, ca.MX.sym("p", 0)], [nlp["g"], _jacobian(found, n, steps, h)])
    options = {"print_time": False, "no_nlp_grad": True, "calc_lam_p": False, "ipopt": usual}
    options |= {"hess_lag": lagrangian, "jac_g": slopes_g}
    solver = ca.nlpsol("plan", "ipopt", nlp, options)
    begin = np.concatenate([np.tile(start, steps), np.zeros(n * steps), np.tile(first, steps)])
    free = np.full(2 * n * steps, np.inf)
    low, high = np.append(-free, np.tile(bounds[0], steps)), np.append(free, np.tile(bounds[1], steps))
    begun = time.thread_time()
    found = solver(x0=begin, lbx=low, ubx=high, lbg=0, ubg=0)
    spent, told = time.thread_time() - begun, solver.stats()
    inputs = np.array(found["x"]).ravel()[2 * n * steps :].reshape(steps, m)
    return IpoptPlan(told["return_status"], float(found["f"]), told["iter_count"], spent, inputs)


def _jacobian(found: list[Any], n: int, steps: int, h: float) -> ca.MX:
    """Of the rows q+ - q - h v+ and of the residuals, by all states and inputs; a = (v+ - v) / h."""
    _, by_q, by_v, by_a, by_u = zip(*found, strict=True)
    one, size = ca.DM.eye(n * steps), n * steps
    before = ca.DM(ca.Sparsity(size, size))
    before[n:, :-n] = ca.DM.eye(size - n)
    last = ca.vertcat(ca.MX(n, size), ca.horzcat(ca.diagcat(*by_a[1:]), ca.MX(size - n, n))) / h
    own = ca.diagcat(*(v + a / h for v, a in zip(by_v, by_a, strict=True))) - last
    inputs = ca.diagcat(*by_u)
    upper = ca.horzcat(ca.MX(one - before), ca.MX(-h * one), ca.MX(size, inputs.shape[1]))
    return ca.vertcat(upper, ca.horzcat(ca.diagcat(*by_q), own, inputs))
