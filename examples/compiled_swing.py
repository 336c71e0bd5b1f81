"""How much faster does an optimiser run with compiled derivatives? Swing a double pendulum up twice with IPOPT.

The same problem is solved twice: with ``symdyn.symbolic``, which CasADi differentiates, and with the compiled function
of ``target="casadi"``, which has its own derivatives. Steps and optimum are the same; the second takes less time.
"""

from __future__ import annotations

import time

import casadi as ca
import numpy as np

import symdyn

INTERVALS = 80
DURATION = 2.0
FUNCTION = "inverse_dynamics"


def swing_up(inverse_dynamics: ca.Function) -> tuple[float, dict[str, float]]:
    """The least effort [N^2 m^2 s], and IPOPT's statistics."""
    step = DURATION / INTERVALS
    problem = ca.Opti()
    q = problem.variable(2, INTERVALS + 1)
    v = problem.variable(2, INTERVALS + 1)
    a = problem.variable(2, INTERVALS)
    # Constant acceleration on each interval.
    problem.subject_to(q[:, 1:] == q[:, :-1] + step * v[:, :-1] + step**2 / 2 * a)
    problem.subject_to(v[:, 1:] == v[:, :-1] + step * a)
    torques = inverse_dynamics.map(INTERVALS)(q[:, :-1], v[:, :-1], a)
    effort = step * ca.sumsqr(torques)
    problem.minimize(effort)
    problem.subject_to(problem.bounded(-2.5, q[1, :], 2.5))  # the elbow does not turn over
    start, goal = np.zeros(2), np.array([np.pi, 0.0])
    problem.subject_to(q[:, 0] == start)
    problem.subject_to(q[:, -1] == goal)
    problem.subject_to(v[:, 0] == 0)
    problem.subject_to(v[:, -1] == 0)
    problem.set_initial(q, np.linspace(start, goal, INTERVALS + 1).T)
    problem.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes"})
    begun = time.perf_counter()
    solution = problem.solve()
    told = {"seconds": time.perf_counter() - begun, **problem.stats()}
    return float(solution.value(effort)), told


def main() -> None:
    robot = symdyn.load_example("double_pendulum")
    module = symdyn.compile(robot, [FUNCTION], target="casadi", hessian=True)
    for name, function in (("SX graph", symdyn.symbolic(robot, FUNCTION)), ("compiled", module.casadi(FUNCTION))):
        effort, told = swing_up(function)
        hessians = 1e6 * told["t_wall_nlp_hess_l"] / told["n_call_nlp_hess_l"]
        print(
            f"{name:9} effort {effort:.6f} N^2 m^2 s   {told['iter_count']} iterations   "
            f"{1e3 * told['seconds']:.0f} ms in all   {hessians:.0f} us per Hessian"
        )


if __name__ == "__main__":
    main()
