"""The Taylor stepper in C beside DOP853 in C and heyoka's Taylor integrator: work for a precision.

    python benchmarks/taylor_integrator.py [--plot taylor_integrator.svg]

Two robots with damping in their joints fall from rest for a second. All three integrate the same equations: both
steppers call the same compiled dynamics, and heyoka (Biscani and Izzo 2021) compiles the same recursion, run over its
expressions. Errors are the largest of the state at the end, against a Taylor series of order 25 at a tolerance of
1e-16. Times are thread CPU time, the least of several runs, on one core.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import symdyn
from symdyn.analysis.compare.heyoka_jets import HeyokaAlgebra
from symdyn.analysis.simulation.taylor import suited_order
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.errors import SymdynWarning
from symdyn.generation import pipeline

ROBOTS = ("seven_dof_arm", "aerial_manipulator")
TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14)
DAMPING = 0.5  # N m s/rad
SECONDS = 1.0
EXACT = (25, 1e-16)
Row = tuple[str, float, float, float, str]


def damped(name: str) -> symdyn.Robot:
    """The robot with damping in all joints."""
    described = symdyn.load_example(name).description
    joints = tuple(replace(joint, losses=replace(joint.losses, damping=DAMPING)) for joint in described.joints)
    return symdyn.from_description(replace(described, joints=joints), joint_losses=True)


def start_of(robot: symdyn.Robot) -> tuple[np.ndarray, np.ndarray]:
    """A bent robot at rest."""
    q, _ = robot.random_state(np.random.default_rng(1))
    return q, np.zeros(robot.nv)


def least_time(call: Callable[[], object]) -> float:
    """Seconds of the fastest run; more runs of shorter ones."""
    spent: list[float] = []
    while len(spent) < 5 or (sum(spent) < 0.3 and len(spent) < 200):
        begin = time.thread_time()
        call()
        spent.append(time.thread_time() - begin)
    return min(spent)


def taylor(robot: symdyn.Robot, order: int) -> Callable[..., Any]:
    """Ours at an order: highest derivative of accelerations."""
    module = symdyn.compile(robot, ["inverse_dynamics"], lanes=False, steppers=["taylor"], order=order)
    rates = np.zeros((order + 1, robot.nv))
    q, v = start_of(robot)

    def run(tolerance: float) -> Any:
        return module.advance_taylor(q, v, rates, times=[0.0, SECONDS], rtol=tolerance, atol=tolerance)

    return run


def dop853(robot: symdyn.Robot) -> Callable[..., Any]:
    """The Runge-Kutta pair in C."""
    module = symdyn.compile(robot, ["inverse_dynamics"], lanes=False, steppers=["dop853"])
    q, v = start_of(robot)

    def run(tolerance: float) -> Any:
        tau, times = np.zeros(robot.nv), [0.0, SECONDS]
        return module.advance_dop853(q, v, tau, times=times, rtol=tolerance, atol=tolerance)

    return run


def heyoka_integrator(robot: symdyn.Robot) -> Callable[[float], tuple[Callable[[], Any], str]]:
    """An integrator of heyoka for the same equations, compiled for a tolerance."""
    import heyoka

    (program,) = pipeline.programs(robot, ["state_derivative"], layout="unrolled")
    size = robot.nq + robot.nv
    variables = [heyoka.make_vars(f"y{i}") for i in range(size)]
    inputs = {"y": variables, "tau": [heyoka.expression(0.0)] * robot.nv}
    found = evaluate_program(program, HeyokaAlgebra(), inputs)
    slopes = [slope for item in program.signature.outputs for slope in found[item.name]]
    q, v = start_of(robot)

    def made(tolerance: float) -> tuple[Callable[[], Any], str]:
        begin = time.perf_counter()
        state = np.concatenate([q, v])
        integrator = heyoka.taylor_adaptive(list(zip(variables, slopes, strict=True)), state, tol=tolerance)
        spent = time.perf_counter() - begin

        def run() -> Any:
            integrator.time, integrator.state[:] = 0.0, state
            steps = integrator.propagate_until(SECONDS)[3]
            return integrator.state.copy(), steps

        return run, f"order {integrator.order}, compiled in {spent:.1f} s"

    return made


def compare(name: str) -> list[Row]:
    """Method, tolerance, error, seconds and a remark, printed as they come."""
    robot = damped(name)
    exact = taylor(robot, EXACT[0])(EXACT[1])
    truth = np.concatenate([exact.q[-1], exact.v[-1]])
    rows: list[Row] = []

    def add(method: str, tolerance: float, end: np.ndarray, seconds: float, remark: str) -> None:
        error = float(np.abs(end - truth).max())
        rows.append((method, tolerance, error, seconds, remark))
        print(
            f"{name:20} {method:8} {tolerance:7.0e}  error {error:8.1e}  {1e3 * seconds:9.3f} ms  {remark}", flush=True
        )

    runge_kutta = dop853(robot)
    for tolerance in TOLERANCES:
        order = suited_order(tolerance)
        ours = taylor(robot, order)
        for method, run, remark in (("dop853", runge_kutta, ""), ("taylor", ours, f", order {order + 1}")):
            found = run(tolerance)
            end = np.concatenate([found.q[-1], found.v[-1]])
            seconds = least_time(lambda run=run, tolerance=tolerance: run(tolerance))  # type: ignore[misc]
            add(method, tolerance, end, seconds, f"{found.steps} steps{remark}")
    try:
        made = heyoka_integrator(robot)
    except ImportError:
        print(f"{name:20} heyoka is not installed")
        return rows
    for tolerance in TOLERANCES:
        run, remark = made(tolerance)
        end, steps = run()
        add("heyoka", tolerance, end, least_time(run), f"{steps} steps, {remark}")
    return rows


def draw(results: dict[str, list[Row]], path: str) -> None:
    """Times over errors, one panel per robot."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, len(results), figsize=(5.0 * len(results), 4.0), squeeze=False)
    for panel, (name, rows) in zip(panels[0], results.items(), strict=True):
        for method in dict.fromkeys(row[0] for row in rows):
            own = [row for row in rows if row[0] == method]
            panel.loglog([row[2] for row in own], [1e3 * row[3] for row in own], "o-", label=method)
        panel.set(title=name, xlabel="error at the end", ylabel="time [ms]")
        panel.invert_xaxis()
        panel.grid(alpha=0.3)
        panel.legend()
    figure.tight_layout()
    figure.savefig(path)


if __name__ == "__main__":
    warnings.simplefilter("ignore", SymdynWarning)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plot", help="a file for the figure")
    parser.add_argument("robots", nargs="*", default=ROBOTS)
    asked = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    found = {name: compare(name) for name in asked.robots}
    if asked.plot:
        draw(found, asked.plot)
