"""Draw how many operations moved frames and regrouped inertia save; counted here, nothing is timed.

Usage: python docs/figures/regrouping.py            (needs the extra `plot`)
"""

from __future__ import annotations

from figure_style import panels, save

import symdyn
from symdyn.api import explain

SHOWN = (
    ("seven_dof_arm", ("inverse_dynamics", "forward_dynamics", "mass_matrix", "inverse_dynamics_partials")),
    ("aerial_manipulator", ("inverse_dynamics", "forward_dynamics", "mass_matrix", "inverse_dynamics_partials")),
)
STAGES = {"bodies as described": "#8a8a8a", "frames moved": "#7fb2d9", "inertia regrouped too": "#1b6ca8"}


def main() -> None:
    """Write regrouping.svg beside this file."""
    figure, axes = panels(len(SHOWN), 2.8)
    for place, (axis, (name, functions)) in enumerate(zip(axes, SHOWN, strict=True)):
        robot = symdyn.load_example(name)
        found = explain(robot, functions, layout="unrolled").functions
        counts = [(each.as_described, each.frames_moved, each.operations) for each in found]
        for stage, (label, colour) in enumerate(STAGES.items()):
            at = [row + 0.27 * (stage - 1) for row in range(len(found))]
            shares = [100.0 * row[stage] / row[0] for row in counts]
            bars = axis.barh(at, shares, 0.25, color=colour, label="" if place else label)
            axis.bar_label(bars, [str(row[stage]) for row in counts], fontsize=8, padding=2)
        titles = [each.name.replace("_partials", "\npartials").replace("_dynamics", "\ndynamics") for each in found]
        axis.set_yticks(range(len(found)), [title.replace("_", " ") for title in titles])
        axis.invert_yaxis()
        axis.set(xlim=(0, 118), xlabel="operations, % of bodies as described", title=name.replace("_", " "))
    figure.legend(loc="outside lower center", ncols=3, fontsize=8, frameon=False)
    save(figure, "regrouping")


if __name__ == "__main__":
    main()
