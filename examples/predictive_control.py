"""How does one step of predictive control look? Forward dynamics as SX inside CasADi's optimiser, every 50 ms.

A double pendulum has a motor in the shoulder only. It moves from a position near the upright one to rest there.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

import symdyn

STEP = 0.05
HORIZON = 20
LIMIT = 12.0  # N m


def main() -> None:
    robot = symdyn.load_example("double_pendulum")
    forward_dynamics = symdyn.symbolic(robot, "forward_dynamics")
    state, torque = ca.SX.sym("x", 4), ca.SX.sym("u")

    def rate(x: ca.SX) -> ca.SX:
        return ca.vertcat(x[2:], forward_dynamics(x[:2], x[2:], ca.vertcat(torque, 0.0)))

    middle = state + STEP / 2 * rate(state)
    advance = ca.Function("advance", [state, torque], [state + STEP * rate(middle)])

    start, x, u = ca.SX.sym("start", 4), ca.SX.sym("X", 4, HORIZON), ca.SX.sym("U", HORIZON)
    upright = np.array([np.pi, 0.0, 0.0, 0.0])
    cost, gaps, before = 0, [], start
    for k in range(HORIZON):
        gaps.append(x[:, k] - advance(before, u[k]))
        before = x[:, k]
        cost += (100.0 if k == HORIZON - 1 else 1.0) * ca.sumsqr(before - upright) + 1e-3 * u[k] ** 2
    problem = {"x": ca.vertcat(ca.vec(x), u), "p": start, "f": cost, "g": ca.vertcat(*gaps)}
    silent = {"print_time": False, "ipopt": {"print_level": 0, "sb": "yes"}}
    solver = ca.nlpsol("solver", "ipopt", problem, silent)
    bound = np.concatenate([np.full(4 * HORIZON, np.inf), np.full(HORIZON, LIMIT)])

    now = upright + np.array([0.15, -0.25, 0.0, 0.0])
    guess = np.concatenate([np.tile(upright, HORIZON), np.zeros(HORIZON)])
    for count in range(60):
        solution = solver(x0=guess, p=now, lbx=-bound, ubx=bound, lbg=0, ubg=0)
        assert solver.stats()["success"]
        guess = np.array(solution["x"]).ravel()
        command = guess[4 * HORIZON]
        if count % 10 == 0:
            print(
                f"t = {count * STEP:4.2f} s   off by {now[0] - np.pi:7.4f} {now[1]:7.4f} rad, torque {command:7.3f} N m"
            )
        now = np.array(advance(now, command)).ravel()
    print(f"after {60 * STEP:.1f} s off by {np.abs(now - upright).max():.1e}")
    assert np.abs(now - upright).max() < 1e-3


if __name__ == "__main__":
    main()
