"""Six chambers bend and widen a soft arm: Pustina et al., simulation 1.

The paper's pressures are 2, 0, 0, 2, 1 and 0.4 MPa, on a material with a modulus of 1.06 MPa. Such an arm expands and
bends beyond the limits of its model within 0.1 s. Here a tenth of them acts, from rest without strain.
"""

from __future__ import annotations

import numpy as np
from runs import Scenario, main

import symdyn

PRESSURES = 1e5 * np.array([2.0, 0.0, 0.0, 2.0, 1.0, 0.4])  # Pa


def scenario() -> Scenario:
    """The arm with a tenth of the pressures of the paper."""
    settings = {"inputs": PRESSURES, "drive": "actuators"}
    return Scenario(symdyn.load_example("bulging_arm"), settings, "xz", "curves alone, no times", method="radau")


if __name__ == "__main__":
    main(scenario(), __doc__ or "")
