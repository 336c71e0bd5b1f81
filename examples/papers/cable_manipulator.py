"""Five cables bend a soft arm: Mathew et al., section 4.5.

The paper shows its tensions in a figure. Here each cable's tension oscillates between 0 and 10 N, beginning at 0. The
periods are between two and five seconds. The arm begins straight and at rest.
"""

from __future__ import annotations

import numpy as np
from runs import Scenario, main

import symdyn
from symdyn import HarmonicInputs

MEAN = 5.0  # N
RATES = 2.0 * np.pi * np.array([0.2, 0.275, 0.35, 0.425, 0.5])  # rad/s


def tensions(mean: float = MEAN) -> HarmonicInputs:
    """Tensions of the five cables [N]."""
    return HarmonicInputs(mean, mean, RATES, -np.pi / 2.0)


def scenario(robot: str = "cable_manipulator", mean: float = MEAN) -> Scenario:
    """The arm, or another with the same cables."""
    settings = {"inputs": tensions(mean), "drive": "actuators"}
    paper = "5.40 s without, 1.25 s with analytic Jacobians (ode15s), 24.43 s by Newmark's method at 2 ms"
    return Scenario(symdyn.load_example(robot), settings, "xz", paper, method="cvode")


if __name__ == "__main__":
    main(scenario(), __doc__ or "")
