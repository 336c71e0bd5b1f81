"""Which masses explain a motion of which only angles were measured? The gradient of a rollout, and L-BFGS.

Torques are known and angles are measured, with noise, but no accelerations. So the whole motion is simulated, and the
masses change until its angles are those that were measured. One gradient gives the slopes by all masses at once.
"""

from __future__ import annotations

from needs import needs

needs(__file__, "scipy")

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

import symdyn

MASSES = ["link_2.mass", "link_4.mass", "link_6.mass", "hand.mass"]
STEPS, STEP, NOISE = 120, 0.005, 1e-4
SHARES = np.array([1.25, 0.8, 1.4, 1.6])
"""True masses over those of the file."""


def main() -> None:
    robot = symdyn.load_example("seven_dof_arm", runtime=MASSES)
    guess = np.array(robot.runtime_defaults)
    truth, rng = SHARES * guess, np.random.default_rng(2)
    q, v = np.array([0.0, -0.5, 0.0, -1.5, 0.0, 1.0, 0.7]), np.zeros(robot.nv)
    holds = symdyn.compile(robot, ["gravity"], lanes=False).gravity(q, guess)
    u = holds + rng.normal(scale=[4.0, 8.0, 3.0, 6.0, 0.3, 0.6, 0.1], size=(STEPS, robot.nv))
    measured = symdyn.rollout(robot, q, v, u, h=STEP, p=truth).q
    measured = measured + rng.normal(scale=NOISE, size=measured.shape)
    calls = 0

    def misses(shares: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        nonlocal calls
        calls += 1
        motion = symdyn.rollout(robot, q, v, u, h=STEP, p=shares * guess)
        error = (motion.q - measured) / NOISE
        slopes = motion.gradient(np.hstack([error / NOISE, np.zeros_like(error)]) / error.size)
        return float((error**2).mean()) / 2, slopes.p * guess

    found = minimize(misses, np.ones(len(MASSES)), jac=True, method="L-BFGS-B", bounds=[(0.1, 5.0)] * len(MASSES))
    print("mass          file    true   found")
    for name, at_first, true, share in zip(MASSES, guess, truth, found.x, strict=True):
        print(f"{name:12} {at_first:6.3f}  {true:6.3f}  {share * at_first:6.3f}")
    worst = np.abs(found.x / SHARES - 1).max()
    print(f"{calls} rollouts with gradients; farthest from the truth by {100 * worst:.2f} %")
    assert worst < 0.02


if __name__ == "__main__":
    main()
