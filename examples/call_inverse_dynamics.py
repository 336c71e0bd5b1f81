"""Which torques hold and move an arm? Load it, compile its inverse dynamics, call that for one state and for many."""

from __future__ import annotations

import numpy as np

import symdyn


def main() -> None:
    robot = symdyn.load_example("seven_dof_arm")
    module = symdyn.compile(robot, ["inverse_dynamics"])

    rest = np.zeros(robot.nv)
    holding = module.inverse_dynamics(robot.neutral(), rest, rest)
    for name, torque in zip(robot.velocity_names, holding, strict=True):
        print(f"{name:12} {torque:9.4f} N m")

    # Leading dimensions broadcast: a thousand states in one call.
    rng = np.random.default_rng(0)
    states = [robot.random_state(rng) for _ in range(1000)]
    q, v = (np.array(values) for values in zip(*states, strict=True))
    a = rng.standard_normal(v.shape)
    tau = module.inverse_dynamics(q, v, a)
    print(f"{tau.shape[0]} states, largest torque {np.abs(tau).max():.1f} N m")


if __name__ == "__main__":
    main()
