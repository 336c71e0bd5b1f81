"""Rollouts as functions of CasADi: values, the adjoint rollout in reverse mode, and matrices of steps forward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
import pytest

import symdyn
from symdyn.errors import RequestError
from symdyn.robot.robot import Robot

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]
BALL = """
name: ball
links:
  world: {}
  ball: {mass: 1.2, com: [0.01, 0, 0.02], inertia: {xx: 0.02, yy: 0.03, zz: 0.025}}
joints: {free: {type: floating, parent: world, child: ball}}
"""
CASES: dict[str, tuple[Callable[[], Robot], str]] = {
    "arm": (lambda: symdyn.load_example("double_pendulum", runtime=["upper.mass", "lower.mass"]), "implicit_euler"),
    "free": (lambda: symdyn.loads(BALL, format="yaml"), "semi_implicit_euler"),
    "spatial": (lambda: symdyn.loads(BALL, format="yaml", convention="spatial"), "semi_implicit_euler"),
}
N, H = 3, 0.01


def worst(found: Any, wanted: Any) -> float:
    return float(np.abs(np.asarray(found) - wanted).max() / max(1.0, np.abs(np.asarray(wanted)).max()))


@pytest.mark.parametrize("name", CASES)
def test_a_rollout_and_its_derivatives_in_casadi(name: str) -> None:
    """Reverse mode equals the module's gradient to 1e-12, and forward mode its transpose."""
    make, method = CASES[name]
    robot, rng = make(), np.random.default_rng(0)
    module = symdyn.compile(robot, ["gravity"], rollout=method, lanes=False)
    p = (np.asarray(robot.runtime_defaults, float),) if robot.model.slots.names else ()
    q, v = robot.random_state(rng)
    u = rng.standard_normal((N, robot.nv))
    rolled, own = module.casadi("rollout", n=N, h=H), module.rollout(q, v, u, *p, h=H)
    longer = q.copy()
    if name != "arm":  # a quaternion may have any length
        longer[3:] *= 1.3
    found = rolled(longer, v, u.T, *p)
    assert worst(np.array(found[0]).T, own.q) < 1e-15 and worst(np.array(found[1]).T, own.v) < 1e-15
    assert worst(np.array(found[2]).T, own.memory) < 1e-15 if name == "arm" else float(found[3]) == 0.0
    by_q, by_v = rng.standard_normal(own.q.shape), rng.standard_normal(own.v.shape)
    inputs = [ca.MX.sym(f"x{place}", *rolled.size_in(place)) for place in range(rolled.n_in())]
    states = rolled(*inputs)
    cost = ca.dot(by_q.T, states[0]) + ca.dot(by_v.T, states[1])
    at = (q, v, u.T, *p)
    backward = [np.array(own) for own in ca.Function("g", inputs, [ca.gradient(cost, own) for own in inputs])(*at)]
    along = [rng.standard_normal(own.shape) for own in inputs]
    forward = ca.Function("j", inputs, [ca.jtimes(cost, *pair) for pair in zip(inputs, along, strict=True)])(*at)
    for one, other, step in zip(forward, backward, along, strict=True):
        assert worst(float(one), float((other * step).sum())) < 1e-12
    if robot.nq == robot.nv:
        wanted = module.rollout_gradient(own, u, *p, h=H, l_x=np.hstack([by_q, by_v]))
        for one, other in zip(backward, (wanted.q, wanted.v, wanted.u.T, wanted.p), strict=False):
            assert worst(one.squeeze(), other.squeeze()) < 1e-12
    else:
        value, step = ca.Function("c", inputs, [cost]), 1e-6 * along[0]
        ends = [float(value(q + sign * step.ravel(), *at[1:])) for sign in (1.0, -1.0)]
        assert worst((ends[0] - ends[1]) / 2e-6, float(forward[0])) < 1e-8
        assert abs(float(np.vdot(backward[0][3:], q[3:]))) < 1e-12  # nothing changes along a quaternion


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_step_in_casadi_has_the_adjoint_in_reverse(name: str) -> None:
    """Reverse mode equals the transpose of ``step_matrices``, by which forward mode goes, and rows of v are those."""
    make, method = CASES[name]
    robot, rng = make(), np.random.default_rng(1)
    options = {"gradient": "parameters"} if robot.model.slots.names else {}
    module = symdyn.compile(robot, ["step_matrices"], rollout=method, lanes=False, **options)
    p = (np.asarray(robot.runtime_defaults, float),) if robot.model.slots.names else ()
    q, v = robot.random_state(rng)
    u, weights = rng.standard_normal(robot.nv), rng.standard_normal(robot.nq + robot.nv)
    stepped = module.casadi("step", h=H)
    inputs = [ca.MX.sym(f"x{place}", *stepped.size_in(place)) for place in range(stepped.n_in())]
    found = stepped(*inputs)
    states = ca.vertcat(found[0], found[1])
    at = (q, v, u, *p)
    rows = ca.Function("rows", inputs, [ca.jacobian(states, own) for own in inputs])(*at)
    back = ca.Function("back", inputs, [ca.gradient(ca.dot(weights, states), own) for own in inputs])(*at)
    for one, other in zip(back, rows, strict=True):
        assert worst(one, np.asarray(other).T @ weights[:, None]) < 1e-12
    after = module.rollout(q, v, u[None], *p, h=H)
    assert worst(np.asarray(stepped(*at)[1]).ravel(), after.v[1]) < 1e-15
    given = dict(zip((*stepped.name_in(), "h", "a"), (*at, H, after.memory[0]), strict=True))
    matrices = module.step_matrices(*(given[own.name] for own in module.signature("step_matrices").inputs))
    nv, bottom = robot.nv, [np.asarray(own)[robot.nq :] for own in rows]
    for one, other in zip(bottom[1:], (matrices[0][nv:, nv:], *(own[nv:] for own in matrices[1:])), strict=True):
        assert worst(one, other) < 1e-12


