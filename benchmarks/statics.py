"""A thousand rests of the shipped soft robots under random inputs, with and without the analytic Jacobian.

    python benchmarks/statics.py [robots]

Inputs are drawn up to the number beside each robot. Without the Jacobian SciPy's ``root`` takes differences of the
compiled residual, from the same start.
"""

from __future__ import annotations

import sys
from statistics import median
from time import perf_counter

import numpy as np
from scipy.optimize import root

import symdyn

ROBOTS = {"cable_manipulator": 5.0, "soft_serial_robot": 1.0}
"""The largest input of each."""
CASES, WITHOUT = 1000, 50


def measure(name: str) -> None:
    """One line of figures."""
    robot, rng = symdyn.load_example(name), np.random.default_rng(1)
    cases = rng.uniform(0.0, ROBOTS[name], (CASES, len(robot.model.actuator_inputs)))
    symdyn.equilibrium(robot, cases[0])
    times, found, direct = [], 0, 0
    for u in cases:
        begun = perf_counter()
        try:
            rest = symdyn.equilibrium(robot, u)
        except symdyn.SymdynError as failure:
            print(f"  {failure}")
            continue
        times.append(perf_counter() - begun)
        found += 1
        direct += rest.load_factors == (1.0,)
    residual = symdyn.compile(robot, ["statics_residual"], inputs="actuators", lanes=False).statics_residual
    others, start = [], robot.neutral()
    for u in cases[:WITHOUT]:
        begun = perf_counter()
        root(residual, start, args=(u,), tol=1e-10)
        others.append(perf_counter() - begun)
    print(
        f"{name}: {robot.nv} rows, {found} of {CASES} found, {direct} without load steps; median "
        f"{1e3 * median(times):.2f} ms, {1e3 * median(others):.2f} ms by differences"
    )


if __name__ == "__main__":
    for asked in sys.argv[1:] or ROBOTS:
        measure(asked)
