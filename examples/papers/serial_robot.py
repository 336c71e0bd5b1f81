"""Seven rigid joints swing a soft arm: Mathew et al., section 5.1.

The joints follow given angles. The paper shows them in a figure; here each joint oscillates between 0 and 0.5 rad, from
rest. The periods are between two and a half and ten seconds.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from runs import Scenario, main

import symdyn

TURN = 0.25  # rad
JOINTS = 7


def swing(rate: float) -> Callable[[float], tuple[float, float, float]]:
    """Angle, velocity and acceleration of a joint."""

    def motion(t: float) -> tuple[float, float, float]:
        c, s = np.cos(rate * t), np.sin(rate * t)
        return TURN * (1.0 - c), TURN * rate * s, TURN * rate**2 * c

    return motion


def scenario() -> Scenario:
    """The arm with all its rigid joints prescribed."""
    rates = 2.0 * np.pi * np.linspace(0.1, 0.4, JOINTS)
    prescribed = {f"joint_{i + 1}": swing(rate) for i, rate in enumerate(rates)}
    paper = "7.08 s without, 2.49 s with analytic Jacobians (ode15s), 231 s by Newmark's method at 1 ms"
    return Scenario(symdyn.load_example("soft_serial_robot"), {"prescribed": prescribed}, "xz", paper, method="cvode")


if __name__ == "__main__":
    main(scenario(), __doc__ or "")