@pytest.mark.slow
def test_ipopt_ends_at_our_plan_with_the_compiled_step() -> None:
    """Multiple shooting over the step, first derivatives alone: the cost of our solver."""
    problem = symdyn.OptimalControlProblem(
        costs=[
            symdyn.StateCost(q=[0.3, 0.0], v=0, weights={"q": 1.0, "v": 0.05}, end={"q": 10.0, "v": 1.0}),
            symdyn.InputCost(weight=0.01),
        ],
        limits=symdyn.Limits(effort=6),
        horizon=symdyn.Horizon(steps=8, step=0.05),
    )
    robot, n, h = symdyn.load_example("double_pendulum"), 8, 0.05
    module = symdyn.compile(robot, ["gravity"], rollout="semi_implicit_euler", lanes=False)
    step, opti = module.casadi("step", h=h), ca.Opti()
    q, v, u = opti.variable(2, n + 1), opti.variable(2, n + 1), opti.variable(2, n)
    cost = 0.0
    opti.subject_to(ca.vertcat(q[:, 0], v[:, 0]) == 0)
    for k in range(n + 1):
        off = q[:, k] - ca.DM([0.3, 0.0])
        if k == n:
            cost += (10 * ca.sumsqr(off) + ca.sumsqr(v[:, k])) / 2
            break
        cost += h * (ca.sumsqr(off) + 0.05 * ca.sumsqr(v[:, k]) + 0.01 * ca.sumsqr(u[:, k])) / 2
        found = step(q[:, k], v[:, k], u[:, k])
        opti.subject_to(ca.vertcat(q[:, k + 1], v[:, k + 1]) == ca.vertcat(found[0], found[1]))
        opti.subject_to(opti.bounded(-6, u[:, k], 6))
    opti.minimize(cost)
    settings = {"print_level": 0, "sb": "yes", "hessian_approximation": "limited-memory", "tol": 1e-9}
    opti.solver("ipopt", {"print_time": False}, settings)
    plan = symdyn.optimal_control(robot.with_control(problem))
    for unknown, own in ((q, plan.X[:, :2]), (v, plan.X[:, 2:]), (u, plan.U)):
        opti.set_initial(unknown, 0.95 * own.T)
    assert float(opti.solve().value(cost)) == pytest.approx(plan.cost, rel=1e-6)
    assert np.abs(plan.U).max() > 5.9


def test_what_a_rollout_for_casadi_takes() -> None:
    module = symdyn.compile(symdyn.load_example("pendulum"), ["gravity"], rollout="semi_implicit_euler", lanes=False)
    with pytest.raises(RequestError, match=r"n is the number of steps, 1 or more, got 0"):
        module.casadi("rollout", h=H)
    with pytest.raises(RequestError, match=r"such as module.casadi\('rollout', h=1e-3\), got 0.0"):
        module.casadi("rollout", n=3)
    steep = module.casadi("rollout", n=2, h=H)
    q = ca.MX.sym("q")
    with pytest.raises(RuntimeError, match="Derivatives cannot be calculated for adj1_"):
        ca.hessian(ca.sumsqr(steep(q, 0, ca.DM.zeros(1, 2))[0]), q)
