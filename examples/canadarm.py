"""Does the way to solve for accelerations decide whether a flexible arm can be simulated? Section 7 of Mohan and Saha.

Torques of a rigid Canadarm, by inverse dynamics along a trajectory, drive the arm with three flexible links. Its
accelerations come once from the recursive forward dynamics, once from mass matrix, bias and Cholesky factorisation, in
the same integrators. Needs SciPy; `--plot FILE` also Matplotlib.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.linalg import cho_factor, cho_solve

import symdyn

Array = NDArray[np.float64]
Accelerations = Callable[[Array, Array, Array], Array]
K, T = np.array([0.075, 0.05, 0.1]), np.array([10.0, 5.0, 5.0])
END = 10.0
TIMES = np.linspace(0.0, END, 1001)
LINKS = ("link_1", "link_2", "link_3")
FUNCTIONS = ["forward_dynamics", "mass_matrix", "bias", "forward_kinematics"]


def desired(t: Any) -> tuple[Array, Array, Array]:
    """Joint angles, rates and accelerations of eq. (44), (..., 3)."""
    t = np.asarray(t)[..., None]
    turn = np.pi * t / T
    return K * (t - T / np.pi * np.sin(turn)), K * (1 - np.cos(turn)), K * np.pi / T * np.sin(turn)


class Arm:
    """The flexible arm, driven by what moves the rigid one."""

    def __init__(self) -> None:
        still = (0.0, 0.0, 0.0)
        self.robot = symdyn.load_example("canadarm", gravity=still)
        self.module = symdyn.compile(self.robot, FUNCTIONS)
        rigid = symdyn.load_example("canadarm_rigid", gravity=still)
        self.rigid = symdyn.compile(rigid, ["inverse_dynamics"])
        self.n = self.robot.nv
        self.joints = [row for row, name in enumerate(self.robot.velocity_names) if "[" not in name]

    def torque(self, t: Any) -> Array:
        """What the rigid arm needs at t, (..., 3)."""
        return np.asarray(self.rigid.inverse_dynamics(*desired(t)))

    def recursive(self, q: Array, v: Array, tau: Array) -> Array:
        """Accelerations by the recursion over the links."""
        return np.asarray(self.module.forward_dynamics(q, v, tau))

    def cholesky(self, q: Array, v: Array, tau: Array) -> Array:
        """Accelerations by factorising the mass matrix as a whole."""
        factor = cho_factor(self.module.mass_matrix(q), lower=True, check_finite=False)
        return np.asarray(cho_solve(factor, tau - self.module.bias(q, v), check_finite=False))

    def rate(self, accelerations: Accelerations) -> Callable[[float, Array], Array]:
        """The right-hand side of the equations of motion, for integrators."""
        n, tau = self.n, np.zeros(self.n)

        def rate(t: float, y: Array) -> Array:
            tau[self.joints] = self.torque(t)
            return np.concatenate([y[n:], accelerations(y[:n], y[n:], tau)])

        return rate

    def start(self) -> Array:
        """Stretched along x and at rest."""
        return np.zeros(2 * self.n)

    def deflections(self, states: Array) -> Array:
        """How far each link's end is off its place at rest, in the link's frame [m], (times, 3 links, 3)."""
        poses = self.module.forward_kinematics(states[:, : self.n])
        still = self.module.forward_kinematics(self.robot.neutral())
        found = []
        for name in LINKS:
            link, tip = (self.robot.frame_names.index(each) for each in (name, f"{name}.tip"))
            reach = np.einsum("kba,kb->ka", poses[:, link, :3, :3], poses[:, tip, :3, 3] - poses[:, link, :3, 3])
            found.append(reach - still[link, :3, :3].T @ (still[tip, :3, 3] - still[link, :3, 3]))
        return np.stack(found, axis=1)


@dataclass(frozen=True)
class Integrator:
    """One of SciPy's, or the classical Runge-Kutta method with a fixed step [s]."""

    name: str
    method: str = ""
    rtol: float = 0.0
    step: float = 0.0

    def run(self, rate: Callable[[float, Array], Array], start: Array) -> Array:
        """States at ``TIMES``; rows are NaN from where the integrator gave up."""
        if self.step:
            return self._fixed(rate, start)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # LSODA prints its own advice
            options = {"rtol": self.rtol, "atol": self.rtol * 1e-2}
            found = solve_ivp(rate, (0.0, END), start, method=self.method, t_eval=TIMES, **options)
        states = np.full((len(TIMES), len(start)), np.nan)
        states[: found.y.shape[1]] = found.y.T
        return states

    def _fixed(self, rate: Callable[[float, Array], Array], start: Array) -> Array:
        states, h, y, t = [start], self.step, start, 0.0
        for _ in TIMES[1:]:
            for _ in range(round(TIMES[1] / h)):
                k1 = rate(t, y)
                k2 = rate(t + h / 2, y + h / 2 * k1)
                k3 = rate(t + h / 2, y + h / 2 * k2)
                y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(t + h, y + h * k3))
                t += h
            states.append(y)
        return np.array(states)


