"""How heavy is what the hand holds? Make a mass an input of the code and fit it to measured torques.

Torque is linear in a mass, so two evaluations give the slope and least squares give the mass.
"""

from __future__ import annotations

import numpy as np

import symdyn

TRUE_MASS = 1.35
NOISE = 0.02


def main() -> None:
    robot = symdyn.load_example("seven_dof_arm", runtime=["hand.mass"])
    module = symdyn.compile(robot, ["inverse_dynamics"])
    rng = np.random.default_rng(1)
    states = [robot.random_state(rng) for _ in range(200)]
    q, v = (np.array(values) for values in zip(*states, strict=True))
    a = rng.standard_normal(v.shape)

    measured = module.inverse_dynamics(q, v, a, np.array([TRUE_MASS]))
    measured = measured + rng.normal(0.0, NOISE, measured.shape)

    without = module.inverse_dynamics(q, v, a, np.array([0.0]))
    per_kilogram = module.inverse_dynamics(q, v, a, np.array([1.0])) - without
    mass = np.sum(per_kilogram * (measured - without)) / np.sum(per_kilogram**2)
    print(f"true {TRUE_MASS:.4f} kg, estimated {mass:.4f} kg")
    assert abs(mass - TRUE_MASS) < 0.01


if __name__ == "__main__":
    main()
