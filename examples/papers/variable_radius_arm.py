"""Six chambers bend and widen a soft arm: Pustina et al., simulation 1.

The pressures are the paper's, from rest without strain: 2, 0, 0, 2, 1 and 0.4 MPa.
"""

from __future__ import annotations

import numpy as np
from runs import Scenario, main

import symdyn

PRESSURES = 1e6 * np.array([2.0, 0.0, 0.0, 2.0, 1.0, 0.4])  # Pa


def scenario() -> Scenario:
    """The arm with its pressures."""
    settings = {"inputs": PRESSURES, "drive": "actuators"}
    return Scenario(symdyn.load_example("bulging_arm"), settings, "xz", "curves alone, no times", method="radau")


if __name__ == "__main__":
    main(scenario(), __doc__ or "")
