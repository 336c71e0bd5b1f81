"""How does predictive control of an arm look in acados? Its solver calls the compiled forward dynamics, every 20 ms.

A loaded arm with limited torques moves to a pose. The first plan is also found by IPOPT, from the graph of
``symdyn.symbolic``. It needs acados and its Python package (``docs/casadi.md`` says how to get them).
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import casadi as ca
import numpy as np

import symdyn

FUNCTION = "forward_dynamics"
STEP, INTERVALS = 0.02, 20  # [s]
GOAL = np.array([0.4, 0.6, -0.3, -1.0, 0.2, 0.7, 0.3])
TORQUE = np.array([90.0, 90.0, 60.0, 60.0, 60.0, 30.0, 30.0])  # [N m]
WEIGHTS = np.concatenate([np.full(7, 10.0), np.full(7, 0.1), np.full(7, 1e-4)])
LAST = 20.0  # times the weights of the state
STEPS_OF_CONTROL = 60


def holding_torques(robot: symdyn.Robot) -> np.ndarray:
    """Torques that hold the arm in its goal [N m]."""
    return np.array(symdyn.symbolic(robot, "gravity")(GOAL)).ravel()


def plan_by_acados(robot: symdyn.Robot, folder: Path) -> Any:
    """A solver of acados, which links the library of the compiled function and calls its analytic Jacobians."""
    from acados_template import AcadosModel, AcadosOcp, AcadosOcpSolver

    module = symdyn.compile(robot, [FUNCTION], target="casadi")
    shutil.copyfile(module.path, folder / f"lib{robot.name}.so")
    n = robot.nv
    x, u = ca.MX.sym("x", 2 * n), ca.MX.sym("u", n)
    model = AcadosModel()
    model.name, model.x, model.u = f"{robot.name}_plan", x, u
    model.f_expl_expr = ca.vertcat(x[n:], module.casadi(FUNCTION)(x[:n], x[n:], u))

    problem = AcadosOcp()
    problem.model = model
    problem.code_export_directory = str(folder / "code")
    problem.cost.cost_type = problem.cost.cost_type_e = "LINEAR_LS"
    problem.cost.W, problem.cost.W_e = np.diag(WEIGHTS), LAST * np.diag(WEIGHTS[: 2 * n])
    problem.cost.Vx, problem.cost.Vu = np.eye(3 * n)[:, : 2 * n], np.eye(3 * n)[:, 2 * n :]
    problem.cost.Vx_e = np.eye(2 * n)
    rest = np.concatenate([GOAL, np.zeros(n)])
    problem.cost.yref, problem.cost.yref_e = np.concatenate([rest, holding_torques(robot)]), rest
    problem.constraints.x0 = np.zeros(2 * n)
    problem.constraints.idxbu = np.arange(n)
    problem.constraints.lbu, problem.constraints.ubu = -TORQUE, TORQUE

    options = problem.solver_options
    options.hessian_approx, options.integrator_type = "GAUSS_NEWTON", "ERK"  # these need first derivatives alone
    options.sim_method_num_stages, options.sim_method_num_steps = 4, 1
    options.nlp_solver_type, options.nlp_solver_max_iter = "SQP", 100
    options.tol = 1e-10
    options.qp_tol = 1e-12
    problem.dims.N, options.tf = INTERVALS, STEP * INTERVALS
    newer = getattr(problem, "code_gen_options", None)
    linked = options if newer is None else newer
    linked.model_external_shared_lib_dir, linked.model_external_shared_lib_name = str(folder), robot.name
    os.environ["LD_RUN_PATH"] = str(folder)  # where the solver's library will find ours
    with contextlib.redirect_stdout(io.StringIO()):
        return AcadosOcpSolver(problem, json_file=str(folder / "plan.json"), verbose=False)


def planned(solver: Any, now: np.ndarray) -> tuple[int, np.ndarray, np.ndarray]:
    """The status, states and torques of a plan that starts now."""
    for side in ("lbx", "ubx"):
        solver.set(0, side, now)
    status = solver.solve()
    states = np.stack([solver.get(k, "x") for k in range(INTERVALS + 1)])
    return status, states, np.stack([solver.get(k, "u") for k in range(INTERVALS)])


def advance(robot: symdyn.Robot) -> ca.Function:
    """A step of Runge and Kutta's method of fourth order, as the solver takes it, in the graph of the dynamics."""
    n, dynamics = robot.nv, symdyn.symbolic(robot, FUNCTION)
    x, u = ca.MX.sym("x", 2 * n), ca.MX.sym("u", n)

    def rate(x: ca.MX) -> ca.MX:
        return ca.vertcat(x[n:], dynamics(x[:n], x[n:], u))

    one = rate(x)
    two = rate(x + STEP / 2 * one)
    three = rate(x + STEP / 2 * two)
    four = rate(x + STEP * three)
    return ca.Function("advance", [x, u], [x + STEP / 6 * (one + 2 * two + 2 * three + four)])


def plan_by_ipopt(robot: symdyn.Robot, now: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """States and torques of the same problem."""
    n, problem = robot.nv, ca.Opti()
    x, u = problem.variable(2 * n, INTERVALS + 1), problem.variable(n, INTERVALS)
    problem.subject_to(x[:, 1:] == advance(robot).map(INTERVALS)(x[:, :-1], u))
    problem.subject_to(x[:, 0] == now)
    problem.subject_to(problem.bounded(ca.repmat(-TORQUE, 1, INTERVALS), u, ca.repmat(TORQUE, 1, INTERVALS)))
    off = x - np.concatenate([GOAL, np.zeros(n)])
    extra = u - holding_torques(robot)
    squares = [ca.sum2(off[:, :-1] ** 2), ca.sum2(extra**2)]
    cost = STEP / 2 * ca.dot(WEIGHTS, ca.vertcat(*squares)) + LAST / 2 * ca.dot(WEIGHTS[: 2 * n], off[:, -1] ** 2)
    problem.minimize(cost)
    quiet = {"print_level": 0, "sb": "yes", "tol": 1e-10, "bound_relax_factor": 0.0}
    problem.solver("ipopt", {"print_time": False}, quiet)
    found = problem.solve()
    return found.value(x).T, found.value(u).T


def main() -> int:
    from needs import needs  # beside this file

    needs(__file__, "acados_template")
    robot = symdyn.load_example("seven_dof_arm")
    now = np.zeros(2 * robot.nv)
    with tempfile.TemporaryDirectory() as folder:
        solver = plan_by_acados(robot, Path(folder))
        status, states, torques = planned(solver, now)
        print(f"acados: status {status}, {int(solver.get_stats('sqp_iter')[0])} iterations")
        wanted, pushed = plan_by_ipopt(robot, now)
        print(f"states differ from IPOPT's by {np.abs(states - wanted).max():.1e},", end=" ")
        print(f"torques by {np.abs(torques - pushed).max():.1e} N m")
        after, seconds = advance(robot), 0.0
        for count in range(STEPS_OF_CONTROL + 1):
            begun = perf_counter()
            status, _, torques = planned(solver, now)
            seconds += perf_counter() - begun
            assert status == 0, f"acados ended with status {status}"
            if count % 20 == 0:
                off = np.abs(now[: robot.nv] - GOAL).max()
                print(f"t = {count * STEP:4.2f} s   farthest joint {off:.4f} rad from the goal")
            now = np.array(after(now, torques[0])).ravel()
        print(f"{1e3 * seconds / (STEPS_OF_CONTROL + 1):.2f} ms per plan")
    assert off < 1e-2
    return 0


if __name__ == "__main__":
    sys.exit(main())
