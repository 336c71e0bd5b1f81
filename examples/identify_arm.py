"""Which masses and inertias explain measured torques? Identification with the regressor, on synthetic data.

Joint torques are linear in ten numbers per body: tau = Y(q, v, a) pi. Some of them do not show in any torque, others
only in sums: least squares finds those combinations that do show, and these predict every other motion.
"""

from __future__ import annotations

import numpy as np

import symdyn

NOISE = 0.05  # N m


def motions(robot: symdyn.Robot, rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
    states = [robot.random_state(rng) for _ in range(count)]
    q, v = (np.array(values) for values in zip(*states, strict=True))
    return q, v, 3.0 * rng.standard_normal(v.shape)


def main() -> None:
    robot = symdyn.load_example("seven_dof_arm")
    module = symdyn.compile(robot, ["inverse_dynamics", "inverse_dynamics_regressor"])
    rng = np.random.default_rng(3)

    q, v, a = motions(robot, rng, 400)
    measured = module.inverse_dynamics(q, v, a)
    measured = measured + rng.normal(0.0, NOISE, measured.shape)
    regressor = module.inverse_dynamics_regressor(q, v, a)
    columns = regressor.shape[-1]
    found, _, rank, _ = np.linalg.lstsq(regressor.reshape(-1, columns), measured.ravel(), rcond=1e-9)
    print(f"{columns} inertial parameters, {rank} combinations show in torques")

    q, v, a = motions(robot, rng, 200)  # motions that the fit has not seen
    error = module.inverse_dynamics_regressor(q, v, a) @ found - module.inverse_dynamics(q, v, a)
    print(f"noise {NOISE:.3f} N m, prediction off by {np.sqrt(np.mean(error**2)):.4f} N m (root mean square)")
    assert rank < columns
    assert np.sqrt(np.mean(error**2)) < NOISE / 3


if __name__ == "__main__":
    main()
