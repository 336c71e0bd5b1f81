"""A real-time solver of acados for the arm of ``optimal_control.py``: its C code, linked to a program of samples.

SQP_RTI with HPIPM and Gauss-Newton Hessians, for the same steps, costs and limits. Costs are graphs of CasADi, which
acados writes as C. So is the step, or (``external``) it is the compiled one with its matrices. This needs acados'
Python package and ``ACADOS_SOURCE_DIR``; docs/benchmarks.md says how both come from a wheel.
"""

from __future__ import annotations

import contextlib
import io
import os
from pathlib import Path

import casadi as ca
import numpy as np

import symdyn

TARGETS, GLUE = 7, Path(__file__).with_name("acados_step.c")
Links = tuple[list[str], list[str]]


def program(
    robot: symdyn.Robot, effort: list[float], horizon: tuple[int, float], folder: Path, external: bool
) -> Links:
    """Flags that a program is compiled with and linked with to get the solver, which calls the program's own step."""
    _write(robot, effort, horizon, folder, external)
    source, code = Path(os.environ["ACADOS_SOURCE_DIR"]), folder / "code"
    included = [f"-I{source / 'include' / own}" for own in ("", "acados", "blasfeo/include", "hpipm/include")]
    libraries = [
        f"-L{code}",
        f"-L{source / 'lib'}",
        "-lacados_ocp_solver_plan",
        "-lacados",
        "-lhpipm",
        "-lblasfeo",
        "-rdynamic",
    ]
    found = [f"-Wl,-rpath,{own}" for own in (code, source / "lib")]
    return [f"-I{code}", *included, '-DRIVAL="acados_rti.h"'], [*libraries, *found]


def _write(robot: symdyn.Robot, effort: list[float], horizon: tuple[int, float], folder: Path, external: bool) -> None:
    """Generate and compile the solver; Hessians of costs are ours."""
    from acados_template import AcadosModel, AcadosOcp, AcadosOcpSolver

    n, (steps, h) = robot.nv, horizon
    x, u, y = ca.SX.sym("x", 2 * n), ca.SX.sym("u", n), ca.SX.sym("y", TARGETS)
    q, v = x[:n], x[n:]
    model = AcadosModel()
    model.name, model.x, model.u, model.p = "plan", x, u, y
    if external:
        lines = (f'#include "{folder / "panda.h"}"', f"#define H {h!r}", GLUE.read_text())
        (folder / GLUE.name).write_text("\n".join(lines))
        model.dyn_ext_fun_type, model.dyn_generic_source = "generic", GLUE.name
        model.dyn_disc_fun, model.dyn_disc_fun_jac = "arm_step", "arm_step_jacobian"
    else:
        model.disc_dyn_expr = ca.vertcat(*symdyn.symbolic(robot, "step")(q, v, u, h))
    # acados multiplies costs before the end by the length of the step, which these hold already.
    stage, end = symdyn.symbolic(robot, "stage_cost"), symdyn.symbolic(robot, "end_cost")
    model.cost_expr_ext_cost = model.cost_expr_ext_cost_0 = stage(q, v, u, y) / h
    model.cost_expr_ext_cost_e = end(q, v, y)
    _, _, _, _, qq, qv, vv, uu = symdyn.symbolic(robot, "stage_cost_derivatives")(q, v, u, y)
    hessian = ca.diagcat(uu, ca.blockcat([[qq, qv], [qv.T, vv]])) / h
    model.cost_expr_ext_cost_custom_hess = model.cost_expr_ext_cost_custom_hess_0 = hessian
    _, _, _, qq, qv, vv = symdyn.symbolic(robot, "end_cost_derivatives")(q, v, y)
    model.cost_expr_ext_cost_custom_hess_e = ca.blockcat([[qq, qv], [qv.T, vv]])
    made = AcadosOcp()
    made.model, made.parameter_values = model, np.zeros(TARGETS)
    made.parameter_values[-1] = 1.0
    made.code_export_directory = str(folder / "code")
    made.cost.cost_type = made.cost.cost_type_0 = made.cost.cost_type_e = "EXTERNAL"
    limits = made.constraints
    limits.x0, limits.idxbu = np.zeros(2 * n), np.arange(n)
    limits.ubu = np.array(effort)
    limits.lbu = -limits.ubu
    options = made.solver_options
    made.dims.N, options.tf = steps, steps * h
    options.integrator_type, options.hessian_approx = "DISCRETE", "GAUSS_NEWTON"
    options.nlp_solver_type, options.qp_solver = "SQP_RTI", "PARTIAL_CONDENSING_HPIPM"
    options.qp_solver_iter_max, options.qp_solver_warm_start = 50, 1
    options.qp_solver_cond_N = steps  # more condensing was slower
    options.hpipm_mode, options.qp_tol = "SPEED", 1e-6
    options.ext_fun_compile_flags = "-O3 -march=native"
    with contextlib.redirect_stdout(io.StringIO()), contextlib.chdir(folder):  # where acados looks for the glue
        AcadosOcpSolver.generate(made, json_file=str(folder / "plan.json"))
        AcadosOcpSolver.build(str(folder / "code"), with_cython=False, verbose=False)
