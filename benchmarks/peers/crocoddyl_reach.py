"""The reaching task of ``optimal_control.py`` with crocoddyl's FDDP and BoxFDDP; the problem comes by standard input.

Run by a Python of its own: crocoddyl 3.2.1 needs pin 4.0.0.
"""

from __future__ import annotations

import json
import sys
import time

import crocoddyl
import numpy as np
import pinocchio as pin


def shooting(model: pin.Model, frame: int, start: np.ndarray, goal: pin.SE3, effort: np.ndarray | None) -> object:
    """The problem of one goal."""
    state = crocoddyl.StateMultibody(model)
    actuation = crocoddyl.ActuationModelFull(state)
    gravity = pin.computeGeneralizedGravity(model, model.createData(), start)
    rest = np.concatenate([start, np.zeros(model.nv)])

    def action(pose: float, q: float, v: float, u: float, h: float) -> object:
        costs = crocoddyl.CostModelSum(state)
        reach = crocoddyl.ResidualModelFramePlacement(state, frame, goal)
        costs.addCost("reach", crocoddyl.CostModelResidual(state, reach), pose)
        weights = np.concatenate([np.full(model.nv, q), np.full(model.nv, v)])
        weighted = crocoddyl.ActivationModelWeightedQuad(weights)
        own = crocoddyl.ResidualModelState(state, rest)
        costs.addCost("state", crocoddyl.CostModelResidual(state, weighted, own), 1.0)
        if u:
            force = crocoddyl.ResidualModelControl(state, gravity)
            costs.addCost("effort", crocoddyl.CostModelResidual(state, force), u)
        rates = crocoddyl.DifferentialActionModelFreeFwdDynamics(state, actuation, costs)
        made = crocoddyl.IntegratedActionModelEuler(rates, h)
        if effort is not None:
            made.u_lb, made.u_ub = -effort, effort
        return made

    path, end = action(10.0, 0.01, 0.01, 1e-4, 0.02), action(1000.0, 0.01, 1.0, 0.0, 0.0)
    return crocoddyl.ShootingProblem(rest, [path] * 50, end)


def main() -> None:
    """Print iterations, costs and times."""
    asked = json.load(sys.stdin)
    whole = pin.buildModelFromUrdf(asked["urdf"])
    fingers = [whole.getJointId(name) for name in whole.names if "finger" in name]
    model = pin.buildReducedModel(whole, fingers, pin.neutral(whole))
    start, effort = np.array(asked["start"]), np.array(asked["effort"])
    frame, data = model.getFrameId(asked["frame"]), model.createData()
    print(f"crocoddyl {crocoddyl.__version__}, pin {pin.__version__}")
    for bounded in (False, True):
        rows = []
        for q in asked["goals"]:
            pin.framesForwardKinematics(model, data, np.array(q))
            problem = shooting(model, frame, start, data.oMf[frame].copy(), effort if bounded else None)
            gravity = pin.computeGeneralizedGravity(model, model.createData(), start)
            best = np.inf
            for _ in range(3 if not rows else 1):
                solver = (crocoddyl.SolverBoxFDDP if bounded else crocoddyl.SolverFDDP)(problem)
                solver.th_stop = 1e-9
                xs, us = [problem.x0.copy() for _ in range(51)], [gravity.copy() for _ in range(50)]
                if bounded:
                    us = [np.clip(u, -effort, effort) for u in us]
                begun = time.thread_time()
                done = solver.solve(xs, us, 100, False)
                best = min(best, time.thread_time() - begun)
            rows.append((done, solver.iter + 1, solver.cost, 1e6 * best))
        found = np.array(rows, float)
        first = found[0]
        print(
            f"{'BoxFDDP, bounded' if bounded else 'FDDP, free'}: {first[1]:.0f} iterations, cost {first[2]:.10g}, "
            f"{first[3]:.0f} us, {first[3] / first[1]:.0f} us an iteration; goals: {found[1:, 0].sum():.0f} of "
            f"{len(found) - 1} solved, median {np.median(found[1:, 1]):.0f} iterations"
        )


if __name__ == "__main__":
    main()
