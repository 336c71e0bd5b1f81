"""Does it depend on the solution for accelerations whether a flexible arm can be simulated? Mohan and Saha, section 7.

Inverse dynamics of a rigid Canadarm gives torques along a trajectory. These torques drive an arm with three flexible
links. Its accelerations come once from the recursive forward dynamics, and once from mass matrix, bias and Cholesky
factorisation, in the same integrators. Needs SciPy; `--plot FILE` also Matplotlib.
"""

from __future__ import annotations

from needs import needs

needs(__file__, "scipy")

import argparse
from collections.abc import Callable
from contextlib import suppress
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
    """The flexible arm, driven by the torques of the rigid one."""

    def __init__(self) -> None:
        still = (0.0, 0.0, 0.0)
        self.robot = symdyn.load_example("canadarm", gravity=still)
        self.module = symdyn.compile(self.robot, FUNCTIONS)
        rigid = symdyn.load_example("canadarm_rigid", gravity=still)
        self.rigid = symdyn.compile(rigid, ["inverse_dynamics"])
        self.n = self.robot.nv
        self.joints = [row for row, name in enumerate(self.robot.velocity_names) if "[" not in name]
        self.rates = [self.n + row for row in self.joints]

    def torque(self, t: Any) -> Array:
        """Torques of the rigid arm at t, (..., 3)."""
        return np.asarray(self.rigid.inverse_dynamics(*desired(t)))

    def forces(self, t: Array) -> Array:
        """The same as rows of tau; the rows of the shapes are zero."""
        tau = np.zeros((len(t), self.n))
        tau[:, self.joints] = self.torque(t)
        return tau

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
        """The straight arm along x, at rest."""
        return np.zeros(2 * self.n)

    def deflections(self, states: Array) -> Array:
        """Displacement of each link's end from its place at rest, in the link's frame [m], (times, 3 links, 3)."""
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
    """One of SciPy's, or the classical Runge-Kutta method with so many equal steps per 10 ms."""

    name: str
    method: str = ""
    rtol: float = 0.0
    steps: int = 0

    def run(self, rate: Callable[[float, Array], Array], start: Array) -> Array:
        """States at ``TIMES``; rows are NaN after the integrator failed."""
        states = np.full((len(TIMES), len(start)), np.nan)
        if self.steps:
            with np.errstate(all="ignore"), suppress(np.linalg.LinAlgError):
                self._fixed(rate, start, states)
        else:
            options = {"rtol": self.rtol, "atol": self.rtol * 1e-2}
            found = solve_ivp(rate, (0.0, END), start, method=self.method, t_eval=TIMES, **options)
            states[: found.y.shape[1]] = found.y.T
        return states

    def _fixed(self, rate: Callable[[float, Array], Array], start: Array, states: Array) -> None:
        y, h = start, TIMES[1] / self.steps
        for row, time in enumerate(TIMES):
            states[row] = y
            for step in range(self.steps):
                t = time + step * h
                k1 = rate(t, y)
                k2 = rate(t + h / 2, y + h / 2 * k1)
                k3 = rate(t + h / 2, y + h / 2 * k2)
                y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(t + h, y + h * k3))


