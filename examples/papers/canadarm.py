"""Torques for a rigid arm move one with three flexible links: Mohan and Saha, section 7.

The joints should follow the paper's path; inverse dynamics of the rigid arm gives the torques. There is no gravity.
`examples/canadarm.py` draws the paper's figures.
"""

from __future__ import annotations

import numpy as np
from runs import Scenario, main

import symdyn

K, T = np.array([0.075, 0.05, 0.1]), np.array([10.0, 5.0, 5.0])


def desired(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Joint angles, rates and accelerations of eq. (44)."""
    turn = np.pi * t / T
    return K * (t - T / np.pi * np.sin(turn)), K * (1 - np.cos(turn)), K * np.pi / T * np.sin(turn)


def scenario() -> Scenario:
    """The flexible arm with the torques of the rigid one."""
    still = (0.0, 0.0, 0.0)
    robot = symdyn.load_example("canadarm", gravity=still)
    rigid = symdyn.compile(symdyn.load_example("canadarm_rigid", gravity=still), ["inverse_dynamics"], lanes=False)
    joints = [row for row, name in enumerate(robot.velocity_names) if "[" not in name]

    def torques(t: float) -> np.ndarray:
        tau = np.zeros(robot.nv)
        tau[joints] = rigid.inverse_dynamics(*desired(t))
        return tau

    return Scenario(robot, {"inputs": torques}, "xy", "curves alone, no times", method="dop853")


if __name__ == "__main__":
    main(scenario(), __doc__ or "")
