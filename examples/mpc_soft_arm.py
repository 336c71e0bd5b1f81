"""Can a soft arm be controlled in real time? Its cables bring the tip to a point, by optimal control of 24 coordinates.

A plan is found first; then the solver that found it works as a controller, once each 20 ms. The simulated arm has
cables that pull 5 % less than they are told to, and is integrated by another method, with steps of 1 ms. Give the name
of a file for a figure.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import symdyn

STEP, MOST = 0.02, 15.0


def main() -> None:
    problem = symdyn.OptimalControlProblem(
        costs=[
            symdyn.FramePosition("arm.tip", weight=1000, end=10000, name="reach"),
            symdyn.StateCost(v=0, weights={"v": 1e-3}, end={"v": 0.1}),
            symdyn.InputCost(weight=1e-3),
        ],
        limits=symdyn.Limits(effort={"lower": 0, "upper": MOST}),
        horizon=symdyn.Horizon(steps=25, step=STEP, method="implicit_euler"),
        inputs="actuators",
    )
    robot = symdyn.load_example("cable_manipulator").with_control(problem)
    start, rest = (symdyn.equilibrium(robot, u=u).q for u in ([1, 1, 1, 1, 1], [8, 0, 2, 4, 0]))
    module = symdyn.compile(robot, ["forward_kinematics"], frames=["arm.tip"], solvers=["mpc"], lanes=False)
    goal = module.forward_kinematics(rest)[0, :3, 3]
    controller = module.mpc.controller(goal, u=np.ones(5))
    spent = []

    def weak(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        begun = time.perf_counter()
        u = controller(t, q, v)
        spent.append(time.perf_counter() - begun)
        return 0.95 * u

    motion = symdyn.simulate(
        robot, start, t=1.0, inputs=weak, drive="actuators", sample_time=STEP, method="generalised-alpha", max_step=1e-3
    )
    places = np.array([module.forward_kinematics(q)[0, :3, 3] for q in motion.q])
    errors = 1e3 * np.linalg.norm(places - goal, axis=1)
    first = controller.reports[0]
    print(f"plan: {first.code.name}, {first.iterations} iterations, cost {first.cost:.6f}")
    assert first.code == 0 and motion.inputs.min() >= 0 and motion.inputs.max() <= MOST
    codes = {report.code.name for report in controller.reports}
    print(
        f"tip: {errors[0]:.1f} mm from the goal, {errors[-1]:.1f} mm after 1 s with weak cables, codes {sorted(codes)}"
    )
    print(f"a sample takes {1e3 * np.median(spent[1:]):.1f} ms")
    assert errors[-1] < 5.0  # nothing integrates the error of the cables
    assert all(report.usable for report in controller.reports)
    if len(sys.argv) > 1:
        _picture(sys.argv[1], motion, places, errors)


def _picture(name: str, motion: symdyn.Trajectory, places: np.ndarray, errors: np.ndarray) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 5.0), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    above.plot(motion.t, errors)
    above.set_ylabel("tip to goal [mm]")
    for row, label in zip(motion.inputs.T, ("1", "2", "3", "4", "5"), strict=True):
        below.step(motion.t, row, where="post", label=f"cable {label}")
    below.axhline(0.95 * MOST, color="0.5", linewidth=0.6, linestyle=":")
    below.set_ylabel("tension [N]")
    below.set_xlabel("time [s]")
    below.legend(loc="center right", fontsize="small")
    figure.savefig(name, metadata={"Date": None} if name.endswith(".svg") else None)


if __name__ == "__main__":
    main()