INTEGRATORS = (
    Integrator("RK45, 1e-3", "RK45", 1e-3),
    Integrator("RK45, 1e-7", "RK45", 1e-7),
    Integrator("RK4, 1 ms", steps=10),
    Integrator("RK4, 3.3 ms", steps=3),
    Integrator("Radau, 1e-4", "Radau", 1e-4),
    Integrator("LSODA, 1e-6", "LSODA", 1e-6),
)
REFERENCE = Integrator("DOP853, 1e-11", "DOP853", 1e-11)
LOST = 0.1
"""A run is lost where joint 1 is so far off [rad]."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--plot", metavar="FILE", help="draw figures 4 to 8")
    asked = parser.parse_args()
    arm = Arm()
    condition = np.linalg.cond(arm.module.mass_matrix(arm.robot.neutral()))
    print(f"flexible Canadarm, {arm.n} coordinates, {END:g} s; condition of the mass matrix {condition:.1e}")
    reference = REFERENCE.run(arm.rate(arm.recursive), arm.start())
    off = np.degrees(np.abs(reference[:, arm.joints] - desired(TIMES)[0]).max(axis=0))
    print("joints leave the rigid arm's trajectory by at most", ", ".join(f"{angle:.2f}" for angle in off), "deg")
    bent = 1e3 * np.abs(arm.deflections(reference)[:, :, 1]).max(axis=0)
    print("tips deflect by at most", ", ".join(f"{each:.1f}" for each in bent), "mm")
    print(f"at the same states the accelerations are {accelerations_apart(arm, reference):.1e} apart, of the largest\n")

    print(f"{'integrator':14}{'joint 1 off the reference [rad]':>34}{'lost at [s]':>16}{'the two ways apart':>25}")
    print(f"{'':14}{'recursive':>17}{'Cholesky':>17}{'rec.':>8}{'Chol.':>8}{'[rad]':>13}{'[W]':>12}")
    runs = {}
    for integrator in INTEGRATORS:
        found = both_ways(arm, integrator)
        runs[integrator.name] = found
        misses = [np.abs(states - reference)[:, arm.joints[0]] for states in found.values()]
        lost = [np.flatnonzero(~(miss < LOST)) for miss in misses]
        ends = [f"{TIMES[rows[0]]:.2f}" if len(rows) else "never" for rows in lost]
        kept = slice(0, min([len(TIMES), *(rows[0] for rows in lost if len(rows))]))
        apart = (found["recursive"] - found["Cholesky"])[kept]
        power = (arm.torque(TIMES[kept]) * apart[:, arm.rates]).sum(axis=1)
        worst = [np.abs(values).max() for values in (misses[0][kept], misses[1][kept], apart[:, arm.joints], power)]
        print(
            f"{integrator.name:14}{worst[0]:17.1e}{worst[1]:17.1e}{ends[0]:>8}{ends[1]:>8}{worst[2]:13.1e}{worst[3]:12.1e}"
        )
    if asked.plot:
        draw(arm, reference, runs, asked.plot)


def both_ways(arm: Arm, integrator: Integrator) -> dict[str, Array]:
    """States at ``TIMES`` by each way to solve for accelerations."""
    ways = {"recursive": arm.recursive, "Cholesky": arm.cholesky}
    return {way: integrator.run(arm.rate(solve), arm.start()) for way, solve in ways.items()}


def accelerations_apart(arm: Arm, states: Array) -> float:
    """Largest difference of the two ways at the same states, over the largest acceleration."""
    q, v, tau = states[:, : arm.n], states[:, arm.n :], arm.forces(TIMES)
    recursive = arm.recursive(q, v, tau)
    dense = np.array([arm.cholesky(*row) for row in zip(q, v, tau, strict=True)])
    return float(np.abs(recursive - dense).max() / np.abs(recursive).max())


def draw(arm: Arm, reference: Array, runs: dict[str, dict[str, Array]], path: str) -> None:
    """Figures 4 to 8 on one page, and the difference of the two ways; for runs that did not diverge."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    angles, rates, _ = desired(TIMES)
    torque, tau, first = arm.torque(TIMES), arm.forces(TIMES), arm.joints[0]
    figure, axes = plt.subplots(2, 4, figsize=(15, 7), layout="constrained")
    panels = dict(zip(("angles", "rates", "tips", "apart", "off", "power", "acceleration"), axes.flat, strict=False))
    axes.flat[-1].axis("off")
    for joint, row in enumerate(arm.joints):
        panels["angles"].plot(TIMES, reference[:, row], f"C{joint}", label=f"joint {joint + 1}")
        panels["angles"].plot(TIMES, angles[:, joint], f"C{joint}:")
        panels["rates"].plot(TIMES, reference[:, arm.n + row], f"C{joint}")
        panels["rates"].plot(TIMES, rates[:, joint], f"C{joint}:")
    panels["tips"].plot(TIMES, 1e3 * arm.deflections(reference)[:, :, 1], label=LINKS)
    for number, (name, found) in enumerate(runs.items()):
        lost = ~(np.abs(found["recursive"] - reference)[:, first] < LOST)
        if lost.any():
            continue
        apart = np.abs(found["recursive"] - found["Cholesky"])[:, first]
        panels["apart"].semilogy(TIMES, np.maximum(apart, 1e-18), f"C{number}", label=name)
        for way, line in (("recursive", "-"), ("Cholesky", "--")):
            states, style = found[way], {"color": f"C{number}", "linestyle": line, "linewidth": 0.8}
            panels["off"].plot(TIMES, states[:, first] - angles[:, 0], **style)
            panels["power"].plot(TIMES, (torque * (rates - states[:, arm.rates])).sum(axis=1), **style)
            traced = arm.recursive(states[:, : arm.n], states[:, arm.n :], tau)[:, first]
            panels["acceleration"].plot(TIMES, traced, **style)
    titles = ("4: angles [rad], dotted: desired", "4: rates [rad/s]", "5: tip deflections [mm]")
    titles += ("joint 1: the two ways apart [rad]", "6: joint 1 less the desired angle [rad]")
    titles += ("7: power difference [W]", "8: acceleration of joint 1 [rad/s^2]")
    for panel, title in zip(panels.values(), titles, strict=True):
        panel.set_title(title)
        panel.set_xlabel("t [s], dashed: Cholesky" if title[0] in "678" else "t [s]")
    for name in ("angles", "tips", "apart"):
        panels[name].legend(fontsize=8)
    figure.savefig(path)


if __name__ == "__main__":
    main()
