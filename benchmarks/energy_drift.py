"""Energy over ten seconds of the shipped robots that nothing damps.

    python benchmarks/energy_drift.py [--seconds 10] [robot ...]

Robots begin near their neutral or closed positions with velocities of up to 0.5, and nothing drives them. Printed is
the largest change of the energy, over the largest kinetic energy: by DOP853 at tolerances of 1e-10, with loops moved
back to closed positions after each step; and, where loops are, by generalised-alpha at tolerances of 1e-5, which damps
by design. The elastic arm, whose joint swings fast, is integrated by Radau as well, for minutes. Times are those
of the integration. `andrews_squeezer` is left out: energies do not hold its strut.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

import symdyn
from symdyn.errors import SolverError, SymdynWarning

TREES = (
    "pendulum",
    "double_pendulum",
    "seven_dof_arm",
    "quadruped",
    "aerial_manipulator",
    "elastic_arm",
    "canadarm_rigid",
    "canadarm",
)
STIFF = ("elastic_arm",)
LOOPS = ("four_bar", "slider_crank", "five_bar", "bricard", "stewart_platform")
SPEED, SPREAD, TOLERANCE, LOOSE = 0.5, 0.3, 1e-10, 1e-5


def start_of(robot: symdyn.Robot) -> tuple[np.ndarray, np.ndarray]:
    """A position near the neutral one and velocities, both the same in each run."""
    rng = np.random.default_rng(7)
    flexible = robot.model.deforms
    move = np.zeros(robot.nv) if flexible else SPREAD * rng.uniform(-1.0, 1.0, robot.nv)
    v = SPEED * rng.uniform(-1.0, 1.0, robot.nv)
    if not robot.constraints:
        return robot.integrate(robot.neutral(), move), v * (0.1 if flexible else 1.0)
    return robot.project(robot.close(robot.neutral()), v)


def tell(robot: symdyn.Robot, method: str, tolerance: float, seconds: float) -> None:
    """Print the drift of one motion."""
    q, v = start_of(robot)
    times = np.linspace(0.0, seconds, 501)
    try:
        motion = symdyn.simulate(robot, q, v, times, method=method, rtol=tolerance, atol=tolerance)
    except SolverError as failure:
        print(f"{robot.name:20} {method:18} {failure}", flush=True)
        return
    drift = np.ptp(motion.energy) / np.max(motion.kinetic_energy)
    spent = f"{motion.counters['steps']:7} steps {motion.timings['integrate']:8.2f} s"
    print(f"{robot.name:20} {method:18} {tolerance:7.0e} {drift:9.1e} {spent}", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore", SymdynWarning)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("robots", nargs="*", default=[*TREES, *LOOPS])
    asked = parser.parse_args()
    for name in asked.robots:
        if name not in (*TREES, *LOOPS):
            parser.error(f"{name} is none of {', '.join((*TREES, *LOOPS))}")
        tell(symdyn.load_example(name), "dop853", TOLERANCE, asked.seconds)
        if name in STIFF:
            tell(symdyn.load_example(name), "radau", TOLERANCE, asked.seconds)
        if name in LOOPS:
            tell(symdyn.load_example(name), "generalised-alpha", LOOSE, asked.seconds)
