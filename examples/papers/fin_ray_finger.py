"""One foot of a fin-ray finger is pushed up and down: Mathew et al., section 5.2.

The paper shows the displacement of the prismatic joint in a figure. Here it goes up by 6 mm and back once a second,
from rest.
"""

from __future__ import annotations

import numpy as np
from runs import Scenario, main

import symdyn

LIFT, RATE = 0.003, 2.0 * np.pi  # m, rad/s


def displacement(t: float) -> tuple[float, float, float]:
    """Position, velocity and acceleration of the foot."""
    c, s = np.cos(RATE * t), np.sin(RATE * t)
    return LIFT * (1.0 - c), LIFT * RATE * s, LIFT * RATE**2 * c


def scenario() -> Scenario:
    """The finger with its drive prescribed."""
    paper = "not to be had without, 994 s with analytic Jacobians (ode15s), 69 s by Newmark's method at 10 ms"
    settings = {"prescribed": {"drive": displacement}}
    return Scenario(symdyn.load_example("fin_ray_finger"), settings, "xz", paper)


if __name__ == "__main__":
    main(scenario(), __doc__ or "")
