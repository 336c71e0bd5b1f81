"""A soft arm touches a wall around it: Mathew et al., section 6.2.

The arm is that of section 4.5, inside a hollow cylinder. The paper shows its tensions in a figure. Here they oscillate
with the same periods as for that arm, between 0 and 20 N: with 10 N the arm does not reach the wall.
"""

from __future__ import annotations

from dataclasses import replace

import cable_manipulator
from runs import Scenario, main

MEAN = 10.0  # N


def scenario() -> Scenario:
    """The arm inside the cylinder."""
    paper = "30.6 s without, 7.8 s with analytic Jacobians (ode15s), 46.64 s by Newmark's method at 2 ms"
    return replace(cable_manipulator.scenario("cylinder_contact", MEAN), paper=paper)


if __name__ == "__main__":
    main(scenario(), __doc__ or "")
