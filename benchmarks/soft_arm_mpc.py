"""Model predictive control of a soft arm with 24 coordinates and five cables: plans, samples, and IPOPT's plan.

Usage: python benchmarks/soft_arm_mpc.py [--samples 500] [--ipopt]

The tip is to reach a point in 25 implicit Euler steps of 20 ms, with tensions between 0 and 15 N. A C program times the
plan and samples in closed loop by the thread's CPU clock. ``--ipopt`` solves the plan by IPOPT as well: states and
tensions are unknowns, the compiled residual of the step and the compiled costs are functions of CasADi with their exact
Jacobians, and Hessians are those of Gauss and Newton.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from peers import ipopt_plan

import symdyn
from symdyn.toolchain.find_compiler import find_compiler

PROGRAMS = Path(__file__).parent / "peers"
STEPS, STEP, MOST, TIP = 25, 0.02, 15.0, "arm.tip"


def problem() -> symdyn.OptimalControlProblem:
    """The task of docs/mpc-of-a-soft-arm.md."""
    return symdyn.OptimalControlProblem(
        costs=[
            symdyn.FramePosition(TIP, weight=1000, end=10000, name="reach"),
            symdyn.StateCost(v=0, weights={"v": 1e-3}, end={"v": 0.1}),
            symdyn.InputCost(weight=1e-3),
        ],
        limits=symdyn.Limits(effort={"lower": 0, "upper": MOST}),
        horizon=symdyn.Horizon(steps=STEPS, step=STEP, method="implicit_euler"),
        solver=symdyn.SolverSettings(qp_iterations=8),
        inputs="actuators",
    )


def run(dtype: str, folder: Path, samples: int) -> None:
    """Print what the C program finds."""
    robot = symdyn.load_example("cable_manipulator").with_control(problem())
    asked = {"solvers": ["mpc"], "steppers": ["generalised-alpha"], "frames": [TIP], "inputs": "actuators"}
    out = symdyn.generate(robot, ["forward_kinematics"], name="cable", dtype=dtype, out=folder / dtype, **asked)
    scalar = "double" if dtype == "float64" else "float"
    flags = ["-std=gnu99", "-O3", "-march=native", "-ffp-contract=off", f"-Dreal={scalar}", f"-DPLAN_STEPS={STEPS}"]
    sources = [str(own) for own in sorted(Path(out).glob("*.c")) if "lanes" not in own.name]
    command = [*find_compiler().command, *flags, f"-I{out}", f"-I{PROGRAMS}", *sources, str(PROGRAMS / "soft_arm.c")]
    subprocess.run([*command, "-lm", "-o", str(folder / "main")], check=True)
    print(dtype, flush=True)
    subprocess.run([str(folder / "main"), str(samples)], check=True)


def by_ipopt() -> None:
    """Print IPOPT's plan beside ours, from the same start."""
    robot = symdyn.load_example("cable_manipulator").with_control(problem())
    start, rest = (symdyn.equilibrium(robot, u=u).q for u in ([1, 1, 1, 1, 1], [8, 0, 2, 4, 0]))
    module = symdyn.compile(robot, ["forward_kinematics"], frames=[TIP], solvers=["mpc"], lanes=False)
    goal, slack = module.forward_kinematics(rest)[0, :3, 3], np.ones(5)
    module.mpc.start(start, np.zeros(robot.nv), slack)
    begun = time.thread_time()
    _, report = module.mpc.solve(start, np.zeros(robot.nv), goal, iterations=100)
    spent = time.thread_time() - begun
    print(f"symdyn: {report.code.name}, cost {report.cost:.9g}, {report.iterations} iterations, {1e3 * spent:.1f} ms")
    rival = ipopt_plan.plan(robot, start, slack, goal, (np.zeros(5), np.full(5, MOST)), STEPS, STEP)
    apart = np.abs(rival.inputs - module.mpc.plan()[1]).max()
    print(
        f"IPOPT: {rival.status}, cost {rival.cost:.9g}, {rival.iterations} iterations, {1e3 * rival.seconds:.0f} ms; "
        f"tensions differ by {apart:.1e} N",
        flush=True,
    )


def main() -> None:
    """Run what is asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--samples", type=int, default=500)
    parser.add_argument("--ipopt", action="store_true", help="solve the plan by IPOPT too")
    said = parser.parse_args()
    if said.ipopt:
        by_ipopt()
    with tempfile.TemporaryDirectory() as name:
        for dtype in ("float64", "float32"):
            run(dtype, Path(name), said.samples)


if __name__ == "__main__":
    main()
