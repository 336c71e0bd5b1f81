"""Draw a beam that is spun up to 6 rad/s in 15 s: its tip with stiffening, without it, and its steady extension.

Usage: python docs/figures/flexible_spin_up.py                 (needs the extras `plot` and `examples`)
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from figure_style import GREY, panels, save
from scipy.integrate import solve_ivp

import symdyn

LENGTH, FAST, RAMP, END = 10.0, 6.0, 15.0, 20.0
BEAM = """
name: rotating_beam
gravity: [0, 0, 0]
links:
  ground:
  beam:
    flexible:
      length: 10
      mass_per_length: 1.2
      bending_stiffness: 1.4e4
      axial_stiffness: 2.8e7
      modes: {modes}
      stiffening: {stiffening}
joints:
  spin: {{type: continuous, parent: ground, child: beam, axis: [0, 0, 1]}}
"""
FUNCTIONS = ["hybrid_dynamics", "forward_kinematics"]


def speed(t: Any) -> tuple[Any, Any]:
    """Angular velocity and acceleration of the root."""
    turn = 2 * np.pi / RAMP
    inside = t < RAMP
    rising = FAST / RAMP * (t - np.sin(turn * t) / turn)
    return np.where(inside, rising, FAST), np.where(inside, FAST / RAMP * (1 - np.cos(turn * t)), 0.0)


def tip(stiffening: bool, modes: str, end: float, method: str) -> tuple[Any, Any]:
    """Times, and the tip's way from its place at rest, in axes that turn with the root [m], (times, 3)."""
    text = BEAM.format(modes=modes, stiffening=str(stiffening).lower())
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "beam.yaml"
        file.write_text(text, encoding="utf-8")
        robot = symdyn.load(file)
    module: Any = symdyn.compile(robot, FUNCTIONS, prescribed=["spin"])
    n = robot.nv

    def rate(t: float, y: Any) -> Any:
        u = np.zeros(n)
        u[0] = speed(t)[1]
        w = module.hybrid_dynamics(y[:n], y[n:], u)
        w[0] = u[0]
        return np.concatenate([y[n:], w])

    times = np.linspace(0.0, end, 601)
    found = solve_ivp(rate, (0.0, end), np.zeros(2 * n), method=method, t_eval=times, rtol=1e-7, atol=1e-9)
    poses = module.forward_kinematics(found.y[:n].T)
    link, far = (poses[:, robot.frame_names.index(name)] for name in ("beam", "beam.tip"))
    reach = np.einsum("kba,kb->ka", link[:, :3, :3], far[:, :3, 3] - link[:, :3, 3])
    return found.t, reach - [LENGTH, 0.0, 0.0]


def main() -> None:
    """Write flexible_spin_up.svg beside this file."""
    figure, (bent, lost, longer) = panels(3, 2.5)
    times, moved = tip(True, "{bend_y: 3}", END, "DOP853")
    bent.plot(times, moved[:, 1], color="#1b6ca8")
    bent.axvline(RAMP, color=GREY, linewidth=0.8, linestyle=":")
    bent.annotate("full speed", (RAMP, -0.45), (-3, 0), textcoords="offset points", fontsize=8, rotation=90, ha="right")
    bent.set_title("with stiffening")
    bent.set_ylabel("tip across the beam [m]")
    times, moved = tip(False, "{bend_y: 3}", 10.0, "DOP853")
    lost.plot(times, moved[:, 1], color="#d98324")
    lost.set_title("without")
    lost.set_ylabel("tip across the beam [m]")
    times, moved = tip(True, "{bend_y: 2, axial: 2}", END, "Radau")
    longer.plot(times, 1e3 * moved[:, 0], color="#3a9d8f")
    steady = 1.2 * FAST**2 * LENGTH**3 / (3 * 2.8e7)
    longer.axhline(1e3 * steady, color=GREY, linewidth=0.8, linestyle=":")
    longer.annotate("steady, by statics", (0.5, 1e3 * steady), (0, 3), textcoords="offset points", fontsize=8)
    longer.set_ylim(-2.0, 1.0)
    longer.set_title("with axial modes")
    longer.set_ylabel("tip along the beam [mm]")
    for axes in (bent, lost, longer):
        axes.set_xlabel("t [s]")
    save(figure, "flexible_spin_up")


if __name__ == "__main__":
    main()
