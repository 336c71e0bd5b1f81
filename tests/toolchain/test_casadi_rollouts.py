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
