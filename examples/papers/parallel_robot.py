"""A wrench moves a platform on three soft pillars: Mathew et al., section 6.1.

The paper shows force and moment in a figure. Here they are sines of up to 0.4 N and 0.02 N m, in the axes of the world,
on the middle of the platform's top. The periods are between one and a half and five seconds.
"""

from __future__ import annotations

from importlib.resources import files

import numpy as np
from runs import Scenario, main

import symdyn

LARGEST = np.array([0.4, 0.3, 0.2, 0.02, 0.02, 0.01])  # N, N m
RATES = 2.0 * np.pi * np.array([0.2, 0.3, 0.4, 0.5, 0.6, 0.7])  # rad/s
LOADS = """
loads:
  push: {link: platform, point: [-corner, 0, thickness], force: [1, 1, 1], moment: [1, 1, 1], axes: world}
"""
ENTRIES = [f"push.{kind}.{axis}" for kind in ("force", "moment") for axis in "xyz"]


def wrench(t: float) -> np.ndarray:
    """Force and moment at a time."""
    return LARGEST * np.sin(RATES * t)


def scenario() -> Scenario:
    """The robot with the wrench as its run-time parameters."""
    text = files("symdyn.robot.shipped").joinpath("parallel_robot.yaml").read_text(encoding="utf-8")
    robot = symdyn.loads(text + LOADS, "yaml", runtime=ENTRIES)
    order = [ENTRIES.index(name) for name in robot.runtime_parameters]
    paper = "75 min without, 2.46 s with analytic Jacobians (ode113, ode15s), 17.6 s by Newmark's method at 10 ms"
    settings = {"p": lambda t: wrench(t)[order]}
    return Scenario(robot, settings, "xz", paper)


if __name__ == "__main__":
    main(scenario(), __doc__ or "")
