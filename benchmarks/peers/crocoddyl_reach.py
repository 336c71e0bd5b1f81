"""The reaching task of ``optimal_control.py`` by crocoddyl and mim-solvers; the problem comes by standard input.

Solvers are crocoddyl's FDDP, and BoxFDDP for limits; where mim-solvers is there, its SQP, and CSQP, whose quadratic
programs are solved by ADMM. Run by a Python of its own: crocoddyl 3.2.1 needs pin 4.0.0, mim-solvers 0.3.0 takes both.
"""

from __future__ import annotations

import json
import sys
import time
from importlib import import_module, metadata, util
from typing import Any

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
        limits = crocoddyl.ConstraintModelManager(state, actuation.nu)
        if effort is not None and u:
            own = crocoddyl.ResidualModelControl(state)
            limits.addConstraint("effort", crocoddyl.ConstraintModelResidual(state, own, -effort, effort))
        rates = crocoddyl.DifferentialActionModelFreeFwdDynamics(state, actuation, costs, limits)
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
    solvers = [("FDDP, free", False, _fddp), ("BoxFDDP, bounded", True, _fddp)]
    if util.find_spec("mim_solvers"):
        print(f"mim-solvers {metadata.version('mim-solvers')}")
        solvers += [("SQP, free", False, _sqp), ("CSQP, bounded", True, _sqp)]
    for name, bounded, solve in solvers:
        rows = []
        for q in asked["goals"]:
            pin.framesForwardKinematics(model, data, np.array(q))
            goal = data.oMf[frame].copy()
            best = np.inf
            for _ in range(3 if not rows else 1):
                problem = shooting(model, frame, start, goal, effort if bounded else None)
                gravity = pin.computeGeneralizedGravity(model, model.createData(), start)
                xs, us = [problem.x0.copy() for _ in range(51)], [gravity.copy() for _ in range(50)]
                if bounded:
                    us = [np.clip(u, -effort, effort) for u in us]
                begun = time.thread_time()
                found = solve(problem, xs, us, bounded)
                best = min(best, time.thread_time() - begun)
            rows.append((*found, 1e6 * best))
        table = np.array(rows, float)
        first = table[0]
        print(
            f"{name}: {first[1]:.0f} iterations, cost {first[2]:.10g}, {first[3]:.0f} us, {first[3] / first[1]:.0f} us "
            f"an iteration; goals: {table[1:, 0].sum():.0f} of {len(table) - 1} solved, median "
            f"{np.median(table[1:, 1]):.0f} iterations, {np.median(table[1:, 3]):.0f} us",
            flush=True,
        )


def _fddp(problem: Any, xs: list[np.ndarray], us: list[np.ndarray], bounded: bool) -> tuple[bool, int, float]:
    solver = (crocoddyl.SolverBoxFDDP if bounded else crocoddyl.SolverFDDP)(problem)
    solver.th_stop = 1e-9
    done = solver.solve(xs, us, 100, False)
    return done, solver.iter + 1, solver.cost


def _sqp(problem: Any, xs: list[np.ndarray], us: list[np.ndarray], bounded: bool) -> tuple[bool, int, float]:
    solvers = import_module("mim_solvers")
    solver = (solvers.SolverCSQP if bounded else solvers.SolverSQP)(problem)
    solver.termination_tolerance = 1e-4
    done = solver.solve(xs, us, 100, False)
    return done, solver.iter + 1, solver.cost


if __name__ == "__main__":
    main()
