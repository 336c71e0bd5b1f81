"""The figure of docs/optimal-control.md: python docs/figures/mpc_arm.py."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

import symdyn


def main() -> None:
    """Write the plan of a double pendulum that swings its tip to a place under limits of torques."""
    problem = symdyn.OptimalControlProblem(
        costs=[
            symdyn.FramePosition("tip", weight=20, end=200, name="reach"),
            symdyn.StateCost(q=0, v=0, weights={"q": 0.01, "v": 0.05}, end={"q": 0.01, "v": 1}),
            symdyn.InputCost(weight=0.01),
        ],
        limits=symdyn.Limits(effort=6, velocity={"from": 4, "weight": 50}),
        horizon=symdyn.Horizon(steps=25, step=0.03),
    )
    plan = symdyn.optimal_control(symdyn.load_example("double_pendulum"), problem, targets={"reach": [-0.9, 0, -0.4]})
    figure, path = plan.plot(), Path(__file__).with_suffix(".svg")
    figure.set_size_inches(7.0, 5.0)
    with mpl.rc_context({"svg.hashsalt": "mpc_arm"}):
        figure.savefig(path, metadata={"Date": None})
    path.write_text("\n".join(line.rstrip() for line in path.read_text(encoding="utf-8").splitlines()) + "\n")


if __name__ == "__main__":
    main()
