"""How does a double pendulum swing up with the least torque? Use symdyn's function inside CasADi's optimiser.

``symdyn.symbolic`` gives a casadi.Function: the model comes from symdyn, its derivatives from CasADi.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

import symdyn

INTERVALS = 80
DURATION = 2.0


def main() -> None:
    robot = symdyn.load_example("double_pendulum")
    inverse_dynamics = symdyn.symbolic(robot, "inverse_dynamics")
    step = DURATION / INTERVALS

    problem = ca.Opti()
    q = problem.variable(robot.nq, INTERVALS + 1)
    v = problem.variable(robot.nv, INTERVALS + 1)
    a = problem.variable(robot.nv, INTERVALS)
    effort = 0
    for k in range(INTERVALS):
        # Constant acceleration on each interval.
        problem.subject_to(q[:, k + 1] == q[:, k] + step * v[:, k] + step**2 / 2 * a[:, k])
        problem.subject_to(v[:, k + 1] == v[:, k] + step * a[:, k])
        effort += step * ca.sumsqr(inverse_dynamics(q[:, k], v[:, k], a[:, k]))
    problem.minimize(effort)
    problem.subject_to(problem.bounded(-2.5, q[1, :], 2.5))  # the elbow does not turn over
    start, goal = np.zeros(robot.nq), np.array([np.pi, 0.0])
    problem.subject_to(q[:, 0] == start)
    problem.subject_to(q[:, -1] == goal)
    problem.subject_to(v[:, 0] == 0)
    problem.subject_to(v[:, -1] == 0)
    problem.set_initial(q, np.linspace(start, goal, INTERVALS + 1).T)
    problem.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes"})
    solution = problem.solve()

    path = solution.value(q)
    for k in range(0, INTERVALS + 1, 16):
        print(f"t = {k * step:4.2f} s   q = {path[0, k]:7.4f} {path[1, k]:7.4f} rad")
    print(f"integral of squared torque {solution.value(effort):.3f} N^2 m^2 s")


if __name__ == "__main__":
    main()
