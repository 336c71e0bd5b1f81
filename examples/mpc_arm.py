"""How does an arm reach a pose under torque limits? A plan by optimal control, then the same solver as a controller.

The hand of a seven-joint arm moves to a pose within a second, with torques close to their limits. In the simulation the
motors are 5 % weak. Give the name of a file for a figure of the plan.
"""

from __future__ import annotations

from needs import needs

needs(__file__, "scipy")

import sys

import numpy as np

import symdyn

START = [0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.7]
GOAL = [0.8, 0.2, -0.3, -1.3, 0.4, 2.0, 0.4]
EFFORT = [40.0, 60.0, 30.0, 30.0, 6.0, 6.0, 3.0]
STEP = 0.02


def main() -> None:
    problem = symdyn.OptimalControlProblem(
        costs=[
            symdyn.FramePose("tool", weight=10, end=1000, name="reach"),
            symdyn.StateCost(q="start", v=0, weights={"q": 0.01, "v": 0.01}, end={"q": 0.01, "v": 1}),
            symdyn.InputCost(reference="gravity", weight=1e-4),
        ],
        limits=symdyn.Limits(effort=EFFORT),
        horizon=symdyn.Horizon(steps=50, step=STEP),
        start={"q": START},
    )
    robot = symdyn.load_example("seven_dof_arm").with_control(problem)
    module = symdyn.compile(robot, ["forward_kinematics", "gravity"], frames=["tool"], solvers=["mpc"], lanes=False)
    pose = module.forward_kinematics(np.array(GOAL))[0]

    plan = symdyn.optimal_control(robot, targets={"reach": pose})
    print(f"plan: {plan.code.name}, {plan.report.iterations} iterations, cost {plan.cost:.6f}")
    assert plan.code == 0 and np.all(np.abs(plan.U) <= EFFORT)
    if len(sys.argv) > 1:
        plan.plot().savefig(sys.argv[1])

    x, R = pose[:3, 3], pose[:3, :3]
    w = 0.5 * np.sqrt(1.0 + np.trace(R))
    target = np.array([*x, *(np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4 * w)), w])
    controller = module.mpc.controller(target, u=module.gravity(np.array(START)))
    motion = symdyn.simulate(robot, START, t=2.0, inputs=lambda t, q, v: 0.95 * controller(t, q, v), sample_time=STEP)
    reached = module.forward_kinematics(motion.q[-1])[0, :3, 3]
    codes = {report.code.name for report in controller.reports}
    print(f"2 s with weak motors: {1e3 * np.linalg.norm(reached - x):.1f} mm from the goal, codes {sorted(codes)}")
    assert np.linalg.norm(reached - x) < 0.03  # nothing integrates the error, so weak motors leave some
    assert np.all(np.abs(motion.inputs) <= EFFORT)


if __name__ == "__main__":
    main()
