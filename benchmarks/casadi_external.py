"""IPOPT with compiled functions, beside the same problem with SX graphs: time of an iteration, and bytes of C.

Usage: python benchmarks/casadi_external.py [ROBOT] [NODES]

An arm (by default the shipped one of seven joints) moves from rest to rest with the least torque, 50 nodes, exact
Hessians. Both problems are the same but for the function of inverse dynamics. Times are wall times of whole iterations,
the linear solver's with them; the least of three runs that take turns. The C is that of constraints, their Jacobian and
the Hessian of the Lagrangian, as CasADi generates them; beside the compiled functions their own sources count.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np

import symdyn
from symdyn.robot.robot import Robot

FUNCTION, DURATION, RUNS = "inverse_dynamics", 2.0, 3


def problem_of(robot: Robot, function: Any, nodes: int) -> Any:
    """Rest to rest with the least torque, torques being variables; (opti)."""
    step, n = DURATION / nodes, robot.nv
    problem = ca.Opti()
    q, v = problem.variable(n, nodes + 1), problem.variable(n, nodes + 1)
    a, tau = problem.variable(n, nodes), problem.variable(n, nodes)
    problem.subject_to(function.map(nodes)(q[:, :-1], v[:, :-1], a) == tau)
    problem.subject_to(v[:, 1:] == v[:, :-1] + step * a)
    problem.subject_to(q[:, 1:] == q[:, :-1] + step * v[:, 1:])
    for row, goal in ((q[:, 0], 0.0), (q[:, -1], 0.7), (v[:, 0], 0.0), (v[:, -1], 0.0)):
        problem.subject_to(row == goal)
    problem.minimize(step * ca.sumsqr(tau) / 100.0 + 1e-2 * step * ca.sumsqr(a))
    problem.set_initial(q, np.linspace(np.zeros(n), np.full(n, 0.7), nodes + 1).T)
    return problem


def solve(robot: Robot, function: Any, nodes: int) -> dict[str, float]:
    """Milliseconds of an iteration and of its parts, the number of iterations and the least cost."""
    problem = problem_of(robot, function, nodes)
    problem.solver("ipopt", {"print_time": False, "record_time": True}, {"print_level": 0, "sb": "yes"})
    solution = problem.solve()
    told = problem.stats()
    count = told["iter_count"]
    parts = {name: told[f"t_wall_{name}"] for name in ("total", "nlp_g", "nlp_jac_g", "nlp_hess_l")}
    parts |= {"processor": told["t_proc_total"]}
    return {name: 1e3 * seconds / count for name, seconds in parts.items()} | {
        "iterations": count,
        "cost": float(solution.value(problem.f)),
    }


def bytes_of_c(robot: Robot, function: Any, nodes: int, expand: bool) -> int:
    """Bytes of the C that CasADi generates for the constraints and their derivatives."""
    problem = problem_of(robot, function, nodes)
    x, g, weights = problem.x, problem.g, problem.lam_g
    lagrangian = problem.f + ca.dot(weights, g)
    made = [
        ca.Function("g", [x], [g]),
        ca.Function("jac_g", [x], [ca.jacobian(g, x)]),
        ca.Function("hess_l", [x, weights], [ca.triu(ca.hessian(lagrangian, x)[0])]),
    ]
    with tempfile.TemporaryDirectory() as folder:
        generator = ca.CodeGenerator("nlp.c")
        for own in made:
            generator.add(own.expand() if expand else own)
        generator.generate(f"{folder}/")
        return (Path(folder) / "nlp.c").stat().st_size


def bytes_of_sources(robot: Robot) -> int:
    """Bytes of the C and the header of the compiled function and its derivatives."""
    with tempfile.TemporaryDirectory() as folder:
        made = symdyn.generate(robot, [FUNCTION], target="casadi", hessian=True, out=Path(folder) / "made")
        return sum(path.stat().st_size for path in made.iterdir() if path.suffix in (".c", ".h"))


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else "seven_dof_arm"
    nodes = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    robot = symdyn.load_example(name)
    module = symdyn.compile(robot, [FUNCTION], target="casadi", hessian=True)
    rivals = {"compiled": module.casadi(FUNCTION), "SX graph": symdyn.symbolic(robot, FUNCTION)}
    runs: dict[str, list[dict[str, float]]] = {rival: [] for rival in rivals}
    for _ in range(RUNS):
        for rival, function in rivals.items():
            runs[rival].append(solve(robot, function, nodes))
    print(f"{name}, {nodes} nodes: milliseconds per iteration of IPOPT")
    best = {rival: min(found, key=lambda run: run["total"]) for rival, found in runs.items()}
    for rival, run in best.items():
        print(
            f"  {rival}: {run['total']:.2f} in all ({run['processor']:.2f} of processor), "
            f"constraints {run['nlp_g']:.3f}, Jacobian {run['nlp_jac_g']:.3f}, Hessian {run['nlp_hess_l']:.3f}; "
            f"{run['iterations']:.0f} iterations to cost {run['cost']:.9f}"
        )
    print(f"  compiled / SX graph: {best['compiled']['total'] / best['SX graph']['total']:.3f}")
    calls = bytes_of_c(robot, rivals["compiled"], nodes, expand=False)
    sources = bytes_of_sources(robot)
    graph = bytes_of_c(robot, rivals["SX graph"], nodes, expand=False)
    expanded = bytes_of_c(robot, rivals["SX graph"], nodes, expand=True)
    print(f"bytes of C: compiled {calls + sources} (of CasADi {calls}, of symdyn {sources})")
    print(f"  SX graph {expanded}, ratio {(calls + sources) / expanded:.4f}")
    print(f"  SX graph called node by node {graph}, ratio {(calls + sources) / graph:.4f}")


if __name__ == "__main__":
    main()
