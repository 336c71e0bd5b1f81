"""A thousand rests of the shipped soft robots under random inputs: from Python, in C, and without the Jacobian.

    python benchmarks/statics.py [robots]

Inputs are drawn up to the number beside each robot: tensions of cables, or generalised forces either way where a robot
has no actuators. Joints with motors are held where they are. All searches start where the robot is neutral, with loops
closed. From Python the search is that in C too, and what is given is checked, and the stability found. In C alone the
solver of ``symdyn generate --solver statics`` is called through ctypes, with pointers that are made before: a
microsecond of each time is the call's. Without the Jacobian SciPy's ``root`` takes differences of the compiled
residual, from the same start; robots with loops or held joints are left out there.
"""

from __future__ import annotations

import ctypes
import sys
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from scipy.optimize import root

import symdyn

ROBOTS = {"cable_manipulator": 5.0, "soft_serial_robot": 1.0, "parallel_robot": 3e-3}
"""The largest input of each."""
HELD = {"soft_serial_robot": [f"joint_{number}" for number in range(1, 8)]}
"""Joints that motors hold."""
CASES, WITHOUT, COMPARED = 1000, 50, 10


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
    print(f"  in C: {in_c(robot, cases, held)}")


def in_c(robot: symdyn.Robot, cases: np.ndarray, held: list[str]) -> str:
    """What the solver in C takes, and how far its rests are from those of Newton's method over NumPy."""
    asked: dict[str, Any] = {"prescribed": held} if held else {}
    if robot.model.actuator_inputs:
        asked["inputs"] = "actuators"
    module = symdyn.compile(robot, ["statics_residual"], lanes=False, solvers=["statics"], **asked)
    entry = module.manifest.solvers[0]
    solve = ctypes.CDLL(str(module.path))[entry.c_name]
    q = robot.close(robot.neutral()) if robot.constraints else robot.neutral()
    rest, work, counts = np.empty(robot.nq), np.empty(entry.work_size), np.zeros(3, np.uintp)
    results = [rest, *([np.empty(robot.nv)] if held else [])]
    results += [np.empty(module.signature("statics_residual").outputs[1].size)] if robot.constraints else []
    start, ends = ctypes.c_void_p(q.ctypes.data), [ctypes.c_void_p(own.ctypes.data) for own in (*results, counts, work)]
    times, done, jacobians, differ, most = [], 0, [], 0.0, ctypes.c_size_t(1000)
    for number, u in enumerate(cases):
        given = ctypes.c_void_p(u.ctypes.data)
        begun = perf_counter()
        code = solve(start, given, most, *ends)
        times.append(perf_counter() - begun)
        done += code == 0
        jacobians.append(int(counts[1]))
        if number < COMPARED:
            expected = symdyn.equilibrium(robot, u, prescribed=held, target="python").q
            differ = max(differ, float(np.abs(rest - expected).max()))
    return (
        f"{done} found, median {1e3 * median(times):.3f} ms, worst {1e3 * max(times):.2f} ms, {median(jacobians):g} "
        f"Jacobians, off by {differ:.1e} at most from NumPy"
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
