"""Which springs and gears let an arm repeat a motion with the least energy? Slopes of heat by all of them at once.

A seven-joint arm carries a load between two shelves and back, all day. A motor heats with the square of its torque, and
its rotor has to be accelerated through the gear. A spring beside each of two joints bears part of the weight.
Stiffness, rest and gear ratio change until a cycle makes the least heat. One adjoint of inverse dynamics along the
motion gives the gradient. The best springs for given gears are a least-squares fit, and the best gears for given
springs have a closed form; both check the result. Needs SciPy; `--plot FILE` also Matplotlib.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from needs import needs

needs(__file__, "scipy")

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

import symdyn

Array = NDArray[np.float64]
JOINTS = ("joint_2", "joint_4")
ROWS = [1, 3]
ROTOR = 4e-4  # kg m^2, of either motor
CONSTANT, RESISTANCE = 0.1, 0.4  # N m/A and Ohm: heat is R (torque / constant)^2
FIRST_GEAR = 50.0
PERIOD, SAMPLES = 1.6, 160
KINDS = ("spring.stiffness", "spring.rest", "gear_ratio")
NAMES = [f"{joint}.{kind}" for joint in JOINTS for kind in KINDS]


def motion() -> tuple[Array, Array, Array]:
    """Positions, velocities and accelerations (SAMPLES, 7) of one period, equally far apart in time."""
    phase = 2.0 * np.pi * np.arange(SAMPLES) / SAMPLES
    middle = np.array([0.0, 0.7, 0.0, -1.3, 0.0, 1.1, 0.0])
    first = np.array([0.6, 0.35, 0.0, 0.5, 0.0, 0.2, 0.3])  # rad, of the first harmonic
    second = np.array([0.0, 0.08, 0.1, -0.12, 0.1, 0.0, 0.0])  # rad, of the second
    rate = 2.0 * np.pi / PERIOD
    one, two = phase[:, None], 2.0 * phase[:, None] + 0.6
    q = middle + first * np.sin(one) + second * np.sin(two)
    v = rate * (first * np.cos(one) + 2.0 * second * np.cos(two))
    return q, v, -(rate**2) * (first * np.sin(one) + 4.0 * second * np.sin(two))


class Heat:
    """The heat [J] of a cycle by design p = (stiffness, rest, gear ratio of each joint), with its gradient."""

    def __init__(self) -> None:
        robot = symdyn.load_example("seven_dof_arm").with_spring(JOINTS, 0.0).with_rotor(JOINTS, ROTOR, FIRST_GEAR)
        with TemporaryDirectory() as folder:
            path = Path(folder) / "arm.yaml"
            path.write_text(robot.to_yaml(), encoding="utf-8")
            self.robot = symdyn.load(path, runtime=NAMES)
        self.module = symdyn.compile(
            self.robot, ["inverse_dynamics", "inverse_dynamics_adjoint"], gradient="parameters"
        )
        self.motion = motion()
        self.scale = RESISTANCE / CONSTANT**2 * PERIOD / SAMPLES

    def torques(self, p: Array) -> Array:
        """Of both joints along the motion (SAMPLES, 2) [N m]: links, springs and rotors."""
        return np.asarray(self.module.inverse_dynamics(*self.motion, p))[:, ROWS]

    def __call__(self, p: Array) -> tuple[float, Array]:
        """The heat and its gradient by p."""
        gears, torques = p[2::3], self.torques(p)
        motors = torques / gears
        weights = np.zeros((SAMPLES, self.robot.nv))
        weights[:, ROWS] = 2.0 * self.scale * motors / gears
        slope = self.module.inverse_dynamics_adjoint(*self.motion, weights, p)[-1].sum(axis=0)
        slope[2::3] -= 2.0 * self.scale * (motors**2).sum(axis=0) / gears  # the motor's torque is the joint's / gear
        return float(self.scale * (motors**2).sum()), slope


def best(heat: Heat, start: Array, free: list[bool]) -> Array:
    """The design with the least heat, by L-BFGS within bounds; what is not free stays."""
    size = np.tile([100.0, 1.0, 100.0], len(JOINTS))  # so that all variables are about 1
    low, high = np.tile([0.0, -3.0, 10.0], len(JOINTS)), np.tile([400.0, 3.0, 300.0], len(JOINTS))
    box = np.where(free, [low, high], start) / size

    def cost(x: Array) -> tuple[float, Array]:
        value, slope = heat(x * size)
        return value, slope * size

    exact = {"ftol": 1e-15, "gtol": 1e-9, "maxiter": 500}
    found = minimize(cost, start / size, jac=True, method="L-BFGS-B", bounds=box.T, options=exact)
    return np.asarray(found.x * size, dtype=np.float64)


def fitted_spring(heat: Heat, p: Array) -> Array:
    """Stiffness and rest of both joints for given gears in closed form: torques are linear in K and K rest."""
    found = p.copy()
    found[0::3] = 0.0
    torques, (q, _, _) = heat.torques(found), heat.motion
    for number, row in enumerate(ROWS):
        columns = np.column_stack([q[:, row], -np.ones(SAMPLES)])
        stiffness, moment = np.linalg.lstsq(columns, -torques[:, number], rcond=None)[0]
        found[3 * number : 3 * number + 2] = stiffness, moment / stiffness
    return found


def matched_gears(heat: Heat, p: Array) -> Array:
    """Gear ratios of both joints for given springs in closed form: the joint's torque is b + g^2 J a, the motor's / g.

    So the mean square is that of b / g, plus that of g J a, plus a part without g: both are equal at the best ratio.
    """
    found, a = p.copy(), heat.motion[2][:, ROWS]
    others = heat.torques(p) - p[2::3] ** 2 * ROTOR * a
    found[2::3] = ((others**2).sum(axis=0) / (ROTOR**2 * (a**2).sum(axis=0))) ** 0.25
    return found


def difference(heat: Heat, p: Array, step: float = 1e-4) -> Array:
    """The gradient by central differences, for the check."""
    return np.array([(heat(p + own)[0] - heat(p - own)[0]) / (2 * step) for own in step * np.eye(len(p))])


def draw(file: str, heat: Heat, designs: dict[str, Array]) -> None:
    """Torques of both motors along a cycle."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.5), layout="constrained")
    time = PERIOD * np.arange(SAMPLES) / SAMPLES
    for number, axes in enumerate(figure.subplots(1, len(JOINTS), sharey=True)):
        for name, p in designs.items():
            axes.plot(time, heat.torques(p)[:, number] / p[2 + 3 * number], label=name)
        axes.set(title=f"motor of {JOINTS[number]}", xlabel="time [s]", ylabel="torque [N m]")
    axes.legend()
    figure.savefig(file)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="FILE", help="draw the motors' torques")
    options = parser.parse_args()
    heat = Heat()
    start = np.tile([0.0, 0.0, FIRST_GEAR], len(JOINTS))
    gears = best(heat, start, [False, False, True] * len(JOINTS))
    springs = best(heat, start, [True, True, False] * len(JOINTS))
    both = best(heat, springs, [True] * len(NAMES))
    designs = {"no springs": start, "best gears": gears, "best springs": springs, "best of both": both}
    print(f"{'design':14}heat [J]  " + "    ".join(f"{own + ': K, rest, gear':24}" for own in JOINTS).rstrip())
    for name, p in designs.items():
        parts = [f"{stiffness:5.1f} {rest:6.2f} {gear:6.1f}" for stiffness, rest, gear in p.reshape(-1, 3)]
        print(f"{name:14}{heat(p)[0]:8.2f}  " + "    ".join(f"{part:24}" for part in parts).rstrip())
    slope, by_differences = heat(springs + 0.1)[1], difference(heat, springs + 0.1)
    error = float(np.abs(slope - by_differences).max() / np.abs(slope).max())
    closed = {
        "springs": [(springs, fitted_spring(heat, springs)), (both, fitted_spring(heat, both))],
        "gears": [(gears, matched_gears(heat, gears)), (both, matched_gears(heat, both))],
    }
    for name, pairs in closed.items():
        off = max(float(np.abs(exact - found).max() / np.abs(found).max()) for found, exact in pairs)
        print(f"{name} in closed form are the same to {off:.0e}")
        assert off < 1e-5
        assert all(abs(heat(exact)[0] / heat(found)[0] - 1) < 1e-9 for found, exact in pairs)
    print(f"by differences the gradient is the same to {error:.0e} of its largest entry")
    if options.plot:
        draw(options.plot, heat, designs)
    assert error < 1e-8
    assert heat(both)[0] < 0.7 * min(heat(springs)[0], heat(gears)[0])


if __name__ == "__main__":
    main()