INTEGRATORS = (
    Integrator("RK45, 1e-3", "RK45", 1e-3),
    Integrator("RK45, 1e-9", "RK45", 1e-9),
    Integrator("RK4, h = 1 ms", step=1e-3),
    Integrator("Radau, 1e-6", "Radau", 1e-6),
    Integrator("LSODA, 1e-6", "LSODA", 1e-6),
)
REFERENCE = Integrator("DOP853, 1e-12", "DOP853", 1e-12)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--plot", metavar="FILE", help="draw figures 4 to 8")
    asked = parser.parse_args()
    arm = Arm()
    n = arm.n
    ways = {"recursive": arm.recursive, "Cholesky": arm.cholesky}
    wanted = desired(TIMES)
    reference = REFERENCE.run(arm.rate(arm.recursive), arm.start())

    print(
        f"flexible Canadarm, {n} coordinates, {END:g} s; condition of its mass matrix at rest "
        f"{np.linalg.cond(arm.module.mass_matrix(arm.robot.neutral())):.0f}"
    )
    off = np.degrees(np.abs(reference[:, arm.joints] - wanted[0]).max(axis=0))
    print("joints leave the rigid arm's trajectory by at most", ", ".join(f"{angle:.2f}" for angle in off), "deg")
    bent = np.abs(arm.deflections(reference)[:, :, 1]).max(axis=0)
    print("tips deflect by at most", ", ".join(f"{1e3 * each:.1f}" for each in bent), "mm")

    print(f"\n{'':15}{'end [s]':>16}{'joint 1 off the reference':>28}{'the two ways apart':>22}{'power apart':>14}")
    print(f"{'':15}{'rec.':>8}{'Chol.':>8}{'recursive':>14}{'Cholesky':>14}{'[rad]':>22}{'[W]':>14}")
    runs: dict[str, dict[str, Array]] = {}
    torque = arm.torque(TIMES)
    for integrator in INTEGRATORS:
        found = {way: integrator.run(arm.rate(solve), arm.start()) for way, solve in ways.items()}
        runs[integrator.name] = found
        ends = [TIMES[np.isfinite(states).all(axis=1)][-1] for states in found.values()]
        misses = [
            np.nanmax(np.abs(states[:, arm.joints[0]] - reference[:, arm.joints[0]])) for states in found.values()
        ]
        apart = found["recursive"] - found["Cholesky"]
        angle = np.nanmax(np.abs(apart[:, arm.joints]))
        power = np.nanmax(np.abs((torque * apart[:, [n + row for row in arm.joints]]).sum(axis=1)))
        print(
            f"{integrator.name:15}{ends[0]:8.2f}{ends[1]:8.2f}{misses[0]:14.1e}{misses[1]:14.1e}{angle:22.1e}{power:14.1e}"
        )

    single = accelerations_apart(arm, reference, torque)
    print(f"\naccelerations of the two ways along the motion: {single:.1e} apart, relative to the largest")
    if asked.plot:
        draw(arm, reference, runs, asked.plot)


