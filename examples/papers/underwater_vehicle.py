"""Two turning shafts with soft flagella move a vehicle in water: Mathew et al., section 6.3.

The torques are the paper's: 0.25 N m on the front shaft, and as much the other way on the rear one.
"""

from __future__ import annotations

from runs import Scenario, main

import symdyn

TORQUES = [0.25, -0.25]  # N m, front and rear


def scenario() -> Scenario:
    """The vehicle at rest, with its torques."""
    settings = {"inputs": TORQUES, "drive": "actuators"}
    paper = "8.3 min without, 1.17 s with analytic Jacobians (ode113, ode15s), 60.91 s (1 min 9 s) by Newmark's method"
    return Scenario(symdyn.load_example("flagellate_vehicle"), settings, "xz", paper, method="cvode")


if __name__ == "__main__":
    main(scenario(), __doc__ or "")
