"""Three motors move a five-bar that two would move: after Kim, section V.

Springs and dampers let both shoulders oscillate about a position that their torques hold. The third motor, at the left
elbow, exerts no torque.
"""

from __future__ import annotations

import numpy as np
from runs import Scenario, main

import symdyn

GUESS = {"left_shoulder": -2.0, "left_elbow": 1.5, "right_shoulder": -1.0, "right_elbow": -1.5}
STIFFNESS, DAMPING = 200.0, 10.0  # N m/rad, N m s/rad


def scenario() -> Scenario:
    """The five-bar with both elbows outside."""
    robot = symdyn.load_example("five_bar")
    q = robot.close([GUESS[name] for name in robot.coordinate_names])
    names = ["constrained_inverse_dynamics"]
    module = symdyn.compile(robot, names, actuated=["left_shoulder", "right_shoulder"], lanes=False)
    still = np.zeros(robot.nv)
    hold, _ = module.constrained_inverse_dynamics(q, still, still)
    shoulders = [robot.velocity_names.index(f"{side}_shoulder") for side in ("left", "right")]

    def torques(t: float, now: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Torques that hold the start, plus a spring and a damper from the shoulders to their wanted position [N m]."""
        swing = np.array([0.5 * np.sin(4.0 * t), 0.4 * np.sin(3.0 * t)])
        tau = np.array(hold)
        tau[shoulders] += STIFFNESS * (q[shoulders] + swing - now[shoulders]) - DAMPING * v[shoulders]
        return tau

    return Scenario(robot, {"q": q, "inputs": torques}, "xz", "no simulation: its equations are the subject", 5.0)


if __name__ == "__main__":
    main(scenario(), __doc__ or "")
