"""A soft arm touches a wall around it: Mathew et al., section 6.2.

The arm is the one of section 4.5, with the same tensions, inside a hollow cylinder.
"""

from __future__ import annotations

from dataclasses import replace

import cable_manipulator
from runs import Scenario, main


def scenario() -> Scenario:
    """The arm inside the cylinder."""
    paper = "30.6 s without, 7.8 s with analytic Jacobians (ode15s), 46.64 s by Newmark's method at 2 ms"
    return replace(cable_manipulator.scenario("cylinder_contact"), paper=paper)


if __name__ == "__main__":
    main(scenario(), __doc__ or "")
