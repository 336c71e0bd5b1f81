"""A thousand rests of the shipped soft robots under random inputs, with and without the analytic Jacobian.

    python benchmarks/statics.py [robots]

Inputs are drawn up to the number beside each robot: tensions of cables, or generalised forces either way where a robot
has no actuators. Joints with motors are held where they are. Without the Jacobian SciPy's ``root`` takes differences of
the compiled residual, from the same start; robots with loops or held joints are left out there.
"""

from __future__ import annotations

import sys
from statistics import median
from time import perf_counter

import numpy as np
from scipy.optimize import root

import symdyn

ROBOTS = {"cable_manipulator": 5.0, "soft_serial_robot": 1.0, "parallel_robot": 3e-3}
"""The largest input of each."""
HELD = {"soft_serial_robot": [f"joint_{number}" for number in range(1, 8)]}
"""Joints that motors hold."""
CASES, WITHOUT = 1000, 50


def measure(name: str) -> None:
    """One line of figures."""
    robot, rng = symdyn.load_example(name), np.random.default_rng(1)
    inputs, most, held = len(robot.model.actuator_inputs), ROBOTS[name], HELD.get(name, [])
    cases = rng.uniform(0.0 if inputs else -most, most, (CASES, inputs or robot.nv))
    symdyn.equilibrium(robot, cases[0], prescribed=held)
    times, found, direct = [], 0, 0
    for u in cases:
        begun = perf_counter()
        try:
            rest = symdyn.equilibrium(robot, u, prescribed=held)
        except symdyn.SymdynError as failure:
            print(f"  {failure}")
            continue
        times.append(perf_counter() - begun)
        found += 1
        direct += rest.load_factors == (1.0,)
    print(
        f"{name}: {robot.nv} rows, {found} of {CASES} found, {direct} without load steps; median "
        f"{1e3 * median(times):.2f} ms{'' if held or robot.constraints else by_differences(robot, cases[:WITHOUT])}"
    )


def by_differences(robot: symdyn.Robot, cases: np.ndarray) -> str:
    """What SciPy takes without the Jacobian."""
    residual = symdyn.compile(robot, ["statics_residual"], inputs="actuators", lanes=False).statics_residual
    others, start = [], robot.neutral()
    for u in cases:
        begun = perf_counter()
        root(residual, start, args=(u,), tol=1e-10)
        others.append(perf_counter() - begun)
    return f", {1e3 * median(others):.2f} ms by differences"


if __name__ == "__main__":
    for asked in sys.argv[1:] or ROBOTS:
        measure(asked)
