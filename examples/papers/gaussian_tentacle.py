"""A tentacle falls over and comes to rest along gravity: Pustina et al., simulation 2.

The numbers of the paper's first position were not legible to us. Here both cones begin with 0.2 rad about either axis,
at rest.
"""

from __future__ import annotations

import numpy as np
from runs import Scenario, main

import symdyn

BENT = 0.2  # rad


def scenario() -> Scenario:
    """The tentacle, a little bent."""
    robot = symdyn.load_example("gaussian_tentacle")
    q = np.zeros(robot.nq)
    q[[row for row, name in enumerate(robot.coordinate_names) if "curvature" in name and name.endswith("[0]")]] = BENT
    paper = "curves alone, no times; at rest after some 5 s"
    return Scenario(robot, {"q": q}, "xz", paper, method="radau")


if __name__ == "__main__":
    main(scenario(), __doc__ or "")
