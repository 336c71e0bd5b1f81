"""How do three motors share the work of two? Close a five-bar, move it, and check that its hand holds together."""

from __future__ import annotations

from needs import needs

needs(__file__, "scipy")

import numpy as np
from scipy.integrate import solve_ivp

import symdyn

DURATION = 1.0
GUESS = {"left_shoulder": -2.0, "left_elbow": 1.5, "right_shoulder": -1.0, "right_elbow": -1.5}


def wave(time: float) -> np.ndarray:
    """Torques of both shoulders."""
    return np.array([3.0 * np.sin(4.0 * time), 0.0, 2.0 * np.cos(3.0 * time), 0.0])


def main() -> None:
    robot = symdyn.load_example("five_bar")
    functions = ["constrained_forward_dynamics", "constrained_inverse_dynamics", "constraint_error"]
    module = symdyn.compile(robot, functions, weights="input")
    (hand,) = robot.constraints
    print(f"it moves in {robot.mobility} ways, by {' and '.join(robot.independent_coordinates)}; {hand.rows} hold")

    q = robot.close([GUESS[name] for name in robot.coordinate_names])

    def motion(time: float, y: np.ndarray) -> np.ndarray:
        """Velocity and acceleration."""
        q, v = np.split(y, 2)
        a, _ = module.constrained_forward_dynamics(q, v, wave(time))
        return np.concatenate([v, a])

    start = np.concatenate([q, np.zeros(robot.nv)])
    moved = solve_ivp(motion, (0.0, DURATION), start, method="DOP853", rtol=1e-10, atol=1e-10)
    gap = max(np.abs(module.constraint_error(y[: robot.nv])).max() for y in moved.y.T)
    print(f"after {DURATION} s the hand is open by {gap:.1e} m at most")
    assert gap < 1e-7

    # What the elbow's motor takes over, and how much its effort counts.
    q, v = robot.project(*np.split(moved.y[:, -1], 2))
    a, _ = module.constrained_forward_dynamics(q, v, wave(DURATION))
    elbow = robot.velocity_names.index("left_elbow")
    for count in (1.0, 10.0, 1000.0):
        weights = np.ones(robot.nv)
        weights[elbow] = count
        tau, force = module.constrained_inverse_dynamics(q, v, a, weights)
        again, _ = module.constrained_forward_dynamics(q, v, tau)
        shares = "  ".join(f"{name} {value:7.3f}" for name, value in zip(robot.velocity_names, tau, strict=True))
        print(f"weight {count:6.0f}   {shares}   N m, pin {np.hypot(*force):.2f} N")
        assert np.abs(again - a).max() < 1e-9 * np.abs(a).max()


if __name__ == "__main__":
    main()
