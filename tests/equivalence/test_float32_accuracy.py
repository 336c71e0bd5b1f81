"""float32 code against float64 code of the same function, over many states: rounding, and no more than rounding.

float64 code is held to 50-digit arithmetic elsewhere (tests/verify); beside 2^-24 its own error is nothing. Bounds are
in units of u = 2^-24, as norms of a whole result:

* Inverse dynamics and M are sums of products along chains of d bodies, whose roundings mostly cancel: some few u,
  16 u in the worst percent, and in no state the limit that ``symdyn verify`` has, 100 + 10 d.
* Forward dynamics may carry the relative rounding of M and of the bias into the accelerations multiplied by the
  condition number of M, which a backward stable solution never exceeds.
* Each derivative by time multiplies the number of terms of a sum: 16 (k + 1) u in the worst percent.

From below: what is computed in double would differ by much less than u / 64 or not at all.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import symdyn

U = 2.0**-24
STATES = 400
ORDER = 2
DERIVATIVES = "inverse_dynamics_time_derivatives"

Array = NDArray[np.float64]


def errors(single: Array, double: Array) -> Array:
    """Normwise error per state, in units of u."""
    assert single.dtype == np.float32 and double.dtype == np.float64
    width = double[0].size
    difference = np.linalg.norm((single - double).reshape(-1, width), axis=1)
    return difference / np.linalg.norm(double.reshape(-1, width), axis=1) / U


@pytest.mark.needs_cc
@pytest.mark.parametrize("name", [pytest.param("seven_dof_arm", marks=pytest.mark.slow), "aerial_manipulator"])
def test_single_precision_loses_what_rounding_takes(name: str) -> None:
    robot = symdyn.load_example(name)
    functions = ["inverse_dynamics", "forward_dynamics", "mass_matrix", DERIVATIVES]
    rng = np.random.default_rng(11)
    q = np.array([robot.random_state(rng)[0] for _ in range(STATES)]).astype(np.float32)
    V = rng.uniform(-1.0, 1.0, (STATES, ORDER + 2, robot.nv)).astype(np.float32)
    found = {}
    for dtype in ("float32", "float64"):
        lanes = dtype == "float32"  # doubles are what is measured against
        module = symdyn.compile(robot, functions[:3], dtype=dtype, lanes=lanes)
        rates = symdyn.compile(robot, functions[3:], order=ORDER, dtype=dtype, lanes=lanes)
        own_q, own_V = q.astype(dtype), V.astype(dtype)
        found[dtype] = (
            module.inverse_dynamics(own_q, own_V[:, 0], own_V[:, 1]),
            module.mass_matrix(own_q),
            module.forward_dynamics(own_q, own_V[:, 0], own_V[:, 1]),
            rates.inverse_dynamics_time_derivatives(own_q, own_V),
        )
    (tau, M, a, series), (exact_tau, exact_M, exact_a, exact_series) = found["float32"], found["float64"]
    limit = 100.0 + 10.0 * len(robot.body_names)
    for single, double in ((tau, exact_tau), (M, exact_M)):
        error = errors(single, double)
        assert 1 / 64 < np.median(error) < 4.0
        assert np.percentile(error, 99) < 16.0 and error.max() < limit
    error = errors(a, exact_a)
    assert np.median(error) > 1 / 64 and np.all(error < np.linalg.cond(exact_M))
    for k in range(ORDER + 1):
        error = errors(series[:, k], exact_series[:, k])
        assert 1 / 64 < np.median(error) < 4.0 * (k + 1)
        assert np.percentile(error, 99) < 16.0 * (k + 1) and error.max() < limit * (k + 1)
