"""Times of the steppers in C: steps of 1 ms, worst and median; DOP853 beside SciPy's.

    python benchmarks/steppers.py [steps]

Steps are timed in batches of 20 through one call, so that the cost of the call from Python does not count; the worst is
the worst batch, per step. Threads of others disturb the worst.
"""

from __future__ import annotations

import sys
import time
import warnings
from dataclasses import replace

import numpy as np

import symdyn

BATCH = 20
DAMPING = 0.5  # N m s/rad
ROBOTS = (
    ("cable_manipulator", "generalised-alpha", 0.01),
    ("parallel_robot", "generalised-alpha", 0.001),
    ("parallel_robot", "generalised-alpha", 0.003),
    ("stewart_platform", "generalised-alpha", 0.01),
    ("four_bar", "generalised-alpha", 0.01),
    ("seven_dof_arm", "rk4", 0.01),
    ("seven_dof_arm", "generalised-alpha", 0.01),
)
"""Robots, methods, and the size of random forces that act from the start."""


def start_of(robot: symdyn.Robot) -> tuple[np.ndarray, np.ndarray]:
    """A closed position at rest."""
    q = robot.close(robot.neutral()) if robot.constraints else robot.neutral()
    return q, np.zeros(robot.nv)


def steps_of_a_millisecond(name: str, method: str, forces: float, steps: int) -> None:
    """Print worst and median time per step."""
    robot = symdyn.load_example(name)
    module = symdyn.compile(robot, ["inverse_dynamics"], steppers=[method], lanes=False)
    advance = getattr(module, f"advance_{method.replace('-', '_')}")
    rng = np.random.default_rng(1)
    tau = forces * rng.standard_normal(robot.nv)
    (q, v), spent = start_of(robot), []
    times = [0.0, BATCH * 1e-3]
    for number in range(steps // BATCH):
        if number % 50 == 0:  # a second of motion, then again
            q, v = start_of(robot)
        begin = time.perf_counter()
        found = advance(q, v, tau, times=times, h=1e-3)
        spent.append((time.perf_counter() - begin) / BATCH)
        if found.code != 0:
            raise SystemExit(f"{name}: {found.code!r} after {number * BATCH} steps")
        q, v = found.q[-1], found.v[-1]
    figures = f"median {1e6 * np.median(spent):8.2f} us   worst {1e6 * max(spent):8.2f} us"
    print(f"{name:20} {method:18} forces {forces:<6g} {figures}")


def dop853_beside_scipy(seconds: float = 10.0, tolerance: float = 1e-6) -> None:
    """Print the times of the arm with damping in each joint."""
    from scipy.integrate import solve_ivp

    described = symdyn.load_example("seven_dof_arm").description
    joints = tuple(replace(joint, losses=replace(joint.losses, damping=DAMPING)) for joint in described.joints)
    robot = symdyn.from_description(replace(described, joints=joints), joint_losses=True)
    module = symdyn.compile(robot, ["forward_dynamics"], steppers=["dop853"], lanes=False)
    q, v = 0.5 * np.ones(robot.nq), np.zeros(robot.nv)
    tau, times = np.zeros(robot.nv), np.linspace(0.0, seconds, 1001)

    def slope(t: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[robot.nq :], module.forward_dynamics(y[: robot.nq], y[robot.nq :], tau)])

    def best(call: object, runs: int) -> float:
        spent = []
        for _ in range(runs):
            begin = time.perf_counter()
            call()  # type: ignore[operator]
            spent.append(time.perf_counter() - begin)
        return min(spent)

    settings = {"rtol": tolerance, "atol": tolerance}
    ours = best(lambda: module.advance_dop853(q, v, tau, times=times, **settings), 20)
    start = np.concatenate([q, v])
    theirs = best(lambda: solve_ivp(slope, (0.0, seconds), start, method="DOP853", t_eval=times, **settings), 3)
    found = module.advance_dop853(q, v, tau, times=times, **settings)
    print(f"DOP853, seven_dof_arm with damping, {seconds:g} s at {tolerance:g}:")
    print(f"  C {1e3 * ours:.2f} ms ({found.steps} steps, {found.refused} refused)")
    print(f"  SciPy with the same compiled function {1e3 * theirs:.1f} ms")


if __name__ == "__main__":
    warnings.simplefilter("ignore", symdyn.SymdynWarning)
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    dop853_beside_scipy()
    for name, method, forces in ROBOTS:
        steps_of_a_millisecond(name, method, forces, wanted)
