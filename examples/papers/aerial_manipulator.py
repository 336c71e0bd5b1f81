"""Forces computed for a path fly a robot with two arms along it: Ali et al., section 7 and table 3.

The path of the base and of the joints is the paper's. Inverse dynamics gives the forces; there is no feedback.
"""

from __future__ import annotations

import numpy as np
from runs import Scenario, main

import symdyn

CIRCLE, YAW, HALF = 2 * np.pi / 20, 2 * np.pi / 30, np.pi / 30  # rad/s
TURN = np.radians(25.0)
JOINTS = np.radians([10.0, -5.0, 15.0, -10.0, 7.0, -12.0])
SWINGS = np.radians([60.0, 50.0, 40.0, 55.0, 45.0, 35.0])


def desired(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, v and a of the path; velocities of the base in its own axes."""
    angle, rate, change = (TURN * YAW**k * np.sin(YAW * t + k * np.pi / 2) for k in range(3))
    place, speed, rise = (
        CIRCLE**k * np.array([np.cos(CIRCLE * t + k * np.pi / 2), np.sin(CIRCLE * t + k * np.pi / 2), 0.0])
        for k in range(3)
    )
    c, s = np.cos(angle), np.sin(angle)
    back = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    turning = np.array([0.0, 0.0, rate])
    velocity = back @ speed
    arms = [
        (k == 0) * (JOINTS + SWINGS / 2) - SWINGS / 2 * HALF**k * np.cos(HALF * t + k * np.pi / 2) for k in range(3)
    ]
    q = np.concatenate([place, [0.0, 0.0, np.sin(angle / 2), np.cos(angle / 2)], arms[0]])
    v = np.concatenate([velocity, turning, arms[1]])
    a = np.concatenate([back @ rise - np.cross(turning, velocity), [0.0, 0.0, change], arms[2]])
    return q, v, a


def scenario() -> Scenario:
    """The robot on its path."""
    robot = symdyn.load_example("aerial_manipulator")
    module = symdyn.compile(robot, ["inverse_dynamics"], lanes=False)

    def forces(t: float) -> np.ndarray:
        return np.asarray(module.inverse_dynamics(*desired(t)))

    q, v, _ = desired(0.0)
    settings = {"q": q, "v": v, "inputs": forces, "rtol": 1e-9, "atol": 1e-9}
    return Scenario(robot, settings, "xy", "time derivatives along the path, no simulation", method="dop853")


if __name__ == "__main__":
    main(scenario(), __doc__ or "")
