"""Does a computed-torque controller track a path? Simulate an arm and its controller, both from generated code."""

from __future__ import annotations

import numpy as np

import symdyn

STEP = 1e-3
DURATION = 1.0
STIFFNESS, DAMPING = 400.0, 40.0  # critically damped, 20 rad/s


def path(time: float, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Position, velocity and acceleration of a wave in every joint."""
    rate = 2.0 + 0.5 * np.arange(size)
    return 0.4 * np.sin(rate * time), 0.4 * rate * np.cos(rate * time), -0.4 * rate**2 * np.sin(rate * time)


def main() -> None:
    robot = symdyn.load_example("seven_dof_arm")
    module = symdyn.compile(robot, ["inverse_dynamics", "forward_dynamics"])

    def motion(q: np.ndarray, v: np.ndarray, time: float) -> tuple[np.ndarray, np.ndarray]:
        """The robot under control: its velocity and acceleration."""
        q_path, v_path, a_path = path(time, robot.nv)
        command = a_path + DAMPING * (v_path - v) + STIFFNESS * (q_path - q)
        tau = module.inverse_dynamics(q, v, command)
        return v, module.forward_dynamics(q, v, tau)

    q, v, _ = path(0.0, robot.nv)
    q = q + 0.2  # starts beside the path
    for count in range(round(DURATION / STEP)):
        if count % 200 == 0:
            print(f"t = {count * STEP:4.2f} s   error {np.abs(q - path(count * STEP, robot.nv)[0]).max():.2e} rad")
        time = count * STEP
        k1 = motion(q, v, time)
        k2 = motion(q + STEP / 2 * k1[0], v + STEP / 2 * k1[1], time + STEP / 2)
        k3 = motion(q + STEP / 2 * k2[0], v + STEP / 2 * k2[1], time + STEP / 2)
        k4 = motion(q + STEP * k3[0], v + STEP * k3[1], time + STEP)
        q = q + STEP / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0])
        v = v + STEP / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1])
    # The error obeys e'' + 40 e' + 400 e = 0, whatever the arm: from rest relative to the path, (1 + 20 t) exp(-20 t).
    expected = 0.2 * (1 + 20 * DURATION) * np.exp(-20 * DURATION)
    error = np.abs(q - path(DURATION, robot.nv)[0]).max()
    print(f"t = {DURATION:4.2f} s   error {error:.2e} rad, of a linear oscillator {expected:.2e} rad")
    assert abs(error - expected) < 1e-9


if __name__ == "__main__":
    main()
