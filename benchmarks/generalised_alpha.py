"""Generalised-alpha from Python: 10 s of the shipped cable manipulator, and where the time goes.

usage: python benchmarks/generalised_alpha.py [step [s]]

The arm has its damping, gravity, and smooth generalised forces that change with time. Told are the CPU time of the
whole motion, the median of five runs; what its calls of compiled functions take, by the time of one call; and the rest,
which is Python, NumPy and LAPACK.
"""

from __future__ import annotations

import statistics
import sys
import time
import timeit

import numpy as np
from numpy.typing import NDArray

import symdyn
from symdyn.analysis.simulation.generalised_alpha import AlphaMotion, generalised_alpha
from symdyn.analysis.simulation.robot_system import RobotSystem

SPAN = 10.0
CALLS = 2000


def main(step: float) -> None:
    """Print the figures."""
    robot = symdyn.load_example("cable_manipulator")
    rates = np.linspace(1.0, 3.0, robot.nv)
    still = np.zeros(robot.nv)
    given = np.zeros(robot.nv)

    def forces(t: float, *_: NDArray[np.float64]) -> NDArray[np.float64]:
        return 1e-3 * np.sin(rates * t)

    system = RobotSystem(robot, forces=forces)
    module = symdyn.compile(robot, ["implicit_residual", "implicit_jacobian"])
    factors = np.array([1e-6, 1e-3, 1.0])
    residual = timeit.timeit(lambda: module.implicit_residual(still, still, still, given), number=CALLS) / CALLS
    jacobian = (
        timeit.timeit(lambda: module.implicit_jacobian(still, still, still, given, factors), number=CALLS) / CALLS
    )
    spent, motion = _runs(system, still, step)
    counters = motion.counters
    compiled = counters.residuals * residual + counters.tangents * jacobian
    print(f"{SPAN:g} s in steps of {step:g} s: {counters.steps} steps, {counters.residuals} residuals, "
          f"{counters.tangents} tangents")  # fmt: skip
    print(f"CPU time {spent:.3f} s: compiled functions {compiled:.3f} s, the rest {spent - compiled:.3f} s, "
          f"{1e6 * spent / counters.steps:.0f} us per step")  # fmt: skip


def _runs(system: RobotSystem, still: NDArray[np.float64], step: float) -> tuple[float, AlphaMotion]:
    """The median CPU time of five runs, and the motion."""
    times = []
    for _ in range(5):
        start = time.process_time()
        motion = generalised_alpha(system, [0.0, SPAN], still, still, step=step)
        times.append(time.process_time() - start)
    return statistics.median(times), motion


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 2e-3)