def accelerations_apart(arm: Arm, states: Array, torque: Array) -> float:
    """Largest difference of the two ways at the same states, over the largest acceleration."""
    q, v = states[:, : arm.n], states[:, arm.n :]
    tau = np.zeros_like(q)
    tau[:, arm.joints] = torque
    recursive = arm.recursive(q, v, tau)
    dense = np.array([arm.cholesky(*row) for row in zip(q, v, tau, strict=True)])
    return float(np.abs(recursive - dense).max() / np.abs(recursive).max())


def draw(arm: Arm, reference: Array, runs: dict[str, dict[str, Array]], path: str) -> None:
    """Figures 4 to 8 on one page: angles, rates, deflections, misses, power differences, accelerations of joint 1."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    angles, rates, _ = desired(TIMES)
    figure, axes = plt.subplots(3, 3, figsize=(12, 9), layout="constrained")
    for joint, row in enumerate(arm.joints):
        axes[0, 0].plot(TIMES, reference[:, row], f"C{joint}", label=f"joint {joint + 1}")
        axes[0, 0].plot(TIMES, angles[:, joint], f"C{joint}:")
        axes[0, 1].plot(TIMES, reference[:, arm.n + row], f"C{joint}")
        axes[0, 1].plot(TIMES, rates[:, joint], f"C{joint}:")
    axes[0, 0].set_title("4: angles [rad], dotted: desired")
    axes[0, 0].legend()
    axes[0, 1].set_title("4: rates [rad/s]")
    for number, bent in enumerate(1e3 * arm.deflections(reference)[:, :, 1].T):
        axes[0, 2].plot(TIMES, bent, label=LINKS[number])
    axes[0, 2].set_title("5: tip deflections [mm]")
    axes[0, 2].legend()
    torque = arm.torque(TIMES)
    columns = ("RK45, 1e-3", "RK45, 1e-9", "RK4, h = 1 ms")
    for way, line in (("recursive", "-"), ("Cholesky", "--")):
        for number, name in enumerate(columns):
            states, label = runs[name][way], f"{name}: {way}"
            rows = [arm.n + row for row in arm.joints]
            axes[1, 0].plot(TIMES, states[:, arm.joints[0]] - angles[:, 0], f"C{number}{line}", label=label)
            power = (torque * (rates - states[:, rows])).sum(axis=1)
            axes[1, 1].plot(TIMES, power, f"C{number}{line}")
            tau = np.zeros((len(TIMES), arm.n))
            tau[:, arm.joints] = torque
            traced = arm.recursive(states[:, : arm.n], states[:, arm.n :], tau)[:, arm.joints[0]]
            axes[1, 2].plot(TIMES, traced, f"C{number}{line}", linewidth=0.8)
    axes[1, 0].set_title("6: joint 1 less the desired angle [rad]")
    axes[1, 0].legend(fontsize=7)
    axes[1, 1].set_title("7: power difference [W]")
    axes[1, 2].set_title("8: acceleration of joint 1 [rad/s^2]")
    for number, (name, found) in enumerate(runs.items()):
        apart = np.abs(found["recursive"] - found["Cholesky"])[:, arm.joints[0]]
        axes[2, 0].semilogy(TIMES, np.maximum(apart, 1e-18), f"C{number}", label=name)
        for way, line in (("recursive", "-"), ("Cholesky", "--")):
            miss = np.abs(found[way] - reference)[:, arm.joints[0]]
            axes[2, 1].semilogy(TIMES, np.maximum(miss, 1e-18), f"C{number}{line}")
    axes[2, 0].set_title("joint 1: the two ways apart [rad]")
    axes[2, 0].legend(fontsize=7)
    axes[2, 1].set_title("joint 1: off the reference [rad]")
    axes[2, 2].axis("off")
    for each in axes.flat:
        each.set_xlabel("t [s]")
    figure.savefig(path)


if __name__ == "__main__":
    main()
