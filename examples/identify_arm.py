"""Which masses, inertias, friction and rotors explain measured torques? An arm from noisy data of one motion.

The motion is chosen to show the parameters well. Base parameters come with their standard deviations. Torques do not
determine all single parameters. With the extra `identify`, physically possible values near the file's are found too.
"""

from __future__ import annotations

from needs import needs

needs(__file__, "scipy")

import importlib.util

import numpy as np

import symdyn

NOISE = 0.05  # N m
VISCOUS, COULOMB, ROTOR = 0.3, 0.5, 0.05  # what the file does not know: N m s/rad, N m, kg m^2


def torques(robot: symdyn.Robot, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Of the arm as it is."""
    module = symdyn.compile(robot, ["inverse_dynamics"], lanes=False)
    return module.inverse_dynamics(q, v, a) + VISCOUS * v + COULOMB * np.tanh(v / 0.01) + ROTOR * a


def main() -> None:
    robot = symdyn.load_example("seven_dof_arm")
    rng = np.random.default_rng(3)
    motion = symdyn.excitation(robot, duration=10.0, harmonics=5, steps=20)
    print(f"condition of the equations {motion.condition:.1f}")

    q, v, a = motion.at(np.linspace(0.0, 10.0, 1000))
    tau = torques(robot, q, v, a) + rng.normal(0.0, NOISE, v.shape)
    consistent = importlib.util.find_spec("cvxpy") is not None
    found = symdyn.identify(robot, q, v, a, tau, consistent=consistent)
    print(f"{len(found.base)} of {len(found.names)} parameters show; noise {found.noise.mean():.3f} N m")
    for item, value, deviation in list(zip(found.base, found.values, found.deviations, strict=True))[-12:]:
        print(f"  {item.name:16} {value:8.4f} +- {deviation:.4f}")
    if consistent:
        masses = [f"{name} {value:.2f}" for name, value in found.parameters.items() if name.endswith(".m")]
        print(f"consistent masses [kg]: {', '.join(masses)}")

    states = [robot.random_state(rng) for _ in range(200)]  # motions that the fit has not seen
    q, v = (np.array(values) for values in zip(*states, strict=True))
    a = 3.0 * rng.standard_normal(v.shape)
    error = np.sqrt(np.mean((found.predict(q, v, a) - torques(robot, q, v, a)) ** 2))
    print(f"prediction off by {error:.4f} N m (root mean square)")
    assert error < NOISE / 3


if __name__ == "__main__":
    main()
