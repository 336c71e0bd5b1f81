"""Draw the flexible Canadarm driven by the torques of the rigid one, and what two ways to solve for accelerations do.

Usage: python docs/figures/flexible_canadarm.py                 (needs the extras `plot` and `examples`)
"""

from __future__ import annotations

import sys

import numpy as np
from figure_style import HERE, panels, save

sys.path.insert(0, str(HERE.parents[1] / "examples"))
from canadarm import LINKS, REFERENCE, TIMES, Arm, Integrator, both_ways

COLOURS = ("#1b6ca8", "#3a9d8f", "#d98324")
RUNS = {
    "RK45, 1e-3": (Integrator("RK45, 1e-3", "RK45", 1e-3), "#d98324"),
    "RK45, 1e-7": (Integrator("RK45, 1e-7", "RK45", 1e-7), "#3a9d8f"),
    "RK4, 1 ms": (Integrator("RK4, 1 ms", steps=10), "#1b6ca8"),
}
SHOWN = slice(0, None, 2)
"""Every 20 ms."""
MARKED = slice(0, None, 25)
"""Every 0.25 s: a second line would hide the first."""


def main() -> None:
    """Write flexible_canadarm.svg beside this file."""
    arm = Arm()
    first, n = arm.joints[0], arm.n
    reference = REFERENCE.run(arm.rate(arm.recursive), arm.start())
    figure, (tips, acceleration, apart) = panels(3, 3.0)
    for bent, name, colour in zip(1e3 * arm.deflections(reference)[:, :, 1].T, LINKS, COLOURS, strict=True):
        tips.plot(TIMES[SHOWN], bent[SHOWN], color=colour, label=name.replace("_", " "))
    tips.set_title("tips, tight tolerance")
    tips.set_ylabel("deflection [mm]")
    tips.legend(fontsize=8, frameon=False)
    tau = arm.forces(TIMES)
    for label, (integrator, colour) in RUNS.items():
        found = both_ways(arm, integrator)
        traces = {way: arm.recursive(states[:, :n], states[:, n:], tau)[:, first] for way, states in found.items()}
        if label == "RK45, 1e-3":
            rough = {"color": colour, "linewidth": 0.6, "label": "1e-3, recursive"}
            acceleration.plot(TIMES[SHOWN], traces["recursive"][SHOWN], **rough)
            same = {"color": "black", "marker": "x", "markersize": 3.5, "linestyle": "", "label": "1e-3, Cholesky"}
            acceleration.plot(TIMES[MARKED], traces["Cholesky"][MARKED], **same)
        between = np.abs(found["recursive"] - found["Cholesky"])[:, first]
        apart.semilogy(TIMES[SHOWN], np.maximum(between, 1e-17)[SHOWN], color=colour, linewidth=0.8, label=label)
    exact = arm.recursive(reference[:, :n], reference[:, n:], tau)[:, first]
    acceleration.plot(TIMES[SHOWN], exact[SHOWN], color="#1b6ca8", linewidth=0.6, label="tight")
    acceleration.set_title("acceleration of joint 1 by RK45")
    acceleration.set_ylabel("[rad/s$^2$]")
    apart.set_title("joint 1, two ways apart")
    apart.set_ylabel("[rad]")
    apart.set_ylim(1e-17, 1e-1)
    for axes in (acceleration, apart):
        axes.legend(fontsize=8, frameon=False, loc="upper left", labelspacing=0.2)
    acceleration.set_ylim(-5.0, 11.0)
    for axes in (tips, acceleration, apart):
        axes.set_xlabel("t [s]")
    save(figure, "flexible_canadarm")


if __name__ == "__main__":
    main()
