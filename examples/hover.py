"""Which thrust and torques hold a flying robot still? Gravity compensation of a floating base with two arms."""

from __future__ import annotations

import numpy as np

import symdyn


def main() -> None:
    robot = symdyn.load_example("aerial_manipulator", convention="pinocchio")
    module = symdyn.compile(robot, ["gravity", "forward_dynamics", "center_of_mass", "mass_matrix"])
    rng = np.random.default_rng(4)
    q, _ = robot.random_state(rng)
    tau = module.gravity(q)
    for name, unit, value in zip(robot.velocity_names, ["N"] * 3 + ["N m"] * (robot.nv - 3), tau, strict=True):
        print(f"{name:16} {value:9.4f} {unit}")

    # The thrust is the weight, in base axes whatever the pose; its mass stands in the mass matrix.
    mass = module.mass_matrix(q)[0, 0]
    thrust = np.linalg.norm(tau[:3])
    print(f"thrust {thrust:.4f} N, weight {9.81 * mass:.4f} N")
    assert abs(thrust - 9.81 * mass) < 1e-10 * thrust

    # Held so, nothing accelerates; let go, the centre of mass falls with 9.81 m/s^2.
    rest = np.zeros(robot.nv)
    held = module.forward_dynamics(q, rest, tau)
    print(f"largest acceleration when held {np.abs(held).max():.1e}")
    assert np.abs(held).max() < 1e-9
    step = 1e-3
    falling = module.forward_dynamics(q, rest, rest)
    drop = module.center_of_mass(robot.integrate(q, 0.5 * step**2 * falling)) - module.center_of_mass(q)
    print(f"centre of mass let go: {2 * drop[2] / step**2:.4f} m/s^2")
    assert np.allclose(2 * drop / step**2, [0.0, 0.0, -9.81], atol=1e-4)


if __name__ == "__main__":
    main()
